/**
 * The broker's REST interface, one typed method an operation. Reads are tried again a few times; what moves an order is
 * sent once, and ends as accepted, rejected, not sent or unknown (rulings, 7).
 */
import type { BrokerAccount, BrokerPosition, CallOutcome, ContractQuote } from '../../domain/broker-order.ts';
import type { Timers } from '../../domain/clock.ts';
import type { ContractSpec } from '../../domain/contract.ts';
import type { AccountId, SubAccountId } from '../../domain/ids.ts';
import type { Parsed } from '../../domain/parsed.ts';
import { type DurationUs, milliseconds, seconds } from '../../domain/units.ts';
import type { ModifyToSend, OrderToSend } from '../../engine/ports/approved.ts';
import type { DriftCounter } from '../../wire/drift.ts';
import { accountStatus } from '../../wire/rest/account-status.ts';
import { classifyCallReply, jsonOf } from '../../wire/rest/call-reply.ts';
import { cancelOrder } from '../../wire/rest/cancel-order.ts';
import { changeOrder } from '../../wire/rest/change-order.ts';
import { contractList } from '../../wire/rest/contract-list.ts';
import { derivatives } from '../../wire/rest/derivatives.ts';
import { inDayBook } from '../../wire/rest/in-day-book.ts';
import { issueText } from '../../wire/rest/lenient.ts';
import { openPositions } from '../../wire/rest/open-positions.ts';
import { placeOrder } from '../../wire/rest/place-order.ts';
import { profile, type SubAccount } from '../../wire/rest/profile.ts';
import type { WireRequest } from '../../wire/rest/request.ts';
import type { TokenSource } from '../auth/token-source.ts';
import type {
  CancelRequest,
  ListedContract,
  OrderCalls,
  ReadCalls,
  ReadOptions,
  SendOptions,
} from './broker-calls.ts';
import type { HttpHooks, HttpRequest } from './http-edge.ts';
import { type InDayPage, type InDayWalk, walkInDayBook } from './in-day-walk.ts';
import type { Priority } from './rate-limiter.ts';
import type { ReadFailureKind, ReadResult } from './read-result.ts';
import type { RestSignal } from './rest-signal.ts';
import type { Transport, TransportResult } from './transport.ts';

export interface RestClientOptions {
  readonly transport: Transport;
  readonly tokens: TokenSource;
  readonly account: { readonly accountId: AccountId; readonly subAccountId: SubAccountId };
  /** Undefined for what is not traded here. */
  readonly specOf: (code: string) => ContractSpec | undefined;
  readonly drift: DriftCounter;
  readonly timers: Timers;
  readonly onSignal: (signal: RestSignal) => void;
}

export interface RestClient extends OrderCalls, ReadCalls {
  /** The sub-accounts of the custody account. */
  subAccounts(options: ReadOptions): Promise<ReadResult<readonly SubAccount[]>>;
}

interface Operation {
  readonly name: string;
  readonly method: HttpRequest['method'];
  readonly path: string;
}

const NO_TOKEN = 'there is no token';
/** Between two tries of a read; how many there are is how often it is tried again. */
const RETRY_WAITS: readonly DurationUs[] = [milliseconds(250), seconds(1)];
const MAY_RETRY: ReadonlySet<ReadFailureKind> = new Set<ReadFailureKind>(['unanswered', 'too_many']);

export const createRestClient = (options: RestClientOptions): RestClient => new JsonRestClient(options);

class JsonRestClient implements RestClient {
  readonly #options: RestClientOptions;

  constructor(options: RestClientOptions) {
    this.#options = options;
  }

  place(order: OrderToSend, options: SendOptions): Promise<CallOutcome> {
    const { account, specOf } = this.#options;
    const spec = specOf(order.orderCode);
    if (spec === undefined) return noSpec(order.orderCode);
    return this.#move(placeOrder, placeOrder.encodeRequest({ ...account, ...order, spec }), options);
  }

  change(modify: ModifyToSend, options: SendOptions): Promise<CallOutcome> {
    const { account, specOf } = this.#options;
    const spec = specOf(modify.orderCode);
    if (spec === undefined) return noSpec(modify.orderCode);
    return this.#move(changeOrder, changeOrder.encodeRequest({ ...account, ...modify, spec }), options);
  }

  cancel({ orderNo, callId }: CancelRequest, options: SendOptions): Promise<CallOutcome> {
    const { accountId } = this.#options.account;
    return this.#move(cancelOrder, cancelOrder.encodeRequest({ accountId, orderNo, callId }), options);
  }

