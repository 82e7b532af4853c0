/** The journal under another program, which locks it or reads for long, and in its archive. */
import { appendFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dayReport } from '../../src/daemon/inspect/day-report.ts';
import { exportJournal } from '../../src/daemon/inspect/export-journal.ts';
import {
  inSession,
  journalView,
  ordersView,
  pnlView,
  positionsView,
  verifyJournal,
} from '../../src/host/state/read-state.ts';
import { replaySession } from '../../src/host/state/replay-session.ts';
import type { Config } from '../../src/config/config.ts';
import type { TradingDay } from '../../src/domain/civil-date.ts';
import { writeArchive } from '../../src/journal/journal-copies.ts';
import { type JournalReader, readJournal } from '../../src/journal/journal-reader.ts';
import { frameLogPath, readFrameBatches } from '../../src/recording/frame-log.ts';
import { Database } from '../../src/sqlite/database.ts';
import { openStore } from '../journal/journal-fixture.ts';
import { scripted, type Step } from './support/scripted.ts';
import { PLACE, running, type Story } from './support/story.ts';
import { StrategyNames } from '../../src/domain/ids.ts';

const RESTING: Step = { at: 13_001, do: 'buy', qty: 2, price: 12_900 };

/** A transaction of another program in the journal: one that writes, or one that reads. */
function anotherProgram({ paths }: Story, does: 'write' | 'read'): { end(): void } {
  const database = new Database(paths.journal, { timeout: 0 });
  onTestFinished(() => void database.close());
  database.exec(does === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN');
  if (does === 'read') database.prepare('SELECT count(*) FROM inputs').get();
  return { end: () => database.exec('ROLLBACK') };
}

/** The broker has the order, its answer is on the way, and another program locks the journal. */
async function lockedBeforeTheAnswer(story: Story): Promise<{ end(): void }> {
  story.fault({ name: 'late_answer', operation: 'place', delayMs: 200, times: 1 });
  story.print(13_001);
  await story.until(() => story.simulator.orders().length === 1);
  return anotherProgram(story, 'write');
}

describe('case 8: a journal that is locked between an order and its answer', () => {
  it('and a kill lose neither: the next start knows the order as its own', async () => {
    const story = await running([RESTING]);
    const lock = await lockedBeforeTheAnswer(story);
    const before = await story.truth();
    const killed = story.kill();
    lock.end();
    await killed;
    await story.start();
    await story.until(async () => (await story.known()).orders[0]?.orderNo === before.orders[0]?.orderNo);
    expect([await story.known(), await story.truth()]).toEqual([before, before]);
    expect(story.entries.map(({ kind }) => kind)).not.toContain('order_adopted');
    expect(story.moves).toEqual([]);
  });

  it('ends entries, lets cancels go, and gets every row once it is free', async () => {
    const story = await running([RESTING, { ...RESTING, at: 13_002 }]);
    const lock = await lockedBeforeTheAnswer(story);
    await story.until(() => story.entries.some(({ kind }) => kind === 'halt'));
    await story.until(async () => (await story.truth()).orders.length === 0);
    story.print(13_002);
    await story.until(() => story.denials().includes('halted'));
    expect((await story.view())?.stream, 'heartbeats go on').toBe('live');
    const { length } = story.entries;
    lock.end();
    await story.until(() => storedEntries(story) >= length);
    await story.until(async () => (await story.known()).orders.length === 0);
    expect(story.moves.filter((call) => call === PLACE)).toEqual([PLACE]);
  });
});

it('that another program holds at the end loses its last rows, and says who has to let go', async () => {
  const story = await running([]);
  const lock = anotherProgram(story, 'write');
  await expect(story.stop()).rejects.toThrow(/locked\. End the program that holds it and start again/);
  lock.end();
  await story.start();
  expect(story.daemon.halt.reason).toContain('its emergency file');
});

it('that was restored from before today goes on behind the frames of today that are there', async () => {
  const story = await running([{ at: 13_001, do: 'buy', qty: 2, price: 13_010 }]);
  for (const price of [13_002, 13_003, 13_004]) story.print(price);
  await story.until(() => framesOf(story, 'matchPrice').length === 4);
  await story.stop();
  for (const name of readdirSync(story.paths.dir).filter((each) => each.startsWith('journal')))
    rmSync(join(story.paths.dir, name));
  await story.start();
  await story.buys(2);
  await story.kill();
  await story.start();
  expect((await story.known()).net).toBe(2);
  expect(story.alerts()).not.toContain('engine_lost');
  const numbers = framesOf(story, '').map(({ seq }) => seq);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
});

it('is gone on with where a restore has put the frames of today behind themselves', async () => {
  const story = await running([{ at: 13_001, do: 'buy', qty: 2, price: 13_010 }]);
  await story.buys(2);
  const path = frameLogPath(story.paths.frames, story.daemon.sessionDay!);
  await story.stop();
  appendFileSync(path, readFileSync(path));
  await story.start();
  expect((await story.known()).net).toBe(2);
  expect(story.alerts()).toEqual([]);
  expect(story.moves).toEqual([]);
});

const framesOf = ({ daemon, paths }: Story, words: string) =>
  [...readFrameBatches(frameLogPath(paths.frames, daemon.sessionDay!))]
    .flat()
    .filter(({ text }) => text.includes(words));

it('case 34: a reader that keeps the log from being folded in is reported, and stops nothing', async () => {
  const story = await running([RESTING]);
  const reader = anotherProgram(story, 'read');
  story.print(13_001);
  await story.until(async () => (await story.truth()).orders.length === 1);
  story.daemon.checkpoint();
  expect(story.alerts(), 'a small log is no trouble').not.toContain('journal_log');
  truncateSync(`${story.paths.journal}-wal`, 100e6);
  story.daemon.checkpoint();
  story.daemon.checkpoint();
  await story.until(() => story.alerts().includes('journal_log'));
  reader.end();
  expect(story.daemon.journal.checkpoint(), 'bytes left').toBe(0);
  expect(story.alerts().filter((code) => code === 'journal_log')).toHaveLength(1);
  expect(story.entries.map(({ kind }) => kind)).not.toContain('halt');
});

/** Everything that the commands read of a session. */
async function readOut({ paths }: Story, config: Config, day: TradingDay) {
  const out = join(paths.dir, 'decisions.csv');
  const query = { state: paths.dir, session: day };
  const names = new StrategyNames(config.strategies.map(({ id }) => id));
  const framesPath = frameLogPath(paths.frames, day);
  const replayed = (read: JournalReader) =>
    replaySession(
      { config, names, read, session: day, framesPath, close: () => undefined },
      ({ index, id, params }) => ({ index, id, definition: scripted, params }),
    );
  const replay = inSession(paths.dir, day, replayed, names);
  const exported = exportJournal(paths.dir, { session: undefined, all: true }, 'decisions', out);
  return {
    orders: ordersView(query),
    positions: positionsView(query),
    pnl: pnlView(query),
    journal: journalView(query, null),
    report: dayReport(paths.dir, day),
    replay,
    exported,
    csv: readFileSync(out, 'utf8'),
  };
}

it('reads a session in its archive as it was in the journal, and decides it again', async () => {
  const story = await running([
    { at: 13_001, do: 'buy', qty: 2, price: 13_010 },
    { ...RESTING, at: 13_002 },
  ]);
  await story.buys(2);
  story.print(13_002);
  await story.until(async () => (await story.known()).orders.length === 1);
  const { config, sessionDay } = story.daemon;
  const day = sessionDay!;
  await story.stop();
  const before = await readOut(story, config, day);
  expect([before.replay.difference, before.orders.rows.length]).toEqual([null, 2]);
  const { store } = openStore(story.paths.journal);
  store.addArchive(writeArchive(story.paths.journal, day));
  while (store.deleteArchivedRows(day, 500));
  expect(store.read.entries({ session: day })).toEqual([]);
  store.close();
  expect(await readOut(story, config, day)).toEqual(before);
  expect(verifyJournal(story.paths.dir).faults).toEqual([]);
  rmSync(story.paths.archive, { recursive: true });
  expect(() => ordersView({ state: story.paths.dir, session: day })).toThrow(
    /journal-.*\.db\.gz, which is missing/,
  );
});

it('says of a replay what its recording lacks', async () => {
  const story = await running([]);
  for (const price of [13_001, 13_002]) story.print(price);
  await story.until(() => framesOf(story, 'matchPrice').length === 3);
  const { config, sessionDay } = story.daemon;
  const path = frameLogPath(story.paths.frames, sessionDay!);
  await story.stop();
  const lackingNow = async () => (await readOut(story, config, sessionDay!)).replay.lacking;
  expect(await lackingNow()).toBeNull();
  const text = readFileSync(path, 'latin1');
  writeFileSync(path, text.replace('"matchQtty":1', '"matchQtty":2'));
  expect(await lackingNow()).toMatch(
    /^\d+ damaged bytes at byte \d+, after frame \d+; inputs or frames missing: 1$/,
  );
  rmSync(path);
  expect(await lackingNow()).toMatch(/^inputs or frames missing: \d+$/);
  writeFileSync(`${path}.gz`, gzipSync(text).subarray(0, 50));
  await expect(lackingNow()).rejects.toThrow(`unexpected end of file '${path}.gz'`);
});

function storedEntries({ paths }: Story): number {
  const journal = readJournal(paths.journal);
  try {
    return journal.read.entries().length;
  } finally {
    journal.close();
  }
}
