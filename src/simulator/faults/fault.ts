/** The faults of the simulated broker: each has one name, its parameters, its effect in one line. Unknown ones are refused. */
import { type Issue, notParsed, parsed, type Parsed, shown } from '../../domain/parsed.ts';
import { isRecord } from '../../wire/json.ts';
import type { DataChannel } from '../../wire/stream/channel.ts';
import { type OperationName, OPERATIONS } from '../../wire/rest/operations.ts';

const FRAME_CHANNELS: readonly DataChannel[] = ['trade', 'bid', 'offer', 'summary'];

interface Counted {
  /** Number of strikes; absent strikes until it is cleared. */
  readonly times?: number;
}

interface OfOperation extends Counted {
  /** The operation it strikes; every one when absent. */
  readonly operation?: OperationName;
}

interface OfFrame extends Counted {
  readonly channel?: DataChannel;
  /** Stream code; every one when absent. */
  readonly symbol?: string;
}

/** Strikes later, when its moment comes. */
export type StandingFault =
  /** Executes the call, then destroys the socket before the answer. */
  | (OfOperation & { readonly name: 'accept_then_drop' })
  /** Executes the call at once and answers `delayMs` of real time later. */
  | (OfOperation & { readonly name: 'late_answer'; readonly delayMs: number })
  /** `done`: the call is executed all the same. */
  | (OfOperation & { readonly name: 'http_500'; readonly done?: boolean })
  | (OfOperation & { readonly name: 'html_502'; readonly done?: boolean })
  | (OfOperation & { readonly name: 'http_429' })
  /** The in-day book does not show orders placed under it for `seconds` of real time. */
  | (Counted & { readonly name: 'hide_new_order'; readonly seconds: number })
  /** The in-day book shows `status` letters that contradict the matched volume, for one order or all. */
  | (Counted & { readonly name: 'contradict_status'; readonly status: string; readonly orderNo?: string })
  | (OfFrame & { readonly name: 'lose_frame' })
  | (OfFrame & { readonly name: 'duplicate_frame' })
  /** Sent after the next frame that passes. */
  | (OfFrame & { readonly name: 'reorder_frame' })
  | (Counted & { readonly name: 'stop_pongs' })
  /** Maintenance: `stream` turns upgrades away, `all` every new connection. */
  | (Counted & { readonly name: 'refuse_connections'; readonly scope?: 'stream' | 'all' })
  /** The broker's clock is ahead by so many seconds, or behind below zero: `Date`, and the times of tokens. */
  | { readonly name: 'clock_skew'; readonly seconds: number; readonly times?: never };

/** Strikes at once. */
type InstantFault =
  /** 1006 cuts the connection without a close frame. */
  | { readonly name: 'close_stream'; readonly code: number }
  /** Connections stay open and pass no data in either direction. */
  | { readonly name: 'half_open' }
  /** Every token issued so far, of an account or of all, is no longer accepted; streams that used one close. */
  | { readonly name: 'expire_token'; readonly account?: string }
  /** A frame as it is given, to every stream. */
  | { readonly name: 'inject_frame'; readonly text: string }
  /** The front month expires now: settled, its orders ended, the list moved on. */
  | { readonly name: 'roll_contract' }
  /** An order of the account (the first one when it is left out) from another channel. */
  | {
      readonly name: 'inject_order';
      readonly account?: string;
      readonly symbol: string;
      readonly side: 'buy' | 'sell';
      readonly points: number;
      readonly volume: number;
    }
  /** Contracts that appear in (or leave, below zero) the account without any order, at the last price. */
  | {
      readonly name: 'inject_position';
      readonly account?: string;
      readonly symbol: string;
      readonly net: number;
    };

export type Fault = StandingFault | InstantFault;
export type FaultName = Fault['name'];
export type StandingFaultName = StandingFault['name'];

interface Parameter {
  readonly expected: string;
  readonly required?: true;
  accepts(value: unknown): boolean;
}

interface FaultRow {
  readonly effect: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
}

const whole = (min: number, required?: true): Parameter => ({
  expected: `a whole number, ${min} or more`,
  ...(required && { required }),
  accepts: (value) => Number.isSafeInteger(value) && Number(value) >= min,
});
const text = (expected: string, required?: true): Parameter => ({
  expected,
  ...(required && { required }),
  accepts: (value) => typeof value === 'string' && value !== '',
});
const oneOf = (values: readonly string[], required?: true): Parameter => ({
  expected: `one of ${values.join(', ')}`,
  ...(required && { required }),
  accepts: (value) => typeof value === 'string' && values.includes(value),
});
const NUMBER: Parameter = {
  expected: 'a number',
  required: true,
  accepts: (value) => Number.isFinite(value),
};
const SIGNED: Parameter = {
  expected: 'a whole number other than 0',
  required: true,
  accepts: (value) => Number.isSafeInteger(value) && value !== 0,
};
const FLAG: Parameter = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' };
const CLOSE_CODE: Parameter = {
  expected: 'a close code: 1000 to 1003, 1006 to 1014, or 3000 to 4999',
  required: true,
  accepts: (value) => typeof value === 'number' && isCloseCode(value),
};

