/** A thread of its own, hence the compiled program. */
import { EventEmitter, once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type * as Archiver from '../../../src/daemon/program/archive-recordings.ts';
import { archiveRecordings } from '../../../src/daemon/program/archive-recordings.ts';
import { archivePath, writeArchive } from '../../../src/journal/journal-copies.ts';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { milliseconds, seq, tsUs } from '../../../src/domain/units.ts';
import type { Timers } from '../../../src/domain/clock.ts';
import { readJournal } from '../../../src/journal/journal-reader.ts';
import { ENTRIES } from '../../operator/entries.ts';
import { note, openStore } from '../../journal/journal-fixture.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';
import { tempDir } from '../../support/temp-dir.ts';

const MODULE = join(import.meta.dirname, '../../../dist/src/daemon/program/archive-recordings.js');

/** Of rows that leave the journal. */
const IDLE: Timers = { after: () => () => undefined };

const placesIn = (frames: string) => ({
  frames,
  data: join(frames, 'data'),
  market: { calendar: MARKET_CALENDAR, contracts: {} },
  journal: null,
  retention: { backups: 2, journalDays: 30, framesDays: 365, framesGigabytes: 20 },
  isClosed: () => false,
  programProblem: () => null,
});

/** Returns a look at what is due, as the schedule of the day takes it again and again. */
async function archive(
  parts: Archiver.ArchiverOptions,
): Promise<{ look: () => void; stop: () => Promise<void> }> {
  const module: typeof Archiver = await import(/* @vite-ignore */ MODULE);
  const archiver = module.createArchiver(parts);
  const look = (): void => {
    if (archiver.isDue()) archiver.begin();
  };
  look();
  return { look, stop: () => archiver.stop() };
}

it('is due at the start, after each close and in each new day, and not at the open', async () => {
  let [day, isClosed] = [tradingDay('2026-03-05'), true];
  const module: typeof Archiver = await import(/* @vite-ignore */ MODULE);
  const { isDue, begin } = module.createArchiver({
    ...placesIn('nowhere'),
    // No thread is started then.
    programProblem: () => 'another build',
    today: () => day,
    isClosed: () => isClosed,
    timers: IDLE,
    note: () => undefined,
    onFailure: () => undefined,
  });
  const dues: boolean[] = [];
  for (const change of ['start', 'open', 'close', 'night', 'open', 'close']) {
    if (change === 'night') day = tradingDay('2026-03-06');
    if (change === 'open' || change === 'close') isClosed = change === 'close';
    dues.push(isDue());
    if (dues.at(-1) === true) begin();
    expect(isDue()).toBe(false);
  }
  expect(dues).toEqual([true, false, true, true, false, true]);
});

it('reports what went wrong', async () => {
  const frames = tempDir();
  writeFileSync(join(frames, '2026-03-04.frames'), '1 1000 3 349ae368\nabc\n');
  mkdirSync(join(frames, '2026-03-04.frames.gz'));
  const logged = await new Promise<string>((resolve, reject) => {
    void archive({
      ...placesIn(frames),
      today: () => tradingDay('2026-03-05'),
      timers: IDLE,
      note: reject,
      onFailure: resolve,
    });
  });
  expect(logged).toMatch(/^2026-03-04\.frames: EISDIR/);
});

it('backs the journal up at the start and again after the close', async () => {
  const dir = tempDir();
  const path = join(dir, 'journal.db');
  const { store } = openStore(path);
  store.beginSession(tradingDay('2026-03-05'), tsUs(1), 'test.yaml');
  store.append(note(1));
  store.flush();
  const said = new EventEmitter();
  let isClosed = false;
  let logged = once(said, 'line');
  const { look, stop } = await archive({
    ...placesIn(join(dir, 'frames')),
    journal: { path, backups: join(dir, 'backups'), store },
    today: () => tradingDay('2026-03-05'),
    isClosed: () => isClosed,
    timers: IDLE,
    note: (text) => void said.emit('line', text),
    onFailure: (text) => void said.emit('line', text),
  });
  onTestFinished(stop);
  const copy = join(dir, 'backups', 'journal-2026-03-05.db');
  expect(await logged).toEqual([`the journal is backed up and checked: 1 row in ${copy}`]);
  const report = join(dir, 'backups', 'report-2026-03-05.html');
  expect(readFileSync(report, 'utf8')).toContain('<h1>Trading day 2026-03-05</h1>');
  rmSync(report);
  store.append(note(2));
  store.close();
  isClosed = true;
  logged = once(said, 'line');
  // The thread of the first round may not be gone yet.
  const again = setInterval(() => look(), 20);
  expect(await logged).toEqual([`the journal is backed up and checked: 2 rows in ${copy}`]);
  clearInterval(again);
  expect(existsSync(report)).toBe(true);
});

it('archives old sessions once nothing is traded, after the backup that still holds their rows', async () => {
  const dir = tempDir();
  const path = join(dir, 'journal.db');
  const { store, timers: pauses } = openStore(path);
  const days = ['2026-01-05', '2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05'].map(tradingDay);
  for (const [at, day] of days.entries()) {
    store.beginSession(day, tsUs(at), 'test.yaml');
    const started = { kind: 'session_started', tradingDay: day, carriedOver: [], halted: null } as const;
    store.recordInput({ ...started, seq: seq(1), tsUs: tsUs(1) });
    store.append(note(1));
    store.flush();
  }
  const lines: string[] = [];
  let isClosed = false;
  const { look, stop } = await archive({
    ...placesIn(join(dir, 'frames')),
    journal: { path, backups: join(dir, 'backups'), store },
    today: () => days[4],
    isClosed: () => isClosed,
    timers: pauses,
    note: (text) => lines.push(text),
    onFailure: (text) => lines.push(`FAILED ${text}`),
  });
  onTestFinished(stop);
  await vi.waitFor(() => expect(lines).toHaveLength(1));
  expect(store.read.archives(), 'rows do not leave while the market is open').toEqual([]);
  isClosed = true;
  await vi.waitFor(() => {
    look();
    expect(lines).toHaveLength(3);
  });
  expect(lines[2]).toMatch(
    /^session 2026-01-05 leaves the journal: its 2 rows are in .*journal-2026-01-05\.db\.gz$/,
  );
  while (pauses.pending > 0) pauses.advance(milliseconds(50));
  expect(store.read.entries().map(({ session }) => session)).toEqual(days.slice(1));
  const backup = readJournal(join(dir, 'backups', 'journal-2026-03-05.db'));
  expect(backup.read.entries({ session: '2026-01-05' })).toHaveLength(1);
  backup.close();
  store.close();
});

it('says that the journal is not backed up where the place of the copies is gone', async () => {
  const dir = tempDir();
  const path = join(dir, 'journal.db');
  openStore(path).store.close();
  const backups = join(dir, 'backups');
  symlinkSync(join(dir, 'unmounted', 'backups'), backups);
  const places = { ...placesIn(join(dir, 'frames')), journal: { path, backups } };
  const { failures } = await archiveRecordings({ ...places, today: tradingDay('2026-03-05'), isQuiet: true });
  expect(failures).toContainEqual(expect.stringMatching(/^the journal is not backed up: ENOENT.*backups/));
});

it('takes no row out of the journal whose archive went after a death', async () => {
  const dir = tempDir();
  const path = join(dir, 'journal.db');
  const { store } = openStore(path);
  const days = ['2026-01-05', '2026-03-05'].map(tradingDay);
  for (const [at, day] of days.entries()) {
    store.beginSession(day, tsUs(at), 'test.yaml');
    for (const row of [1, 2, 3]) store.append(note(row));
    store.flush();
  }
  const archived = writeArchive(path, days[0]!);
  store.addArchive(archived);
  store.deleteArchivedRows(days[0]!, 1);
  const { market, retention } = placesIn(dir);
  const round = () =>
    archiveRecordings({
      ...placesIn(join(dir, 'frames')),
      market,
      retention,
      journal: { path, backups: join(dir, 'backups') },
      today: days[1]!,
      isQuiet: true,
    });
  expect((await round()).archived).toEqual([archived]);
  const file = archivePath(path, days[0]!);
  const bytes = readFileSync(file);
  for (const damage of [() => writeFileSync(file, bytes.subarray(1)), () => rmSync(file)]) {
    damage();
    const { archived: leaving, failures } = await round();
    expect([leaving, failures]).toEqual([[], [expect.stringContaining(file)]]);
  }
  store.close();
});

it('says that a day is over once its rows hold the close, though it was quiet when the work began', async () => {
  const dir = tempDir();
  const path = join(dir, 'journal.db');
  const { store } = openStore(path);
  const day = tradingDay('2026-03-05');
  store.beginSession(day, tsUs(1), 'test.yaml');
  const { market, retention } = placesIn(dir);
  const reported: (readonly string[])[] = [];
  for (const phase of ['closed', 'opening_auction', 'continuous', 'break', 'closed'] as const) {
    store.append({ ...ENTRIES.phase, tradingDay: day, phase });
    store.flush();
    const journal = { path, backups: join(dir, 'backups') };
    const places = { frames: join(dir, 'frames'), data: join(dir, 'data'), market, retention };
    // Read before the open, as the work of a start seconds before it is.
    const { reports } = await archiveRecordings({ ...places, journal, today: day, isQuiet: true });
    reported.push(reports.map((report) => report.day));
  }
  store.close();
  expect(reported).toEqual([[], [], [], [], [day]]);
});
