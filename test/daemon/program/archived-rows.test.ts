/** Archives at every possible cut, with a death at every step: no start and no listing sees a difference. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { archivedRows } from '../../../src/daemon/program/archive-recordings.ts';
import { archivable, carryOver } from '../../../src/daemon/restart/carry-over.ts';
import { addDays, type TradingDay } from '../../../src/domain/civil-date.ts';
import { brokerOrderNo, clientOrderId, StrategyNames } from '../../../src/domain/ids.ts';
import {
  instrumentIndex,
  money,
  qty,
  seq,
  signedQty,
  tsUs,
  milliseconds,
} from '../../../src/domain/units.ts';
import type { JournalEntry } from '../../../src/engine/ports/journal-entry.ts';
import { archiveDir, archivePath, writeArchive } from '../../../src/journal/journal-copies.ts';
import { readJournal } from '../../../src/journal/journal-reader.ts';
import type { JournalStore } from '../../../src/journal/journal-store.ts';
import { createOrder } from '../../broker/support/broker-orders.ts';
import { clockInput, DAY, openStore, tempPath } from '../../journal/journal-fixture.ts';
import { VirtualTimers } from '../../broker/support/virtual-timers.ts';
import { FIRST } from '../../support/engine-rig.ts';
import { FRONT } from '../../support/engine-world.ts';

const HEAD = { cause: seq(1), tsUs: tsUs(1), strategy: FIRST } as const;

/** Everything that a session leaves to later ones. */
const facts: fc.Arbitrary<JournalEntry> = fc.oneof(
  fc
    .boolean()
    .map((halted): JournalEntry => ({ ...HEAD, strategy: null, kind: 'halt', halted, reason: 'x' })),
  fc.boolean().map((halted): JournalEntry => ({ ...HEAD, kind: 'halt', halted, reason: 'y' })),
  fc
    .integer({ min: 1, max: 9 })
    .map((value): JournalEntry => ({ ...HEAD, kind: 'equity_peak', value: money(value) })),
  fc.constant<JournalEntry>({ ...HEAD, kind: 'strategy_stopped', reason: 'z', isLasting: true }),
  fc.integer({ min: 1, max: 9 }).map((value): JournalEntry => ({
    ...HEAD,
    kind: 'place',
    order: createOrder({ clientOrderId: clientOrderId(`H.${value}`) }),
    isLost: false,
  })),
  fc.integer({ min: 1, max: 5 }).map((size): JournalEntry => ({
    ...HEAD,
    kind: 'position_event',
    event: 'carried_over',
    instrument: instrumentIndex(0),
    qty: signedQty(size),
    value: money(size * 100),
  })),
  fc.integer({ min: 1, max: 9 }).map((value): JournalEntry => ({
    ...HEAD,
    kind: 'fill',
    clientOrderId: clientOrderId('H.1'),
    orderNo: brokerOrderNo('1'),
    instrument: instrumentIndex(0),
    side: 'buy',
    qty: qty(1),
    value: money(value),
    cumQty: qty(1),
    cumValue: money(value),
    quality: 'exact',
    fee: money(1),
    tax: money(1),
  })),
);

const days = fc.array(
  fc.record({
    isStarted: fc.boolean(),
    rows: fc.array(facts, { maxLength: 5 }),
    gap: fc.integer({ min: 1, max: 40 }),
  }),
  {
    minLength: 1,
    maxLength: 7,
  },
);

type Days = typeof days extends fc.Arbitrary<infer T> ? T : never;

/** Writes them; the day on which the next session would begin. */
function written(store: JournalStore, sessions: Days): TradingDay {
  let day = DAY;
  sessions.forEach(({ isStarted, rows, gap }, at) => {
    day = addDays(day, gap);
    store.beginSession(day, tsUs(at + 1), 'test.yaml');
    store.recordInput({ seq: seq(1), tsUs: tsUs(1), kind: 'contracts', contracts: [FRONT] });
    if (isStarted)
      store.recordInput({
        seq: seq(2),
        tsUs: tsUs(1),
        kind: 'session_started',
        tradingDay: day,
        carriedOver: [],
        halted: null,
      });
    store.recordInput(clockInput(3));
    for (const row of rows) store.append(row);
    store.flush();
  });
  return addDays(day, 1);
}

