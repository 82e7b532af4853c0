/** Reads the section `sweep` of a backtest file; returns a plan, or every error. */
import { z } from 'zod';
import { ANNUAL_DAYS_MIN } from '../statistics/run-statistics.ts';
import { OBJECTIVES, type Objective, objectiveWords, type Ranking, walkForwardWindows } from './judgement.ts';
import { type Problem, meantHint } from '../../config/problem.ts';
import { count, flag } from '../../config/values.ts';
import { zodProblems } from '../../config/read-file.ts';
import { shown } from '../../domain/parsed.ts';
import type { StrategyDefinition } from '../../strategy/index.ts';
import { formatNumber } from '../../text/numbers.ts';
import { type Backtest, memoryOf } from '../spec/load-backtest.ts';
import { assertDefined } from '../../domain/assert.ts';
import { Random } from '../../venue/market/random.ts';

export type SweepPlan = Extract<ReturnType<typeof planned>, { readonly ok: true }>['plan'];

export function readSweep(backtest: Backtest) {
  const { source } = backtest;
  const read = sweepSchema.safeParse(source.at(['sweep']) ?? {});
  if (!read.success)
    return refused(...zodProblems(source, read.error.issues, sweepSchema, { base: ['sweep'] }));
  const section = read.data;
  const search = searchOf(section);
  const { space, problems } = spaceOf(backtest, section);
  if (problems.length > 0) return refused(...problems);
  if (space.length === 0) {
    const hint = 'add sweep: { parameters: { id: { name: [..] } } }';
    return refused(source.problem(['sweep'], 'a parameter to vary', hint));
  }
  if (search.kind === 'grid' && spaceSize(space) > TRIALS_MAX) {
    const size = formatNumber(spaceSize(space));
    const hint = 'take larger steps, or say in trials how many to draw';
    return refused(source.problem(['sweep'], `at most ${TRIALS_MAX} combinations`, hint, size));
  }
  return planned(backtest, section, search, space);
}

const OF_RETURNS: readonly Objective[] = ['sharpe', 'sortino', 'calmar'];

const refused = (...problems: readonly Problem[]) => ({ ok: false, problems }) as const;

function planned(backtest: Backtest, section: SweepSection, search: Search, space: ParameterSpace) {
  const { source, sources, config, market } = backtest;
  const { trials, refused: left } = chooseTrials(space, search, (each) => isAccepted(backtest, space, each));
  if (trials.length === 0) {
    const expected = 'a combination that the strategy accepts';
    return refused(source.problem(['sweep', 'parameters'], expected, '', `${left} that it refuses`));
  }
  const { objective, tradesMin, walkForward: split } = section;
  const { warmUpDays = 0 } = config;
  if (split !== undefined && warmUpDays >= split.inSample) {
    const expected = `more days in sample than the warm-up of ${warmUpDays}`;
    return refused(source.problem(['sweep', 'walkForward'], expected, '', String(split.inSample)));
  }
  // Strategies that restart each day forget a warm-up.
  const remembered = memoryOf(config, market) === 'run' ? (split?.inSample ?? 0) : 0;
  const windows =
    split === undefined ? [] : walkForwardWindows(sources.days, split, config.warmUpDays ?? remembered);
  if (split !== undefined && windows.length === 0) {
    const expected = `more than ${split.inSample} days for walk-forward windows`;
    const received = `${sources.days.length} in the data`;
    const hint = 'take fewer days for inSample';
    return refused(source.problem(['sweep', 'walkForward'], expected, hint, received));
  }
  // Ratios of returns need three of them, in each window too.
  const least = ANNUAL_DAYS_MIN + Number(config.statistics.returnsFrom !== 'capital');
  const isShort = Math.min(sources.days.length - warmUpDays, split?.inSample ?? Infinity) < least;
  if (isShort && objective !== undefined && OF_RETURNS.includes(objective)) {
    const expected = `net_profit, or ${least} days or more${split === undefined ? '' : ' in sample'} for a ${objectiveWords(objective)}`;
    return refused(source.problem(['sweep', 'objective'], expected));
  }
  const usual: Objective = isShort ? 'net_profit' : 'sharpe';
  const ranking: Ranking = { objective: objective ?? usual, tradesMin };
  return {
    ok: true as const,
    plan: {
      space,
      trials,
      search,
      refused: left,
      ranking,
      windows,
    },
  };
}

