/** Reads the section `sweep` of a backtest file; returns a plan, or every error. */
import { z } from 'zod';
import { ANNUAL_DAYS_MIN } from '../statistics/run-statistics.ts';
import type { MonteCarlo } from '../statistics/monte-carlo.ts';
import {
  OBJECTIVES,
  type Objective,
  objectiveWords,
  type Ranking,
  type Window,
  walkForwardWindows,
} from './walk-forward.ts';
import { type CheckResult, type Problem, meantHint } from '../../config/problem.ts';
import { count, flag } from '../../config/values.ts';
import { zodProblems } from '../../config/read-file.ts';
import { shown } from '../../domain/parsed.ts';
import type { StrategyDefinition } from '../../strategy/index.ts';
import { formatNumber } from '../../text/numbers.ts';
import { type Backtest, memoryOf } from '../spec/load-backtest.ts';
import { assert, present } from '../../domain/assert.ts';
import { Random } from '../../venue/market/random.ts';

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

export function readSweep(backtest: Backtest): CheckResult<{ readonly plan: SweepPlan }> {
  const { source } = backtest;
  const read = sweepSchema.safeParse(source.at(['sweep']) ?? {});
  if (!read.success)
    return { ok: false, problems: zodProblems(source, read.error.issues, sweepSchema, { base: ['sweep'] }) };
  const section = read.data;
  const search = searchOf(section);
  const { space, problems } = spaceOf(backtest, section, search.kind === 'grid');
  if (problems.length > 0) return { ok: false, problems };
  if (space.length === 0) {
    const hint = 'add sweep: { parameters: { id: { name: [..] } } }';
    return refused(source.problem(['sweep'], 'a parameter to vary', hint));
  }
  if (search.kind === 'grid' && spaceSize(space) > TRIALS_MAX) {
    const size = formatNumber(spaceSize(space));
    const hint = 'take larger steps, or search: random with trials';
    return refused(source.problem(['sweep'], `at most ${TRIALS_MAX} combinations`, hint, size));
  }
  return planned(backtest, section, search, space);
}

const OF_RETURNS: readonly Objective[] = ['sharpe', 'sortino', 'calmar'];

const refused = (problem: Problem) => ({ ok: false, problems: [problem] }) as const;

function planned(
  backtest: Backtest,
  section: SweepSection,
  search: Search,
  space: ParameterSpace,
): CheckResult<{ readonly plan: SweepPlan }> {
  const { source, sources, read, market } = backtest;
  const { trials, refused: left } = chooseTrials(space, search, (each) => isAccepted(backtest, space, each));
  if (trials.length === 0) {
    const expected = 'a combination that the strategy accepts';
    return refused(source.problem(['sweep', 'parameters'], expected, '', `${left} that it refuses`));
  }
  const { objective, tradesMin, walkForward: split, monteCarlo, seed } = section;
  const { warmUpDays = 0 } = read;
  if (split !== undefined && warmUpDays >= split.inSample) {
    const expected = `more days in sample than the warm-up of ${warmUpDays}`;
    return refused(source.problem(['sweep', 'walkForward'], expected, '', String(split.inSample)));
  }
  // Strategies that restart each day forget a warm-up.
  const remembered = memoryOf(read, market) === 'run' ? (split?.inSample ?? 0) : 0;
  const windows =
    split === undefined ? [] : walkForwardWindows(sources.days, split, read.warmUpDays ?? remembered);
  if (split !== undefined && windows.length === 0) {
    const expected = `more than ${split.inSample} days for walk-forward windows`;
    const received = `${sources.days.length} in the data`;
    const hint = 'take fewer days for inSample';
    return refused(source.problem(['sweep', 'walkForward'], expected, hint, received));
  }
  // Ratios of returns need three of them, in each window too.
  const least = ANNUAL_DAYS_MIN + Number(read.statistics.returnsFrom !== 'capital');
  const isShort = Math.min(sources.days.length - warmUpDays, split?.inSample ?? Infinity) < least;
  if (isShort && objective !== undefined && OF_RETURNS.includes(objective)) {
    const expected = `net_profit, or ${least} days or more${split === undefined ? '' : ' in sample'} for a ${objectiveWords(objective)}`;
    return refused(source.problem(['sweep', 'objective'], expected));
  }
  const usual: Objective = isShort ? 'net_profit' : 'sharpe';
  return {
    ok: true,
    plan: {
      space,
      trials,
      search,
      refused: left,
      ranking: { objective: objective ?? usual, tradesMin },
      windows,
      monteCarlo: monteCarlo === undefined ? null : { ...monteCarlo, seed },
    },
  };
}

function searchOf({ search, trials, seed }: SweepSection): Search {
  const kind = search ?? (trials === undefined ? 'grid' : 'random');
  return kind === 'grid' ? { kind } : { kind, trials: trials ?? 100, seed };
}

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
const PATHS_MAX = 100_000;

