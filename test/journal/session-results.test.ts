import { expect, it, vi } from 'vitest';
import { type TradingDay, tradingDay } from '../../src/domain/civil-date.ts';
import { brokerOrderNo, clientOrderId } from '../../src/domain/ids.ts';
import { instrumentIndex, money, qty, seq, signedQty, strategyIndex, tsUs } from '../../src/domain/units.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { foldSessions } from './fold-sessions.ts';
import type { JournalStore } from '../../src/journal/journal-store.ts';
import { earnedIn, firstNetAssetValue } from '../../src/journal/session-results.ts';
import { accountWith } from '../support/engine-facts.ts';
import { DAY, openStore, tempPath } from './journal-fixture.ts';

const HEAD = { cause: seq(1), tsUs: tsUs(1), strategy: strategyIndex(0) };
const FRONT = instrumentIndex(0);

const fill = (side: 'buy' | 'sell', value: number): JournalEntry => ({
  ...HEAD,
  kind: 'fill',
  clientOrderId: clientOrderId('H.1'),
  orderNo: brokerOrderNo('1'),
  instrument: FRONT,
  side,
  qty: qty(1),
  value: money(value),
  cumQty: qty(1),
  cumValue: money(value),
  quality: 'exact',
  fee: money(10),
  tax: money(5),
});

const carriedOver = (value: number): JournalEntry => ({
  ...HEAD,
  kind: 'position_event',
  event: 'carried_over',
  instrument: FRONT,
  qty: signedQty(1),
  value: money(value),
});

const NEXT = tradingDay('2026-03-05');

function write(store: JournalStore, day: TradingDay, ...entries: readonly JournalEntry[]): void {
  store.beginSession(day, tsUs(1), 'test.yaml');
  for (const entry of entries) store.append(entry);
  store.flush();
}

it('comes to the same as all sessions in one, where a position was carried over', () => {
  const { store } = openStore(tempPath());
  write(store, DAY, fill('buy', 1_000));
  write(store, NEXT, carriedOver(1_000), fill('sell', 1_100));
  const [all] = foldSessions(store.read.entries());
  expect(all).toMatchObject({ realised: 100, fee: 20, tax: 10, positions: [] });
  expect([earnedIn(store, DAY), earnedIn(store, NEXT)]).toEqual([-15, 85]);
  store.close();
});

it('reads the rows of a session once, also for a later start', () => {
  const path = tempPath();
  const first = openStore(path).store;
  write(first, DAY, fill('buy', 1_000), fill('sell', 1_100));
  expect(earnedIn(first, DAY)).toBe(70);
  first.close();
  const { store } = openStore(path);
  const entries = vi.spyOn(store.read, 'entries');
  expect(earnedIn(store, DAY)).toBe(70);
  expect(entries).not.toHaveBeenCalled();
  store.close();
});

it('reads a session again that went on after its result was kept', () => {
  const { store } = openStore(tempPath());
  write(store, DAY, fill('buy', 1_000), fill('sell', 1_100));
  earnedIn(store, DAY);
  write(store, DAY, fill('buy', 1_000), fill('sell', 900));
  expect(earnedIn(store, DAY)).toBe(-60);
  store.close();
});

it('goes on when the disk takes no result', () => {
  const { store, failures } = openStore(tempPath());
  write(store, DAY, fill('buy', 1_000), fill('sell', 1_100));
  vi.spyOn(store, 'setCounter').mockImplementation(() => {
    throw new Error('disk full');
  });
  expect(earnedIn(store, DAY)).toBe(70);
  expect(failures.map(({ message }) => message)).toEqual(['disk full']);
  store.close();
});

it('knows the first value of the account, and keeps it', () => {
  const { store } = openStore(tempPath());
  expect(firstNetAssetValue(store)).toBeNull();
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  for (const [at, value] of [1_000, 2_000].entries()) {
    const account = { ...accountWith(5), netAssetValue: money(value) };
    store.recordInput({
      kind: 'account_snapshot',
      seq: seq(at + 1),
      tsUs: tsUs(at + 1),
      startedUs: tsUs(1),
      account,
    });
  }
  store.flush();
  expect([firstNetAssetValue(store), store.counter('first_value', '')]).toEqual([1_000, 1_000]);
  store.close();
});
