/** Trades the next month against the front month when their difference is far from its recent mean. */
import { z } from 'zod';
import { defineStrategy } from '../../src/strategy/index.ts';
import { SpreadTrader } from './spread-trader.ts';

const params = z.object({
  sampleSeconds: z.int().min(1).max(600).default(5).describe('time between two samples of the spread'),
  window: z.int().min(5).max(5_000).default(120).describe('looks that make the mean'),
  entryZ: z
    .number()
    .min(0.5)
    .max(10)
    .default(2)
    .describe('standard deviations from the mean at which it enters'),
  exitZ: z
    .number()
    .min(0)
    .max(10)
    .default(0.5)
    .describe('standard deviations at which it closes; less than entryZ'),
  entryTicks: z
    .number()
    .min(0)
    .max(1_000)
    .default(4)
    .describe('least distance from the mean, to pay for four orders'),
  qty: z.int().min(1).max(500).default(1).describe('contracts of each leg'),
  restSeconds: z
    .number()
    .min(0)
    .max(600)
    .default(3)
    .describe('the first leg waits at our side this long, then crosses'),
  firstLegSeconds: z
    .int()
    .min(1)
    .max(600)
    .default(20)
    .describe('what the first leg has not got by then is withdrawn'),
  secondLegSeconds: z
    .int()
    .min(1)
    .max(120)
    .default(10)
    .describe('longest time without the second leg, then unwind'),
  pauseSeconds: z.int().min(0).max(3_600).default(60).describe('no entry for this long after an unwind'),
  slipTicks: z.int().min(0).max(100).default(3).describe('how far beyond the touch the second leg goes'),
});

export const calendarSpread = defineStrategy({
  name: 'calendar-spread',
  summary: 'front month against next month: sells the difference when it is wide, buys it when it is narrow',
  params: params.refine(({ entryZ, exitZ }) => exitZ < entryZ, {
    error: 'a number below entryZ',
    path: ['exitZ'],
  }),
  legs: ['front', 'next'],
  connect(ticks, trader) {
    const front = { ticks: ticks.leg('front'), trader: trader.leg('front') };
    const next = { ticks: ticks.leg('next'), trader: trader.leg('next') };
    return void new SpreadTrader(front, next, trader.params);
  },
});
