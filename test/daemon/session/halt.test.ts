/** The halt state of the main thread, over a journal that is closed and opened again. */
import { expect, it } from 'vitest';
import { Halt } from '../../../src/daemon/session/halt.ts';
import type { HaltEntry, JournalEntry } from '../../../src/engine/ports/journal-entry.ts';
import { seq, tsUs } from '../../../src/domain/units.ts';
import type { JournalStore } from '../../../src/journal/journal-store.ts';
import { DAY, openStore, tempPath } from '../../journal/journal-fixture.ts';

const clock = { nowUs: () => tsUs(5) };

function haltOf(journal: JournalStore) {
  const entries: HaltEntry[] = [];
  const halt = new Halt({
    clock,
    journal,
    last: journal.read.lastHalt(),
    onEntry: (entry) => void entries.push(entry),
  });
  const follow = (entry: HaltEntry): void => {
    halt.takeEngineRow(entry);
    halt.writeEngineRows();
  };
  return { halt, entries, follow };
}

const failFull = (): never => {
  throw new Error('disk full');
};

/** As the engine writes it. */
const row = (halted: boolean, reason: string, code?: HaltEntry['code']): HaltEntry => ({
  kind: 'halt',
  cause: seq(9),
  tsUs: tsUs(9),
  strategy: null,
  halted,
  reason,
  code,
});

const rowsOf = (journal: JournalStore) =>
  journal.read
    .entries({ kinds: ['halt'] })
    .map(({ entry }) => entry.kind === 'halt' && [entry.halted, entry.reason]);

/** The process is killed: nothing that is not committed stays. */
const reopened = (path: string): JournalStore => openStore(path).store;

it('is durable at once, before the first session and between two', () => {
  const path = tempPath();
  const first = openStore(path).store;
  haltOf(first).halt.begin('lunch');
  const second = reopened(path);
  expect(haltOf(second).halt.reason).toBe('lunch');
  second.beginSession(DAY, tsUs(1), 'test');
  expect(haltOf(second).halt.refuse('entry')).toBe('lunch');
  haltOf(second).halt.end('back');
  expect(haltOf(reopened(path)).halt.reason).toBeNull();
  expect(rowsOf(second)).toEqual([
    [true, 'lunch'],
    [false, 'back'],
  ]);
});

it('shows a command once and each limit that the engine finds, and journals the echo too', () => {
  const journal = openStore(tempPath()).store;
  const { halt, entries, follow } = haltOf(journal);
  halt.begin('lunch');
  follow(row(true, 'lunch'));
  follow(row(true, 'the loss of the day'));
  expect(halt.reason, 'the first stays').toBe('lunch');
  halt.end('back');
  follow(row(false, 'back'));
  follow(row(true, 'the loss of the day'));
  expect(halt.reason).toBe('the loss of the day');
  journal.flush();
  expect(entries.map(({ halted, reason }) => [halted, reason])).toEqual([
    [true, 'lunch'],
    [true, 'the loss of the day'],
    [false, 'back'],
    [true, 'the loss of the day'],
  ]);
  expect(rowsOf(journal).at(3), 'a kill finds the first').toEqual([true, 'lunch']);
  expect(rowsOf(journal)).toHaveLength(7);
});

it('of a person goes before that of a second daemon, which leaves the books alone, also after a kill', () => {
  const path = tempPath();
  const journal = openStore(path).store;
  const { halt, entries, follow } = haltOf(journal);
  follow(row(true, 'a stranger', 'second_daemon'));
  expect([halt.clearsBooks, halt.begin('news'), halt.begin('more news')]).toEqual([false, true, false]);
  follow(row(true, 'a stranger', 'second_daemon'));
  expect(entries.map(({ reason }) => reason)).toEqual([
    'a stranger',
    'news; before it: a stranger',
    'a stranger',
  ]);
  journal.flush();
  expect(haltOf(reopened(path)).halt.clearsBooks).toBe(true);
});

it('of a second daemon leaves the books alone after a kill too, and no words of a person do', () => {
  const path = tempPath();
  const journal = openStore(path).store;
  const { halt, follow } = haltOf(journal);
  const words = 'a second daemon trades this account';
  follow(row(true, words, 'second_daemon'));
  journal.flush();
  expect(haltOf(reopened(path)).halt.clearsBooks).toBe(false);
  halt.end('it is ended');
  halt.begin(words);
  expect(halt.clearsBooks).toBe(true);
});

it('that came between two sessions is not undone by what the engine of the first says of an earlier resume', () => {
  const path = tempPath();
  const journal = openStore(path).store;
  const { halt, follow } = haltOf(journal);
  halt.begin('lunch');
  halt.markDelivered();
  halt.end('back');
  halt.markDelivered();
  halt.begin('news');
  follow(row(false, 'back'));
  expect(halt.refuse('entry')).toBe('news');
  journal.flush();
  expect(haltOf(reopened(path)).halt.reason).toBe('news');
  halt.markDelivered();
  follow(row(false, 'back'));
  expect(halt.reason, 'the engine has read it').toBeNull();
});

it('holds when the journal fails, and a resume that cannot be kept changes nothing', () => {
  const halt = new Halt({
    clock,
    journal: { append: () => undefined, flush: failFull },
    last: null,
    onEntry: () => undefined,
  });
  halt.begin('news');
  expect(halt.refuse('entry')).toBe('news');
  expect(halt.refuse('reduce')).toBeNull();
  expect(() => halt.end('over')).toThrow('disk full');
  expect(halt.reason).toBe('news');
});

it('holds in the journal too, where the row of a resume that failed is written once there is room', () => {
  const waiting: JournalEntry[] = [];
  const halt = new Halt({
    clock,
    journal: { append: (entry) => void waiting.push(entry), flush: failFull },
    last: null,
    onEntry: () => undefined,
  });
  halt.begin('news');
  expect(() => halt.end('over')).toThrow('disk full');
  expect(waiting.at(-1)).toMatchObject({ kind: 'halt', halted: true, reason: 'news' });
});

it('holds, also after a kill, when the engine still has an earlier resume to read', () => {
  const path = tempPath();
  const journal = openStore(path).store;
  const { halt } = haltOf(journal);
  halt.begin('lunch');
  halt.end('back');
  halt.begin('news');
  halt.takeEngineRow(row(true, 'lunch'), true);
  halt.takeEngineRow(row(false, 'back'), true);
  expect(halt.refuse('entry')).toBe('news');
  journal.flush();
  expect(haltOf(reopened(path)).halt.reason, 'killed before the engine reads the second halt').toBe('news');
  halt.takeEngineRow(row(true, 'news'));
  halt.end('over');
  halt.takeEngineRow(row(true, 'news'), true);
  expect(halt.reason, 'a resume is not undone by an earlier halt').toBeNull();
  halt.takeEngineRow(row(false, 'over'));
  expect(halt.reason).toBeNull();
});
