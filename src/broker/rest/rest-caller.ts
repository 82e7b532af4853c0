/**
 * One call of any operation: a read is tried again a few times, a call that moves an order or money is sent once. The token is
 * taken when the call's turn has come; its source learns whether the broker accepted it.
 */
import type { CallOutcome, CallReceipt } from '../../domain/broker-order.ts';
import type { Timers } from '../../domain/clock.ts';
import type { ParseResult } from '../../domain/parsed.ts';
import { type DurationUs, milliseconds, seconds } from '../../domain/units.ts';
import type { DriftCounter } from '../../wire/drift.ts';
import { type HttpReply, jsonOf } from '../../wire/rest/call-reply.ts';
import { decodeErrorBody } from '../../wire/rest/token-calls.ts';
import { issueText } from '../../wire/rest/lenient.ts';
import type { WireOperation, WireRequest } from '../../wire/rest/wire-message.ts';
import type { TokenSource } from '../auth/access-token.ts';
import type { HttpHooks } from './http-edge.ts';
import type { Priority } from './rate-limiter.ts';
import type { RestSignal, Transport, TransportResult } from './transport.ts';

export interface RestCallerOptions {
  readonly transport: Transport;
  readonly tokens: TokenSource;
  readonly drift: DriftCounter;
  readonly timers: Timers;
  readonly onSignal: (signal: RestSignal) => void;
  /** Why no call of this client may move an order or money, as in a dry run; absent when calls may. */
  readonly readOnly?: string;
}

/** `onStart` runs when the first byte of the (last) try is about to leave: from then on the answer may show it. */
export interface ReadOptions {
  readonly priority: Exclude<Priority, 'exit' | 'entry'>;
  readonly onStart?: () => void;
}

/** `refuse`: the last check before the first byte; a text refuses, and the outcome is `not_sent`. */
export interface SendOptions extends HttpHooks {
  readonly priority: 'exit' | 'entry';
  readonly refuse: () => string | null;
}

/** The value of a read, or the reason why there is none. A failure adds no knowledge. */
export type ReadResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly kind: ReadFailureKind; readonly reason: string };

/** `no_token`: nothing was asked. `unanswered`: a retry may help. `token_refused`: 401, 403. `refused`: understood and refused. */
export type ReadFailureKind =
  | 'no_token'
  | 'unanswered'
  | 'token_refused'
  | 'too_many'
  | 'refused'
  | 'queue_full';

/** Where a call goes; the path is whole, its account written in. */
export type RestRoute = Pick<WireOperation, 'name' | 'method' | 'path'>;

/** Options of one call that moves an order or money. */
interface MoveOptions extends HttpHooks {
  readonly priority: Priority;
}

/** Outcomes that leave open whether the broker carried out the call. */
type UndecidedOutcome = Extract<CallOutcome, { readonly status: 'unknown' | 'not_sent' }>;

const NO_TOKEN = 'there is no token';
/** Waits between two tries of a read, one for each further try. */
const RETRY_WAITS: readonly DurationUs[] = [milliseconds(250), seconds(1)];
const MAY_RETRY: ReadonlySet<ReadFailureKind> = new Set<ReadFailureKind>(['unanswered', 'too_many']);

export class RestCaller {
  readonly drift: DriftCounter;
  readonly #options: RestCallerOptions;

  constructor(options: RestCallerOptions) {
    this.#options = options;
    this.drift = options.drift;
  }

