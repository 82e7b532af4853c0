/**
 * Care of stored data: compiles each frame log of a past day into columns once, then packs it; backs the journal up, and after that writes
 * old sessions of it into archives; deletes data past its retention; writes the report of the day.
 */
import { closing, errorText, thrownText } from '../../domain/failure.ts';
import { formatCount } from '../../text/numbers.ts';
import { renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SqliteThread } from '../../sqlite/database.ts';
import { neverCloses } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { CancelTimer, Timers } from '../../domain/clock.ts';
import { milliseconds, minutes } from '../../domain/units.ts';
import type { RetentionConfig } from '../../config/config.ts';
import {
  backUpJournal,
  JournalDamaged,
  pruneBackups,
  pruneDays,
  archivePath,
  openArchive,
  writeArchive,
} from '../../journal/journal-copies.ts';
import type { ArchivedSession } from '../../journal/journal-database.ts';
import { readJournal } from '../../journal/journal-reader.ts';
import type { JournalStore } from '../../journal/journal-store.ts';
import { packFrameLog, pruneFrameLogs, refuseOlder, unpackedLogs } from '../../recording/frame-log.ts';
import { archivable } from '../restart/carry-over.ts';
import { dayReportOf } from '../inspect/day-report.ts';
import { compileFrames, type FrameReport } from '../../research/recorded/compile-frames.ts';
import type { RecordedMarket } from '../../research/recorded/recorded-market.ts';

/** Plain data: it goes to another thread. */
export interface Recordings {
  readonly frames: string;
  readonly data: string;
  /** Logs of this day and later ones are left alone: they are still written. */
  readonly today: TradingDay;
  readonly market: RecordedMarket;
  /** Null where no journal is kept. */
  readonly journal: { readonly path: string; readonly backups: string } | null;
  /** Nothing is traded now, or trading never ends. */
  readonly isQuiet: boolean;
  readonly retention: RetentionConfig;
}

export interface WrittenReport {
  readonly day: TradingDay;
  readonly path: string;
  readonly text: string;
}

const SILENCE = minutes(5);
const GIGABYTE = 1_000_000_000;

type ArchivedRecordings = Awaited<ReturnType<typeof archiveRecordings>>;

/** A log that cannot be compiled stays as it is; the next day tries it again. */
export async function archiveRecordings(recordings: Recordings) {
  const outcome = {
    /** One line for people for each job that was done. */
    done: [] as string[],
    failures: [] as string[],
    /** Rows of the journal are not those that were written, in words, or null. */
    damage: null as string | null,
    reports: [] as WrittenReport[],
    /** Sessions whose rows may leave the journal: their archives are proven. */
    archived: [] as ArchivedSession[],
  };
  const { done, failures } = outcome;
  for (const { path } of unpackedLogs(recordings.frames, recordings.today)) {
    try {
      refuseOlder(path);
      const report = await compiled(path, recordings);
      await packFrameLog(path);
      done.push(reportText(report));
    } catch (error) {
      failures.push(`${basename(path)}: ${errorText(error)}`);
    }
  }
  const attempt = (what: string, run: () => void): boolean => {
    try {
      run();
      return true;
    } catch (error) {
      if (error instanceof JournalDamaged) outcome.damage = error.message;
      else failures.push(`${what}: ${errorText(error)}`);
      return false;
    }
  };
  attempt('old frames stay', () => done.push(...prunedFrames(recordings)));
  // No row leaves the journal before today's copy of it is proven.
  if (attempt('the journal is not backed up', () => done.push(...backedUp(recordings))))
    attempt('no more sessions leave the journal', () => archiveSessions(recordings, outcome));
  attempt('no report is written', () => done.push(...reported(recordings, outcome.reports)));
  return outcome;
}

