/** Reads what a sweep varies, from the file of its backtest and from the command line: all of it is right, or every mistake is told. */
import { formatNumber } from '../../../text/numbers.ts';
import { z } from 'zod';
import type { MonteCarlo } from '../../../backtest/research/monte-carlo.ts';
import {
  type Assignment,
  chooseTrials,
  type ParameterSpace,
  paramsOf,
  type Search,
  spaceSize,
} from '../../../backtest/research/parameter-space.ts';
import { type Objective, OBJECTIVES, type Ranking } from '../../../backtest/research/rank-trials.ts';
import {
  usualWalkForward,
  type WalkForward,
  walkForwardWindows,
  type Window,
} from '../../../backtest/research/windows.ts';
import type { Problem } from '../../../config/problem.ts';
import { count } from '../../../config/values.ts';
import { zodProblems } from '../../../config/zod-problems.ts';
import type { Backtest } from '../backtest/load-backtest.ts';
import { dimensionsInFile, dimensionsTyped, type VaryFlag } from './read-dimensions.ts';

/** What the command line says beside the file. */
export interface SweepFlags {
  /** Each `ema.fast=3,5,9`; takes the place of what the file says of that parameter. */
  readonly vary: readonly VaryFlag[];
  readonly search: 'grid' | 'random' | null;
  readonly trials: number | null;
  readonly seed: number | null;
  readonly objective: Objective | null;
  /** Null: as the file says; `usual` where nothing is said. */
  readonly walkForward: WalkForward | 'usual' | null;
  readonly monteCarlo: number | 'usual' | null;
}

/** A sweep that can begin. */
export interface SweepPlan {
  readonly space: ParameterSpace;
  readonly trials: readonly Assignment[];
  readonly search: Search;
  /** Combinations that the strategies refuse. */
  readonly refused: number;
  readonly ranking: Ranking;
  readonly windows: readonly Window[];
  readonly monteCarlo: MonteCarlo | null;
}

export type ReadSweep =
  | { readonly ok: true; readonly plan: SweepPlan }
  | { readonly ok: false; readonly problems: readonly string[] | readonly Problem[] };

/** Fewer daily returns say nothing about their deviation. */
const SHARPE_DAYS_MIN = 3;
const USUAL_PATHS = 1_000;

export function readSweep(backtest: Backtest, flags: SweepFlags): ReadSweep {
  const { source } = backtest;
  const read = sweepSchema.safeParse(source.at(['sweep']) ?? {});
  if (!read.success)
    return { ok: false, problems: zodProblems(source, read.error.issues, sweepSchema, { base: ['sweep'] }) };
  const section = read.data;
  const search = searchOf(section, flags);
  const inFile = dimensionsInFile(backtest, section.parameters, flags.vary, search.kind === 'grid');
  if (inFile.problems.length > 0) return { ok: false, problems: inFile.problems };
  const typed = dimensionsTyped(backtest, flags.vary, search.kind === 'grid');
  if (typed.problems.length > 0) return { ok: false, problems: typed.problems };
  const space = [...inFile.dimensions, ...typed.dimensions];
  if (space.length === 0) {
    const hint = 'add sweep: { parameters: { id: { name: [..] } } }, or --vary id.name=3,5,9';
    return { ok: false, problems: [source.problem(['sweep'], 'a parameter to vary', hint)] };
  }
  if (search.kind === 'grid' && spaceSize(space) > TRIALS_MAX) {
    const size = formatNumber(spaceSize(space));
    const hint = 'take larger steps, or search: random with trials';
    return {
      ok: false,
      problems: [source.problem(['sweep'], `at most ${TRIALS_MAX} combinations`, hint, size)],
    };
  }
  return planned(backtest, section, flags, search, space);
}

function planned(
  backtest: Backtest,
  section: SweepSection,
  flags: SweepFlags,
  search: Search,
  space: ParameterSpace,
): ReadSweep {
  const { source, sources, read } = backtest;
  const { trials, refused } = chooseTrials(space, search, (each) => isAccepted(backtest, space, each));
  if (trials.length === 0) {
    const expected = 'a combination that the strategy accepts';
    return {
      ok: false,
      problems: [source.problem(['sweep', 'parameters'], expected, '', `${refused} that it refuses`)],
    };
  }
  const split = splitOf(section, flags, sources.days.length);
  if (split !== null && read.warmUpDays >= split.inSample) {
    const expected = `more days in sample than the warm-up of ${read.warmUpDays}`;
    return {
      ok: false,
      problems: [source.problem(['sweep', 'walkForward'], expected, '', String(split.inSample))],
    };
  }
  const windows = split === null ? [] : walkForwardWindows(sources.days, split, read.warmUpDays);
  if (split !== null && windows.length === 0) {
    const received = `${sources.days.length} in the data`;
    const expected = `more than ${split.inSample} days for walk-forward windows`;
    return { ok: false, problems: [source.problem(['sweep', 'walkForward'], expected, '', received)] };
  }
  const traded = sources.days.length - read.warmUpDays;
  const usual: Objective = traded < SHARPE_DAYS_MIN ? 'net_profit' : 'sharpe';
  const objective = flags.objective ?? section.objective ?? usual;
  return {
    ok: true,
    plan: {
      space,
      trials,
      search,
      refused,
      ranking: { objective, tradesMin: section.tradesMin },
      windows,
      monteCarlo: monteCarloOf(section, flags),
    },
  };
}

function searchOf(section: SweepSection, flags: SweepFlags): Search {
  const trials = flags.trials ?? section.trials;
  const named = flags.search ?? (flags.trials === null ? section.search : 'random');
  const kind = named ?? (trials === undefined ? 'grid' : 'random');
  return kind === 'grid' ? { kind } : { kind, trials: trials ?? 100, seed: flags.seed ?? section.seed };
}

function splitOf({ walkForward }: SweepSection, flags: SweepFlags, days: number): WalkForward | null {
  if (flags.walkForward !== null && flags.walkForward !== 'usual') return flags.walkForward;
  if (walkForward !== undefined) {
    const { inSample, outOfSample, anchored } = walkForward;
    return { inSample, outOfSample, isAnchored: anchored };
  }
  return flags.walkForward === 'usual' ? usualWalkForward(days) : null;
}

function monteCarloOf(section: SweepSection, { monteCarlo, seed: typed }: SweepFlags): MonteCarlo | null {
  const { monteCarlo: written, seed: inFile } = section;
  if (monteCarlo === null && written === undefined) return null;
  const runs = typeof monteCarlo === 'number' ? monteCarlo : (written?.runs ?? USUAL_PATHS);
  return { runs, seed: typed ?? inFile, blockTrades: written?.blockTrades ?? null };
}

/** Rules between parameters are the strategy's own. */
function isAccepted({ strategies }: Backtest, space: ParameterSpace, assignment: Assignment): boolean {
  const params = paramsOf(space, assignment);
  return strategies.every(({ id, definition, params: base }) => {
    const over = params[id];
    return over === undefined || definition.parseParams({ ...base, ...over }).ok;
  });
}

/** The section `sweep` of a backtest's file. */

/** More runs than this are a mistake in a range. */
const TRIALS_MAX = 100_000;
const PATHS_MAX = 100_000;

const sweepSchema = z.strictObject({
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
