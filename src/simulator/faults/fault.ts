/** The faults of the simulated broker: each has one name, its parameters, its effect in one line. Unknown ones are refused. */
import { z } from 'zod';
import { isRecord, type Issue, notParsed, parsed, type ParseResult, shown } from '../../domain/parsed.ts';
import type { DataChannel } from '../../wire/stream/control-frame.ts';
import { OPERATIONS } from '../../wire/rest/operations.ts';

const FRAME_CHANNELS: readonly DataChannel[] = ['trade', 'bid', 'offer', 'summary'];

const optional = <Schema extends z.ZodType>(schema: Schema, expected: string) =>
  schema.optional().describe(expected);
/** With a value to begin with, for a form. */
const needed = <Schema extends z.ZodType>(left: z.ZodOptional<Schema>, example: string) =>
  left.unwrap().meta({ description: left.description, example });
const text = (expected: string) => optional(z.string().min(1), expected);
const oneOf = <const Word extends string>(words: readonly Word[]) =>
  optional(z.enum(words), `one of ${words.join(', ')}`);
const WHOLE = optional(z.int().min(1), 'a whole number, 1 or more');
const NUMBER = optional(z.number(), 'a number');
const SIGNED = optional(z.int().refine(Boolean), 'a whole number other than 0');
const FLAG = optional(z.boolean(), 'true or false');
const CLOSE_CODE = optional(
  z.int().refine(isCloseCode),
  'a close code: 1000 to 1003, 1006 to 1014, or 3000 to 4999',
);

/** Number of strikes; without it a fault strikes until it is cleared. */
const TIMES = { times: WHOLE };
/** Without an operation it strikes every one. */
const OF_OPERATION = { ...TIMES, operation: oneOf(OPERATIONS.map(({ name }) => name)) };
const OF_FRAME = {
  ...TIMES,
  channel: oneOf(FRAME_CHANNELS),
  symbol: text('a stream code; every one when it is left out'),
};
const OF_ACCOUNT = { account: text('a custody code; the first one when it is left out') };
const LISTED = needed(text("an order code of the price list, or 'front'"), 'front');

type Parameters = Readonly<Record<string, z.ZodType>>;

interface FaultRow<Given extends Parameters = Parameters, Strikes = 'later' | 'at once'> {
  readonly effect: string;
  readonly parameters: Given;
  readonly strikes: Strikes;
}

const striking =
  <Strikes extends 'later' | 'at once'>(strikes: Strikes) =>
  <Given extends Parameters>(effect: string, parameters: Given): FaultRow<Given, Strikes> => ({
    effect,
    parameters,
    strikes,
  });
/** Armed, and strikes when its moment comes. */
const lasting = striking('later');
const instant = striking('at once');

/** Seconds and milliseconds are real time. */
export const FAULT_TABLE = {
  accept_then_drop: lasting('does what was asked, then cuts the connection before the answer', OF_OPERATION),
  late_answer: lasting('does it at once, answers delayMs later', {
    ...OF_OPERATION,
    delayMs: needed(WHOLE, '3000'),
  }),
  http_500: lasting('fails with HTTP 500; with done: true it was done all the same', {
    ...OF_OPERATION,
    done: FLAG,
  }),
  html_502: lasting("fails with a proxy's HTML page and HTTP 502; with done: true it was done all the same", {
    ...OF_OPERATION,
    done: FLAG,
  }),
  http_429: lasting('refuses with HTTP 429, and does nothing', OF_OPERATION),
  refuse_for_now: lasting("refuses with the broker's code of an auction, and does nothing", OF_OPERATION),
  hide_new_order: lasting('the books do not show orders placed under it for so many seconds', {
    ...TIMES,
    seconds: needed(WHOLE, '30'),
  }),
  empty_book: lasting('a book answers that it has no rows', {
    ...TIMES,
    book: oneOf(['in-day', 'conditions']),
  }),
  contradict_status: lasting('the in-day book shows these status letters against the matched volume', {
    ...TIMES,
    status: needed(text('letters such as PMWX'), 'PMWX'),
    orderNo: text('an order number; all when it is left out'),
  }),
  lose_frame: lasting('a data frame of the stream is not sent', OF_FRAME),
  duplicate_frame: lasting('a data frame is sent twice', OF_FRAME),
  reorder_frame: lasting('a data frame is sent after the next one', OF_FRAME),
  inject_frame: instant('sends this frame to every stream', {
    text: needed(text('a frame'), 'd|99|nonsense'),
  }),
  stop_pongs: lasting('heartbeats are heard and not answered', TIMES),
  half_open: instant('streams stay open, say nothing and hear nothing', {}),
  close_stream: instant('closes every stream with this code; 1006 cuts it', {
    code: needed(CLOSE_CODE, '1006'),
  }),
  refuse_connections: lasting(
    'turns streams away (scope stream), or cuts and refuses everything (scope all)',
    { ...TIMES, scope: oneOf(['stream', 'all']) },
  ),
  expire_token: instant('ends every token issued so far, of one account or of all', {
    account: text('a custody code; all when it is left out'),
  }),
  clock_skew: lasting("puts the broker's clock ahead, below zero behind: Date and the times of tokens", {
    seconds: needed(NUMBER, '60'),
  }),
  inject_order: instant('an order of the account from another channel', {
    ...OF_ACCOUNT,
    symbol: LISTED,
    side: needed(oneOf(['buy', 'sell']), 'buy'),
    points: needed(NUMBER, ''),
    volume: needed(WHOLE, '1'),
  }),
  inject_position: instant('contracts in the account without any order, at the last price', {
    ...OF_ACCOUNT,
    symbol: LISTED,
    net: needed(SIGNED, '1'),
  }),
  roll_contract: instant('the front month expires now', {}),
} as const satisfies Readonly<Record<string, FaultRow>>;

