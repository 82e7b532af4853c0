import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Database } from '../../src/sqlite/database.ts';
import { expect, it } from 'vitest';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { tsUs } from '../../src/domain/units.ts';
import { backUpJournal, pruneBackups } from '../../src/journal/journal-copies.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { clockInput, DAY, note, openStore } from './journal-fixture.ts';
import { tempDir } from '../support/temp-dir.ts';

function running() {
  const dir = tempDir();
  const path = join(dir, 'journal.db');
  const { store } = openStore(path);
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  for (let at = 1; at <= 3; at += 1) {
    store.recordInput(clockInput(at));
    store.append(note(at));
  }
  store.flush();
  return { path, store, backups: join(dir, 'backups') };
}

it('copies the journal while it is written to, private to its owner, and a daemon can go on with the copy', () => {
  const { path, store, backups } = running();
  const backup = backUpJournal(path, backups, DAY);
  expect(backup).toEqual({ path: join(backups, `journal-${DAY}.db`), rows: 6 });
  expect(statSync(backup.path).mode & 0o777).toBe(0o600);
  store.append(note(4));
  store.close();
  const restored = join(tempDir(), 'journal.db');
  copyFileSync(backup.path, restored);
  const again = openStore(restored).store;
  expect(again.beginSession(DAY, tsUs(2), 'test.yaml')).toBe(false);
  again.append(note(5));
  again.close();
  const opened = readJournal(restored);
  expect(opened.read.check()).toMatchObject({ sessions: [{ inputs: 3, entries: 4 }], faults: [] });
  opened.close();
});

it('is no copy to go on with while the log of the journal before lies next to it', () => {
  const { path, store, backups } = running();
  const backup = backUpJournal(path, backups, DAY);
  store.append(note(4));
  store.flush();
  const restored = join(tempDir(), 'journal.db');
  copyFileSync(backup.path, restored);
  copyFileSync(`${path}-wal`, `${restored}-wal`);
  store.close();
  expect(() => openStore(restored)).toThrow(/-wal is the log of the journal that was here before: move it/);
  expect(() => readJournal(restored)).toThrow(/-wal is the log of the journal/);
  expect(readFileSync(restored)).toEqual(readFileSync(backup.path));
  rmSync(`${restored}-wal`);
  openStore(restored).store.close();
});

it('takes the place of an earlier copy of the day', () => {
  const { path, store, backups } = running();
  backUpJournal(path, backups, DAY);
  store.append(note(4));
  store.flush();
  expect(backUpJournal(path, backups, DAY).rows).toBe(7);
  expect(readdirSync(backups)).toEqual([`journal-${DAY}.db`]);
  store.close();
});

it('keeps both copies when the journal does not go on from the earlier one', () => {
  const { path, store, backups } = running();
  backUpJournal(path, backups, DAY);
  store.close();
  const day = join(backups, `journal-${DAY}.db`);
  const kept = readFileSync(day);
  const fewer = join(tempDir(), 'journal.db');
  const { store: other } = openStore(fewer);
  other.beginSession(DAY, tsUs(1), 'test.yaml');
  other.append(note(1, 'another story'));
  other.flush();
  const both = [`journal-${DAY}-other.db`, `journal-${DAY}.db`];
  expect(() => backUpJournal(fewer, backups, DAY)).toThrow(/session 2026-03-04 had 3 inputs and has 0/);
  expect(readdirSync(backups)).toEqual(both);
  for (let at = 1; at <= 4; at += 1) {
    other.recordInput(clockInput(at));
    other.append(note(at + 1));
  }
  other.flush();
  expect(() => backUpJournal(fewer, backups, DAY)).toThrow(/row 3 of the entries .* is another one/);
  other.close();
  expect(readdirSync(backups)).toEqual(both);
  expect(readFileSync(day)).toEqual(kept);
  const { deleted } = pruneBackups(backups, 0);
  expect(deleted, 'what is next to it is left to a person').toEqual([`journal-${DAY}.db`]);
});

