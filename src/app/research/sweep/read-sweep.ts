/** Reads the parameters and the search of a sweep from its backtest file and the command line; returns a plan, or every error. */
import { z } from 'zod';
import type { MonteCarlo } from '../../../backtest/statistics/monte-carlo.ts';
import {
  type Assignment,
  type Choices,
  chooseTrials,
  type Dimension,
  type ParameterSpace,
  paramsOf,
  type ParamValue,
  type Search,
  spaceSize,
  steppedValues,
} from '../../../backtest/research/parameter-space.ts';
import { type Objective, OBJECTIVES, type Ranking } from '../../../backtest/research/trials.ts';
import {
  usualWalkForward,
  type WalkForward,
  walkForwardWindows,
  type Window,
} from '../../../backtest/research/walk-forward.ts';
import { nearest, type Problem } from '../../../config/problem.ts';
import { count } from '../../../config/values.ts';
import type { Path } from '../../../config/yaml-source.ts';
import { zodProblems } from '../../../config/zod-problems.ts';
import { shown } from '../../../domain/parsed.ts';
import type { StrategyDefinition } from '../../../strategy/index.ts';
import { formatNumber } from '../../../text/numbers.ts';
import type { Backtest, BacktestStrategy } from '../backtest/load-backtest.ts';

/** Options of the command line; what is absent is taken from the file. */
export interface SweepFlags {
  /** Each `ema.fast=3,5,9`; takes the place of what the file says of that parameter. */
  readonly vary?: readonly VaryFlag[];
  readonly search?: 'grid' | 'random';
  readonly trials?: number;
  readonly seed?: number;
  readonly objective?: Objective;
  /** True: the value of the file, or the default. */
  readonly walkForward?: WalkForward | true;
  readonly monteCarlo?: number | true;
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
  | { readonly ok: false; readonly problems: readonly (string | Problem)[] };

/** Fewer daily returns say nothing about their deviation. */
const SHARPE_DAYS_MIN = 3;
const USUAL_PATHS = 1_000;

export function readSweep(backtest: Backtest, flags: SweepFlags): ReadSweep {
  const { source, strategies } = backtest;
  const read = sweepSchema.safeParse(source.at(['sweep']) ?? {});
  if (!read.success)
    return { ok: false, problems: zodProblems(source, read.error.issues, sweepSchema, { base: ['sweep'] }) };
  const section = read.data;
  const search = searchOf(section, flags);
  const { vary = [] } = flags;
  const space: Dimension[] = [];
  for (const entries of [writtenEntries(backtest, section, vary), typedEntries(vary)]) {
    const found = dimensionsOf(strategies, entries, search.kind === 'grid');
    if (found.problems.length > 0) return { ok: false, problems: found.problems };
    space.push(...found.dimensions);
  }
  if (space.length === 0) {
    const hint = 'add sweep: { parameters: { id: { name: [..] } } }, or --vary id.name=3,5,9';
    return refused(source.problem(['sweep'], 'a parameter to vary', hint));
  }
  if (search.kind === 'grid' && spaceSize(space) > TRIALS_MAX) {
    const size = formatNumber(spaceSize(space));
    const hint = 'take larger steps, or search: random with trials';
    return refused(source.problem(['sweep'], `at most ${TRIALS_MAX} combinations`, hint, size));
  }
  return planned(backtest, section, flags, search, space);
}

const refused = (problem: Problem): ReadSweep => ({ ok: false, problems: [problem] });

function planned(
  backtest: Backtest,
  section: SweepSection,
  flags: SweepFlags,
  search: Search,
  space: ParameterSpace,
): ReadSweep {
  const { source, sources, read } = backtest;
  const { trials, refused: left } = chooseTrials(space, search, (each) => isAccepted(backtest, space, each));
  if (trials.length === 0) {
    const expected = 'a combination that the strategy accepts';
    return refused(source.problem(['sweep', 'parameters'], expected, '', `${left} that it refuses`));
  }
  const split = splitOf(section, flags, sources.days.length);
  if (split !== null && read.warmUpDays >= split.inSample) {
    const expected = `more days in sample than the warm-up of ${read.warmUpDays}`;
    return refused(source.problem(['sweep', 'walkForward'], expected, '', String(split.inSample)));
  }
  const windows = split === null ? [] : walkForwardWindows(sources.days, split, read.warmUpDays);
  if (split !== null && windows.length === 0) {
    const expected = `more than ${split.inSample} days for walk-forward windows`;
    const received = `${sources.days.length} in the data`;
    return refused(source.problem(['sweep', 'walkForward'], expected, '', received));
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
      refused: left,
      ranking: { objective, tradesMin: section.tradesMin },
      windows,
      monteCarlo: monteCarloOf(section, flags),
    },
  };
}

