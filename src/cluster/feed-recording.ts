/** Makes frame logs of what a feed has, one a day. */
import { existsSync } from 'node:fs';
import { dayAt, type TradingDay } from '../domain/civil-date.ts';
import { keptIn } from '../domain/lists.ts';
import { tsUs } from '../domain/units.ts';
import { createWholeFile, type WholeFile } from '../recording/columns/whole-file.ts';
import { frameLogPath, frameRecords } from '../recording/frame-log.ts';
import type { StampedFrame } from '../wire/stream/server-frame.ts';
import { readNote } from './feed-messages.ts';
import { type FeedListener, FeedReader, type FeedReaderOptions } from './feed-reader.ts';

/**
 * Returns the frames of each day, null for one whose begin the server has deleted: it gets no log. A log appears once it is whole. Throws
 * where one is there already, where the feed cannot be read, or has a gap.
 */
export async function recordFeed(
  access: Pick<FeedReaderOptions, 'name' | 'open'>,
  dir: string,
  utcOffsetMinutes: number,
): Promise<ReadonlyMap<TradingDay, number | null>> {
  const counts = new Map<TradingDay, number | null>();
  let isCut = false;
  const logs = new Map<TradingDay, WholeFile>();
  const newLog = (day: TradingDay): WholeFile => {
    const path = frameLogPath(dir, day);
    if (existsSync(path)) throw new Error(`${path} is there already: name another folder`);
    return createWholeFile(path, 0o600);
  };
  const write = (frame: StampedFrame): void => {
    if (readNote(frame) !== undefined) return;
    const day = dayAt(frame.tsUs, utcOffsetMinutes);
    if (isCut || counts.get(day) === null) {
      isCut = false;
      return void counts.set(day, null);
    }
    keptIn(logs, day, () => newLog(day)).write(frameRecords([frame]));
    counts.set(day, (counts.get(day) ?? 0) + 1);
  };
  const onRecords = (records: readonly StampedFrame[]): void => records.forEach(write);
  let reader: FeedReader | undefined = undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const end = (reason: string): void => reject(new Error(reason));
      // Another run of the publisher is no gap here: it has what the server was sent.
      const onGap: FeedListener['onGap'] = (reason, gap) => {
        isCut ||= gap === 'begin';
        if (gap === 'lost') end(reason);
      };
      const listener = { onRecords, onGap, onCaughtUp: resolve, onDown: end };
      reader = new FeedReader({ ...access, from: tsUs(0), listener });
      reader.ended.catch(reject);
    });
    for (const log of logs.values()) log.keep();
  } finally {
    await (reader as FeedReader | undefined)?.close();
    for (const log of logs.values()) log.drop();
  }
  return counts;
}
