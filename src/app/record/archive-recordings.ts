/**
 * Care of what the daemon keeps: compiles each frame log of a past day into columns once, then packs it; backs the journal up; deletes
 * what is past its retention; writes the report of the day.
 */
import { errorText } from '../../domain/failure.ts';
import { formatCount } from '../../text/numbers.ts';
import { renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { CancelTimer, Timers } from '../../domain/clock.ts';
import { minutes, seconds } from '../../domain/units.ts';
import type { RetentionConfig } from '../../config/config.ts';
import { backUpJournal, pruneBackups, pruneDays } from '../../journal/journal-backup.ts';
import { readJournal } from '../../journal/journal-reader.ts';
import { packFrameLog, pruneFrameLogs, unpackedLogs } from '../../recording/frame-log.ts';
import { dayReportOf } from '../inspect/day-report.ts';
import { compileFrames, type FrameReport } from '../research/recorded/compile-frames.ts';
import type { RecordedMarket } from '../research/recorded/recorded-market.ts';

/** Plain data: it goes to another thread. */
export interface Recordings {
  /** Directory of the frame logs. */
  readonly frames: string;
  /** Directory of the columns. */
  readonly data: string;
  /** Logs of this day and later ones are left alone: they are still written. */
  readonly today: TradingDay;
  readonly market: RecordedMarket;
  /** Null where no journal is kept. */
  readonly journal: { readonly path: string; readonly backups: string } | null;
  readonly retention: RetentionConfig;
}

/** One line for people for each log. */
export interface ArchivedRecordings {
  readonly done: readonly string[];
  readonly failures: readonly string[];
}

const SILENCE = minutes(5);
const GIGABYTE = 1_000_000_000;

/** A log that cannot be compiled stays as it is; the next day tries it again. */
export async function archiveRecordings(recordings: Recordings): Promise<ArchivedRecordings> {
  const done: string[] = [];
  const failures: string[] = [];
  for (const { path } of unpackedLogs(recordings.frames, recordings.today)) {
    try {
      const report = await compiled(path, recordings);
      await packFrameLog(path);
      done.push(reportText(report));
    } catch (error) {
      failures.push(`${basename(path)}: ${errorText(error)}`);
    }
  }
  for (const care of [prunedFrames, backedUp, reported])
    try {
      done.push(...care(recordings));
    } catch (error) {
      failures.push(errorText(error));
    }
  return { done, failures };
}

function prunedFrames({ frames, today, retention }: Recordings): readonly string[] {
  const limits = { days: retention.framesDays, bytes: retention.framesGigabytes * GIGABYTE };
  return pruneFrameLogs(frames, today, limits).map((name) => `${name} is past its retention: deleted`);
}

function backedUp({ journal, today, retention }: Recordings): readonly string[] {
  if (journal === null) return [];
  const { path, rows } = backUpJournal(journal.path, journal.backups, today);
  const old = pruneBackups(journal.backups, retention.backups);
  return [
    `the journal is backed up and checked: ${formatCount(rows, 'row')} in ${path}`,
    ...old.map((name) => `${name} is past its retention: deleted`),
  ];
}

const REPORT = { prefix: 'report-', suffix: '.html' };
/** The day that is open, and the one before: its last rows came after its close. */
const REPORTED_SESSIONS = 2;

/** Writes the reports of the newest days beside the backups. */
function reported({ journal, retention }: Recordings): readonly string[] {
  if (journal === null) return [];
  const opened = readJournal(journal.path);
  try {
    for (const session of opened.read.sessions().slice(-REPORTED_SESSIONS)) {
      const path = join(journal.backups, `${REPORT.prefix}${session.day}${REPORT.suffix}`);
      writeFileSync(`${path}.partial`, dayReportOf(opened.read, session), { mode: 0o600 });
      renameSync(`${path}.partial`, path);
    }
  } finally {
    opened.close();
  }
  const old = pruneDays(journal.backups, REPORT.prefix, REPORT.suffix, retention.backups);
  return old.map((name) => `${name} is past its retention: deleted`);
}

const compiled = (path: string, { data, market }: Recordings): Promise<FrameReport> =>
  compileFrames(path, {
    dir: data,
    market,
    silence: SILENCE,
    skipBad: true,
    // A log that grew after it was compiled contains all that its columns hold.
    replace: true,
    archive: true,
  });

function reportText({ file, rows, stored, badRows, damage }: FrameReport): string {
  const gaps = stored.reduce((sum, { meta }) => sum + meta.gaps.length, 0);
  const parts = [
    `${formatCount(rows, 'row')} of ${formatCount(stored.length, 'contract')}, ${formatCount(gaps, 'gap')}`,
    ...(badRows > 0 ? [`${formatCount(badRows, 'frame')} that could not be read`] : []),
    ...(damage === null ? [] : [damage]),
  ];
  return `${basename(file)} is columns and packed: ${parts.join(', ')}`;
}

export interface ArchiverOptions extends Omit<Recordings, 'today'> {
  /** The day whose log is open; undefined between two days. */
  readonly today: () => TradingDay | undefined;
  /** The session of that day is over. */
  readonly isClosed: () => boolean;
  readonly timers: Timers;
  readonly note: (text: string) => void;
  readonly onFailure: (text: string) => void;
}

const LOOK_EVERY = seconds(10);

/** Works at the start, after each close and after each day, in a thread. Returns how to stop; the next start redoes unfinished work. */
export function startArchiver(options: ArchiverOptions): () => Promise<void> {
  const { frames, data, journal, retention, timers, note, onFailure } = options;
  let doneFor = '';
  let worker: Worker | undefined;
  let timer: CancelTimer | undefined;
  const look = (): void => {
    const today = options.today();
    const due = `${today ?? ''} ${options.isClosed() ? 'closed' : 'open'}`;
    if (today !== undefined && due !== doneFor && worker === undefined) {
      doneFor = due;
      const { calendar, contracts } = options.market;
      const market = { calendar, contracts };
      const workerData: Recordings = { frames, data, market, today, journal, retention };
      worker = new Worker(new URL('./archive-worker.js', import.meta.url), { workerData });
      worker.on('message', ({ done, failures }: ArchivedRecordings) => {
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
