import type { z } from 'zod';
import { assert } from '../domain/assert.ts';
import type { Parsed } from '../domain/parsed.ts';
import { describeParams, type ParamRow } from './describe-params.ts';
import type { Trader } from './trader.ts';
import { type Params, parseParams } from './parse-params.ts';
import type { Ticks } from './ticks.ts';

/** What a strategy is made of, as its author writes it. */
export interface StrategySource<Schema extends z.ZodObject, Leg extends string> {
  /** Its name in the configuration, kebab-case. */
  readonly name: string;
  /** One sentence for `tickwright strategies`. */
  readonly summary: string;
  /** The parameters, each with a default if it has a sensible one. No transforms: they are read twice. */
  readonly params: Schema;
  /** Names of the contracts it needs, in the order in which the configuration lists its symbols. */
  readonly legs: readonly [Leg, ...Leg[]];
  /** Called once at the start: subscribes to what it wants to see. Everything else happens in the handlers. */
  connect(ticks: Ticks<Leg>, trader: Trader<z.output<Schema>, Leg>): void;
}

/** A strategy as the rest of the program knows it: its types are closed over. */
export interface StrategyDefinition {
  readonly name: string;
  readonly summary: string;
  readonly legs: readonly string[];
  /** Its parameters as a schema that refuses unknown keys, for the configuration. */
  readonly params: z.ZodType;
  /** The same for people. */
  readonly paramRows: readonly ParamRow[];
  /** Reads parameters; the result has every default filled in. */
  parseParams(raw: unknown): Parsed<Params>;
  /** Connects an instance; `params` come from `parseParams`. */
  connect(ticks: Ticks<string>, trader: Trader<Params, string>): void;
}

const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

export function defineStrategy<Schema extends z.ZodObject, const Leg extends string>(
  source: StrategySource<Schema, Leg>,
): StrategyDefinition {
  assert(KEBAB.test(source.name), 'the name of a strategy is kebab-case');
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