  inDayBook({ priority, onStart }: ReadOptions): Promise<InDayWalk> {
    const { accountId } = this.#options.account;
    return walkInDayBook((pageNo, pageSize) =>
      this.#read<InDayPage>(
        inDayBook,
        inDayBook.encodeRequest({ accountId, pageNo, pageSize }),
        (json) => this.#readPage(json),
        // The walk began with its first page: later orders may stand on a later one, or on none.
        pageNo === 1 && onStart !== undefined ? { priority, onStart } : { priority },
      ),
    );
  }

  positions(options: ReadOptions): Promise<ReadResult<readonly BrokerPosition[]>> {
    const { account, drift } = this.#options;
    const request = openPositions.encodeRequest(account);
    return this.#read(openPositions, request, (json) => openPositions.decodeResponse(json, drift), options);
  }

  account(options: ReadOptions): Promise<ReadResult<BrokerAccount>> {
    const { account, drift } = this.#options;
    const request = accountStatus.encodeRequest(account);
    return this.#read(accountStatus, request, (json) => accountStatus.decodeResponse(json, drift), options);
  }

  quotes(options: ReadOptions): Promise<ReadResult<readonly ContractQuote[]>> {
    const { specOf, drift } = this.#options;
    const decode = (json: unknown): Parsed<readonly ContractQuote[]> =>
      derivatives.decodeResponse(json, specOf, drift);
    return this.#read(derivatives, derivatives.encodeRequest(), decode, options);
  }

  contracts(options: ReadOptions): Promise<ReadResult<readonly ListedContract[]>> {
    const decode = (json: unknown): Parsed<readonly ListedContract[]> =>
      contractList.decodeResponse(json, this.#options.drift);
    return this.#read(contractList, contractList.encodeRequest(), decode, options);
  }

  subAccounts(options: ReadOptions): Promise<ReadResult<readonly SubAccount[]>> {
    const operation = { ...profile, path: profile.pathOf(this.#options.account.accountId) };
    return this.#read(operation, profile.encodeRequest(), (json) => profile.decodeResponse(json), options);
  }

  #readPage(json: unknown): Parsed<InDayPage> {
    const { specOf, drift, onSignal } = this.#options;
    const page = inDayBook.decodeResponse(json, specOf, drift);
    if (!page.ok) return page;
    const { orders, unreadable } = page.value;
    const [first] = unreadable;
    if (first !== undefined) {
      onSignal({
        kind: 'read_failed',
        operation: inDayBook.name,
        reason: issueText([first]),
        willRetry: false,
      });
    }
    return { ok: true, value: { orders, unreadable: unreadable.length } };
  }

  async #move(operation: Operation, request: WireRequest, options: SendOptions): Promise<CallOutcome> {
    const outcome = this.#outcomeOf(
      operation,
      await this.#send(operation, request, options.priority, options),
    );
    if (outcome.status === 'unknown') {
      this.#options.onSignal({ kind: 'outcome_unknown', operation: operation.name, reason: outcome.reason });
    }
    return outcome;
  }

  #outcomeOf(operation: Operation, result: TransportResult): CallOutcome {
    if (result.kind === 'lost') return { status: 'unknown', reason: result.reason };
    if (result.kind !== 'reply') return { status: 'not_sent', reason: result.reason };
    const { status, text } = result;
    return classifyCallReply({ httpStatus: status, text }, operation.name, this.#options.drift);
  }

  async #read<T>(
    operation: Operation,
    request: WireRequest,
    decode: (json: unknown) => Parsed<T>,
    { priority, onStart }: ReadOptions,
  ): Promise<ReadResult<T>> {
    const hooks: HttpHooks = onStart === undefined ? {} : { onStart };
    for (let tries = 0; ; tries += 1) {
      const read = readOf(await this.#send(operation, request, priority, hooks), decode);
      if (read.ok) return read;
      const wait = MAY_RETRY.has(read.kind) ? RETRY_WAITS[tries] : undefined;
      if (read.kind !== 'no_token') {
        const { reason } = read;
        this.#options.onSignal({
          kind: 'read_failed',
          operation: operation.name,
          reason,
          willRetry: wait !== undefined,
        });
      }
      if (wait === undefined) return read;
      await new Promise<void>((resolve) => this.#options.timers.after(wait, resolve));
    }
  }

  async #send(
    { name, method, path }: Operation,
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
    // Both mean that the token is no longer accepted (notes, section 2).
    if (result.kind === 'reply' && (result.status === 401 || result.status === 403)) {
      this.#options.tokens.reject(jwt, 'rest', `HTTP ${result.status} to ${name}`);
    }
    return result;
  }
}

/** Nothing about the contract is known: a price of it cannot even be written. */
const noSpec = (code: string): Promise<CallOutcome> =>
  Promise.resolve({ status: 'not_sent', reason: `no contract specification for ${code}` });

const failed = (kind: ReadFailureKind, reason: string): ReadResult<never> => ({ ok: false, kind, reason });

function readOf<T>(result: TransportResult, decode: (json: unknown) => Parsed<T>): ReadResult<T> {
  if (result.kind === 'no_turn') {
    return failed(result.reason === NO_TOKEN ? 'no_token' : 'queue_full', result.reason);
  }
  if (result.kind !== 'reply') return failed('unanswered', result.reason);
  const { status, text } = result;
  if (status === 401 || status === 403) return failed('token_refused', `HTTP ${status}`);
  if (status === 429) return failed('too_many', 'HTTP 429');
  if (status !== 200) return failed('unanswered', `HTTP ${status}`);
  const json = jsonOf(text);
  if (json === undefined) return failed('unanswered', 'the answer is not JSON');
  const decoded = decode(json);
  return decoded.ok ? decoded : failed('refused', issueText(decoded.issues));
}
