import { describe, expect, test } from 'vitest';
import { money, seconds, signedQty } from '../../src/domain/units.ts';
import { calendarSpread } from '../../strategies/calendar-spread/calendar-spread.ts';
import type { FakeTrader, FakeTraderOptions } from '../support/fake-trader.ts';
import { at, contract } from '../support/strategy-fixtures.ts';
import { startOn } from './strategy-contract.ts';

const [FRONT, NEXT] = [0, 1];
const PARAMS = {
  sampleSeconds: 1,
  window: 10,
  entryZ: 2,
  exitZ: 0.5,
  entryTicks: 2,
  restSeconds: 0,
  firstLegSeconds: 5,
  secondLegSeconds: 3,
  pauseSeconds: 30,
};

const start = (params: object = {}, options: FakeTraderOptions = {}): FakeTrader =>
  startOn({ definition: calendarSpread, params: { ...PARAMS, ...params } }, options);

/** Both books for a second, with this difference between them. */
function spread(trader: FakeTrader, ...differences: readonly number[]): void {
  for (const difference of differences) {
    trader.book(12_999, 13_001, FRONT);
    trader.book(12_999 + difference, 13_001 + difference, NEXT);
    trader.advance(seconds(1));
  }
}

const QUIET = [20, 21, 20, 19, 20, 21, 20, 19, 20, 21];
const held = (trader: FakeTrader): string => `${trader.held(0, FRONT)}/${trader.held(0, NEXT)}`;

/** A spread that was too wide was sold: front 1, next -1. */
function opened(params: object = {}, options: FakeTraderOptions = {}): FakeTrader {
  const trader = start(params, options);
  spread(trader, ...QUIET, 32);
  expect(held(trader)).toBe('1/-1');
  return trader;
}

describe('both legs', () => {
  test('a wide spread is sold, next month first, and closed at its mean', () => {
    const trader = opened();
    expect(trader.calls).toEqual(['0 submit sell 1 VN30F2M @ 13031', '0 submit buy 1 VN30F1M @ 13004']);
    spread(trader, 32, 31, 23, 20);
    expect(held(trader)).toBe('0/0');
    expect(trader.workingOrders(0)).toEqual([]);
  });

  test('a spread that hardly moved is not worth four orders', () => {
    const trader = start({ entryTicks: 50 });
    spread(trader, ...QUIET, 32, 33);
    expect(trader.calls).toEqual([]);
  });

  test('a first leg that is not filled in time is withdrawn', () => {
    const trader = start({ restSeconds: 600 });
    spread(trader, ...QUIET, 32);
    expect(trader.workingOrders(0)).toHaveLength(1);
    spread(trader, 32, 32, 32, 32, 32, 32);
    expect(trader.workingOrders(0)).toEqual([]);
    expect(held(trader)).toBe('0/0');
  });

  test('no spread begins shortly before trading pauses', () => {
    const trader = start({}, { start: at('11:27:30') });
    spread(trader, ...QUIET, 32, 33);
    expect(trader.calls).toEqual([]);
  });
});

const frontOnly = (answer: 'silence' | 'reject' | 'unknown') => ({
  answer: ({ instrument }: { readonly instrument: number }) => (instrument === FRONT ? answer : 'accept'),
});

describe('when the second leg does not come', () => {
  test('the first is unwound at once when it is refused, and nothing is tried for a while', () => {
    const trader = start({}, frontOnly('reject'));
    spread(trader, ...QUIET, 32);
    expect(trader.notes.at(-1)).toBe('0 unwinding: the second leg was rejected');
    expect(held(trader)).toBe('0/0');
    const before = trader.calls.length;
    spread(trader, ...QUIET, 32, 32);
    expect(trader.calls, 'paused').toHaveLength(before);
  });

  test('a second leg that was filled after all is unwound as well', () => {
    const trader = start({}, frontOnly('unknown'));
    spread(trader, ...QUIET, 32, 32, 32, 32);
    expect(held(trader), 'its fate is not known yet').toBe('0/0');
    const [lost] = trader.workingOrders(0);
    trader.answer = () => 'accept';
    trader.dispatch(() => trader.orders.fill(lost!.clientOrderId, 1));
    spread(trader, 32, 32);
    expect(held(trader)).toBe('0/0');
  });
});

const position = (qty: number) => ({ qty: signedQty(qty), openValue: money(0), realised: money(0) });

describe('other hands', () => {
  test('one leg closed by the engine closes the other, and does not come back', () => {
    const trader = opened();
    trader.foreignFill(0, 'sell', 1, FRONT);
    spread(trader, 32, 32);
    expect(held(trader)).toBe('0/0');
    expect(trader.notes).toContain('0 unwinding: the position was moved by another hand');
  });

  test('an uneven position found at the start is unwound, an even one is kept', () => {
    const uneven = start();
    uneven.orders.carry(0, NEXT, position(1));
    spread(uneven, 20, 20, 20);
    expect(held(uneven)).toBe('0/0');
    const even = start();
    even.orders.carry(0, NEXT, position(1));
    even.orders.carry(0, FRONT, position(-1));
    spread(even, 20, 20, 20);
    expect(held(even)).toBe('-1/1');
    expect(even.notes).toEqual(['0 took over an open spread']);
  });

  test('after a rollover the leg that is left is unwound', () => {
    const trader = opened({}, { contracts: [contract(0), contract(1), contract(2)] });
    trader.roll(0, [
      { leg: 0, contract: contract(1) },
      { leg: 1, contract: contract(2) },
    ]);
    for (let step = 0; step < 3; step += 1) {
      trader.book(13_019, 13_021, 1);
      trader.book(13_039, 13_041, 2);
      trader.advance(seconds(1));
    }
    expect(trader.held(0, 1)).toBe(0);
  });

  test('a stream that went down empties the memory', () => {
    const trader = start();
    spread(trader, ...QUIET);
    trader.feed('down');
    trader.feed('live');
    spread(trader, 32, 32, 32);
    expect(trader.calls).toEqual([]);
  });

  test('books from before the stream stopped are no spread', () => {
    const trader = start();
    spread(trader, ...QUIET);
    trader.host?.onFeed({ tsUs: trader.nowUs(), state: 'stale' });
    trader.book(13_031, 13_033, NEXT);
    trader.advance(seconds(2));
    trader.feed('live');
    trader.advance(seconds(1));
    expect(trader.calls).toEqual([]);
  });

  test('the first check after a standby decides nothing', () => {
    const trader = start();
    spread(trader, ...QUIET);
    trader.book(13_031, 13_033, NEXT);
    trader.jumpTo(at('10:30:00'));
    expect(trader.calls).toEqual([]);
  });
});