/** All that a start on `next`, and a person who lists and sums, can see. */
function seen(store: JournalStore, path: string, next: TradingDay) {
  const { read } = store;
  const before = read.lastDecided(next);
  const opened = readJournal(path);
  try {
    return {
      sessions: read.sessions(),
      before,
      carried: before === undefined ? null : carryOver(read, before, new StrategyNames(['strategy-0'])),
      halt: read.lastHalt(),
      rows: read
        .sessions()
        .map(({ day }) => [day, opened.of(day).hash(day), opened.of(day).contracts(day).length]),
      ends: opened.check(),
    };
  } finally {
    opened.close();
  }
}

const withoutPlace = ({ ends, ...rest }: ReturnType<typeof seen>) => ({
  ...rest,
  faults: ends.faults,
  chains: ends.sessions.map((each) => ({ ...each, isArchived: null })),
});

it('changes nothing that a start or a listing reads, at every cut and over a death at every step', () => {
  fc.assert(
    fc.property(
      days,
      fc.integer({ min: 1, max: 200 }),
      fc.array(fc.nat({ max: 3 }), { maxLength: 3 }),
      (sessions, age, deaths) => {
        const path = tempPath();
        let { store } = openStore(path);
        const next = written(store, sessions);
        const before = withoutPlace(seen(store, path, next));
        const same = (): void => expect(withoutPlace(seen(store, path, next))).toEqual(before);
        for (const steps of [...deaths, Infinity]) {
          const timers = new VirtualTimers();
          const failures: string[] = [];
          const rows = archivedRows(store, timers, (text) => failures.push(text));
          const due = archivable(store.read, next, age).slice(0, steps);
          const archived = due.map((day) => writeArchive(path, day));
          same();
          if (steps > 0) rows.take([...store.read.archivedWithRows(), ...archived]);
          for (let step = 0; step < steps && timers.pending > 0; step += 1) timers.advance(milliseconds(50));
          expect(failures).toEqual([]);
          same();
          store.close();
          ({ store } = openStore(path));
          same();
        }
        expect(archivable(store.read, next, age)).toEqual([]);
        expect(store.read.archivedWithRows()).toEqual([]);
        const names = existsSync(archiveDir(path)) ? readdirSync(archiveDir(path)) : [];
        expect(names, 'no partial file is left').toHaveLength(store.read.archives().length);
        store.close();
      },
    ),
    { numRuns: 12 },
  );
});

const SESSIONS = 6;

/** Sessions with so many rows, the newest on the day before the one that is returned. */
function large(path: string, rows: number) {
  const { store } = openStore(path);
  for (let at = 0; at < SESSIONS; at += 1) {
    store.beginSession(addDays(DAY, at), tsUs(at + 1), 'test.yaml');
    store.recordInput({
      seq: seq(1),
      tsUs: tsUs(1),
      kind: 'session_started',
      tradingDay: addDays(DAY, at),
      carriedOver: [],
      halted: null,
    });
    for (let row = 2; row < rows; row += 1) store.recordInput(clockInput(row));
    for (let row = 0; row < rows; row += 1)
      store.append({
        ...HEAD,
        kind: 'strategy_note',
        text: `${'a long text of a strategy '.repeat(9)}${row}`,
      });
    store.flush();
  }
  return { store, next: addDays(DAY, SESSIONS) };
}

function finished(store: JournalStore, path: string, next: TradingDay): readonly string[] {
  const timers = new VirtualTimers();
  const failures: string[] = [];
  const rows = archivedRows(store, timers, (text) => failures.push(text));
  rows.take(archivable(store.read, next, 1).map((day) => writeArchive(path, day)));
  while (timers.pending > 0) timers.advance(milliseconds(50));
  return failures;
}

it('gives the space back, and leaves no session that a start needs', () => {
  const path = tempPath();
  const { store, next } = large(path, 2_000);
  store.checkpoint();
  const before = statSync(path).size;
  expect(finished(store, path, next)).toEqual([]);
  store.checkpoint();
  const after = statSync(path).size;
  expect(store.read.archives().map(({ session }) => session)).toEqual([
    DAY,
    addDays(DAY, 1),
    addDays(DAY, 2),
  ]);
  expect(after / before).toBeLessThan(0.6);
  const packed = store.read
    .archives()
    .reduce((sum, { session }) => sum + statSync(archivePath(path, session)).size, 0);
  expect(packed / (before - after)).toBeLessThan(0.2);
  store.close();
});

it('takes nothing for old because the clock is a year ahead', () => {
  const path = tempPath();
  const { store, next } = large(path, 3);
  expect(archivable(store.read, addDays(next, 365), 1)).toEqual([DAY, addDays(DAY, 1), addDays(DAY, 2)]);
  expect(archivable(store.read, addDays(next, 365), 30)).toEqual([]);
  store.close();
});
