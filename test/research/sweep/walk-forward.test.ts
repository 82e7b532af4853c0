import { expect, it, test } from 'vitest';
import {
  type WalkedWindow,
  walkForwardFound,
  walkForwardWindows,
} from '../../../src/research/sweep/judgement.ts';
import type { RatioBasis } from '../../../src/research/statistics/return-ratios.ts';
import { tradingDay, addDays } from '../../../src/domain/civil-date.ts';
import { figuresOf } from './sweep-figures.ts';
import fc from 'fast-check';

const BASIS: RatioBasis = { periodsPerYear: 252, deviation: 'sample', riskFree: 0 };

const day = (date: number) => tradingDay(`2026-03-0${date}`);
const window = { inSample: [day(2), day(3)], outOfSample: [day(4), day(5)], warmUp: [] };

const walked = (inside: readonly number[], outside: readonly number[], netProfit: number): WalkedWindow => ({
  window,
  trial: 0,
  inSample: figuresOf({ dailyReturns: inside }),
  outOfSample: figuresOf({ dailyReturns: outside, netProfit, trades: 3 }),
});

it('puts the days out of sample one after the other', () => {
  const found = walkForwardFound(
    [walked([0.04, 0.02], [0.02, 0], 200), walked([0.01, 0.01], [-0.01, 0.03], -50)],
    BASIS,
  );
  // Mean 0.01, deviation sqrt((0.01^2 + 0.01^2 + 0.02^2 + 0.02^2) / 3) = sqrt(1 / 3000).
  expect(found.sharpe).toBeCloseTo((0.01 / Math.sqrt(1 / 3_000)) * Math.sqrt(252), 10);
  expect(found.totalReturn).toBeCloseTo(1.02 * 0.99 * 1.03 - 1, 12);
  expect(found.efficiency).toBeCloseTo(0.01 / 0.02, 12);
  expect([found.netProfit, found.profitable, found.trades]).toEqual([150, 1, 6]);
});

it('counts days on which nothing could be picked as days without a return', () => {
  const idle: WalkedWindow = { window, trial: null, inSample: null, outOfSample: null };
  const found = walkForwardFound([walked([0.02], [0.02, 0.02], 9), idle], BASIS);
  expect(found.efficiency).toBeCloseTo(0.5, 12);
  expect(walkForwardFound([idle], BASIS)).toMatchObject({
    sharpe: null,
    totalReturn: 0,
    efficiency: null,
    profitable: 0,
  });
});

it('has no efficiency where the choice lost even in sample', () => {
  expect(walkForwardFound([walked([-0.01], [0.01, 0], 1)], BASIS).efficiency).toBeNull();
});

it('has no return and no ratio out of sample where a window lost its capital there', () => {
  const good = walked([0.02], [0.02, 0.02], 9);
  // Equity below zero has no daily returns.
  const lost = figuresOf({ dailyReturns: [], netProfit: -120, drawdownFraction: 1.2 });
  expect(walkForwardFound([good, { ...good, outOfSample: lost }], BASIS)).toMatchObject({
    netProfit: -111,
    sharpe: null,
    totalReturn: null,
    efficiency: null,
  });
  const { totalReturn, efficiency } = walkForwardFound([good, { ...good, inSample: lost }], BASIS);
  expect(totalReturn).toBeCloseTo(1.02 ** 4 - 1, 12);
  expect(efficiency).toBeNull();
});

const days = (count: number) => Array.from({ length: count }, (_, i) => addDays(tradingDay('2026-03-01'), i));
/** Days as their place. */
const shown = (count: number, ...rest: [number, number, boolean, number]): readonly string[] => {
  const all = days(count);
  const [inSample, outOfSample, anchored, warmUp] = rest;
  const text = (part: readonly string[]): string =>
    part.map((day) => all.findIndex((each) => each === day)).join('');
  return walkForwardWindows(all, { inSample, outOfSample, anchored }, warmUp).map(
    (window) => `${text(window.inSample)}>${text(window.outOfSample)} after ${text(window.warmUp)}`,
  );
};

it('moves on by the days out of sample; the last window may be short', () => {
  expect(shown(8, 3, 2, false, 0)).toEqual(['012>34 after ', '234>56 after ', '456>7 after ']);
});

it('grows from the first day when it is anchored', () => {
  expect(shown(6, 2, 2, true, 0)).toEqual(['01>23 after ', '0123>45 after ']);
});

it('warms up on the last days in sample', () => {
  expect(shown(5, 3, 1, false, 2)).toEqual(['012>3 after 12', '123>4 after 23']);
});

it('has no window for too few days, and refuses a warm-up that begins before the days in sample', () => {
  expect(shown(3, 3, 1, false, 0)).toEqual([]);
  expect(() => shown(5, 2, 1, false, 3)).toThrow('a warm-up lies in sample');
});

test('every day after the first part in sample is out of sample once, and never in sample of its window', () => {
  const lengths = fc.record({ count: fc.integer({ min: 2, max: 80 }), anchored: fc.boolean() });
  fc.assert(
    fc.property(
      lengths,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 9 }),
      (each, inside, out) => {
        const all = days(each.count);
        const plan = { inSample: inside, outOfSample: out, anchored: each.anchored };
        const windows = walkForwardWindows(all, plan, 0);
        expect(windows.flatMap(({ outOfSample }) => outOfSample)).toEqual(all.slice(inside));
        for (const { inSample, outOfSample } of windows)
          expect(inSample.at(-1)! < outOfSample[0]!).toBe(true);
      },
    ),
    { numRuns: 50 },
  );
});