export const sweepSchema = z.strictObject({
  search: z.enum(['grid', 'random']).optional().describe('Every combination, or `trials` of them'),
  trials: count.max(TRIALS_MAX).optional().describe('Combinations to draw; implies `random`'),
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
  monteCarlo: z
    .strictObject({
      runs: count.max(PATHS_MAX).default(1_000).describe('Paths to draw'),
      blockTrades: count.optional().describe('Trades that stay together'),
    })
    .optional(),
});

type SweepSection = z.output<typeof sweepSchema>;

function spaceOf({ source, strategies }: Backtest, { parameters }: SweepSection, isGrid: boolean) {
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
      const of = { definition, param, written, bounds: boundsOf(definition, param), isGrid, refuse };
      const found = choicesIn(of);
      const choices = found && checked(of, found);
      if (choices !== undefined) space.push({ strategy: id, param, choices });
    }
  }
  return { space, problems };
}

const meantOf = (word: string, known: readonly string[]): string =>
  meantHint(word, known, `one of ${known.join(', ')}`);

/** `at` is the path below the parameter. */
type Refuse = (at: readonly PropertyKey[], expected: string, received: unknown, hint?: string) => undefined;

const rangeSchema = z.strictObject({
  from: z.number().optional(),
  to: z.number().optional(),
  step: z.number().positive().optional(),
  scale: z.enum(['linear', 'log']).default('linear'),
});

const VALUES_MAX = 10_000;
const SHAPES = 'a list like [3, 5, 9], a range like { from: 10, to: 60, step: 10 }, or any';

/** What a file writes for one parameter. */
interface WrittenChoices {
  readonly definition: StrategyDefinition;
  readonly param: string;
  readonly written: unknown;
  readonly bounds: Bounds;
  /** Every combination is wanted, so there must be an end to them. */
  readonly isGrid: boolean;
  readonly refuse: Refuse;
}

function choicesIn(of: WrittenChoices): Choices | undefined {
  const { written, bounds, refuse } = of;
  if (written === 'any')
    return bounds.values === null
      ? rangeIn(of, { scale: 'linear' })
      : { kind: 'list', values: bounds.values };
  if (Array.isArray(written)) {
    const values: readonly unknown[] = written;
    const plain = values.filter(isPlain);
    if (values.length === 0) return refuse([], 'a list with a value', written);
    const odd = values.findIndex((value) => !isPlain(value));
    if (odd !== -1) return refuse([odd], 'a number, a word, true or false', values[odd]);
    return { kind: 'list', values: [...new Set(plain)] };
  }
  if (typeof written !== 'object') {
    const hint = bounds.values === null ? '' : `one of ${bounds.values.map(String).join(', ')}`;
    return refuse([], SHAPES, written, hint);
  }
  const range = rangeSchema.safeParse(written);
  if (range.success) return rangeIn(of, range.data);
  const [issue] = range.error.issues;
  if (issue?.code === 'unrecognized_keys') return refuse([], SHAPES, written, `no ${issue.keys.join(', ')}`);
  return refuse(issue?.path ?? [], SHAPES, written);
}

const isPlain = (value: unknown): value is ParamValue =>
  ['number', 'string', 'boolean'].includes(typeof value);

function rangeIn(
  { bounds, isGrid, refuse }: WrittenChoices,
  { from = bounds.low, to = bounds.high, step, scale }: z.output<typeof rangeSchema>,
): Choices | undefined {
  if (!bounds.isNumber) return refuse([], 'a list of values', 'a range', 'only numbers have one');
  if (from === undefined) return refuse([], 'a range with from', 'none', 'the strategy sets no lower end');
  if (to === undefined) return refuse([], 'a range with to', 'none', 'the strategy sets no upper end');
  if (to < from) return refuse(['to'], `a number from ${from} on`, to);
  if (scale === 'log') {
    if (step !== undefined) return refuse(['step'], 'no step', step, 'a logarithmic range is drawn from');
    if (isGrid)
      return refuse(['scale'], 'linear', scale, 'a logarithmic range is drawn from: search: random');
    if (from <= 0) return refuse(['from'], 'more than 0', from, 'or a linear scale');
  }
  const { isWhole } = bounds;
  const by = step ?? (isWhole && scale === 'linear' ? 1 : undefined);
  const values = by === undefined ? Infinity : Math.floor((to - from) / by) + 1;
  if (by !== undefined && values <= VALUES_MAX) return { kind: 'list', values: steppedValues(from, to, by) };
  if (by !== undefined && (isGrid || step !== undefined))
    return refuse(
      [],
      `at most ${VALUES_MAX} values`,
      values,
      'take a larger step, or search: random without one',
    );
  if (isGrid) return refuse([], 'a range with step', 'none', 'or search: random');
  return { kind: 'range', from, to, scale, isWhole };
}

