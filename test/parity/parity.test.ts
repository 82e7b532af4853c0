/**
 * Paper and backtest agree on drawn days: the same orders, the same fills, the same money. `TICKWRIGHT_SEEDS=50` draws more days,
 * `TICKWRIGHT_SEED=7` others.
 */
import { describe, expect, test } from 'vitest';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { at } from '../support/strategy-fixtures.ts';
import { compareDay } from './compare.ts';
import { withTape } from './synthetic-day.ts';

const TAPE = '2026-03-04_vn30f2603.csv';
/** The third Thursday of March. */
const EXPIRY_TAPE = '2026-03-19_vn30f2603.csv';

const SEED = Number(process.env['TICKWRIGHT_SEED'] ?? 1);
const SEEDS = Number(process.env['TICKWRIGHT_SEEDS'] ?? 3);
/** Of each day; a stray print before the cross may leave nothing to the uncross. */
const CLAUSES = ['shown', 'beside_taker', 'queue_reached', 'traded_through'];
const QUEUE = { on: 'ticks', queue: 'queue', cancels: 'behind', slippageTicks: 0 } as const;

describe('drawn days', () => {
  test.each(Array.from({ length: SEEDS }, (_, place) => SEED + place))('seed %i', async (seed) => {
    await withTape(seed, { name: TAPE }, async (path) => {
      const { backtest, wire, clauses } = await compareDay(path, { seed, steps: 600 });
      expect(wire).toEqual(backtest);
      expect(wire.fills.length).toBeGreaterThan(200);
      expect(CLAUSES.filter((clause) => !clauses.has(clause))).toEqual([]);
    });
  });

  /** In the morning, in the break, in the closing auction. */
  test('a simulator that is started again three times', async () => {
    const day = tradingDay('2026-03-04');
    const restarts = ['10:00:00.5', '12:00:00.5', '14:40:00.5'].map((time) => at(time, day));
    await withTape(31, { name: TAPE }, async (path) => {
      const { backtest, wire } = await compareDay(path, { seed: 31, steps: 600, restarts });
      expect(wire).toEqual(backtest);
    });
  });

  test('an expiry with its final settlement', async () => {
    await withTape(11, { name: EXPIRY_TAPE }, async (path) => {
      const { backtest, wire } = await compareDay(path, { seed: 11, steps: 400 });
      expect(wire).toEqual(backtest);
      expect(wire.net).toBe(0);
    });
  });
});

describe('the comparison notices', () => {
  test.each([
    ['a fill that is a tick worse', { ...QUEUE, slippageTicks: 1 }],
    ['a queue with nobody in front', { ...QUEUE, queue: 'touch' as const }],
  ])('%s', async (_what, fill) => {
    await withTape(1, { name: TAPE }, async (path) => {
      const { backtest, wire } = await compareDay(path, { seed: 1, steps: 150, fill });
      expect(wire.fills).not.toEqual(backtest.fills);
    });
  });
});