const searchOf = ({ trials, seed }: SweepSection): Search =>
  trials === undefined ? { kind: 'grid' } : { kind: 'random', trials, seed };

/** Rules between parameters are the strategy's own. */
function isAccepted({ strategies }: Backtest, space: ParameterSpace, assignment: Assignment): boolean {
  const params = paramsOf(space, assignment);
  return strategies.every(({ id, definition, params: base }) => {
    const over = params[id];
    return over === undefined || definition.parseParams({ ...base, ...over }).ok;
  });
}

/** More runs than this are a mistake in a range. */
const TRIALS_MAX = 100_000;

export const sweepSchema = z.strictObject({
  trials: count.max(TRIALS_MAX).optional().describe('Combinations to draw. Not set: every one is tried.'),
  seed: z.int().min(0).default(1).describe('Seed of what is drawn'),
  objective: z
    .enum(OBJECTIVES)
    .optional()
    .describe(
      'Figure that ranks runs. Not set: `sharpe`, or `net_profit` for fewer than 3 returns of days, in a window too.',
    ),
  tradesMin: z.int().min(0).default(1).describe('Runs with fewer closed trades are not picked'),
  parameters: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .default({})
    .describe('Choices, by strategy and parameter'),
  walkForward: z
    .strictObject({
      inSample: count.describe('Days on which parameters are picked'),
      outOfSample: count.describe('Days after them on which they are played'),
      anchored: flag.describe('Each window begins at the first day'),
    })
    .optional(),
});

type SweepSection = z.output<typeof sweepSchema>;

function spaceOf({ source, strategies }: Backtest, { parameters }: SweepSection) {
  const space: Dimension[] = [];
  const problems: Problem[] = [];
  for (const [id, params] of Object.entries(parameters)) {
    const strategy = strategies.find((each) => each.id === id);
    if (strategy === undefined) {
      const ids = strategies.map((each) => each.id);
      const expected = `the id of a strategy (${ids.join(', ')})`;
      problems.push(source.keyProblem(['sweep', 'parameters'], id, expected, meantOf(id, ids)));
      continue;
    }
    const { definition } = strategy;
    const names = definition.paramRows.map(({ name }) => name);
    const path = ['sweep', 'parameters', id];
    for (const [param, written] of Object.entries(params)) {
      if (!names.includes(param)) {
        const expected = `a parameter of ${strategy.strategy}`;
        problems.push(source.keyProblem(path, param, expected, meantOf(param, names)));
        continue;
      }
      const refuse: Refuse = (at, expected, received, hint = '') =>
        void problems.push(source.problem([...path, param, ...at], expected, hint, shown(received)));
      const values = valuesIn(written, definition, param, refuse);
      if (values !== undefined) space.push({ strategy: id, param, values });
    }
  }
  return { space, problems };
}

const meantOf = (word: string, known: readonly string[]): string =>
  meantHint(word, known, `one of ${known.join(', ')}`);

/** `at` is the path below the parameter. */
type Refuse = (at: readonly PropertyKey[], expected: string, received: unknown, hint?: string) => undefined;

const rangeSchema = z.strictObject({
  from: z.number(),
  to: z.number(),
  step: z.number().positive().default(1),
});

const VALUES_MAX = 10_000;
const SHAPES = 'a list like [3, 5, 9], or a range like { from: 10, to: 60, step: 10 }';

/** Each value is one that the strategy takes; rules between parameters come later. */
function valuesIn(
  written: unknown,
  { params, paramRows }: StrategyDefinition,
  param: string,
  refuse: Refuse,
): readonly ParamValue[] | undefined {
  const schema = params instanceof z.ZodObject ? params.shape[param] : undefined;
  const expected = paramRows.find(({ name }) => name === param)?.type ?? 'a value of this parameter';
  const isRight = (value: unknown): value is ParamValue =>
    isPlain(value) && (schema === undefined || z.safeParse(schema, value).success);
  if (Array.isArray(written)) {
    const values: readonly unknown[] = written;
    if (values.length === 0) return refuse([], 'a list with a value', written);
    for (const [at, value] of values.entries()) if (!isRight(value)) refuse([at], expected, value);
    return [...new Set(values.filter(isRight))];
  }
  const range = rangeSchema.safeParse(written);
  if (!range.success) return refuse([], SHAPES, written);
  const { from, to, step } = range.data;
  if (to < from) return refuse(['to'], `a number from ${from} on`, to);
  const count = stepsIn(from, to, step);
  if (count > VALUES_MAX) return refuse([], `at most ${VALUES_MAX} values`, count, 'take a larger step');
  if (!isRight(from)) return refuse(['from'], expected, from);
  if (!isRight(to)) return refuse(['to'], expected, to);
  const values = steppedValues(from, to, step);
  const bad = values.find((value) => !isRight(value));
  return bad === undefined ? values : refuse(['step'], expected, bad);
}

