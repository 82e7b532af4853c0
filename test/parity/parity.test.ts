/** Paper and backtest agree on drawn days: the same orders, the same fills, the same money. */
import { describe, expect, test } from 'vitest';
import { compareDay } from './compare.ts';
import { withTape } from './synthetic-day.ts';

const TAPE = '2026-03-04_vn30f2603.csv';
/** The third Thursday of March. */
const EXPIRY_TAPE = '2026-03-19_vn30f2603.csv';

const QUEUE = { on: 'ticks', queue: 'queue', cancels: 'behind', slippageTicks: 0 } as const;

describe('drawn days', () => {
  test.each([1, 2, 3, 4, 5])('seed %i', async (seed) => {
    await withTape(seed, { name: TAPE }, async (path) => {
      const { backtest, wire, clauses } = await compareDay(path, { seed, steps: 600 });
      expect(wire).toEqual(backtest);
      expect(wire.fills.length).toBeGreaterThan(200);
      expect([...clauses].toSorted()).toEqual([
        'beside_taker',
        'queue_reached',
        'shown',
        'traded_through',
        'uncross',
      ]);
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