/** One after the other: those before a failure are archived. */
function archiveSessions(
  { journal, today, retention, isQuiet }: Recordings,
  { archived, done, failures }: Pick<ArchivedRecordings, 'archived' | 'done' | 'failures'>,
): void {
  if (journal === null || !isQuiet) return;
  closing(readJournal(journal.path), ({ read }) => {
    for (const each of read.archivedWithRows()) {
      // A death came between, and the file may be gone since: the rows that are left are then the only ones.
      const failure = thrownText(() => openArchive(journal.path, each).close());
      if (failure === null) archived.push(each);
      else failures.push(`rows that did not leave yet stay in the journal: ${failure}`);
    }
    for (const day of archivable(read, today, retention.journalDays)) {
      const session = writeArchive(journal.path, day);
      archived.push(session);
      const rows = formatCount(session.inputs + session.entries, 'row');
      done.push(`session ${day} leaves the journal: its ${rows} are in ${archivePath(journal.path, day)}`);
    }
  });
}

const pastRetention = (names: readonly string[]): readonly string[] =>
  names.map((name) => `${name} is past its retention: deleted`);

function prunedFrames({ frames, today, retention }: Recordings): readonly string[] {
  const limits = { days: retention.framesDays, bytes: retention.framesGigabytes * GIGABYTE };
  return pastRetention(pruneFrameLogs(frames, today, limits));
}

function backedUp({ journal, today, retention }: Recordings): readonly string[] {
  if (journal === null) return [];
  const { path, rows } = backUpJournal(journal.path, journal.backups, today);
  const { deleted, unreadable } = pruneBackups(journal.backups, retention.backups);
  return [
    `the journal is backed up and checked: ${formatCount(rows, 'row')} in ${path}`,
    ...pastRetention(deleted),
    ...unreadable.map((text) => `a backup cannot be read, and an older one stays in its place: ${text}`),
  ];
}

const REPORT = { prefix: 'report-', suffix: '.html' };
/** The day that is open, and the one before: its last rows came after its close. */
const REPORTED_SESSIONS = 2;

/** Writes the reports of the newest days next to the backups. */
function reported({ journal, retention, today, isQuiet }: Recordings, reports: WrittenReport[]) {
  if (journal === null) return [];
  closing(readJournal(journal.path), ({ read }) => {
    for (const session of read.sessions().slice(-REPORTED_SESSIONS)) {
      const path = join(journal.backups, `${REPORT.prefix}${session.day}${REPORT.suffix}`);
      const { html, text, phases } = dayReportOf(read, session);
      writeFileSync(`${path}.partial`, html, { mode: 0o600 });
      renameSync(`${path}.partial`, path);
      const hasTraded = phases.some((phase) => phase !== 'closed');
      // `isQuiet` is of the beginning, which may be before the open: the rows of the report have to hold the close too.
      const isClosed = isQuiet && phases.at(-1) === 'closed';
      if (hasTraded && (session.day < today || isClosed)) reports.push({ day: session.day, path, text });
    }
  });
  return pastRetention(pruneDays(journal.backups, REPORT.prefix, REPORT.suffix, retention.backups));
}