type Table = typeof FAULT_TABLE;
type FaultName = keyof Table;
type FaultOf<N extends string, P extends Parameters> = Readonly<
  z.output<z.ZodObject<P & { readonly name: z.ZodLiteral<N> }>>
>;
export type Fault = { [N in FaultName]: FaultOf<N, Table[N]['parameters']> }[FaultName];
export type LastingFaultName = {
  [N in FaultName]: Table[N]['strikes'] extends 'later' ? N : never;
}[FaultName];
export type LastingFault = Extract<Fault, { readonly name: LastingFaultName }>;
export const isLastingFault = (fault: Fault): fault is LastingFault =>
  FAULT_TABLE[fault.name].strikes === 'later';

/** The codes that a WebSocket server may send, and 1006, which means that none was sent. */
function isCloseCode(code: number): boolean {
  return (code >= 1000 && code <= 1003) || (code >= 1006 && code <= 1014) || (code >= 3000 && code <= 4999);
}

/** For people: each parameter as text. */
export interface DescribedFault {
  readonly name: FaultName;
  readonly effect: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export const describeFaults = (): readonly DescribedFault[] =>
  faultForms().map(({ name, effect, parameters }) => {
    const texts = parameters.map((each) => [
      each.name,
      each.isRequired ? `${each.expected}; required` : each.expected,
    ]);
    return { name, effect, parameters: Object.fromEntries(texts) };
  });

export const faultForms = () =>
  FAULT_NAMES.map((name) => {
    const { effect, parameters, strikes }: FaultRow = FAULT_TABLE[name];
    return {
      name,
      effect,
      isInstant: strikes === 'at once',
      parameters: Object.entries(parameters).map(fieldOf),
    };
  });

/** `choices`: all that it takes, where that is a few words. */
function fieldOf([name, schema]: [string, z.ZodType]) {
  const isRequired = !(schema instanceof z.ZodOptional);
  const type = isRequired ? schema : schema.unwrap();
  const example = schema.meta()?.['example'];
  const choices =
    type instanceof z.ZodEnum
      ? type.options.map(String)
      : type instanceof z.ZodBoolean
        ? [...FLAGS.keys()]
        : [];
  return {
    name,
    expected: schema.description ?? '',
    isRequired,
    choices,
    example: typeof example === 'string' ? example : '',
  };
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** Reads a fault whose parameters are texts, as a form gives them; empty ones are left out. */
export function parseFaultTexts(name: string, texts: Readonly<Record<string, string>>): ParseResult<Fault> {
  if (!isFaultName(name)) return parseFault({ name });
  const { parameters }: FaultRow = FAULT_TABLE[name];
  const values = Object.entries(texts).flatMap(([path, given]) => {
    const text = given.trim();
    const parameter = Object.hasOwn(parameters, path) ? parameters[path] : undefined;
    const meant = [text, Number(text), FLAGS.get(text)].find(
      (value) => parameter?.safeParse(value).success === true,
    );
    return text === '' ? [] : [[path, meant ?? text] as const];
  });
  return parseFault({ name, ...Object.fromEntries(values) });
}

const isFaultName = (name: string): name is FaultName => Object.hasOwn(FAULT_TABLE, name);

const FAULT_NAMES: readonly FaultName[] = Object.keys(FAULT_TABLE).filter(isFaultName);

/** Reads a fault: unknown names, parameters and types are refused, so that a typing error is no test. */
export function parseFault(raw: unknown): ParseResult<Fault> {
  if (!isRecord(raw)) return notParsed('', 'an object with a name', raw);
  const { name, ...given } = raw;
  if (typeof name !== 'string' || !isFaultName(name)) {
    return notParsed('name', `one of ${Object.keys(FAULT_TABLE).join(', ')}`, name);
  }
  const [first, ...rest] = problemsOf(name, given);
  if (first !== undefined) return { ok: false, issues: [first, ...rest] };
  // Every parameter was checked above.
  const fault: Fault = Object.assign(Object.create(null), raw);
  return parsed(fault);
}

function problemsOf(name: FaultName, given: Readonly<Record<string, unknown>>): Issue[] {
  const { parameters }: FaultRow = FAULT_TABLE[name];
  const issues: Issue[] = [];
  for (const path of new Set([...Object.keys(given), ...Object.keys(parameters)])) {
    const parameter = Object.hasOwn(parameters, path) ? parameters[path] : undefined;
    const expected = parameter?.description ?? `no such parameter of ${name}`;
    const value = given[path];
    if (parameter?.safeParse(value).success !== true) issues.push({ path, expected, received: shown(value) });
  }
  return issues;
}
