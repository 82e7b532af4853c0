/** Which parameters of which strategies are varied: names are those of the file and of the strategies, or told with the right ones. */
import { z } from 'zod';
import {
  type Choices,
  type Dimension,
  type ParamValue,
  steppedValues,
} from '../../../backtest/research/parameter-space.ts';
import { nearest, type Problem } from '../../../config/problem.ts';
import type { Path } from '../../../config/yaml-source.ts';
import { shown } from '../../../domain/parsed.ts';
import type { StrategyDefinition } from '../../../strategy/index.ts';
import type { Backtest, BacktestStrategy } from '../backtest/load-backtest.ts';

export interface VaryFlag {
  /** As it was typed. */
  readonly text: string;
  readonly strategy: string;
  readonly param: string;
  /** As a file would write it. */
  readonly written: unknown;
}

interface Dimensions {
  readonly dimensions: readonly Dimension[];
  readonly problems: readonly (string | Problem)[];
}

export function dimensionsInFile(
  { source, strategies }: Backtest,
  parameters: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  vary: readonly VaryFlag[],
  isGrid: boolean,
): Dimensions & { readonly problems: readonly Problem[] } {
  const dimensions: Dimension[] = [];
  const problems: Problem[] = [];
  for (const [id, params] of Object.entries(parameters)) {
    const path: Path = ['sweep', 'parameters'];
    const strategy = strategies.find((each) => each.id === id);
    if (strategy === undefined) {
      const ids = strategies.map((each) => each.id);
      problems.push(
        source.keyProblem(path, id, `the id of a strategy (${ids.join(', ')})`, meantOf(id, ids)),
      );
      continue;
    }
    for (const [param, written] of Object.entries(params)) {
      if (vary.some((each) => each.strategy === id && each.param === param)) continue;
      const names = namesOf(strategy);
      if (!names.includes(param)) {
        const expected = `a parameter of ${strategy.strategy}`;
        problems.push(source.keyProblem([...path, id], param, expected, meantOf(param, names)));
        continue;
      }
      const read = readChoices(strategy.definition, param, written, isGrid);
      if (read.ok) dimensions.push({ strategy: id, param, choices: read.choices });
      else
        for (const { at, expected, received, hint } of read.issues)
          problems.push(source.problem([...path, id, param, ...at], expected, hint, received));
    }
  }
  return { dimensions, problems };
}

export function dimensionsTyped(
  { strategies }: Backtest,
  vary: readonly VaryFlag[],
  isGrid: boolean,
): Dimensions & { readonly problems: readonly string[] } {
  const dimensions = new Map<string, Dimension>();
  const problems: string[] = [];
  for (const { text, strategy: id, param, written } of vary) {
    const tell = ({ expected, received, hint }: Omit<ChoiceIssue, 'at'>): void =>
      void problems.push(
        `--vary ${text}: expected ${expected}, was ${received}${hint === '' ? '' : ` (${hint})`}`,
      );
    const strategy = strategies.find((each) => each.id === id);
    if (strategy === undefined) {
      const ids = strategies.map((each) => each.id);
      tell({ expected: `the id of a strategy (${ids.join(', ')})`, received: id, hint: meantOf(id, ids) });
      continue;
    }
    const names = namesOf(strategy);
    if (!names.includes(param)) {
      tell({ expected: `a parameter of ${strategy.strategy}`, received: param, hint: meantOf(param, names) });
      continue;
    }
    const read = readChoices(strategy.definition, param, written, isGrid);
    if (read.ok) dimensions.set(`${id}.${param}`, { strategy: id, param, choices: read.choices });
    else for (const issue of read.issues) tell(issue);
  }
  return { dimensions: [...dimensions.values()], problems };
}

const namesOf = ({ definition }: BacktestStrategy): readonly string[] =>
  definition.paramRows.map(({ name }) => name);

function meantOf(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant === undefined ? `one of ${known.join(', ')}` : `did you mean ${meant}?`;
}

/** What a parameter may be in a sweep: as it is written, filled up and checked by the strategy's own schema. */

/** What is wrong, and where below the parameter. */
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

/** What the schema of a parameter says of its values. */
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
