/** Long while the fast average of the closes is above the slow one, short while it is below. */
import { filter, map, tap } from 'rxjs';
import { EMA } from 'trading-signals';
import { z } from 'zod';
import { type Bar, defineStrategy, indicate, PositionWorker, seconds } from '../../src/strategy/index.ts';

const params = z.object({
  barSeconds: z.int().min(1).max(86_400).default(60).describe('length of a bar'),
  fast: z.int().min(1).max(500).default(9).describe('bars of the fast average'),
  slow: z.int().min(2).max(1_000).default(21).describe('bars of the slow average; more than fast'),
  bufferTicks: z
    .number()
    .min(0)
    .max(100)
    .default(0)
    .describe('distance of the averages that counts as a cross'),
  qty: z.int().min(1).max(500).default(1).describe('contracts held, long or short'),
  direction: z.enum(['both', 'long', 'short']).default('both').describe('which side it may hold'),
  restSeconds: z
    .number()
    .min(0)
    .max(600)
    .default(4)
    .describe('an order waits at our side this long, then crosses'),
  repriceSeconds: z.number().min(0.5).max(60).default(1).describe('how often a working order is checked'),
});

export const emaCross = defineStrategy({
  name: 'ema-cross',
  summary: 'follows the trend: holds the side on which the fast average of the closes is',
  params: params.refine(({ fast, slow }) => fast < slow, { error: 'a number above fast', path: ['slow'] }),
  legs: ['contract'],

  connect(ticks, trader) {
    const { barSeconds, bufferTicks, qty, direction, restSeconds, repriceSeconds } = trader.params;
    // 1. The worker is the hand: it brings the position to where we aim, with one order at a time.
    const worker = new PositionWorker(ticks, trader, {
      rest: seconds(restSeconds),
      reprice: seconds(repriceSeconds),
      slipTicks: 0,
    });

    // 2. What the averages remember of another contract, or of the time before a standby, says nothing.
    const isNew = (bar: Bar, before: Bar): boolean => {
      const isRolled = bar.instrument !== before.instrument;
      if (!isRolled && bar.skipped < trader.params.slow) return false;
      trader.note(
        `averages start again: ${isRolled ? `now trading ${trader.contract.orderCode}` : 'bars were missed'}`,
      );
      return true;
    };

    // 3. The decision, once a bar. A bar with holes, an old one, or one of an auction is remembered and not traded on.
    const averages = { fast: () => new EMA(trader.params.fast), slow: () => new EMA(trader.params.slow) };
    ticks
      .bars({ every: seconds(barSeconds) })
      .pipe(
        indicate(averages, ({ close }) => close, isNew),
        filter(({ item }) => item.complete && item.fresh && item.phase === 'continuous'),
        tap(({ fast, slow }) => {
          trader.plot('fast', fast);
          trader.plot('slow', slow);
        }),
        map(({ fast, slow }) => fast - slow),
        filter((gap) => Math.abs(gap) > bufferTicks),
      )
      .subscribe((gap) => {
        const side = gap > 0 ? qty : -qty;
        const isAllowed = direction === 'both' || (direction === 'long') === gap > 0;
        worker.aim(isAllowed ? side : 0, `fast is ${gap.toFixed(2)} ticks from slow`);
      });
  },
});