const isPlain = (value: unknown): value is ParamValue =>
  ['number', 'string', 'boolean'].includes(typeof value);

// The parameters that a sweep varies, and the combinations that it tries. The same space, search and seed give the same trials.

type ParamValue = number | string | boolean;

/** One parameter of one strategy. */
export interface Dimension {
  /** Id of the strategy in the backtest. */
  readonly strategy: string;
  readonly param: string;
  readonly values: readonly ParamValue[];
}

export type ParameterSpace = readonly Dimension[];

/** One value a dimension, in their order. */
export type Assignment = readonly ParamValue[];

type Search =
  | { readonly kind: 'grid' }
  | { readonly kind: 'random'; readonly trials: number; readonly seed: number };

/** Parameters by id of the strategy. */
export type TrialParams = Readonly<Record<string, Readonly<Record<string, ParamValue>>>>;

/** Draws in a row that give nothing new: too little of the space is left. */
const IDLE_DRAWS_MAX = 10_000;
const DIGITS = 12;

/** Sums of decimal steps without their binary dust: 0.30000000000000004 is 0.3. */
const decimal = (value: number): number => Number(value.toPrecision(DIGITS));

const stepsIn = (from: number, to: number, step: number): number =>
  Math.floor(decimal((to - from) / step)) + 1;

/** `from`, `from + step`, ... up to `to`; `to` itself only when a step ends there. */
export const steppedValues = (from: number, to: number, step: number): readonly number[] =>
  Array.from({ length: stepsIn(from, to, step) }, (_, i) => decimal(from + i * step));

export const spaceSize = (space: ParameterSpace): number =>
  space.reduce((size, { values }) => size * values.length, 1);

/** `accepts` asks the strategies, because only they know a rule between two parameters; `refused`: combinations that such a rule forbids. */
export function chooseTrials(
  space: ParameterSpace,
  search: Search,
  accepts: (assignment: Assignment) => boolean,
) {
  // A space that fits is tried whole, without drawing.
  const isWhole = search.kind === 'grid' || spaceSize(space) <= search.trials;
  return isWhole ? allTrials(space, accepts) : drawnTrials(space, search, accepts);
}

/** The last dimension moves fastest, as digits do. */
function allTrials(space: ParameterSpace, accepts: (assignment: Assignment) => boolean) {
  let all: readonly Assignment[] = [[]];
  for (const { values } of space) all = all.flatMap((begun) => values.map((value) => [...begun, value]));
  const trials = all.filter((assignment) => accepts(assignment));
  return { trials, refused: all.length - trials.length };
}

function drawnTrials(
  space: ParameterSpace,
  { trials: wanted, seed }: Extract<Search, { kind: 'random' }>,
  accepts: (assignment: Assignment) => boolean,
) {
  const random = new Random(seed);
  const seen = new Set<string>();
  const trials: Assignment[] = [];
  let refused = 0;
  for (let idle = 0; trials.length < wanted && idle < IDLE_DRAWS_MAX;) {
    const assignment = space.map(({ values }) =>
      assertDefined(values[random.below(values.length)], 'a dimension has a value'),
    );
    const key = JSON.stringify(assignment);
    idle += 1;
    if (seen.has(key)) continue;
    seen.add(key);
    if (!accepts(assignment)) refused += 1;
    else {
      trials.push(assignment);
      idle = 0;
    }
  }
  return { trials, refused };
}

export function paramsOf(space: ParameterSpace, assignment: Assignment): TrialParams {
  const params: Record<string, Record<string, ParamValue>> = {};
  space.forEach(({ strategy, param }, i) => {
    const value = assertDefined(assignment[i], 'an assignment has a value for each dimension');
    (params[strategy] ??= {})[param] = value;
  });
  return params;
}

/** `fast`, or `ema.fast` where several strategies are varied. */
export function dimensionNames(space: ParameterSpace): readonly string[] {
  const isOne = new Set(space.map(({ strategy }) => strategy)).size < 2;
  return space.map(({ strategy, param }) => (isOne ? param : `${strategy}.${param}`));
}