  /** Sent once: a lost answer is `unknown` and never a reason to send again (rulings, 7). */
  async move<T extends CallOutcome | CallReceipt>(
    operation: RestRoute,
    request: WireRequest,
    { priority, ...hooks }: MoveOptions,
    classify: (reply: HttpReply, operation: string, drift: DriftCounter) => T,
  ): Promise<T | UndecidedOutcome> {
    const { name } = operation;
    if (this.#options.readOnly !== undefined) return { status: 'not_sent', reason: this.#options.readOnly };
    const result = await this.#send(operation, request, priority, hooks);
    const outcome: T | UndecidedOutcome =
      result.kind === 'reply'
        ? classify({ httpStatus: result.status, text: result.text }, name, this.drift)
        : { status: result.kind === 'lost' ? 'unknown' : 'not_sent', reason: result.reason };
    const ended: CallOutcome | CallReceipt = outcome;
    if (ended.status === 'unknown') {
      this.#options.onSignal({ kind: 'outcome_unknown', operation: name, reason: ended.reason });
    }
    return outcome;
  }

  async read<T>(
    operation: RestRoute,
    request: WireRequest,
    { priority, onStart }: ReadOptions,
    decode: (json: unknown) => ParseResult<T>,
  ): Promise<ReadResult<T>> {
    const hooks: HttpHooks = onStart === undefined ? {} : { onStart };
    for (let tries = 0; ; tries += 1) {
      const read = readOf(await this.#send(operation, request, priority, hooks), decode);
      if (read.ok) return read;
      const wait = MAY_RETRY.has(read.kind) ? RETRY_WAITS[tries] : undefined;
      if (read.kind !== 'no_token') this.failed(operation, read.reason, wait !== undefined);
      if (wait === undefined) return read;
      await new Promise<void>((resolve) => this.#options.timers.after(wait, resolve));
    }
  }

  failed({ name }: RestRoute, reason: string, willRetry: boolean): void {
    this.#options.onSignal({ kind: 'read_failed', operation: name, reason, willRetry });
  }

  async #send(
    { name, method, path }: RestRoute,
    { query, body }: WireRequest,
    priority: Priority,
    hooks: HttpHooks,
  ): Promise<TransportResult> {
    let jwt = '';
    const result = await this.#options.transport.send({
      ...hooks,
      operation: name,
      priority,
      request: () => {
        const token = this.#options.tokens.current();
        if (token === undefined) return NO_TOKEN;
        jwt = token.jwt;
        return { method, path, query, body, token: jwt };
      },
    });
    if (result.kind !== 'reply') return result;
    // Both may mean that the token is no longer accepted (notes, 2).
    const isRefused = result.status === 401 || result.status === 403;
    if (isRefused) this.#options.tokens.doubt(jwt, name, `HTTP ${result.status} to ${name}`);
    else if (result.status === 200) this.#options.tokens.prove(jwt);
    return result;
  }
}

const failed = (kind: ReadFailureKind, reason: string): ReadResult<never> => ({ ok: false, kind, reason });

function readOf<T>(result: TransportResult, decode: (json: unknown) => ParseResult<T>): ReadResult<T> {
  if (result.kind === 'no_turn') {
    return failed(result.reason === NO_TOKEN ? 'no_token' : 'queue_full', result.reason);
  }
  if (result.kind !== 'reply') return failed('unanswered', result.reason);
  const { status, text } = result;
  if (status === 401 || status === 403) return failed('token_refused', `HTTP ${status}`);
  if (status === 429) return failed('too_many', 'HTTP 429');
  if (status !== 200) {
    const { code, message } = decodeErrorBody(status < 500 ? jsonOf(text) : undefined);
    // A client error with a code concerns the request itself: a retry would bring the same.
    return code === ''
      ? failed('unanswered', `HTTP ${status}`)
      : failed('refused', `HTTP ${status}, ${code} ${message}`);
  }
  const json = jsonOf(text);
  if (json === undefined) return failed('unanswered', 'the answer is not JSON');
  const decoded = decode(json);
  return decoded.ok ? decoded : failed('refused', issueText(decoded.issues));
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Unreadable rows: they may be any order. */
  readonly unreadable: number;
  /** Rows that are not ours; they count for the length of the page alone. */
  readonly foreign?: number;
}

export interface PageScan<Row> {
  readonly complete: boolean;
  readonly rows: readonly Row[];
  /** Reason why it is not complete; empty when it is. */
  readonly reason: string;
}

/** The largest page is not documented: a request may be cut to less than this. */
const PAGE_SIZE = 100;
const PAGES_MAX = 50;
/** A page that was cut by the server's own limit has a round number of rows; then one more page is read. */
const LIMITS_ARE_MULTIPLES_OF = 5;

type FetchPage<Row> = (pageNo: number, pageSize: number) => Promise<ReadResult<Page<Row>>>;

/** Evidence only when it is complete and nothing moved between its pages (rulings, 9). `nameOf`: as in `order 17`. */
export async function scanPages<Row>(
  fetchPage: FetchPage<Row>,
  nameOf: (row: Row) => string,
): Promise<PageScan<Row>> {
  const rows: Row[] = [];
  const seen = new Set<string>();
  let unreadable = 0;
  const incomplete = (reason: string): PageScan<Row> => ({ complete: false, rows, reason });
  for (let pageNo = 1; pageNo <= PAGES_MAX; pageNo += 1) {
    const page = await fetchPage(pageNo, PAGE_SIZE);
    if (!page.ok) return incomplete(`page ${pageNo}: ${page.reason}`);
    unreadable += page.value.unreadable;
    for (const row of page.value.rows) {
      const name = nameOf(row);
      if (seen.has(name)) return incomplete(`${name} is on two pages: the book shifted`);
      seen.add(name);
      rows.push(row);
    }
    const { foreign = 0 } = page.value;
    const count = page.value.rows.length + page.value.unreadable + foreign;
    if (count > 0 && count % LIMITS_ARE_MULTIPLES_OF === 0) continue;
    return unreadable === 0
      ? { complete: true, rows, reason: '' }
      : incomplete(`${unreadable} rows are unreadable`);
  }
  return incomplete(`more than ${PAGES_MAX} pages`);
}
