/**
 * A book that no strategy listens to is merged when somebody asks for it. Random days of two contracts, with recorded depth and
 * without, are played twice: with a second strategy that listens to every book, and without. Whoever asks is shown the same.
 */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { milliseconds, priceTicks, seconds } from '../../../src/domain/units.ts';
import { defineStrategy } from '../../../src/strategy/index.ts';
import { Random } from '../../../src/venue/market/random.ts';
import { planOf, tapesOf, strategyOf } from '../../support/backtest-plan.ts';
import { drawnRows } from './drawn-rows.ts';

const DAY = '2026-03-04';
const ROWS = 1_200;
const SEEDS = 5;

/** Asks for both books at any time, and trades on them. */
const asker = (seen: unknown[]) =>
  defineStrategy({
    name: 'asker',
    summary: 'asks for the latest books by chance',
    params: z.object({ seed: z.int() }),
    legs: ['near', 'far'],
    connect(ticks, trader) {
      const random = new Random(trader.params.seed);
      const look = (): void => {
        for (const leg of ['near', 'far'] as const) {
          const own = trader.leg(leg);
          const book = own.lastBook();
          seen.push(book);
          const touch = book?.asks[0]?.price ?? book?.bids[0]?.price;
          if (touch === undefined || !random.chance(400)) continue;
          const order = {
            qty: 1 + random.below(3),
            price: priceTicks(touch + random.below(5) - 2),
            reason: 'drawn',
          };
          if (random.chance(500)) own.buy(order);
          else own.sell(order);
        }
      };
      for (const leg of ['near', 'far'] as const)
        ticks.leg(leg).trades$.subscribe(() => {
          if (random.chance(30)) look();
        });
      ticks.orders$.subscribe(() => {
        if (random.chance(200)) seen.push(trader.lastBook());
      });
      const wake = (): void => {
        look();
        trader.after(
          random.chance(500) ? milliseconds(1 + random.below(500)) : seconds(1 + random.below(90)),
          wake,
        );
      };
      trader.after(seconds(1), wake);
    },
  });

const watcher = (isListening: boolean) =>
  strategyOf(
    'watcher',
    (ticks) => {
      if (!isListening) return;
      for (const leg of ['near', 'far'] as const) ticks.leg(leg).books$.subscribe(() => undefined);
    },
    ['near', 'far'],
  );

function play(
  seed: number,
  depth: number,
  isListening: boolean,
): { readonly seen: unknown[]; readonly hash: string } {
  const random = new Random(seed);
  const tapes = ['VN30F2603', 'VN30F2604'].map((code) => ({
    code,
    day: DAY,
    rows: drawnRows(random, DAY, ROWS, depth),
  }));
  const seen: unknown[] = [];
  const span = { kind: 'exponential', min: milliseconds(1), mean: milliseconds(40) } as const;
  const plan = planOf(
    tapesOf(tapes),
    [{ id: 'asker', definition: asker(seen), params: { seed } }, watcher(isListening)],
    { symbols: ['VN30F1M', 'VN30F2M'], latency: { order: span, report: span } },
  );
  return { seen, hash: runBacktest(plan).journalHash };
}

describe.each([0, 1, 3])('%i recorded levels', (depth) => {
  test('show the same to whoever asks, whether anybody listens or not', () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const [late, eager] = [play(seed, depth, false), play(seed, depth, true)];
      expect(late.hash).toBe(eager.hash);
      expect(JSON.stringify(late.seen)).toBe(JSON.stringify(eager.seen));
      expect(late.seen.length).toBeGreaterThan(ROWS / 10);
      expect(late.seen.filter((book) => book !== undefined).length).toBeGreaterThan(ROWS / 20);
    }
  });
});
