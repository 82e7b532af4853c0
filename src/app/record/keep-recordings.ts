/** What becomes of the recordings of days that are over: their frames are compiled into columns once, then packed. */
import { basename } from 'node:path';
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { ContractSpec } from '../../domain/contract.ts';
import { minutes } from '../../domain/units.ts';
import { packFrameLog, unpackedLogs } from '../../recording/frame-archive.ts';
import { compileFrames, type FrameReport } from '../research/recorded/compile-frames.ts';
import { specOfSymbol } from '../research/recorded/recorded-market.ts';

/** Plain data: it goes to another thread. */
export interface Recordings {
  /** Where the frame logs are. */
  readonly frames: string;
  /** Where their columns go. */
  readonly data: string;
  /** The day whose log is being written: nothing of it or of a later one is touched. */
  readonly today: TradingDay;
  /** Hours in which a silence is a gap. */
  readonly calendar: TradingCalendar;
  readonly contracts: Readonly<Record<string, ContractSpec>>;
}

/** What was done, for people, and what could not be. */
export interface KeptRecordings {
  readonly done: readonly string[];
  readonly failures: readonly string[];
}

const SILENCE = minutes(5);
const NO_WATCH = { progress: () => undefined, bad: () => undefined };

/** A log that cannot be compiled stays as it is, and is tried again the next day. */
export async function keepRecordings(recordings: Recordings): Promise<KeptRecordings> {
  const done: string[] = [];
  const failures: string[] = [];
  for (const { path } of unpackedLogs(recordings.frames, recordings.today)) {
    try {
      const report = await compiled(path, recordings);
      await packFrameLog(path);
      done.push(told(report));
    } catch (error) {
      failures.push(`${basename(path)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { done, failures };
}

const compiled = (path: string, { data, calendar, contracts }: Recordings): Promise<FrameReport> =>
  compileFrames(
    path,
    {
      dir: data,
      calendar,
      specOf: (code) => specOfSymbol({ calendar, contracts }, code),
      silence: SILENCE,
      skipBad: true,
      // A day that went on after it was compiled has all that it had, and more.
      replace: true,
      archive: true,
    },
    NO_WATCH,
  );

const many = (count: number, what: string): string =>
  `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`;

function told({ file, rows, stored, badRows, tornBytes }: FrameReport): string {
  const gaps = stored.reduce((sum, { meta }) => sum + meta.gaps.length, 0);
  const parts = [
    `${many(rows, 'row')} of ${many(stored.length, 'contract')}, ${many(gaps, 'gap')}`,
    ...(badRows > 0 ? [`${many(badRows, 'frame')} that could not be read`] : []),
    ...(tornBytes > 0 ? [`${tornBytes} torn bytes at the end`] : []),
  ];
  return `${basename(file)} is columns and packed: ${parts.join(', ')}`;
}
