import { expect, it } from 'vitest';
import { type WalkedWindow, walkForwardFound } from '../../../src/research/sweep/walk-forward.ts';
import type { RatioBasis } from '../../../src/research/statistics/return-ratios.ts';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { figuresOf } from './sweep-figures.ts';

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
