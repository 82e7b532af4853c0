import { describe, expect, test } from 'vitest';
import { money, seconds, signedQty } from '../../src/domain/units.ts';
import { openingRangeBreakout } from '../../strategies/opening-range-breakout/opening-range-breakout.ts';
import type { FakeTrader, FakeTraderOptions } from '../support/fake-trader.ts';
import { at, contract, OPEN_ALL_DAY } from '../support/strategy-fixtures.ts';
import { startOn } from './strategy-contract.ts';

/** Range of a minute; stop 20 ticks behind the bound; no trailing. */
const PARAMS = { rangeSeconds: 60, bufferTicks: 1, qty: 2, stopTicks: 20, trailTicks: 0, slipTicks: 2 };

const start = (params: object = {}, options: FakeTraderOptions = {}): FakeTrader =>
  startOn(
    { definition: openingRangeBreakout, params: { ...PARAMS, ...params } },
    { start: at('08:50:00'), ...options },
  );

function price(trader: FakeTrader, ...prices: readonly number[]): void {
  for (const each of prices) {
    trader.book(each - 1, each + 1);
    trader.trade(each);
  }
}

/** A range of 12980 to 13020, measured from 09:00 to 09:01. */
function measured(params: object = {}, options: FakeTraderOptions = {}): FakeTrader {
  const trader = start(params, options);
  trader.advanceTo(at('09:00:10'));
  price(trader, 13_000, 13_020, 12_980);
  trader.advanceTo(at('09:01:00'));
  expect(trader.notes).toEqual(['0 range 1298.0 to 1302.0']);
  return trader;
}

describe('the range', () => {
  test('is that of the first minute of the session', () => {
    const trader = measured();
    price(trader, 13_021);
    expect(trader.calls, 'inside the buffer').toEqual([]);
    price(trader, 13_022);
    expect(trader.calls).toEqual(['0 submit buy 2 VN30F1M @ 13023']);
  });

  test('is not measured by a start in the middle of the session', () => {
    const trader = start({}, { start: at('10:00:00') });
    for (let step = 0; step < 200; step += 1) {
      price(trader, 13_000 + step);
      trader.advance(seconds(1));
    }
    trader.advanceTo(at('13:00:01'));
    price(trader, 13_000);
    trader.advanceTo(at('13:05:00'));
    price(trader, 13_100);
    expect(trader.calls, 'the afternoon is the same session').toEqual([]);
  });

  test('is measured from the start where the market has no hours, and again each day', () => {
    const trader = start({}, { calendar: OPEN_ALL_DAY, start: at('23:58:00') });
    price(trader, 13_000);
    trader.advance(seconds(61));
    price(trader, 13_010);
    expect(trader.calls).toHaveLength(1);
    price(trader, 12_900);
    trader.advanceTo(at('24:00:10'));
    price(trader, 12_905);
    trader.advanceTo(at('24:01:00'));
    expect(trader.notes.at(-1)).toBe('0 range 1290.5 to 1290.5');
  });

  test.each([
    ['trades were missed', (trader: FakeTrader) => trader.gap()],
    ['the price stream went down', (trader: FakeTrader) => trader.feed('down')],
    ['its end was missed', (trader: FakeTrader) => trader.jumpTo(at('09:40:00'))],
  ])('is none when %s', (why, happens) => {
    const trader = start();
    trader.advanceTo(at('09:00:10'));
    price(trader, 13_000);
    happens(trader);
    trader.feed('live');
    trader.advanceTo(at('09:41:00'));
    price(trader, 13_000, 13_100, 12_900);
    expect(trader.notes).toEqual([`0 no range: ${why}`]);
    expect(trader.calls).toEqual([]);
  });
});

