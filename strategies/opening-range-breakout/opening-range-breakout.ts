/** Measures the first minutes of a session and follows the price out of that range, with a stop behind the position. */
import { z } from 'zod';
import { defineStrategy } from '../../src/strategy/index.ts';
import { Breakout } from './breakout.ts';

export const openingRangeBreakout = defineStrategy({
  name: 'opening-range-breakout',
  summary: 'enters when the price leaves the range of the first minutes, with a stop that only tightens',
  params: z.object({
    rangeSeconds: z.int().min(5).max(7_200).default(900).describe('how long the range is measured'),
    bufferTicks: z
      .int()
      .min(0)
      .max(1_000)
      .default(1)
      .describe('how far beyond the range counts as a breakout'),
    qty: z.int().min(1).max(500).default(1).describe('contracts of one entry'),
    stopTicks: z
      .int()
      .min(1)
      .max(1_000)
      .default(30)
      .describe('stop behind the broken bound, never beyond the other'),
    trailTicks: z
      .int()
      .min(0)
      .max(1_000)
      .default(30)
      .describe('stop behind the best price since; 0 does not follow'),
    entriesMax: z.int().min(1).max(100).default(1).describe('entries of one session'),
    entrySeconds: z.int().min(1).max(600).default(30).describe('what is not filled by then is withdrawn'),
    restSeconds: z
      .number()
      .min(0)
      .max(600)
      .default(0)
      .describe('an entry waits at our side this long, then crosses'),
    slipTicks: z.int().min(0).max(100).default(5).describe('how far beyond the touch the stop sells or buys'),
  }),
  legs: ['contract'],
  connect(ticks, trader) {
    return void new Breakout(ticks, trader, trader.params);
  },
});
