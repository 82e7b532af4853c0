import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../src/sqlite/database.ts';
import { describe, expect, it } from 'vitest';
import { tsUs, milliseconds } from '../../src/domain/units.ts';
import { JournalFormatError } from '../../src/domain/failure.ts';
import { isJournalThere } from '../../src/journal/journal-database.ts';
import { GROUP_COMMIT_MS } from '../../src/journal/journal-store.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { clockInput, DAY, note, openStore, tempPath } from './journal-fixture.ts';
import { tempDir } from '../support/temp-dir.ts';

const texts = (path: string): string[] => {
  const opened = readJournal(path);
  const { read } = opened;
  const found = read.entries().map(({ entry }) => (entry.kind === 'strategy_note' ? entry.text : entry.kind));
  opened.close();
  return found;
};

/** Until it is freed nothing can be written to these tables. */
function fullDisk(path: string, ...tables: readonly string[]): { free(): void } {
  const database = new Database(path, { timeout: 0 });
  for (const table of tables) {
    const refuse = `BEGIN SELECT RAISE(ABORT, 'disk full'); END`;
    database.exec(`CREATE TRIGGER full_${table} BEFORE INSERT ON ${table} ${refuse}`);
  }
  return {
    free: () => {
      for (const table of tables) database.exec(`DROP TRIGGER full_${table}`);
      database.close();
    },
  };
}

