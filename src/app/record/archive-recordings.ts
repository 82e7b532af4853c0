/** What becomes of the recordings of days that are over: their frames are compiled into columns once, then packed. */
import { formatCount } from '../../text/numbers.ts';
import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { CancelTimer, Timers } from '../../domain/clock.ts';
import type { ContractSpec } from '../../domain/contract.ts';
import { minutes, seconds } from '../../domain/units.ts';
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

function told({ file, rows, stored, badRows, tornBytes }: FrameReport): string {
  const gaps = stored.reduce((sum, { meta }) => sum + meta.gaps.length, 0);
  const parts = [
    `${formatCount(rows, 'row')} of ${formatCount(stored.length, 'contract')}, ${formatCount(gaps, 'gap')}`,
    ...(badRows > 0 ? [`${formatCount(badRows, 'frame')} that could not be read`] : []),
    ...(tornBytes > 0 ? [`${tornBytes} torn bytes at the end`] : []),
  ];
  return `${basename(file)} is columns and packed: ${parts.join(', ')}`;
}

/** Has the recordings of days that are over looked after, once at the start and once after each day. */

interface RecordingKeeperParts extends Omit<Recordings, 'today'> {
  /** The day whose log is open; undefined between two days. */
  readonly today: () => TradingDay | undefined;
  readonly timers: Timers;
  readonly note: (text: string) => void;
  readonly onFailure: (text: string) => void;
}

const LOOK_EVERY = seconds(10);

/** Returns how to stop; what is half done then is begun again at the next start. */
export function startRecordingKeeper(parts: RecordingKeeperParts): () => Promise<void> {
  const { frames, data, calendar, contracts, timers, note, onFailure } = parts;
  let kept: TradingDay | undefined;
  let worker: Worker | undefined;
  let timer: CancelTimer | undefined;
  const look = (): void => {
    const today = parts.today();
    if (today !== undefined && today !== kept && worker === undefined) {
      kept = today;
      const workerData: Recordings = { frames, data, calendar, contracts, today };
      worker = new Worker(new URL('./archive-worker.js', import.meta.url), { workerData });
      worker.on('message', ({ done, failures }: KeptRecordings) => {
        done.forEach(note);
        for (const failure of failures) onFailure(`recordings: ${failure}`);
      });
      worker.on('error', (error: Error) => onFailure(`recordings: ${error.message}`));
      worker.on('exit', () => {
        worker = undefined;
      });
    }
    timer = timers.after(LOOK_EVERY, look);
  };
  look();
  return async () => {
    timer?.();
    await worker?.terminate();
  };
}