const compiled = (path: string, { data, market }: Recordings): Promise<FrameReport> =>
  compileFrames(path, {
    dir: data,
    market,
    silence: SILENCE,
    skipBad: true,
    // A log that grew after it was compiled contains all that its columns hold.
    replace: true,
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

export interface ArchiverOptions extends Omit<Recordings, 'today' | 'isQuiet' | 'journal'> {
  readonly journal: (NonNullable<Recordings['journal']> & { readonly store: JournalStore }) | null;
  /** The program on disk is not the one that runs, in words, or null: a thread would run the other one. */
  readonly programProblem: () => string | null;
  /** The day whose log is open; undefined between two days. */
  readonly today: () => TradingDay | undefined;
  /** The session of that day is over. */
  readonly isClosed: () => boolean;
  readonly timers: Timers;
  readonly note: (text: string) => void;
  readonly onFailure: (text: string) => void;
  readonly onDamage?: (text: string) => void;
  /** A session is over; runs again with each start and each check. */
  readonly onReport?: (report: WrittenReport) => void;
}

/** Most frames live for a moment: more room for them is 60 MB of the process at each change of day, and saves no time. */
const YOUNG_GENERATION_MB = 4;

/** Due at the start, after each close and after each day; works in a thread. The next start redoes unfinished work. */
export function createArchiver(options: ArchiverOptions) {
  const { journal, timers, note, onFailure } = options;
  const rows = journal === null ? null : archivedRows(journal.store, timers, onFailure);
  let doneDay: TradingDay | undefined;
  /** The present close is done; open again, the next one is to come. */
  let isCloseDone = false;
  let worker: SqliteThread | undefined;
  let isStopped = false;
  const isDue = (): boolean => {
    const [today, isClosed] = [options.today(), options.isClosed()];
    isCloseDone &&= isClosed;
    if (isStopped || today === undefined || worker !== undefined) return false;
    return today !== doneDay || (isClosed && !isCloseDone);
  };
  const begin = (): void => {
    const today = options.today();
    if (today === undefined) return;
    doneDay = today;
    isCloseDone = options.isClosed();
    const problem = options.programProblem();
    if (problem !== null) return onFailure(`recordings wait: ${problem}`);
    const workerData = recordingsOf(options, today);
    worker = new SqliteThread(new URL('./archive-worker.js', import.meta.url), {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    worker.on('message', ({ done, failures, damage, reports, archived }: ArchivedRecordings) => {
      done.forEach(note);
      for (const report of reports) options.onReport?.(report);
      rows?.take(archived);
      for (const failure of failures) onFailure(failure);
      if (damage !== null) options.onDamage?.(damage);
    });
    worker.on('error', (error: Error) => onFailure(`recordings: ${error.message}`));
    worker.on('exit', () => {
      worker = undefined;
    });
  };
  return {
    isDue,
    begin,
    stop: async () => {
      isStopped = true;
      await worker?.terminate();
      rows?.stop();
    },
  };
}

/** Plain data, without the parts that stay in this thread. */
function recordingsOf(
  { frames, data, journal, market, retention, isClosed }: ArchiverOptions,
  today: TradingDay,
): Recordings {
  const { calendar, contracts } = market;
  return {
    frames,
    data,
    market: { calendar, contracts },
    today,
    journal: journal === null ? null : { path: journal.path, backups: journal.backups },
    isQuiet: isClosed() || neverCloses(calendar),
    retention,
  };
}

// The main thread's part of archiving a session: the journal has one writer. Its rows leave in steps between other work, so that no
// heartbeat and no call waits; the next round finishes work that a death interrupted.

/** A step takes some milliseconds. */
const ROWS_A_STEP = 500;
const PAUSE = milliseconds(50);

export function archivedRows(journal: JournalStore, timers: Timers, onFailure: (text: string) => void) {
  let leaving: ArchivedSession[] = [];
  let cancelTimer: CancelTimer | undefined;
  const stop = (): void => cancelTimer?.();
  const attempt = (work: () => void): void => {
    const failure = thrownText(work);
    if (failure === null) return;
    leaving = [];
    onFailure(`archived rows stay in the journal until the next round: ${failure}`);
  };
  const step = (): void => {
    const [first] = leaving;
    if (first === undefined) return;
    if (!journal.deleteArchivedRows(first.session, ROWS_A_STEP)) leaving.shift();
    cancelTimer = timers.after(PAUSE, () => attempt(step));
  };
  /** Sessions whose archives are proven; some of them from an earlier round. */
  const take = (archived: readonly ArchivedSession[]): void => {
    stop();
    leaving = [...archived];
    attempt(() => {
      for (const each of archived)
        if (journal.read.archiveOf(each.session) === undefined) journal.addArchive(each);
      step();
    });
  };
  return { take, stop };
}
