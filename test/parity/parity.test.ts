/**
 * Paper and backtest agree on drawn days: the same orders, the same fills, the same money. `TICKWRIGHT_SEEDS=50` draws more days,
 * `TICKWRIGHT_SEED=7` others.
 */
import { describe, expect, test } from 'vitest';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { priceTicks } from '../../src/domain/units.ts';
import { at } from '../support/strategy-fixtures.ts';
import { compareDay } from './compare.ts';
import type { Step } from './script.ts';
import { withFile, withTape } from './synthetic-day.ts';

const DAY = '2026-03-04';
const TAPE = `${DAY}_vn30f2603.csv`;
/** The third Thursday of March. */
const EXPIRY_TAPE = '2026-03-19_vn30f2603.csv';

const SEED = Number(process.env['TICKWRIGHT_SEED'] ?? 1);
const SEEDS = Number(process.env['TICKWRIGHT_SEEDS'] ?? 3);
const reason = 'scripted';
/** Of each day; a stray print before the cross may leave nothing to the uncross. */
const CLAUSES = ['shown', 'same_side_trade', 'queue_reached', 'traded_through'];
const QUEUE = { on: 'ticks', queue: 'queue', cancels: 'behind', slippageTicks: 0 } as const;

const limit = (time: string, side: 'buy' | 'sell', qty: number, price: number, day = DAY): Step => ({
  atUs: at(time, tradingDay(day)),
  ask: { do: 'submit', request: { kind: 'limit', side, qty, price: priceTicks(price), reason } },
});

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
    const day = tradingDay(DAY);
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

  /** Settled at an average of the last 30 minutes. */
  test('a day without a closing cross', async () => {
    await withTape(21, { name: TAPE, hasClose: false }, async (path) => {
      const { backtest, wire, worth } = await compareDay(path, { seed: 21, steps: 400 });
      expect(wire).toEqual(backtest);
      expect(wire.net).not.toBe(0);
      expect(wire.cash).not.toBe(worth);
    });
  });

  test('an expiry without a closing cross', async () => {
    await withTape(22, { name: EXPIRY_TAPE, hasClose: false }, async (path) => {
      const { backtest, wire, worth } = await compareDay(path, { seed: 22, steps: 400 });
      expect(wire).toEqual(backtest);
      expect(wire.net).toBe(0);
      expect(wire.cash).not.toBe(worth);
    });
  });

  /** The first print of the cross triggers the stop; its order comes too late for the others, and takes at the first book. */
  test('an order that comes while an uncross is printed', async () => {
    const prints = ['1950.0,3,-', '1950.0,50,-', '1950.2,2,M', '1950.1,9,M', '1950.0,1,B'];
    const text = ['Time,Price,Volume,Side', ...prints.map((print) => `09:00:00,${print}`)].join('\n');
    const request = { kind: 'stop', side: 'buy', qty: 5, reason, trigger: priceTicks(19_500) } as const;
    const stop: Step = {
      atUs: at('08:50:00', tradingDay(DAY)),
      ask: { do: 'submit', request: { ...request, price: priceTicks(19_510) } },
    };
    const script = [limit('08:51:00', 'buy', 4, 19_505), stop].toSorted((a, b) => a.atUs - b.atUs);
    await withFile(TAPE, text, async (path) => {
      const { backtest, wire } = await compareDay(path, { seed: 0, steps: 0, script });
      expect(wire).toEqual(backtest);
      expect(wire.fills.map((line) => line.slice(13))).toEqual([
        'buy 3 at 19500 uncross',
        'buy 1 at 19500 uncross',
        'buy 5 at 19502 shown',
      ]);
    });
  });

  /** Seven contracts at 1,950 need 232 of 300 million; the day falls by 6.7 %. */
  test('a margin call and its forced close', async () => {
    await withTape(12, { name: TAPE, drift: -1_300 }, async (path) => {
      const script = [
        limit('09:05:00', 'buy', 7, 19_900),
        limit('09:06:00', 'buy', 1, 18_300),
        limit('09:07:00', 'sell', 1, 20_300),
      ];
      const { backtest, wire, clauses } = await compareDay(path, {
        seed: 12,
        steps: 0,
        capital: 300_000_000,
        script,
      });
      expect(wire).toEqual(backtest);
      expect([...clauses].some((clause) => clause.endsWith('forced'))).toBe(true);
    });
  });

  test('drawn orders on an account with margin for few of them', async () => {
    await withTape(41, { name: TAPE, drift: 600 }, async (path) => {
      const { backtest, wire } = await compareDay(path, { seed: 41, steps: 600, capital: 1_500_000_000 });
      expect(wire).toEqual(backtest);
      expect(wire.refused.filter((line) => line.endsWith('-6012')).length).toBeGreaterThan(5);
    });
  });

  /** 300 contracts need 9.95 of 12.5 billion: the fall closes as many of them as it must, in many fills. */
  test('a large position that is closed in part', async () => {
    await withTape(41, { name: TAPE, drift: -1_300 }, async (path) => {
      const script = [limit('08:46:00', 'buy', 300, 19_900), limit('14:00:00', 'sell', 1, 20_300)];
      const options = { seed: 41, steps: 0, capital: 12_500_000_000, script };
      const { backtest, wire } = await compareDay(path, options);
      expect(wire).toEqual(backtest);
      expect(wire.fills.filter((line) => line.endsWith('forced')).length).toBeGreaterThan(5);
      expect(wire.net).toBeGreaterThan(200);
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