/** Each value must be one that the strategy takes; rules between parameters come later. */
function checked(
  { definition, param, written, refuse }: WrittenChoices,
  choices: Choices,
): Choices | undefined {
  const schema = definition.params instanceof z.ZodObject ? definition.params.shape[param] : undefined;
  const expected =
    definition.paramRows.find(({ name }) => name === param)?.type ?? 'a value of this parameter';
  const isRight = (value: unknown): boolean => schema === undefined || z.safeParse(schema, value).success;
  if (Array.isArray(written)) {
    const wrong = [...written.entries()].filter(([, value]) => !isRight(value));
    for (const [at, value] of wrong) refuse([at], expected, value);
    return wrong.length > 0 ? undefined : choices;
  }
  const ends = rangeSchema.safeParse(written);
  const { from, to } = ends.success ? ends.data : {};
  if (from !== undefined && !isRight(from)) return refuse(['from'], expected, from);
  if (to !== undefined && !isRight(to)) return refuse(['to'], expected, to);
  const bad = choices.kind === 'list' ? choices.values.find((value) => !isRight(value)) : undefined;
  return bad === undefined ? choices : refuse(['step'], expected, bad);
}

type Bounds = ReturnType<typeof boundsOf>;

function boundsOf({ params }: StrategyDefinition, param: string) {
  const property = z.toJSONSchema(params, { io: 'input' }).properties?.[param];
  const found = typeof property === 'object' ? property : {};
  const { type, minimum, maximum, enum: listed } = found;
  const isWhole = type === 'integer';
  const values = type === 'boolean' ? [false, true] : (listed?.filter(isPlain) ?? null);
  return {
    isNumber: isWhole || type === 'number',
    isWhole,
    low: endOf(minimum),
    high: endOf(maximum),
    /** All of them, where they can be listed. */
    values,
  };
}

/** Ends that zod adds to whole numbers by itself say nothing. */
const endOf = (limit: number | undefined): number | undefined =>
  limit === undefined || Math.abs(limit) === Number.MAX_SAFE_INTEGER ? undefined : limit;

// The parameters that a sweep varies, and the combinations that it tries. The same space, search and seed give the same trials.

type ParamValue = number | string | boolean;

/** `range`: any number between its ends, for random search alone; everything else is a list. */
type Choices =
  | { readonly kind: 'list'; readonly values: readonly ParamValue[] }
  | {
      readonly kind: 'range';
      readonly from: number;
      readonly to: number;
      readonly scale: Scale;
      readonly isWhole: boolean;
    };

/** `log` draws the exponent evenly: as often between 1 and 10 as between 10 and 100. */
type Scale = 'linear' | 'log';

/** One parameter of one strategy. */
export interface Dimension {
  /** Id of the strategy in the backtest. */
  readonly strategy: string;
  readonly param: string;
  readonly choices: Choices;
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

/** `from`, `from + step`, ... up to `to`; `to` itself only when a step ends there. */
export function steppedValues(from: number, to: number, step: number): readonly number[] {
  assert(step > 0 && to >= from, 'a range rises by steps');
  const count = Math.floor(decimal((to - from) / step)) + 1;
  return Array.from({ length: count }, (_, i) => decimal(from + i * step));
}

/** Number of combinations; infinite with a range that has no steps. */
export const spaceSize = (space: ParameterSpace): number =>
  space.reduce((size, { choices }) => size * (choices.kind === 'list' ? choices.values.length : Infinity), 1);

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
  for (const { choices } of space) {
    assert(choices.kind === 'list', 'a grid has an end');
    all = all.flatMap((begun) => choices.values.map((value) => [...begun, value]));
  }
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
    const assignment = space.map(({ choices }) => drawnValue(choices, random));
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

function drawnValue(choices: Choices, random: Random): ParamValue {
  if (choices.kind === 'list') {
    return present(choices.values[random.below(choices.values.length)], 'a list has a value');
  }
  const { from, to, scale, isWhole } = choices;
  const part = random.next() / 0xffff_ffff;
  const drawn = scale === 'linear' ? from + (to - from) * part : from * Math.exp(Math.log(to / from) * part);
  return Math.min(to, Math.max(from, isWhole ? Math.round(drawn) : decimal(drawn)));
}

export function paramsOf(space: ParameterSpace, assignment: Assignment): TrialParams {
  const params: Record<string, Record<string, ParamValue>> = {};
  space.forEach(({ strategy, param }, i) => {
    const value = present(assignment[i], 'an assignment has a value for each dimension');
    (params[strategy] ??= {})[param] = value;
  });
  return params;
}

/** `fast`, or `ema.fast` where several strategies are varied. */
export function dimensionNames(space: ParameterSpace): readonly string[] {
  const isOne = new Set(space.map(({ strategy }) => strategy)).size < 2;
  return space.map(({ strategy, param }) => (isOne ? param : `${strategy}.${param}`));
}
