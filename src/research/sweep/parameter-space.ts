/** The parameters that a sweep varies, and the combinations that it tries. The same space, search and seed give the same trials. */
import { assert } from '../../domain/assert.ts';
import { Random } from '../../venue/market/random.ts';

export type ParamValue = number | string | boolean;

/** `range`: any number between its ends, for random search alone; everything else is a list. */
export type Choices =
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

export type Search =
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
    const value = choices.values[random.below(choices.values.length)];
    assert(value !== undefined, 'a list has a value');
    return value;
  }
  const { from, to, scale, isWhole } = choices;
  const part = random.next() / 0xffff_ffff;
  const drawn = scale === 'linear' ? from + (to - from) * part : from * Math.exp(Math.log(to / from) * part);
  return Math.min(to, Math.max(from, isWhole ? Math.round(drawn) : decimal(drawn)));
}

export function paramsOf(space: ParameterSpace, assignment: Assignment): TrialParams {
  const params: Record<string, Record<string, ParamValue>> = {};
  space.forEach(({ strategy, param }, i) => {
    const value = assignment[i];
    assert(value !== undefined, 'an assignment has a value for each dimension');
    (params[strategy] ??= {})[param] = value;
  });
  return params;
}

/** `fast`, or `ema.fast` where several strategies are varied. */
export function dimensionNames(space: ParameterSpace): readonly string[] {
  const isOne = new Set(space.map(({ strategy }) => strategy)).size < 2;
  return space.map(({ strategy, param }) => (isOne ? param : `${strategy}.${param}`));
}