it.each([
  ['damaged', (bytes: Buffer) => Buffer.alloc(bytes.length, 'x')],
  ['empty', () => Buffer.alloc(0)],
  ['half written', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
])('backs up next to a copy of the day that is %s, and says which file it is', (_, spoil) => {
  const { path, store, backups } = running();
  const day = backUpJournal(path, backups, DAY).path;
  const spoilt = spoil(readFileSync(day));
  writeFileSync(day, spoilt);
  expect(() => backUpJournal(path, backups, DAY)).toThrow(`${day} cannot be read`);
  store.close();
  const other = join(backups, `journal-${DAY}-other.db`);
  expect(readdirSync(backups)).toEqual([`journal-${DAY}-other.db`, `journal-${DAY}.db`]);
  expect(readFileSync(day), 'it may be all that is left of something').toEqual(spoilt);
  const opened = readJournal(other);
  expect(opened.read.check()).toMatchObject({ sessions: [{ inputs: 3, entries: 3 }], faults: [] });
  opened.close();
});

it('keeps the earlier copies when the journal has a fault, and says where', () => {
  const { path, store, backups } = running();
  backUpJournal(path, backups, DAY);
  store.close();
  const database = new Database(path);
  database.exec('DROP TRIGGER entries_stay; DELETE FROM entries WHERE id = 2');
  database.close();
  expect(() => backUpJournal(path, backups, tradingDay('2026-03-05'))).toThrow(
    /2 faults, the first: 2026-03-04: entry 3 does not follow entry 1/,
  );
  expect(readdirSync(backups)).toEqual([`journal-${DAY}.db`]);
});

/** A directory with copies of these days of March. */
function copies(...days: readonly string[]) {
  const { path, store, backups } = running();
  const names = days.map((day) => basename(backUpJournal(path, backups, tradingDay(`2026-03-${day}`)).path));
  store.close();
  return { backups, names };
}

it('prunes the oldest copies and nothing else: a directory of such a name is none', () => {
  const { backups, names } = copies('02', '03', '04');
  const others = ['journal-2026-03-01.db', 'journal-mine.db', 'notes'];
  mkdirSync(join(backups, others[0]!));
  for (const name of others.slice(1)) writeFileSync(join(backups, name), '');
  expect(pruneBackups(backups, 2)).toEqual({ deleted: names.slice(0, 1), unreadable: [] });
  expect(pruneBackups(backups, 2)).toEqual({ deleted: [], unreadable: [] });
  expect(readdirSync(backups).toSorted()).toEqual([...others, ...names.slice(1)].toSorted());
});

it.each([
  ['damaged', (bytes: Buffer) => Buffer.alloc(bytes.length, 'x')],
  ['empty', () => Buffer.alloc(0)],
  ['half written', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
])('keeps an older copy in place of one that is %s, and says so', (_, spoil) => {
  const { backups, names } = copies('02', '03', '04', '05');
  const last = join(backups, names[3]!);
  writeFileSync(last, spoil(readFileSync(last)));
  const { deleted, unreadable } = pruneBackups(backups, 2);
  expect(deleted).toEqual(names.slice(0, 1));
  expect(unreadable).toEqual([expect.stringContaining(`${names[3]}: `)]);
  expect(readdirSync(backups)).toEqual(names.slice(1));
});

it('leaves no half of a copy that a kill cut off on an earlier day', () => {
  const { path, store, backups } = running();
  mkdirSync(backups);
  writeFileSync(join(backups, 'journal-2026-03-02.db.partial'), 'half');
  writeFileSync(join(backups, 'notes.partial'), 'mine');
  backUpJournal(path, backups, DAY);
  expect(readdirSync(backups)).toEqual([`journal-${DAY}.db`, 'notes.partial']);
  store.close();
});