function searchOf(section: SweepSection, flags: SweepFlags): Search {
  const trials = flags.trials ?? section.trials;
  const named = flags.search ?? (flags.trials === undefined ? section.search : 'random');
  const kind = named ?? (trials === undefined ? 'grid' : 'random');
  return kind === 'grid' ? { kind } : { kind, trials: trials ?? 100, seed: flags.seed ?? section.seed };
}

function splitOf(section: SweepSection, flags: SweepFlags, days: number): WalkForward | null {
  if (typeof flags.walkForward === 'object') return flags.walkForward;
  if (section.walkForward !== undefined) {
    const { inSample, outOfSample, anchored } = section.walkForward;
    return { inSample, outOfSample, isAnchored: anchored };
  }
  return flags.walkForward === true ? usualWalkForward(days) : null;
}

function monteCarloOf(
  section: SweepSection,
  { monteCarlo, seed = section.seed }: SweepFlags,
): MonteCarlo | null {
  const { monteCarlo: written } = section;
  if (monteCarlo === undefined && written === undefined) return null;
  const runs = typeof monteCarlo === 'number' ? monteCarlo : (written?.runs ?? USUAL_PATHS);
  return { runs, seed, blockTrades: written?.blockTrades ?? null };
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

/** The section `sweep` of a backtest file. */
const sweepSchema = z.strictObject({
  /** `grid` tries every combination; `random`, which `trials` implies, draws so many of them. */
  search: z.enum(['grid', 'random']).optional(),
  trials: count.max(TRIALS_MAX).optional(),
  seed: z.int().min(0).default(1),
  /** Absent: the Sharpe ratio, or net profit where the days are too few for one. */
  objective: z.enum(OBJECTIVES).optional(),
  /** Runs with fewer closed trades are not picked. */
  tradesMin: z.int().min(0).default(1),
  /** Choices by id of the strategy, then by name of the parameter. */
  parameters: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  walkForward: z
    .strictObject({ inSample: count, outOfSample: count, anchored: z.boolean().default(false) })
    .optional(),
  monteCarlo: z
    .strictObject({ runs: count.max(PATHS_MAX).default(1_000), blockTrades: count.optional() })
    .optional(),
});

type SweepSection = z.output<typeof sweepSchema>;

export interface VaryFlag {
  /** The argument as typed. */
  readonly text: string;
  readonly strategy: string;
  readonly param: string;
  /** The value as a file would write it. */
  readonly written: unknown;
}

/** One parameter to vary. */
interface VaryEntry {
  readonly strategy: string;
  readonly param: string;
  readonly written: unknown;
  /** A problem of the id of the strategy, of the name of the parameter, or of its values. */
  readonly problem: (of: 'strategy' | 'param' | 'values', issue: ChoiceIssue) => string | Problem;
}

const SECTION: Path = ['sweep', 'parameters'];

/** The command line takes the place of the file. An unknown strategy is one entry. */
function writtenEntries(
  { source, strategies }: Backtest,
  { parameters }: SweepSection,
  vary: readonly VaryFlag[],
): readonly VaryEntry[] {
  const isTyped = (id: string, name: string): boolean =>
    vary.some(({ strategy, param }) => strategy === id && param === name);
  return Object.entries(parameters).flatMap(([id, params]) => {
    const isKnown = strategies.some((each) => each.id === id);
    return (isKnown ? Object.entries(params) : [['', null] as const])
      .filter(([name]) => !isTyped(id, name))
      .map(([param, written]): VaryEntry => ({
        strategy: id,
        param,
        written,
        problem: (of, { at, expected, received, hint }) =>
          of === 'strategy'
            ? source.keyProblem(SECTION, id, expected, hint)
            : of === 'param'
              ? source.keyProblem([...SECTION, id], param, expected, hint)
              : source.problem([...SECTION, id, param, ...at], expected, hint, received),
      }));
  });
}

const typedEntries = (vary: readonly VaryFlag[]): readonly VaryEntry[] =>
  vary.map(({ text, ...entry }) => ({
    ...entry,
    problem: (_, { expected, received, hint }) =>
      `--vary ${text}: expected ${expected}, was ${received}${hint === '' ? '' : ` (${hint})`}`,
  }));

/** Of a parameter that stands there twice the last counts. */
function dimensionsOf(
  strategies: readonly BacktestStrategy[],
  entries: readonly VaryEntry[],
  isGrid: boolean,
): { readonly dimensions: Iterable<Dimension>; readonly problems: readonly (string | Problem)[] } {
  const dimensions = new Map<string, Dimension>();
  const problems: (string | Problem)[] = [];
  for (const { strategy: id, param, written, problem } of entries) {
    const strategy = strategies.find((each) => each.id === id);
    if (strategy === undefined) {
      const ids = strategies.map((each) => each.id);
      const expected = `the id of a strategy (${ids.join(', ')})`;
      problems.push(problem('strategy', { at: [], expected, received: id, hint: meantOf(id, ids) }));
      continue;
    }
    const names = strategy.definition.paramRows.map(({ name }) => name);
    if (!names.includes(param)) {
      const expected = `a parameter of ${strategy.strategy}`;
      problems.push(problem('param', { at: [], expected, received: param, hint: meantOf(param, names) }));
      continue;
    }
    const read = readChoices(strategy.definition, param, written, isGrid);
    if (read.ok) dimensions.set(`${id}.${param}`, { strategy: id, param, choices: read.choices });
    else problems.push(...read.issues.map((issue) => problem('values', issue)));
  }
  return { dimensions: dimensions.values(), problems };
}

function meantOf(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant === undefined ? `one of ${known.join(', ')}` : `did you mean ${meant}?`;
}

/** `at` is the path below the parameter. */
interface ChoiceIssue {
  readonly at: readonly PropertyKey[];
  readonly expected: string;
  readonly received: string;
  readonly hint: string;
}

type ReadChoices =
  | { readonly ok: true; readonly choices: Choices }
  | { readonly ok: false; readonly issues: readonly ChoiceIssue[] };

const rangeSchema = z.strictObject({
  from: z.number().optional(),
  to: z.number().optional(),
  step: z.number().positive().optional(),
  scale: z.enum(['linear', 'log']).default('linear'),
});

const VALUES_MAX = 10_000;
const SHAPES = 'a list like [3, 5, 9], a range like { from: 10, to: 60, step: 10 }, or any';

const wrong = (at: readonly PropertyKey[], expected: string, received: unknown, hint = ''): ReadChoices => ({
  ok: false,
  issues: [{ at, expected, received: shown(received), hint }],
});

/** `isGrid`: every combination is wanted, so there must be an end to them. */
function readChoices(
  definition: StrategyDefinition,
  param: string,
  written: unknown,
  isGrid: boolean,
): ReadChoices {
  const read = choicesIn(boundsOf(definition, param), written, isGrid);
  return read.ok ? checked(definition, param, written, read.choices) : read;
}

function choicesIn(bounds: Bounds, written: unknown, isGrid: boolean): ReadChoices {
  if (written === 'any') return wholeRange(bounds, isGrid);
  if (Array.isArray(written)) {
    const values: readonly unknown[] = written;
    const plain = values.filter(isPlain);
    if (values.length === 0) return wrong([], 'a list with a value', written);
    const odd = values.findIndex((value) => !isPlain(value));
    if (odd !== -1) return wrong([odd], 'a number, a word, true or false', values[odd]);
    return { ok: true, choices: { kind: 'list', values: [...new Set(plain)] } };
  }
  if (typeof written !== 'object') {
    const hint = bounds.values === null ? '' : `one of ${bounds.values.map(String).join(', ')}`;
    return wrong([], SHAPES, written, hint);
  }
  const range = rangeSchema.safeParse(written);
  if (range.success) return rangeIn(bounds, range.data, isGrid);
  const [issue] = range.error.issues;
  if (issue?.code === 'unrecognized_keys') return wrong([], SHAPES, written, `no ${issue.keys.join(', ')}`);
  return wrong(issue?.path ?? [], SHAPES, written);
}

const isPlain = (value: unknown): value is ParamValue =>
  ['number', 'string', 'boolean'].includes(typeof value);

function wholeRange(bounds: Bounds, isGrid: boolean): ReadChoices {
  if (bounds.values !== null) return { ok: true, choices: { kind: 'list', values: bounds.values } };
  return rangeIn(bounds, { scale: 'linear' }, isGrid);
}

function rangeIn(
  bounds: Bounds,
  { from = bounds.low, to = bounds.high, step, scale }: z.output<typeof rangeSchema>,
  isGrid: boolean,
): ReadChoices {
  if (!bounds.isNumber) return wrong([], 'a list of values', 'a range', 'only numbers have one');
  if (from === undefined) return wrong([], 'a range with from', 'none', 'the strategy sets no lower end');
  if (to === undefined) return wrong([], 'a range with to', 'none', 'the strategy sets no upper end');
  if (to < from) return wrong(['to'], `a number from ${from} on`, to);
  if (scale === 'log') {
    if (step !== undefined) return wrong(['step'], 'no step', step, 'a logarithmic range is drawn from');
    if (isGrid) return wrong(['scale'], 'linear', scale, 'a logarithmic range is drawn from: search: random');
    if (bounds.isWhole) return wrong(['scale'], 'linear', scale, 'this parameter is a whole number');
    if (from <= 0) return wrong(['from'], 'more than 0', from, 'or a linear scale');
  }
  const by = step ?? (bounds.isWhole ? 1 : undefined);
  if (by !== undefined && (to - from) / by >= VALUES_MAX)
    return wrong([], `at most ${VALUES_MAX} values`, Math.ceil((to - from) / by), 'take a larger step');
  if (by !== undefined) return { ok: true, choices: { kind: 'list', values: steppedValues(from, to, by) } };
  if (isGrid) return wrong([], 'a range with step', 'none', 'or search: random');
  return { ok: true, choices: { kind: 'range', from, to, scale } };
}

/** Each value must be one that the strategy takes; rules between parameters come later. */
function checked(
  definition: StrategyDefinition,
  param: string,
  written: unknown,
  choices: Choices,
): ReadChoices {
  const schema = definition.params instanceof z.ZodObject ? definition.params.shape[param] : undefined;
  const expected =
    definition.paramRows.find(({ name }) => name === param)?.type ?? 'a value of this parameter';
  const isRight = (value: unknown): boolean => schema === undefined || z.safeParse(schema, value).success;
  if (Array.isArray(written)) {
    const issues = [...written.entries()]
      .filter(([, value]) => !isRight(value))
      .map(([at, value]) => ({ at: [at], expected, received: shown(value), hint: '' }));
    return issues.length > 0 ? { ok: false, issues } : { ok: true, choices };
  }
  const ends = rangeSchema.safeParse(written);
  const { from, to } = ends.success ? ends.data : {};
  if (from !== undefined && !isRight(from)) return wrong(['from'], expected, from);
  if (to !== undefined && !isRight(to)) return wrong(['to'], expected, to);
  const bad = choices.kind === 'list' ? choices.values.find((value) => !isRight(value)) : undefined;
  return bad === undefined ? { ok: true, choices } : wrong(['step'], expected, bad);
}

/** Limits of a parameter from its schema. */
interface Bounds {
  readonly isNumber: boolean;
  readonly isWhole: boolean;
  readonly low: number | undefined;
  readonly high: number | undefined;
  /** All of them, where they can be listed. */
  readonly values: readonly ParamValue[] | null;
}

function boundsOf({ params }: StrategyDefinition, param: string): Bounds {
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
    values,
  };
}

/** Ends that zod adds to whole numbers by itself say nothing. */
const endOf = (limit: number | undefined): number | undefined =>
  limit === undefined || Math.abs(limit) === Number.MAX_SAFE_INTEGER ? undefined : limit;
