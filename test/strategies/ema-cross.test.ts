import { expect, test } from 'vitest';
import { seconds } from '../../src/domain/units.ts';
import { emaCross } from '../../strategies/ema-cross/ema-cross.ts';
import type { FakeTrader, FakeTraderOptions } from '../support/fake-trader.ts';
import { at, contract } from '../support/strategy-fixtures.ts';
import { startOn } from './strategy-contract.ts';

const QUICK = { barSeconds: 1, fast: 2, slow: 4, restSeconds: 0 };

const start = (params: object = {}, options: FakeTraderOptions = {}): FakeTrader =>
  startOn({ definition: emaCross, params: { ...QUICK, ...params } }, options);

/** One trade and one book a second; a bar closes with each second. */
function walk(trader: FakeTrader, prices: readonly number[], instrument = 0): void {
  for (const price of prices) {
    trader.book(price - 1, price + 1, instrument);
    trader.trade(price, 1, instrument);
    trader.advance(seconds(1));
  }
}

const up = (from: number, count = 8): number[] => Array.from({ length: count }, (_, step) => from + step * 5);
const down = (from: number, count = 8): number[] =>
  Array.from({ length: count }, (_, step) => from - step * 5);

test('it waits until the slow average is full, then takes the side of the fast one', () => {
  const trader = start();
  walk(trader, up(13_000, 3));
  expect(trader.calls).toEqual([]);
  walk(trader, up(13_015, 1));
  expect(trader.calls).toEqual(['0 submit buy 1 VN30F1M @ 13016']);
  expect(trader.held()).toBe(1);
});

test.each([
  ['long', 0],
  ['short', -1],
  ['both', -1],
])('direction %s holds %d when the fast average is below', (direction, held) => {
  const trader = start({ direction });
  walk(trader, down(13_100));
  expect(trader.held()).toBe(held);
});

test('averages that are nearer than the buffer are no cross', () => {
  const trader = start({ bufferTicks: 50 });
  walk(trader, [...up(13_000), ...down(13_030)]);
  expect(trader.calls).toEqual([]);
});

test('a bar with a hole is remembered and not traded on', () => {
  const trader = start();
  walk(trader, up(13_000, 3));
  trader.gap();
  walk(trader, up(13_015, 1));
  expect(trader.calls).toEqual([]);
  walk(trader, up(13_020, 1));
  expect(trader.calls).toHaveLength(1);
});

test('after a standby the averages start again, and the position stays as it is', () => {
  const trader = start();
  walk(trader, up(13_000, 6));
  trader.book(13_029, 13_031);
  trader.trade(13_030);
  const before = trader.calls.length;
  trader.jumpTo(at('10:30:00'));
  walk(trader, down(12_900, 3));
  expect(trader.calls).toHaveLength(before);
  expect(trader.held()).toBe(1);
  expect(trader.notes.at(-1)).toMatch(/averages start again: bars were missed/);
  walk(trader, down(12_885, 4));
  expect(trader.held()).toBe(-1);
});

test('after a rollover the new contract starts with empty averages', () => {
  const trader = start({}, { contracts: [contract(0), contract(1)] });
  walk(trader, up(13_000, 6));
  trader.roll(0, [{ leg: 0, contract: contract(1) }]);
  const before = trader.calls.length;
  walk(trader, up(13_500, 6));
  expect(trader.calls, 'the old contract is not listened to').toHaveLength(before);
  walk(trader, up(13_600, 2), 1);
  expect(trader.notes).toEqual(['0 averages start again: now trading VN30F2M']);
});

test('the print of the closing auction is not traded on', () => {
  const trader = start({}, { start: at('14:28:00') });
  walk(trader, up(13_000, 6));
  const before = trader.calls.length;
  trader.advanceTo(at('14:45:00'));
  walk(trader, [12_000]);
  expect(trader.calls).toHaveLength(before);
});