describe('the stop', () => {
  test('gives up the whole position beyond the touch', () => {
    const trader = measured();
    price(trader, 13_022, 13_001, 13_000);
    expect(trader.calls.slice(1), '20 behind the bound of 13020').toEqual([
      '0 submit sell 2 VN30F1M @ 12997',
    ]);
    expect(trader.held()).toBe(0);
  });

  test('is never beyond the other end of the range', () => {
    const trader = measured({ stopTicks: 500 });
    price(trader, 13_022, 12_981);
    expect(trader.held()).toBe(2);
    price(trader, 12_980);
    expect(trader.held()).toBe(0);
  });

  test('follows the best price, and never goes back', () => {
    const trader = measured({ trailTicks: 15 });
    price(trader, 13_022, 13_060, 13_050, 13_046);
    expect(trader.held()).toBe(2);
    price(trader, 13_045);
    expect(trader.held()).toBe(0);
  });

  test('works for a short position', () => {
    const trader = measured({ trailTicks: 15 });
    price(trader, 12_978, 12_950);
    expect(trader.held()).toBe(-2);
    price(trader, 12_965);
    expect(trader.held()).toBe(0);
  });

  test('is as large as what was filled: the rest of the entry is withdrawn', () => {
    const trader = measured({ qty: 5, restSeconds: 30 }, { fillMax: 1 });
    trader.book(13_021, 13_023);
    trader.trade(13_022);
    trader.book(13_020, 13_021);
    expect(trader.held(), 'one of five').toBe(1);
    trader.trade(13_000);
    expect(trader.held()).toBe(0);
    expect(trader.workingOrders(0)).toEqual([]);
    expect(trader.calls.filter((call) => call.includes('sell'))).toEqual(['0 submit sell 1 VN30F1M @ 13018']);
  });

  test('tries again when the exit is refused', () => {
    const trader = measured();
    price(trader, 13_022);
    trader.answer = () => 'reject';
    price(trader, 13_000);
    trader.advance(seconds(8));
    trader.answer = () => 'accept';
    trader.advance(seconds(5));
    expect(trader.held()).toBe(0);
  });
});

describe('entries', () => {
  test('have a number: one a session', () => {
    const trader = measured();
    price(trader, 13_022, 13_000, 13_010, 13_022);
    expect(trader.held()).toBe(0);
    expect(trader.calls).toHaveLength(2);
  });

  test('need a price that came back into the range first', () => {
    const trader = measured({ entriesMax: 2, stopTicks: 1 });
    price(trader, 13_025, 13_019);
    expect(trader.held()).toBe(0);
    price(trader, 13_030);
    expect(trader.held()).toBe(0);
    price(trader, 13_010, 13_030);
    expect(trader.held()).toBe(2);
  });

  test('that are not filled in time are given up', () => {
    const trader = measured({ restSeconds: 600 });
    price(trader, 13_022);
    trader.advance(seconds(31));
    expect(trader.workingOrders(0)).toEqual([]);
    expect(trader.held()).toBe(0);
    price(trader, 13_050);
    expect(trader.calls).toEqual(['0 submit buy 2 VN30F1M @ 13021', '0 cancel']);
  });
});

describe('other hands', () => {
  test('a position closed by the engine ends the session', () => {
    const trader = measured({ entriesMax: 9 });
    price(trader, 13_022);
    trader.foreignFill(0, 'sell', 2);
    price(trader, 13_000, 13_022, 12_970);
    expect(trader.held()).toBe(0);
    expect(trader.notes.at(-1)).toMatch(/closed by another hand/);
  });

  test('a position without a stop is closed', () => {
    const trader = start({}, { start: at('10:00:00') });
    trader.orders.carry(0, 0, { qty: signedQty(2), openValue: money(0), realised: money(0) });
    price(trader, 13_000);
    expect(trader.held()).toBe(0);
  });

  test('a rollover forgets range and stop', () => {
    const trader = measured({}, { contracts: [contract(0), contract(1)] });
    trader.roll(0, [{ leg: 0, contract: contract(1) }]);
    trader.book(13_199, 13_201, 1);
    trader.trade(13_200, 1, 1);
    expect(trader.calls).toEqual([]);
  });
});
