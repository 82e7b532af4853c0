import { expect, test } from 'vitest';
import { seconds } from '../../src/domain/units.ts';
import { emaCross } from '../../strategies/ema-cross/ema-cross.ts';
import type { FakeDesk, FakeDeskOptions } from '../support/fake-desk.ts';
import { at, contract } from '../support/strategy-fixtures.ts';
import { startOn } from './strategy-contract.ts';

const QUICK = { barSeconds: 1, fast: 2, slow: 4, restSeconds: 0 };

const start = (params: object = {}, options: FakeDeskOptions = {}): FakeDesk =>
  startOn({ definition: emaCross, params: { ...QUICK, ...params } }, options);

/** One trade and one book a second; a bar closes with each second. */
function walk(desk: FakeDesk, prices: readonly number[]): void {
  for (const price of prices) {
    desk.book(price - 1, price + 1);
    desk.trade(price);
    desk.advance(seconds(1));
  }
}

const up = (from: number, count = 8): number[] => Array.from({ length: count }, (_, step) => from + step * 5);
const down = (from: number, count = 8): number[] =>
  Array.from({ length: count }, (_, step) => from - step * 5);

test('it waits until the slow average is full, then takes the side of the fast one', () => {
  const desk = start();
  walk(desk, up(13_000, 3));
  expect(desk.calls).toEqual([]);
  walk(desk, up(13_015, 1));
  expect(desk.calls).toEqual(['0 submit buy 1 VN30F1M @ 13016']);
  expect(desk.held()).toBe(1);
});

test('a cross turns the position over zero, with two orders', () => {
  const desk = start();
  walk(desk, [...up(13_000, 6), ...down(13_020, 6)]);
  expect(desk.held()).toBe(-1);
  expect(desk.calls.map((call) => call.split(' ').slice(1, 4).join(' '))).toEqual([
    'submit buy 1',
    'submit sell 1',
    'submit sell 1',
  ]);
});

test.each([
  ['long', 0],
  ['short', -1],
  ['both', -1],
])('direction %s holds %d when the fast average is below', (direction, held) => {
  const desk = start({ direction });
  walk(desk, down(13_100));
  expect(desk.held()).toBe(held);
});

test('averages that are nearer than the buffer are no cross', () => {
  const desk = start({ bufferTicks: 50 });
  walk(desk, [...up(13_000), ...down(13_030)]);
  expect(desk.calls).toEqual([]);
});

test('a bar with a hole is remembered and not traded on', () => {
  const desk = start();
  walk(desk, up(13_000, 3));
  desk.gap();
  walk(desk, up(13_015, 1));
  expect(desk.calls).toEqual([]);
  walk(desk, up(13_020, 1));
  expect(desk.calls).toHaveLength(1);
});

test('after a standby the averages start again, and the position stays as it is', () => {
  const desk = start();
  walk(desk, up(13_000, 6));
  desk.book(13_029, 13_031);
  desk.trade(13_030);
  const before = desk.calls.length;
  desk.jumpTo(at('10:30:00'));
  walk(desk, down(12_900, 3));
  expect(desk.calls).toHaveLength(before);
  expect(desk.held()).toBe(1);
  expect(desk.notes.at(-1)).toMatch(/averages start again: bars were missed/);
  walk(desk, down(12_885, 4));
  expect(desk.held()).toBe(-1);
});

test('after a rollover the new contract starts with empty averages', () => {
  const desk = start({}, { contracts: [contract(0), contract(1)] });
  walk(desk, up(13_000, 6));
  desk.roll(0, [{ leg: 0, contract: contract(1) }]);
  expect(desk.notes).toEqual(['0 averages start again: now trading VN30F2M']);
  const before = desk.calls.length;
  walk(desk, up(13_500, 6));
  expect(desk.calls, 'the old contract is not listened to').toHaveLength(before);
});

test('the print of the closing auction is not traded on', () => {
  const desk = start({}, { start: at('14:28:00') });
  walk(desk, up(13_000, 6));
  const before = desk.calls.length;
  desk.advanceTo(at('14:45:00'));
  walk(desk, [12_000]);
  expect(desk.calls).toHaveLength(before);
});
