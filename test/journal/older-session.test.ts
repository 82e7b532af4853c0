/** A journal that an older program wrote: listed and taken over, but not gone on with. */
import { join } from 'node:path';
import { Database } from '../../src/sqlite/database.ts';
import { expect, it } from 'vitest';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { seq, tsUs } from '../../src/domain/units.ts';
import { JOURNAL_FORMAT, OlderSession } from '../../src/journal/journal-database.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { olderState, OLDER_DAY } from '../support/older-session.ts';
import { openStore } from './journal-fixture.ts';

const formatOf = (path: string): unknown => {
  const database = new Database(path, { readonly: true });
  try {
    return database.pragma('user_version', { simple: true });
  } finally {
    database.close();
  }
};

it('is refused for the session that an older program began, with the way on, and is left to that program', () => {
  const path = join(olderState(), 'journal.db');
  const { store } = openStore(path);
  const refused = (): unknown => store.beginSession(OLDER_DAY, tsUs(1), 'test.yaml');
  expect(refused).toThrow(OlderSession);
  expect(refused).toThrow(
    /session of 2026-11-22 was begun by an older Tickwright: .* cannot replay .* Go on with the older version until the session is over/,
  );
  store.close();
  expect(formatOf(path), 'the older program opens it as before').toBe(1);
});

it('begins the next session in the new format, which an older program then leaves alone', () => {
  const path = join(olderState(), 'journal.db');
  const { store } = openStore(path);
  const next = tradingDay('2026-11-23');
  expect(store.beginSession(next, tsUs(1), 'test.yaml')).toBe(true);
  expect([store.read.format(OLDER_DAY), store.read.format(next)]).toEqual([1, JOURNAL_FORMAT]);
  store.close();
  expect(formatOf(path)).toBe(JOURNAL_FORMAT);
  const again = openStore(path).store;
  expect(again.beginSession(next, tsUs(2), 'test.yaml'), 'a session of its own goes on').toBe(false);
  again.close();
});

it('lists the rows of an older session, and does not hand its inputs to a replay', () => {
  const opened = readJournal(join(olderState(), 'journal.db'));
  const countOf = (kind: string): number =>
    opened.read.entries({ session: OLDER_DAY }).filter(({ entry }) => entry.kind === kind).length;
  expect(['proposal', 'place', 'modify', 'cancel', 'fill'].map(countOf)).toEqual([60, 33, 23, 4, 30]);
  const stored = opened.read.entries({ session: OLDER_DAY }).map(({ entry }) => JSON.stringify(entry));
  expect(stored.filter((text) => text.includes('"from":"submitted"'))).toHaveLength(33);
  expect(stored.filter((text) => /"(?:submitting|desk|house|condition)"/.test(text))).toEqual([]);
  expect(opened.read.contracts(OLDER_DAY)[0]).toMatchObject({ orderCode: '41I1GC000', expiry: '2026-12-17' });
  expect(() => [...opened.read.inputs(OLDER_DAY)]).toThrow(
    /format 1, .* The version that wrote it replays it/,
  );
  opened.close();
});

it('takes a halt before the first session, and is raised whole or not at all', () => {
  const path = join(olderState(), 'journal.db');
  const inTheWay = (statement: string): void => {
    const database = new Database(path);
    database.exec(statement);
    database.close();
  };
  const halt = (): void => {
    const { store } = openStore(path);
    try {
      store.append({
        kind: 'halt',
        cause: seq(0),
        tsUs: tsUs(1),
        strategy: null,
        halted: true,
        reason: 'by hand',
      });
      store.flush();
    } finally {
      store.close();
    }
  };
  // The last of its statements fails, as a death or a full disk would cut it off.
  inTheWay('CREATE TABLE chains (a)');
  expect(halt).toThrow('chains');
  inTheWay('DROP TABLE chains');
  expect(halt).not.toThrow();
  expect(formatOf(path)).toBe(JOURNAL_FORMAT);
});
