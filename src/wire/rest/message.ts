/**
 * Describes a message once: name, JSON type and meaning of each field, how it is written and how it is read. Encoder,
 * lenient reader and OpenAPI schema are made from it. The encoder is strict: these keys, in this order, and no others.
 */
import { isRecord, type JsonRecord } from '../../domain/parsed.ts';
import { z } from 'zod';
import type { DriftCounter } from '../drift.ts';

/** A field as JSON; `unit` ends its description. */
export interface JsonType<Written> {
  readonly schema: z.ZodType<Written>;
  readonly unit: string;
  readonly isNumber: boolean;
}

/** Text, one word of a list, or a nested value. */
export const json = <Written>(schema: z.ZodType<Written>, unit = ''): JsonType<Written> => ({
  schema,
  unit,
  isNumber: false,
});
const numeric = (schema: z.ZodType<number>, unit = ''): JsonType<number> => ({
  schema,
  unit,
  isNumber: true,
});

export const text = json(z.string());
export const number = numeric(z.number());
export const whole = numeric(z.int());
export const flag = json(z.enum(['0', '1']));
/** Whole VND. */
export const vnd = numeric(z.int(), ' VND.');
/** Points of the index, one decimal unless the description says otherwise. */
export const points = numeric(z.number(), ' Points.');
export const pointsText = json(z.string(), ' Points, as text.');
export const dateText = json(z.string(), ' dd/MM/yyyy.');
export const timeText = json(z.string(), ' HH:MM:SS.');

/** `Reader` is `never` for a field that the client ignores. */
export interface Field<Source, Reader extends z.ZodType = never> {
  /** Null for another spelling, which is read and never written. */
  readonly schema: z.ZodType | null;
  readonly description: string;
  readonly isNumber: boolean;
  /** Undefined leaves the field out. */
  readonly write: (source: Source) => unknown;
  readonly reader: Reader | null;
}

export function field<Source, Written>(
  type: JsonType<Written>,
  description: string,
  write: (source: Source) => Written | undefined,
): Field<Source>;
export function field<Source, Written, Reader extends z.ZodType>(
  type: JsonType<Written>,
  description: string,
  write: (source: Source) => Written | undefined,
  reader: Reader,
): Field<Source, Reader>;
export function field<Source>(
  { schema, unit, isNumber }: JsonType<unknown>,
  description: string,
  write: (source: Source) => unknown,
  reader: z.ZodType | null = null,
): Field<Source, z.ZodType> {
  const whole = `${description}${unit}`;
  return { schema: schema.describe(whole), description: whole, isNumber, write, reader };
}

/** Another spelling of a field. */
export const alias = <Reader extends z.ZodType>(reader: Reader): Field<unknown, Reader> => ({
  schema: null,
  description: '',
  isNumber: false,
  write: () => undefined,
  reader,
});

type Fields<Source> = Readonly<Record<string, Field<Source, z.ZodType>>>;
type ReaderOf<F> = F extends Field<never, infer Reader> ? Reader : never;
type Shape<F> = { -readonly [K in keyof F as [ReaderOf<F[K]>] extends [never] ? never : K]: ReaderOf<F[K]> };

/** The part of a message that the OpenAPI document shows of a request. */
export interface Described {
  readonly reader: z.ZodObject;
  readonly descriptions: Readonly<Record<string, string>>;
}

export interface Message<Source, F = unknown> extends Described {
  readonly schema: z.ZodType<JsonRecord>;
  /** Lenient: other fields are ignored. */
  readonly reader: z.ZodObject<Shape<F>>;
  readonly encode: (source: Source) => JsonRecord;
  /** Counts numbers that came as text, of the fields that are read. */
  readonly noteTexts: (drift: DriftCounter, where: string, raw: unknown) => void;
}

/** `message<Source>()({ ... })`: the encoder writes it from a `Source`. */
export const message =
  <Source>() =>
  <F extends Fields<Source>>(fields: F): Message<Source, F> =>
    create<Source, F>(fields);

function create<Source, F>(fields: Fields<Source>): Message<Source, F>;
function create<Source>(fields: Fields<Source>): Message<Source, Fields<Source>> {
  const all = Object.entries(fields);
  const numbers = new Set(all.filter(([, { isNumber, reader }]) => isNumber && reader).map(([key]) => key));
  return {
    descriptions: Object.fromEntries(all.map(([key, { description }]) => [key, description])),
    schema: z.strictObject(
      Object.fromEntries(all.flatMap(([key, { schema }]) => (schema === null ? [] : [[key, schema]]))),
    ),
    reader: z.object(
      Object.fromEntries(all.flatMap(([key, { reader }]) => (reader === null ? [] : [[key, reader]]))),
    ),
    encode(source) {
      const encoded: Record<string, unknown> = {};
      for (const [key, { write }] of all) {
        const value = write(source);
        if (value !== undefined) encoded[key] = value;
      }
      return encoded;
    },
    noteTexts(drift, where, raw) {
      if (!isRecord(raw)) return;
      for (const [key, value] of Object.entries(raw)) {
        if (typeof value !== 'string' || !numbers.has(key)) continue;
        drift.count(`${where}.${key}`, value.trim() === '' ? 'empty text for a number' : 'text for a number');
      }
    },
  };
}
