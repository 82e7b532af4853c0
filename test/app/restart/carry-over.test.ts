/** What the next session is told of orders that wait at the broker. */
import { expect, it } from 'vitest';
import { carryOver, lastStarted, waitingOrders } from '../../../src/app/restart/carry-over.ts';
import type { JournalEntry } from '../../../src/engine/ports/journal-entry.ts';
import type { StoredEntry } from '../../../src/journal/journal-reader.ts';
import { seq, tsUs } from '../../../src/domain/units.ts';
import { StrategyNames } from '../../../src/domain/strategy-names.ts';
import { type TradingDay, tradingDay } from '../../../src/domain/civil-date.ts';
import { openStore, tempPath } from '../../journal/journal-fixture.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';
import { acceptWaiting, startWaiting, stopSell, waits } from '../../engine/support/trigger-rows.ts';

const stored = (entries: readonly JournalEntry[]): readonly StoredEntry[] =>
  entries.map((entry) => ({ entry, strategyName: entry.strategy === FIRST ? 'first' : null }) as StoredEntry);

const carried = (rig: EngineRig) => waitingOrders(stored(rig.entries));

it('is what still waited, with its owner, as the book showed it last', () => {
  const rig = startWaiting();
  const one = rig.ask(FIRST, stopSell(12_950));
  acceptWaiting(rig, one, 'k1');
  const other = rig.ask(FIRST, stopSell(12_900));
  acceptWaiting(rig, other, 'k2');
  rig.pass(1).conditions([waits({ key: 'k1' }), waits({ key: 'k2', trigger: 12_900 })]);
  expect(carried(rig).map(({ clientOrderId, strategy }) => [clientOrderId, strategy])).toEqual([
    [one, FIRST],
    [other, FIRST],
  ]);
  rig.pass(1).conditions([waits({ key: 'k1', status: 'canceled' }), waits({ key: 'k2', trigger: 12_900 })]);
  expect(carried(rig)).toMatchObject([
    { clientOrderId: other, row: { orderKey: 'k2', triggerPrice: 12_900 } },
  ]);
});

it('is nothing where nothing waited', () => {
  expect(carried(new EngineRig().start())).toEqual([]);
});

it('comes from the last session that began: a day without a token between two leaves nothing behind', () => {
  const { store } = openStore(tempPath());
  const [friday, monday, tuesday] = ['2026-03-06', '2026-03-09', '2026-03-10'].map(tradingDay) as [
    TradingDay,
    TradingDay,
    TradingDay,
  ];
  store.beginSession(friday, tsUs(1), 'test');
  const head = { seq: seq(1), tsUs: tsUs(1) };
  store.recordInput({ ...head, kind: 'session_started', tradingDay: friday, carriedOver: [], halted: null });
  const own = { cause: seq(1), tsUs: tsUs(1), strategy: FIRST } as const;
  store.append({ ...own, kind: 'halt', halted: true, reason: 'its loss' });
  store.beginSession(monday, tsUs(2), 'test');
  store.beginSession(tuesday, tsUs(3), 'test');
  expect(lastStarted(store.read, tuesday)).toBe(friday);
  expect(carryOver(store.read, friday, new StrategyNames(['strategy-0'])).started.haltedStrategies).toEqual([
    { strategy: FIRST, reason: 'its loss' },
  ]);
  expect(lastStarted(store.read, friday)).toBeUndefined();
});

it('keeps a loss limit that was reached during a halt, until the halt ends', () => {
  const { store } = openStore(tempPath());
  const day = tradingDay('2026-03-06');
  const halt = (halted: boolean, reason: string): string | undefined => {
    store.append({ cause: seq(1), tsUs: tsUs(1), strategy: null, kind: 'halt', halted, reason });
    store.flush();
    return carryOver(store.read, day, new StrategyNames([])).started.lossReached;
  };
  store.beginSession(day, tsUs(1), 'test');
  expect(halt(true, 'lunch')).toBeUndefined();
  expect(halt(true, 'the loss of the day')).toBe('the loss of the day');
  expect(halt(false, 'lunch is over')).toBeUndefined();
  expect(halt(true, 'the loss of the day'), 'shown now').toBeUndefined();
});

it('leaves a strategy that the operator stopped as it is, until he starts it', () => {
  const { store } = openStore(tempPath());
  const day = tradingDay('2026-03-06');
  const head = { cause: seq(1), tsUs: tsUs(1) } as const;
  const stops = () => carryOver(store.read, day, new StrategyNames(['strategy-0'])).started.stoppedStrategies;
  store.beginSession(day, tsUs(1), 'test');
  store.append({ ...head, strategy: FIRST, kind: 'strategy_stopped', reason: 'fault' });
  store.flush();
  expect(stops(), 'a fault is for the day').toEqual([]);
  store.append({ ...head, strategy: FIRST, kind: 'strategy_stopped', reason: 'too thin', isLasting: true });
  store.flush();
  expect(stops()).toEqual([{ strategy: FIRST, reason: 'too thin' }]);
  const command = { name: 'start_strategy', strategy: FIRST, reason: 'new month' } as const;
  store.append({ ...head, strategy: null, kind: 'command', by: 'operator', command });
  store.flush();
  expect(stops()).toEqual([]);
});
