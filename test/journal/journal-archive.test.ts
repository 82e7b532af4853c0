import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { addDays } from '../../src/domain/civil-date.ts';
import { tsUs } from '../../src/domain/units.ts';
import { archiveDir, archivePath, writeArchive, backUpJournal } from '../../src/journal/journal-copies.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { Database } from '../../src/sqlite/database.ts';
import { clockInput, DAY, note, openStore, tempPath } from './journal-fixture.ts';
import { tempDir } from '../support/temp-dir.ts';

const NEXT = addDays(DAY, 1);

function twoDays() {
  const path = tempPath();
  const { store } = openStore(path);
  for (const day of [DAY, NEXT]) {
    store.beginSession(day, tsUs(day === DAY ? 1 : 2), 'test.yaml');
    for (let at = 1; at <= 3; at += 1) {
      store.recordInput(clockInput(at));
      store.append(note(at));
    }
    store.flush();
  }
  return { path, store, file: archivePath(path, DAY) };
}

function archivedDay() {
  const { path, store, file } = twoDays();
  store.addArchive(writeArchive(path, DAY));
  while (store.deleteArchivedRows(DAY, 2));
  return { path, store, file };
}

function check(path: string) {
  const opened = readJournal(path);
  try {
    return opened.check();
  } finally {
    opened.close();
  }
}

const faultsOf = (path: string): readonly string[] => check(path).faults.map(({ text }) => text);

it('holds the rows of the session, which the journal has no more, and both are proven together', () => {
  const { path, store } = archivedDay();
  expect(store.read.entries().map(({ session }) => session)).toEqual([NEXT, NEXT, NEXT]);
  expect(check(path)).toMatchObject({
    sessions: [
      { session: DAY, inputs: 3, entries: 3, isArchived: true },
      { session: NEXT, inputs: 3, entries: 3, isArchived: false },
    ],
    faults: [],
  });
  const opened = readJournal(path);
  expect(opened.of(DAY).entries({ session: DAY })).toHaveLength(3);
  expect([...opened.of(DAY).inputs(DAY)]).toHaveLength(3);
  expect(opened.of(NEXT).entries({ session: NEXT })).toHaveLength(3);
  opened.close();
  store.close();
});

it('keeps the rows of all other sessions from being deleted', () => {
  const { path, store } = archivedDay();
  store.close();
  const database = new Database(path);
  expect(() => database.exec('DELETE FROM entries')).toThrow('append-only');
  expect(() => database.exec('DELETE FROM inputs')).toThrow('append-only');
  database.close();
});

it('is no session that can be gone on with', () => {
  const { store, file } = archivedDay();
  expect(() => store.beginSession(DAY, tsUs(9), 'test.yaml')).toThrow(file);
  store.close();
});

it('shows one moment to whoever reads it while its rows leave', () => {
  const { path, store } = twoDays();
  const opened = readJournal(path);
  const read = opened.of(DAY);
  store.addArchive(writeArchive(path, DAY));
  while (store.deleteArchivedRows(DAY, 2));
  expect(read.entries({ session: DAY })).toHaveLength(3);
  opened.close();
  store.close();
});

it.each([
  ['a missing file', (file: string) => rmSync(file), 'is missing'],
  [
    'a changed byte',
    (file: string) => writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.of(0)])),
    'damaged',
  ],
  [
    'a changed row',
    (file: string) => {
      const bytes = gunzipSync(readFileSync(file));
      bytes[bytes.indexOf('note 3')] = 'N'.charCodeAt(0);
      writeFileSync(file, gzipSync(bytes));
    },
    'damaged',
  ],
])('finds %s', (_, damage, text) => {
  const { path, store, file } = archivedDay();
  damage(file);
  expect(faultsOf(path)).toEqual([expect.stringContaining(text)]);
  store.close();
});

it('finds an archive whose end is not the end that the journal wrote, though its own hash is right', () => {
  const { path, store, file } = twoDays();
  const { store: other, path: otherPath } = twoDays();
  other.beginSession(DAY, tsUs(1), 'test.yaml');
  other.append(note(4));
  other.flush();
  const swapped = writeArchive(otherPath, DAY);
  mkdirSync(archiveDir(path));
  writeFileSync(file, readFileSync(archivePath(otherPath, DAY)));
  expect(() => writeArchive(path, DAY)).toThrow('move the file away');
  store.addArchive({ ...swapped, entries: 3 });
  expect(faultsOf(path)).toEqual([expect.stringContaining('do not end where')]);
  for (const each of [store, other]) each.close();
});

it('leaves the journal whole when the archive cannot be written', () => {
  const { path, store } = twoDays();
  writeFileSync(archiveDir(path), '');
  expect(() => writeArchive(path, DAY)).toThrow('EEXIST');
  expect(store.read.archives()).toEqual([]);
  expect(check(path).faults).toEqual([]);
  store.close();
});

it.each([
  ['not packed', Buffer.from('garbage')],
  ['no journal', gzipSync('garbage')],
  ['cut off', gzipSync(Buffer.alloc(9_000, 'x')).subarray(0, 20)],
])('names a file of an archive that is %s', (_, bytes) => {
  const { path, store, file } = twoDays();
  mkdirSync(archiveDir(path));
  writeFileSync(file, bytes);
  expect(() => writeArchive(path, DAY)).toThrow(`${file} is not the session`);
  expect(readFileSync(file)).toEqual(bytes);
  store.close();
});

it('writes the file again that a death left half written', () => {
  const { path, store, file } = twoDays();
  mkdirSync(archiveDir(path));
  writeFileSync(`${file}.partial`, 'half');
  store.addArchive(writeArchive(path, DAY));
  expect([existsSync(`${file}.partial`), faultsOf(path)]).toEqual([false, []]);
  store.close();
});

it('is no loss to the backups of the same day, at any step', () => {
  const { path, store } = twoDays();
  const backups = tempDir();
  const backUp = () => backUpJournal(path, backups, NEXT).rows;
  expect(backUp()).toBe(12);
  store.addArchive(writeArchive(path, DAY));
  expect(backUp()).toBe(12);
  store.deleteArchivedRows(DAY, 2);
  expect(backUp()).toBe(12);
  while (store.deleteArchivedRows(DAY, 2));
  expect(backUp()).toBe(12);
  store.close();
});
