/** A message, described once: name, JSON type, writing and reading of each field. The encoder is strict: these keys, in this order. */
import { isRecord, type JsonRecord, type ParseResult } from '../../domain/parsed.ts';
import { z } from 'zod';
import type { DriftCounter } from '../drift.ts';
import { parseSecret, parseWith } from './lenient.ts';

/** A field as JSON, as the encoder writes it. */
interface JsonType<Written> {
  readonly isNumber: boolean;
  /** Of the type alone; no value has it. */
  readonly written?: Written;
}

/** Text, one word of a list, or a nested value. */
export const json = <Written>(): JsonType<Written> => ({ isNumber: false });

const numeric = (): JsonType<number> => ({ isNumber: true });

export const text = json<string>();
export const number = numeric();
export const whole = numeric();
export const flag = json<'0' | '1'>();
export const vnd = numeric();
/** Points of the index, one decimal unless the encoder writes more. */
export const points = numeric();
export const pointsText = json<string>();
/** dd/MM/yyyy. */
export const dateText = json<string>();
/** HH:MM:SS. */
export const timeText = json<string>();

/** `Reader` is `never` for a field that the client ignores. */
interface MessageField<Source, Reader extends z.ZodType = never> {
  readonly isNumber: boolean;
  /** Undefined leaves the field out. */
  readonly write: (source: Source) => unknown;
  readonly reader: Reader | null;
}

export function field<Source, Written>(
  type: JsonType<Written>,
  write: (source: Source) => Written | undefined,
): MessageField<Source>;
export function field<Source, Written, Reader extends z.ZodType>(
  type: JsonType<Written>,
  write: (source: Source) => Written | undefined,
  reader: Reader,
): MessageField<Source, Reader>;
export function field<Source>(
  { isNumber }: JsonType<unknown>,
  write: (source: Source) => unknown,
  reader: z.ZodType | null = null,
): MessageField<Source, z.ZodType> {
  return { isNumber, write, reader };
}

/** Another spelling of a field. */
export const alias = <Reader extends z.ZodType>(reader: Reader): MessageField<unknown, Reader> => ({
  isNumber: false,
  write: () => undefined,
  reader,
});

type Fields<Source> = Readonly<Record<string, MessageField<Source, z.ZodType>>>;
type ReaderOf<F> = F extends MessageField<never, infer Reader> ? Reader : never;
type Shape<F> = { -readonly [K in keyof F as [ReaderOf<F[K]>] extends [never] ? never : K]: ReaderOf<F[K]> };

export interface WireMessage<Source, F = unknown> {
  /** Lenient: other fields are ignored. */
  readonly reader: z.ZodObject<Shape<F>>;
  readonly encode: (source: Source) => JsonRecord;
  /** Counts numbers that came as text, of the fields that are read. */
  readonly noteTexts: (drift: DriftCounter, where: string, raw: unknown) => void;
}

/** `message<Source>()({ ... })`: the encoder writes it from a `Source`. */
export const message =
  <Source>() =>
  <F extends Fields<Source>>(fields: F): WireMessage<Source, F> =>
    create<Source, F>(fields);

function create<Source, F>(fields: Fields<Source>): WireMessage<Source, F>;
function create<Source>(fields: Fields<Source>): WireMessage<Source, Fields<Source>> {
  const all = Object.entries(fields);
  const numbers = new Set(all.filter(([, { isNumber, reader }]) => isNumber && reader).map(([key]) => key));
  return {
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

// Operations of the service: client and simulator are made from them.

export interface WireOperation {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** With `:custodyCode` and `:accountNo` in place of an account. */
  readonly path: string;
  readonly needsToken: boolean;
}

const operation =
  <Method extends WireOperation['method']>(method: Method) =>
  <Name extends string>(name: Name, path: string) =>
    ({ name, method, path, needsToken: true }) as const;

export const get = operation('GET');
export const post = operation('POST');
export const put = operation('PUT');

/** A call before it is HTTP. */
export interface WireRequest {
  readonly query: Readonly<Record<string, string>>;
  /** Sent as JSON; undefined sends none. */
  readonly body: unknown;
}

/** A call as received, not yet validated. */
export interface RawRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** A request, written by the client and read by the simulator. */
interface RequestCodec<Parameters, Request> {
  encodeRequest(parameters: Parameters): WireRequest;
  decodeRequest(raw: RawRequest): ParseResult<Request>;
}

/** `asked` reads the form into our words. */
export const queryOf = <Parameters, F, Request>(
  form: WireMessage<Parameters, F>,
  reader: z.ZodType<Request>,
): RequestCodec<Parameters, Request> => ({
  encodeRequest: (parameters) => ({ query: textsOf(form.encode(parameters)), body: undefined }),
  decodeRequest: (raw) => parseWith(reader, raw.query, 'query'),
});

export const bodyOf = <Parameters, F, Request>(
  form: WireMessage<Parameters, F>,
  reader: z.ZodType<Request>,
): RequestCodec<Parameters, Request> => ({
  encodeRequest: (parameters) => ({ query: {}, body: form.encode(parameters) }),
  decodeRequest: (raw) => parseWith(reader, raw.body, 'body'),
});

/** A body whose issues never quote it. */
export const secretBodyOf = <Parameters, F, Request>(
  form: WireMessage<Parameters, F>,
  reader: z.ZodType<Request>,
): RequestCodec<Parameters, Request> => ({
  ...bodyOf(form, reader),
  decodeRequest: (raw) => parseSecret(reader, raw.body, 'body'),
});

export const textsOf = (query: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)]));

/** Asked without parameters. */
export const NO_QUERY = {
  encodeRequest: (): WireRequest => ({ query: {}, body: undefined }),
} as const;
