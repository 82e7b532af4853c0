import { z } from 'zod';
import { assert } from '../domain/assert.ts';
import { type Issue, notParsed, type ParseResult, parsed, shown, valueAt } from '../domain/parsed.ts';
import type { Ticks } from './leg-ticks.ts';
import type { Trader } from './trader.ts';

/** A strategy as its author writes it. */
interface StrategySource<Schema extends z.ZodObject, Leg extends string> {
  /** Its name in the configuration, kebab-case. */
  readonly name: string;
  /** One sentence for `tickwright strategies`. */
  readonly summary: string;
  /** The parameters, each with a default if it has a sensible one. No transforms: they are read twice. */
  readonly params: Schema;
  /** Names of the contracts it needs, in the order in which the configuration lists its symbols. */
  readonly legs: readonly [Leg, ...Leg[]];
  /** Called once at the start: subscribes to streams. Everything else happens in the handlers. */
  connect(ticks: Ticks<Leg>, trader: Trader<z.output<Schema>, Leg>): void;
}

/** A strategy as the rest of the program knows it: its types are closed over. */
export interface StrategyDefinition {
  readonly name: string;
  readonly summary: string;
  readonly legs: readonly string[];
  /** Its parameters as a schema that refuses unknown keys, for the configuration. */
  readonly params: z.ZodType;
  readonly paramRows: readonly ParamRow[];
  /** Reads parameters; the result has every default filled in. */
  parseParams(raw: unknown): ParseResult<Params>;
  /** Connects an instance; `params` come from `parseParams`. */
  connect(ticks: Ticks<string>, trader: Trader<Params, string>): void;
}

const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

export function defineStrategy<Schema extends z.ZodObject, const Leg extends string>(
  source: StrategySource<Schema, Leg>,
): StrategyDefinition {
  assert(KEBAB.test(source.name), 'the name of a strategy is kebab-case');
  assert(
    source.params instanceof z.ZodObject,
    'a strategy has params: z.object({ ... }), or params: z.object({}) for none',
  );
  assert(Array.isArray(source.legs) && source.legs.length > 0, "a strategy has legs, like legs: ['only']");
  assert(new Set(source.legs).size === source.legs.length, 'the legs of a strategy have different names');
  const { name, summary, legs } = source;
  const schema = source.params.strict();
  return {
    name,
    summary,
    legs,
    params: schema,
    paramRows: describeParams(schema),
    parseParams: (raw) => parseParams(schema, raw),
    connect: (ticks, trader) => source.connect(ticks, withParams(trader, source.params.parse(trader.params))),
  };
}

/** The same trader, with parameters of the type the strategy declared; its getters stay getters. */
function withParams<P, Leg extends string>(trader: Trader<unknown, Leg>, params: P): Trader<P, Leg> {
  return Object.defineProperty(Object.create(trader), 'params', { value: params });
}

export type Params = Readonly<Record<string, unknown>>;

/** Reads parameters by a strict schema; each issue has the path of its key, so that the configuration can name the line. */
function parseParams(schema: z.ZodObject, raw: unknown): ParseResult<Params> {
  const result = schema.safeParse(raw ?? {});
  if (result.success) return parsed(result.data);
  const issues = result.error.issues.flatMap((issue) => issuesOf(issue, Object.keys(schema.shape), raw));
  const [first, ...rest] = issues;
  if (first === undefined) return notParsed('', 'valid parameters', raw);
  return { ok: false, issues: [first, ...rest] };
}

/** A rule over several parameters reports them all; the faulty one is at its path. */
function issuesOf(issue: z.core.$ZodIssue, known: readonly string[], raw: unknown): Issue[] {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const expected = known.length === 0 ? 'no parameters' : `one of ${known.join(', ')}`;
    return issue.keys.map((key) => ({
      path: [path, key].filter(Boolean).join('.'),
      expected,
      received: 'an unknown key',
    }));
  }
  return [{ path, expected: expectedBy(issue), received: shown(valueAt(raw, issue.path)) }];
}

const KINDS: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a table of parameters',
};

function expectedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return KINDS[issue.expected] ?? issue.expected;
    case 'too_small':
      return `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
    case 'too_big':
      return `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? String(issue.values[0])
        : `one of ${issue.values.map(String).join(', ')}`;
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    case 'invalid_format':
    case 'invalid_key':
    case 'invalid_element':
    case 'invalid_union':
    case 'unrecognized_keys':
    case 'custom':
      break;
  }
  return issue.message;
}

/** One parameter for people: `fast`, `integer from 1 to 500`, `9`, its meaning. */
export interface ParamRow {
  readonly name: string;
  readonly type: string;
  /** As written in YAML; null when it must be given. */
  readonly default: string | null;
  readonly meaning: string;
}

/** Throws for a schema that has no plain description, such as one with a transform. */
function describeParams(schema: z.ZodObject): readonly ParamRow[] {
  const { properties, required } = z.toJSONSchema(schema, { io: 'input' });
  // Throws for a transform: the thread that runs the strategy could not read the result again.
  z.toJSONSchema(schema, { io: 'output' });
  return Object.entries(properties ?? {}).map(([name, property]) => {
    assert(typeof property === 'object', 'a parameter has a schema of its own');
    return {
      name,
      type: typeOf(property),
      default: property.default === undefined ? null : JSON.stringify(property.default),
      meaning: property.description ?? (required?.includes(name) === true ? 'required' : 'optional'),
    };
  });
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

function typeOf(property: JsonSchema): string {
  if (property.enum !== undefined) return property.enum.map(String).join(' | ');
  const low = property.minimum ?? above(property.exclusiveMinimum);
  const high = property.maximum ?? below(property.exclusiveMaximum);
  const bounds = [bound('from', low), bound('to', high)].filter(Boolean).join(' ');
  return [property.type ?? 'any', bounds].filter(Boolean).join(' ');
}

type Limit = number | boolean | undefined;
const above = (limit: Limit): string | undefined =>
  typeof limit === 'number' ? `above ${limit}` : undefined;
const below = (limit: Limit): string | undefined =>
  typeof limit === 'number' ? `below ${limit}` : undefined;

/** Bounds of a whole number that zod adds by itself say nothing. */
function bound(word: string, limit: number | string | undefined): string {
  if (limit === undefined || Math.abs(Number(limit)) === Number.MAX_SAFE_INTEGER) return '';
  return typeof limit === 'string' ? limit : `${word} ${limit}`;
}
