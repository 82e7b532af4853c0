/** The faults of the simulated broker: each has one name, its parameters, its effect in one line. Unknown ones are refused. */
import { type Issue, notParsed, parsed, type ParseResult, shown, isRecord } from '../../domain/parsed.ts';
import type { DataChannel } from '../../wire/stream/stream-channel.ts';
import { OPERATIONS } from '../../wire/rest/operations.ts';

const FRAME_CHANNELS: readonly DataChannel[] = ['trade', 'bid', 'offer', 'summary'];

interface Parameter<Value = unknown, Required extends boolean = boolean> {
  readonly expected: string;
  readonly required: Required;
  /** All that it takes, where that is a few words. */
  readonly choices?: readonly string[];
  /** A value to begin with, for a form. */
  readonly example?: string;
  accepts(value: unknown): value is Value;
}

const whole = (min: number): Parameter<number, false> => ({
  expected: `a whole number, ${min} or more`,
  required: false,
  accepts: (value): value is number => Number.isSafeInteger(value) && Number(value) >= min,
});
const text = (expected: string): Parameter<string, false> => ({
  expected,
  required: false,
  accepts: (value): value is string => typeof value === 'string' && value !== '',
});
const oneOf = <const Word extends string>(words: readonly Word[]): Parameter<Word, false> => ({
  expected: `one of ${words.join(', ')}`,
  required: false,
  choices: words,
  accepts: (value): value is Word => words.some((word) => word === value),
});
const needed = <Value>(parameter: Parameter<Value>, example: string): Parameter<Value, true> => ({
  ...parameter,
  required: true,
  example,
});
const NUMBER: Parameter<number, false> = {
  expected: 'a number',
  required: false,
  accepts: (value): value is number => Number.isFinite(value),
};
const SIGNED: Parameter<number, false> = {
  expected: 'a whole number other than 0',
  required: false,
  accepts: (value): value is number => Number.isSafeInteger(value) && value !== 0,
};
const FLAG: Parameter<boolean, false> = {
  expected: 'true or false',
  required: false,
  choices: ['true', 'false'],
  accepts: (value) => typeof value === 'boolean',
};
const CLOSE_CODE: Parameter<number, false> = {
  expected: 'a close code: 1000 to 1003, 1006 to 1014, or 3000 to 4999',
  required: false,
  accepts: (value): value is number => typeof value === 'number' && isCloseCode(value),
};

/** Number of strikes; without it a fault strikes until it is cleared. */
const TIMES = { times: whole(1) };
/** Without an operation it strikes every one. */
const OF_OPERATION = { ...TIMES, operation: oneOf(OPERATIONS.map(({ name }) => name)) };
const OF_FRAME = {
  ...TIMES,
  channel: oneOf(FRAME_CHANNELS),
  symbol: text('a stream code; every one when it is left out'),
};
const OF_ACCOUNT = { account: text('a custody code; the first one when it is left out') };
const LISTED = needed(text("an order code of the price list, or 'front'"), 'front');

type Parameters = Readonly<Record<string, Parameter>>;

interface FaultRow<ParameterValues extends Parameters = Parameters, Strikes = 'later' | 'at once'> {
  readonly effect: string;
  readonly parameters: ParameterValues;
  readonly strikes: Strikes;
}

/** Armed, and strikes when its moment comes. */
const lasting = <Given extends Parameters>(effect: string, parameters: Given): FaultRow<Given, 'later'> => ({
  effect,
  parameters,
  strikes: 'later',
});
const instant = <Given extends Parameters>(
  effect: string,
  parameters: Given,
): FaultRow<Given, 'at once'> => ({
  effect,
  parameters,
  strikes: 'at once',
});

/** Seconds and milliseconds are real time. */
export const FAULT_TABLE = {
  accept_then_drop: lasting('does what was asked, then cuts the connection before the answer', OF_OPERATION),
  late_answer: lasting('does it at once, answers delayMs later', {
    ...OF_OPERATION,
    delayMs: needed(whole(1), '3000'),
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
    seconds: needed(whole(1), '30'),
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
    volume: needed(whole(1), '1'),
  }),
  inject_position: instant('contracts in the account without any order, at the last price', {
    ...OF_ACCOUNT,
    symbol: LISTED,
    net: needed(SIGNED, '1'),
  }),
  roll_contract: instant('the front month expires now', {}),
} as const satisfies Readonly<Record<string, FaultRow>>;

type Table = typeof FAULT_TABLE;
type ValueOf<P> = P extends Parameter<infer Value> ? Value : never;
type Given<P> = {
  readonly [K in keyof P as P[K] extends Parameter<unknown, true> ? K : never]: ValueOf<P[K]>;
} & {
  readonly [K in keyof P as P[K] extends Parameter<unknown, true> ? never : K]?: ValueOf<P[K]>;
};

export type FaultName = keyof Table;
export type Fault = { [N in FaultName]: { readonly name: N } & Given<Table[N]['parameters']> }[FaultName];
export type LastingFaultName = {
  [N in FaultName]: Table[N]['strikes'] extends 'later' ? N : never;
}[FaultName];
export type LastingFault = Extract<Fault, { readonly name: LastingFaultName }>;
export const isLastingFault = (fault: Fault): fault is LastingFault =>
  FAULT_TABLE[fault.name].strikes === 'later';

/** The codes that a WebSocket server may send, and 1006, which means that none was sent. */
function isCloseCode(code: number): boolean {
  if (!Number.isInteger(code)) return false;
  return (code >= 1000 && code <= 1003) || (code >= 1006 && code <= 1014) || (code >= 3000 && code <= 4999);
}

/** For people: each parameter as text. */
export interface DescribedFault {
  readonly name: FaultName;
  readonly effect: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export const describeFaults = (): readonly DescribedFault[] =>
  FAULT_NAMES.map((name) => {
    const { effect, parameters }: FaultRow = FAULT_TABLE[name];
    const texts = Object.entries(parameters).map(([parameter, { expected, required }]) => [
      parameter,
      required ? `${expected}; required` : expected,
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
      parameters: Object.entries(parameters).map(([parameter, row]) => ({
        name: parameter,
        expected: row.expected,
        isRequired: row.required,
        choices: row.choices ?? [],
        example: row.example ?? '',
      })),
    };
  });

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
    const meant = [text, Number(text), FLAGS.get(text)].find((value) => parameter?.accepts(value) === true);
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
  for (const [path, value] of Object.entries(given)) {
    const parameter = Object.hasOwn(parameters, path) ? parameters[path] : undefined;
    const expected = parameter?.expected ?? `no such parameter of ${name}`;
    if (parameter?.accepts(value) !== true) issues.push({ path, expected, received: shown(value) });
  }
  for (const [path, { required, expected }] of Object.entries(parameters)) {
    if (required && !(path in given)) issues.push({ path, expected, received: shown(undefined) });
  }
  return issues;
}