const TIMES = { times: whole(1) };
const OF_OPERATION = { ...TIMES, operation: oneOf(OPERATIONS.map(({ name }) => name)) };
const OF_FRAME = {
  ...TIMES,
  channel: oneOf(FRAME_CHANNELS),
  symbol: text('a stream code; every one when it is left out'),
};
const OF_ACCOUNT = { account: text('a custody code; the first one when it is left out') };
const LISTED = text("an order code of the price list, or 'front'", true);

export const FAULT_TABLE: Readonly<Record<FaultName, FaultRow>> = {
  accept_then_drop: {
    effect: 'does what was asked, then cuts the connection before the answer',
    parameters: OF_OPERATION,
  },
  late_answer: {
    effect: 'does it at once, answers delayMs later',
    parameters: { ...OF_OPERATION, delayMs: whole(1, true) },
  },
  http_500: {
    effect: 'fails with HTTP 500; with done: true it was done all the same',
    parameters: { ...OF_OPERATION, done: FLAG },
  },
  html_502: {
    effect: "fails with a proxy's HTML page and HTTP 502; with done: true it was done all the same",
    parameters: { ...OF_OPERATION, done: FLAG },
  },
  http_429: { effect: 'refuses with HTTP 429, and does nothing', parameters: OF_OPERATION },
  hide_new_order: {
    effect: 'the books do not show orders placed under it for so many seconds',
    parameters: { ...TIMES, seconds: whole(1, true) },
  },
  contradict_status: {
    effect: 'the in-day book shows these status letters against the matched volume',
    parameters: {
      ...TIMES,
      status: text('letters such as PMWX', true),
      orderNo: text('an order number; all when it is left out'),
    },
  },
  lose_frame: { effect: 'a data frame of the stream is not sent', parameters: OF_FRAME },
  duplicate_frame: { effect: 'a data frame is sent twice', parameters: OF_FRAME },
  reorder_frame: { effect: 'a data frame is sent after the next one', parameters: OF_FRAME },
  inject_frame: { effect: 'sends this frame to every stream', parameters: { text: text('a frame', true) } },
  stop_pongs: { effect: 'heartbeats are heard and not answered', parameters: TIMES },
  half_open: { effect: 'streams stay open, say nothing and hear nothing', parameters: {} },
  close_stream: {
    effect: 'closes every stream with this code; 1006 cuts it',
    parameters: { code: CLOSE_CODE },
  },
  refuse_connections: {
    effect: 'turns streams away (scope stream), or cuts and refuses everything (scope all)',
    parameters: { ...TIMES, scope: oneOf(['stream', 'all']) },
  },
  expire_token: {
    effect: 'ends every token issued so far, of one account or of all',
    parameters: { account: text('a custody code; all when it is left out') },
  },
  clock_skew: {
    effect: "puts the broker's clock ahead, below zero behind: Date and the times of tokens",
    parameters: { seconds: NUMBER },
  },
  inject_order: {
    effect: 'an order of the account from another channel',
    parameters: {
      ...OF_ACCOUNT,
      symbol: LISTED,
      side: oneOf(['buy', 'sell'], true),
      points: NUMBER,
      volume: whole(1, true),
    },
  },
  inject_position: {
    effect: 'contracts in the account without any order, at the last price',
    parameters: { ...OF_ACCOUNT, symbol: LISTED, net: SIGNED },
  },
  roll_contract: { effect: 'the front month expires now', parameters: {} },
};

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
    const { effect, parameters } = FAULT_TABLE[name];
    const texts = Object.entries(parameters).map(([parameter, { expected, required }]) => [
      parameter,
      required ? `${expected}; required` : expected,
    ]);
    return { name, effect, parameters: Object.fromEntries(texts) };
  });

const isFaultName = (name: string): name is FaultName => Object.hasOwn(FAULT_TABLE, name);

export const FAULT_NAMES: readonly FaultName[] = Object.keys(FAULT_TABLE).filter(isFaultName);

/** Reads a fault: unknown names, parameters and types are refused, so that a typing error is no test. */

export function parseFault(raw: unknown): Parsed<Fault> {
  if (!isRecord(raw)) return notParsed('', 'an object with a name', raw);
  const { name, ...given } = raw;
  if (typeof name !== 'string' || !isFaultName(name)) {
    return notParsed('name', `one of ${Object.keys(FAULT_TABLE).join(', ')}`, name);
  }
  const [first, ...rest] = problemsOf(name, given);
  if (first !== undefined) return { ok: false, issues: [first, ...rest] };
  // Every parameter was looked at above.
  const fault: Fault = Object.assign(Object.create(null), raw);
  return parsed(fault);
}

function problemsOf(name: FaultName, given: Readonly<Record<string, unknown>>): Issue[] {
  const { parameters } = FAULT_TABLE[name];
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
