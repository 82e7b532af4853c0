/** The section `sweep` of a backtest's file. */
import { z } from 'zod';
import { OBJECTIVES } from '../../../backtest/research/rank-trials.ts';
import { count } from '../../../config/values.ts';

/** More runs than this are a mistake in a range. */
export const TRIALS_MAX = 100_000;
const PATHS_MAX = 100_000;

export const sweepSchema = z.strictObject({
  /** `grid` tries every combination; `random`, which `trials` implies, draws so many of them. */
  search: z.enum(['grid', 'random']).optional(),
  trials: count.max(TRIALS_MAX).optional(),
  seed: z.int().min(0).default(1),
  /** Absent: the Sharpe ratio, or net profit where the days are too few for one. */
  objective: z.enum(OBJECTIVES).optional(),
  /** Runs with fewer closed trades are not picked. */
  tradesMin: z.int().min(0).default(1),
  /** By id of the strategy, then by name of the parameter. */
  parameters: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  walkForward: z
    .strictObject({ inSample: count, outOfSample: count, anchored: z.boolean().default(false) })
    .optional(),
  monteCarlo: z
    .strictObject({ runs: count.max(PATHS_MAX).default(1_000), blockTrades: count.optional() })
    .optional(),
});

export type SweepSection = z.output<typeof sweepSchema>;
