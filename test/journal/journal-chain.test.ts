import { Database } from '../../src/sqlite/database.ts';
import { expect, it, vi } from 'vitest';
import { closeSync, openSync, writeSync } from 'node:fs';
import { tsUs } from '../../src/domain/units.ts';
import { checkJournal } from '../../src/journal/journal-chain.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { clockInput, DAY, note, openStore, tempPath } from './journal-fixture.ts';

function verify(path: string) {
  const opened = readJournal(path);
  try {
    return opened.read.check();
  } finally {
    opened.close();
  }
}

const faultsOf = (path: string): readonly string[] => verify(path).faults.map(({ place }) => place);

/** Six inputs and six entries, in three commits of two processes. */
function journalOfSix(): string {
  const path = tempPath();
  for (const from of [1, 5]) {
    const { store } = openStore(path);
    store.beginSession(DAY, tsUs(1), 'test.yaml');
    for (let at = from; at < from + (from === 1 ? 4 : 2); at += 1) {
      store.recordInput(clockInput(at));
      store.append(note(at));
      if (at === 2) store.flush();
    }
    store.close();
  }
  return path;
}

/** Changes the file behind the program's back. */
function tamper(path: string, ...statements: readonly string[]): void {
  const database = new Database(path);
  for (const trigger of ['entries_keep', 'entries_stay', 'inputs_keep', 'inputs_stay'])
    database.exec(`DROP TRIGGER ${trigger}`);
  for (const statement of statements) database.exec(statement);
  database.close();
}

it('finds nothing wrong with a journal that several processes wrote', () => {
  const path = journalOfSix();
  expect(verify(path)).toMatchObject({
    sessions: [{ session: DAY, inputs: 6, entries: 6 }],
    faults: [],
  });
});

it('finds nothing wrong with a journal that is written meanwhile', () => {
  const path = journalOfSix();
  const { store } = openStore(path);
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  const database = new Database(path, { readonly: true });
  const prepare = database.prepare.bind(database);
  let at = 7;
  vi.spyOn(database, 'prepare').mockImplementation((sql: string) => {
    if (sql.includes('FROM chains WHERE')) {
      store.recordInput(clockInput(at));
      store.append(note(at));
      store.flush();
      at += 1;
    }
    return prepare(sql);
  });
  expect(checkJournal(database).faults).toEqual([]);
  expect(at).toBe(9);
  database.close();
  store.close();
});

it.each([
  [
    'a changed body',
    [`UPDATE entries SET body = replace(body, 'note 3', 'note 9') WHERE id = 3`],
    ['entry 3'],
  ],
  ['a changed wall time', ['UPDATE entries SET wall_us = 2 WHERE id = 3'], ['entry 3']],
  ['a changed owner', [`UPDATE entries SET strategy = 'other' WHERE id = 3`], ['entry 3']],
  ['a changed input', [`UPDATE inputs SET ts_us = 1 WHERE seq = 2`], ['input 2']],
  ['a missing first row', ['DELETE FROM entries WHERE id = 1'], ['entry 2', 'end of the entries']],
  ['a missing row', ['DELETE FROM inputs WHERE seq = 3'], ['input 4', 'end of the inputs']],
  ['a missing last row', ['DELETE FROM entries WHERE id = 6'], ['end of the entries']],
  [
    'two rows that changed places',
    [
      'UPDATE entries SET id = 100 WHERE id = 2',
      'UPDATE entries SET id = 2 WHERE id = 4',
      'UPDATE entries SET id = 4 WHERE id = 100',
    ],
    ['entry 2', 'entry 3', 'entry 4', 'entry 5'],
  ],
  [
    'a row too many',
    [
      `INSERT INTO entries SELECT 7, session, cause, ts_us, strategy, kind, client_order_id, body, wall_us, hash FROM entries WHERE id = 6`,
    ],
    ['entry 7', 'end of the entries'],
  ],
  ['a hash taken away', ['UPDATE inputs SET hash = NULL WHERE seq = 6'], ['input 6', 'end of the inputs']],
  [
    'a whole session taken out',
    ['DELETE FROM entries', 'DELETE FROM inputs', 'DELETE FROM sessions'],
    ['session', 'end of the inputs', 'end of the entries'],
  ],
  ['a session taken off the list', ['DELETE FROM sessions'], ['session']],
])('finds %s', (_, statements, places) => {
  const path = journalOfSix();
  tamper(path, ...statements);
  expect(faultsOf(path)).toEqual(places);
});

it('goes on with the chain after a commit that the disk refused', () => {
  const path = tempPath();
  const { store } = openStore(path);
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  store.append(note(1));
  store.flush();
  const database = new Database(path, { timeout: 0 });
  database.exec(`CREATE TRIGGER full BEFORE INSERT ON entries BEGIN SELECT RAISE(ABORT, 'disk full'); END`);
  store.append(note(2));
  store.recordInput(clockInput(3));
  expect(() => store.flush()).toThrow('disk full');
  database.exec('DROP TRIGGER full');
  database.close();
  store.append(note(3));
  store.close();
  expect(verify(path)).toMatchObject({ sessions: [{ inputs: 1, entries: 3 }], faults: [] });
});

it('says where a page of the file is damaged, and judges what can be read', () => {
  const path = tempPath();
  const { store } = openStore(path);
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  for (let at = 1; at <= 2_000; at += 1) store.append(note(at, 'x'.repeat(200)));
  store.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4_096, 0x5a), 0, 4_096, 40 * 4_096);
  closeSync(file);
  expect(verify(path).faults.map(({ place }) => place)).toContain('file');
});