it.each(['entries', 'inputs'])('never changes or takes away a row of %s', (table) => {
  const path = tempPath();
  const { store } = openStore(path);
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  store.recordInput(clockInput(1));
  store.append(note(1));
  store.close();
  const database = new Database(path);
  for (const sql of [`UPDATE ${table} SET kind = 'x'`, `DELETE FROM ${table}`]) {
    expect(() => database.exec(sql)).toThrow('the journal is append-only');
  }
  expect(database.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(1);
  database.close();
});

it('commits nothing before what has to beforeCommit it', () => {
  const path = tempPath();
  const { store, failures, timers } = openStore(path);
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  let isFull = true;
  store.beforeCommit(() => {
    if (isFull) throw new Error('frames: disk full');
  });
  store.append(note(1));
  expect(() => store.flush()).toThrow('frames: disk full');
  expect(texts(path)).toEqual([]);
  expect(failures.map(({ message }) => message)).toEqual(['frames: disk full']);
  isFull = false;
  timers.advance(milliseconds(1_000));
  expect(texts(path)).toEqual(['note 1']);
  store.close();
});

describe('committing in groups', () => {
  it('commits what has come together after the time of a group, and not before', () => {
    const path = tempPath();
    const { store, timers } = openStore(path);
    store.beginSession(DAY, tsUs(1), 'test.yaml');
    store.append(note(1));
    timers.advance(milliseconds(GROUP_COMMIT_MS - 1));
    store.append(note(2));
    expect(texts(path)).toEqual([]);
    timers.advance(milliseconds(1));
    expect(texts(path)).toEqual(['note 1', 'note 2']);
    expect(timers.pending).toBe(0);
    store.close();
  });

  it('keeps the rows of a commit that failed, reports it once and tries again by itself', () => {
    const path = tempPath();
    const { store, timers, failures, recoveries } = openStore(path);
    store.beginSession(DAY, tsUs(1), 'test.yaml');
    const full = fullDisk(path, 'entries');
    store.append(note(1));
    timers.advance(milliseconds(GROUP_COMMIT_MS));
    store.append(note(2));
    for (let i = 0; i < 5; i += 1) timers.advance(milliseconds(1_000));
    expect(failures.map(({ message }) => message)).toEqual(['disk full']);
    expect(() => store.flush()).toThrow('disk full');
    expect(recoveries()).toBe(0);
    full.free();
    store.append(note(3));
    timers.advance(milliseconds(1_000));
    expect(texts(path)).toEqual(['note 1', 'note 2', 'note 3']);
    expect(recoveries()).toBe(1);
    store.close();
  });

  it('reports a failure once, whichever way it shows first, and closes although rows are lost', () => {
    const path = tempPath();
    const { store, timers, failures } = openStore(path);
    store.beginSession(DAY, tsUs(1), 'test.yaml');
    const full = fullDisk(path, 'entries', 'counters');
    store.setCounterOrReport('attempts', '', 3);
    store.append(note(1));
    expect(() => store.flush()).toThrow('disk full');
    timers.advance(milliseconds(1_000));
    expect(failures.map(({ message }) => message)).toEqual(['disk full']);
    expect(() => store.close()).toThrow('disk full');
    expect(timers.pending, 'nothing holds the process').toBe(0);
    full.free();
    expect(texts(path)).toEqual([]);
  });
});

it('goes on where it was when it is opened again', () => {
  const path = tempPath();
  const first = openStore(path);
  expect(first.store.nextBoot()).toBe(1);
  expect(first.store.beginSession(DAY, tsUs(5), 'test.yaml')).toBe(true);
  first.store.append(note(1));
  first.store.close();
  const second = openStore(path);
  expect(second.store.nextBoot()).toBe(2);
  expect(second.store.beginSession(DAY, tsUs(9), 'other.yaml')).toBe(false);
  second.store.append(note(2));
  second.store.close();
  expect(texts(path)).toEqual(['note 1', 'note 2']);
  const opened = readJournal(path);
  const { read } = opened;
  expect(read.sessions()).toEqual([{ day: DAY, startedUs: 5, configuration: 'test.yaml' }]);
  opened.close();
});

it('counts by name and day, over restarts', () => {
  const path = tempPath();
  const first = openStore(path).store;
  expect([first.counter('otp', 'a'), first.bumpCounter('otp', 'a'), first.bumpCounter('otp', 'a')]).toEqual([
    0, 1, 2,
  ]);
  first.setCounter('otp', 'b', 7);
  first.close();
  const second = openStore(path).store;
  expect([second.counter('otp', 'a'), second.counter('otp', 'b'), second.counter('otp', 'c')]).toEqual([
    2, 7, 0,
  ]);
  second.close();
});

/** Compiled: a process of its own cannot read TypeScript. */
const DIST = join(import.meta.dirname, '../../dist/src/journal');

const WRITER = `
import { JournalStore } from ${JSON.stringify(`file://${DIST}/journal-store.js`)};
const [path] = process.argv.slice(1);
const store = new JournalStore({
  path, wallClock: { nowUs: () => 1 }, names: { nameOf: () => 'one' }, onFailure: (error) => { throw error; },
  timers: { after: () => () => undefined },
});
store.beginSession('${DAY}', 1, 'test.yaml');
for (let cause = 1; ; cause += 1) {
  store.append({ cause, tsUs: cause, strategy: 0, kind: 'strategy_note', text: 'note ' + cause });
  store.flush();
  process.stdout.write(cause + '\\n');
}`;

it('holds everything that was flushed when the process is killed', async () => {
  const path = join(tempDir(), 'journal.db');
  const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text: string) => {
    said += text;
    if (said.split('\n').length > 50) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const last = Number(said.split('\n').at(-2));
  expect(last).toBeGreaterThanOrEqual(50);
  const { store } = openStore(path);
  const kept = store.read.entries();
  expect(kept.slice(0, last).map(({ entry }) => entry.cause)).toEqual(
    Array.from({ length: last }, (_, i) => i + 1),
  );
  // One more may have been committed and not yet said.
  expect(kept.length - last).toBeLessThanOrEqual(1);
  store.close();
});

function written(wallUs: number, last: string): string {
  const { store } = openStore(tempPath(), wallUs);
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  store.recordInput(clockInput(1));
  store.append(note(1));
  store.recordInput(clockInput(2));
  store.append(note(2, last));
  store.flush();
  const hash = store.read.hash(DAY);
  store.close();
  return hash;
}

describe('the hash of a session', () => {
  it('is the same for the same facts at another time of the wall clock', () => {
    expect(written(1, 'the end')).toBe(written(99_999, 'the end'));
  });

  it('is another one when one fact is another one', () => {
    expect(written(1, 'the end')).not.toBe(written(1, 'The end'));
  });
});

describe('reading next to the writer', () => {
  it('finds entries by session, strategy, kind, order and the newest so many', () => {
    const path = tempPath();
    const { store } = openStore(path);
    store.beginSession(DAY, tsUs(1), 'test.yaml');
    for (let cause = 1; cause <= 5; cause += 1) store.append(note(cause));
    store.append({ ...note(6), kind: 'strategy_started' });
    store.flush();
    const opened = readJournal(path);
    const { read } = opened;
    expect(read.entries({ last: 2 }).map(({ entry }) => entry.cause)).toEqual([5, 6]);
    expect(read.entries({ kinds: ['strategy_started'] })).toHaveLength(1);
    expect(read.entries({ strategy: 'strategy-0' })).toHaveLength(6);
    expect(read.entries({ strategy: 'strategy-1' })).toHaveLength(0);
    expect(read.entries({ session: '2026-03-05' })).toHaveLength(0);
    opened.close();
    store.close();
  });

  it.each([4, 99])('refuses a journal of format %i, with what to do, and leaves it as it was', (format) => {
    const path = tempPath();
    openStore(path).store.close();
    const database = new Database(path);
    database.pragma(`user_version = ${format}`);
    database.close();
    const before = readFileSync(path);
    const refusal = /another Tickwright wrote it, .* Go on with that version; once no position is held/;
    for (const open of [readJournal, openStore, isJournalThere]) {
      expect(() => open(path)).toThrow(JournalFormatError);
      expect(() => open(path)).toThrow(refusal);
    }
    expect(readFileSync(path)).toEqual(before);
  });

  it('throws where there is no journal', () => {
    expect(() => readJournal(tempPath())).toThrow('unable to open');
  });
});

const begun = () => {
  const path = tempPath();
  const opened = openStore(path);
  opened.store.beginSession(DAY, tsUs(1), 'test.yaml');
  return { path, ...opened };
};

describe('a journal that is no longer in its place', () => {
  it.each(['', '-wal'])('takes no row when journal.db%s was deleted, and says so', (end) => {
    const { path, store, failures } = begun();
    rmSync(path + end);
    store.append(note(1));
    expect(() => store.flush()).toThrow('was deleted or replaced under the daemon');
    expect(failures).toHaveLength(1);
    expect(() => store.nextBoot(), 'no start counts there').toThrow('was deleted or replaced');
  });

  it('loses nothing when it is put back', () => {
    const { path, store, recoveries } = begun();
    renameSync(path, `${path}.away`);
    store.append(note(1));
    expect(() => store.flush()).toThrow('deleted or replaced');
    renameSync(`${path}.away`, path);
    store.flush();
    expect(recoveries()).toBe(1);
    expect(texts(path)).toEqual(['note 1']);
    store.close();
  });
});
