import { describe, expect, test } from 'vitest';
import { money, seconds, signedQty } from '../../src/domain/units.ts';
import { openingRangeBreakout } from '../../strategies/opening-range-breakout/opening-range-breakout.ts';
import type { FakeDesk, FakeDeskOptions } from '../support/fake-desk.ts';
import { at, contract, OPEN_ALL_DAY } from '../support/strategy-fixtures.ts';
import { startOn } from './strategy-contract.ts';

/** Range of a minute; stop 20 ticks behind the bound; no trailing. */
const PARAMS = { rangeSeconds: 60, bufferTicks: 1, qty: 2, stopTicks: 20, trailTicks: 0, slipTicks: 2 };

const start = (params: object = {}, options: FakeDeskOptions = {}): FakeDesk =>
  startOn(
    { definition: openingRangeBreakout, params: { ...PARAMS, ...params } },
    { start: at('08:50:00'), ...options },
  );

function price(desk: FakeDesk, ...prices: readonly number[]): void {
  for (const each of prices) {
    desk.book(each - 1, each + 1);
    desk.trade(each);
  }
}

/** A range of 12980 to 13020, measured from 09:00 to 09:01. */
function measured(params: object = {}, options: FakeDeskOptions = {}): FakeDesk {
  const desk = start(params, options);
  desk.advanceTo(at('09:00:10'));
  price(desk, 13_000, 13_020, 12_980);
  desk.advanceTo(at('09:01:00'));
  expect(desk.notes).toEqual(['0 range 1298.0 to 1302.0']);
  return desk;
}

describe('the range', () => {
  test('is that of the first minute of the session', () => {
    const desk = measured();
    price(desk, 13_021);
    expect(desk.calls, 'inside the buffer').toEqual([]);
    price(desk, 13_022);
    expect(desk.calls).toEqual(['0 submit buy 2 VN30F1M @ 13023']);
  });

  test('is not measured by a start in the middle of the session', () => {
    const desk = start({}, { start: at('10:00:00') });
    for (let step = 0; step < 200; step += 1) {
      price(desk, 13_000 + step);
      desk.advance(seconds(1));
    }
    desk.advanceTo(at('13:00:01'));
    price(desk, 13_000);
    desk.advanceTo(at('13:05:00'));
    price(desk, 13_100);
    expect(desk.calls, 'the afternoon is the same session').toEqual([]);
  });

  test('is measured from the start where the market has no hours, and anew each day', () => {
    const desk = start({}, { calendar: OPEN_ALL_DAY, start: at('23:58:00') });
    price(desk, 13_000);
    desk.advance(seconds(61));
    price(desk, 13_010);
    expect(desk.calls).toHaveLength(1);
    price(desk, 12_900);
    desk.advanceTo(at('24:00:10'));
    price(desk, 12_905);
    desk.advanceTo(at('24:01:00'));
    expect(desk.notes.at(-1)).toBe('0 range 1290.5 to 1290.5');
  });

  test.each([
    ['trades were missed', (desk: FakeDesk) => desk.gap()],
    ['the price stream went down', (desk: FakeDesk) => desk.feed('down')],
    ['its end was missed', (desk: FakeDesk) => desk.jumpTo(at('09:40:00'))],
  ])('is none when %s', (why, happens) => {
    const desk = start();
    desk.advanceTo(at('09:00:10'));
    price(desk, 13_000);
    happens(desk);
    desk.feed('live');
    desk.advanceTo(at('09:41:00'));
    price(desk, 13_000, 13_100, 12_900);
    expect(desk.notes).toEqual([`0 no range: ${why}`]);
    expect(desk.calls).toEqual([]);
  });

  test('is none when nothing was traded', () => {
    const desk = start();
    desk.advanceTo(at('09:02:00'));
    expect(desk.notes).toEqual(['0 no range: nothing was traded']);
  });
});

describe('the stop', () => {
  test('gives up the whole position beyond the touch', () => {
    const desk = measured();
    price(desk, 13_022, 13_001, 13_000);
    expect(desk.calls.slice(1), '20 behind the bound of 13020').toEqual(['0 submit sell 2 VN30F1M @ 12997']);
    expect(desk.held()).toBe(0);
  });

  test('is never beyond the other end of the range', () => {
    const desk = measured({ stopTicks: 500 });
    price(desk, 13_022, 12_981);
    expect(desk.held()).toBe(2);
    price(desk, 12_980);
    expect(desk.held()).toBe(0);
  });

  test('follows the best price, and never goes back', () => {
    const desk = measured({ trailTicks: 15 });
    price(desk, 13_022, 13_060, 13_050, 13_046);
    expect(desk.held()).toBe(2);
    price(desk, 13_045);
    expect(desk.held()).toBe(0);
  });

  test('works for a short position', () => {
    const desk = measured({ trailTicks: 15 });
    price(desk, 12_978, 12_950);
    expect(desk.held()).toBe(-2);
    price(desk, 12_965);
    expect(desk.held()).toBe(0);
  });

  test('is as large as what was filled: the rest of the entry is withdrawn', () => {
    const desk = measured({ qty: 5, restSeconds: 30 }, { fillMax: 1 });
    desk.book(13_021, 13_023);
    desk.trade(13_022);
    desk.book(13_020, 13_021);
    expect(desk.held(), 'one of five').toBe(1);
    desk.trade(13_000);
    expect(desk.held()).toBe(0);
    expect(desk.workingOrders(0)).toEqual([]);
    expect(desk.calls.filter((call) => call.includes('sell'))).toEqual(['0 submit sell 1 VN30F1M @ 13018']);
  });

  test('tries again when the exit is refused', () => {
    const desk = measured();
    price(desk, 13_022);
    desk.answer = () => 'reject';
    price(desk, 13_000);
    desk.advance(seconds(8));
    desk.answer = () => 'accept';
    desk.advance(seconds(5));
    expect(desk.held()).toBe(0);
  });
});

describe('entries', () => {
  test('have a number: one a session', () => {
    const desk = measured();
    price(desk, 13_022, 13_000, 13_010, 13_022);
    expect(desk.held()).toBe(0);
    expect(desk.calls).toHaveLength(2);
  });

  test('need a price that came back into the range first', () => {
    const desk = measured({ entriesMax: 2, stopTicks: 1 });
    price(desk, 13_025, 13_019);
    expect(desk.held()).toBe(0);
    price(desk, 13_030);
    expect(desk.held()).toBe(0);
    price(desk, 13_010, 13_030);
    expect(desk.held()).toBe(2);
  });

  test('that are not filled in time are given up', () => {
    const desk = measured({ restSeconds: 600 });
    price(desk, 13_022);
    desk.advance(seconds(31));
    expect(desk.workingOrders(0)).toEqual([]);
    expect(desk.held()).toBe(0);
    price(desk, 13_050);
    expect(desk.calls).toEqual(['0 submit buy 2 VN30F1M @ 13021', '0 cancel']);
  });

  test('that are refused are given up in the same time', () => {
    const desk = measured({}, { answer: () => 'deny' });
    price(desk, 13_022);
    desk.advance(seconds(60));
    const tried = desk.calls.length;
    desk.advance(seconds(600));
    expect(desk.calls).toHaveLength(tried);
  });
});

describe('other hands', () => {
  test('a position closed by the engine ends the session', () => {
    const desk = measured({ entriesMax: 9 });
    price(desk, 13_022);
    desk.foreignFill(0, 'sell', 2);
    price(desk, 13_000, 13_022, 12_970);
    expect(desk.held()).toBe(0);
    expect(desk.notes.at(-1)).toMatch(/closed by another hand/);
  });

  test('a position without a stop is closed', () => {
    const desk = start({}, { start: at('10:00:00') });
    desk.orders.carry(0, 0, { qty: signedQty(2), openValue: money(0), realised: money(0) });
    price(desk, 13_000);
    expect(desk.held()).toBe(0);
  });

  test('a rollover forgets range and stop', () => {
    const desk = measured({}, { contracts: [contract(0), contract(1)] });
    desk.roll(0, [{ leg: 0, contract: contract(1) }]);
    desk.book(13_199, 13_201, 1);
    desk.trade(13_200, 1, 1);
    expect(desk.calls).toEqual([]);
  });
});
