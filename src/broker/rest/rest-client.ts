/**
 * The broker's REST interface in the trade's words: one method an operation. Prices are ticks, quantities contracts, money
 * whole VND. Reads are tried again a few times where that can help; calls that move orders or money are sent once, and end as
 * accepted, rejected, not sent or unknown (rulings, 7): an unknown one is looked up, never sent again.
 */
import type {
  BrokerClosedPosition,
  BrokerOrder,
  BrokerTriggerOrder,
  CallOutcome,
  CallReceipt,
  ClosedTotal,
} from '../../domain/broker-order.ts';
import type { ContractSpec } from '../../domain/contract.ts';
import type {
  AccountId,
  BrokerOrderKey,
  BrokerOrderNo,
  ClientOrderId,
  OrderCode,
  SubAccountId,
} from '../../domain/ids.ts';
import { parsed, type ParseResult } from '../../domain/parsed.ts';
import type { PriceTicks } from '../../domain/units.ts';
import type { ModifyToSend, OrderToSend } from '../../engine/ports/approved.ts';
import type { DriftCounter } from '../../wire/drift.ts';
import { accountStatus } from '../../wire/rest/account-status.ts';
import {
  classifyCallReply,
  classifyCashReply,
  classifyConditionReply,
  classifyStockCancelReply,
  classifyTransferReply,
  jsonOf,
} from '../../wire/rest/call-reply.ts';
import { cancelOrder, changeOrder, type OrderKindTerms, placeOrder } from '../../wire/rest/order-calls.ts';
import { cancelStockOrders, cashBalance, loanPackages, stockAssets } from '../../wire/rest/securities.ts';
import { type ClosedPositions, closedPositions, openPositions } from '../../wire/rest/positions.ts';
import type { BookPage } from '../../wire/rest/envelope.ts';
import { conditionBook } from '../../wire/rest/condition-book.ts';
import {
  cancelCondition,
  changeCondition,
  type ConditionTrigger,
  placeCondition,
} from '../../wire/rest/condition-calls.ts';
import { contractList, derivatives } from '../../wire/rest/market-reads.ts';
import {
  type CashMove,
  deposit,
  type MoneyTransfer,
  transfer,
  withdraw,
} from '../../wire/rest/money-calls.ts';
import { inDayBook, type SpecOf } from '../../wire/rest/in-day-book.ts';
import { issueText } from '../../wire/rest/lenient.ts';
import type { WireRequest } from '../../wire/rest/wire-message.ts';
import { profile } from '../../wire/rest/profile.ts';
import type { PageQuery } from '../../wire/rest/trade-fields.ts';
import {
  type Page,
  type ReadFailureKind,
  type ReadOptions,
  type ReadResult,
  RestCaller,
  type RestCallerOptions,
  type RestRoute,
  scanPages,
  type SendOptions,
} from './rest-caller.ts';
import {
  API_KEY_INVALID,
  decodeErrorBody,
  EXCHANGE_LIMIT,
  exchangeToken,
  OTP_INVALID,
  requestOtp,
} from '../../wire/rest/token-calls.ts';
import type { AuthReply, TokenExchange } from '../auth/token-keeper.ts';
import type { HttpHooks } from './http-edge.ts';
import type { Transport } from './transport.ts';

interface RestClientOptions extends RestCallerOptions {
  readonly account: TradedAccount;
  readonly specOf: SpecOf;
}

/** The derivative account that orders and margin belong to. */
interface TradedAccount {
  readonly accountId: AccountId;
  readonly subAccountId: SubAccountId;
}

export type RestClient = ReturnType<typeof createRestClient>;
export type OrderCalls = ReturnType<typeof orderCalls>;
export type ReadCalls = ReturnType<typeof readCalls>;
export type ConditionCalls = ReturnType<typeof conditionCalls>;
export type AccountCalls = ReturnType<typeof accountCalls>;

export function createRestClient(options: RestClientOptions) {
  const line = { caller: new RestCaller(options), traded: options.account, specOf: options.specOf };
  const { caller, traded } = line;
  return {
    ...orderCalls(line),
    ...readCalls(line),
    subAccounts: (options: ReadOptions) =>
      readValue(caller, withPath(profile, traded.accountId), profile.encodeRequest(), options),
    conditions: conditionCalls(line),
    money: moneyCalls(line),
    accounts: accountCalls(line),
  };
}

interface ClientParts {
  readonly caller: RestCaller;
  readonly traded: TradedAccount;
  readonly specOf: SpecOf;
}

/** Normal orders. Each call ends in exactly one outcome. */
function orderCalls({ caller, traded, specOf }: ClientParts) {
  return {
    /** A limit order; accepted means received, and the book shows the rest. */
    place: (order: PlaceRequest, options: SendOptions): Promise<CallOutcome> =>
      withSpec(specOf, order, (spec) => {
        const request = placeOrder.encodeRequest({ ...traded, ...order, spec });
        return caller.move(placeOrder, request, options, classifyCallReply);
      }),
    /** Price or total quantity of an order that works. */
    change: (modify: ChangeRequest, options: SendOptions): Promise<CallOutcome> =>
      withSpec(specOf, modify, (spec) => {
        const request = changeOrder.encodeRequest({ ...traded, ...modify, spec });
        return caller.move(changeOrder, request, options, classifyCallReply);
      }),
    /** Accepted means asked for: the order may still fill first. */
    cancel({ orderNo, callId }: CancelRequest, options: SendOptions): Promise<CallOutcome> {
      const request = cancelOrder.encodeRequest({ accountId: traded.accountId, orderNo, callId });
      return caller.move(cancelOrder, request, options, classifyCallReply);
    },
  };
}

function readCalls({ caller, traded, specOf }: ClientParts) {
  const { drift } = caller;
  return {
    /** Every normal order of today, page by page. */
    inDayBook: (options: ReadOptions): Promise<BookScan<BrokerOrder>> =>
      scanBook(
        caller,
        inDayBook,
        (page) => inDayBook.encodeRequest({ accountId: traded.accountId, ...page }),
        (json) => inDayBook.decodeResponse(json, specOf, drift),
        ({ orderNo }) => `order ${orderNo}`,
        options,
      ),
    positions: (options: ReadOptions) =>
      readValue(caller, openPositions, openPositions.encodeRequest(traded), options),
    account: (options: ReadOptions) =>
      readValue(caller, accountStatus, accountStatus.encodeRequest(traded), options),
    /** Ceiling, floor, reference and last price of each contract. */
    quotes: (options: ReadOptions) =>
      caller.read(derivatives, derivatives.encodeRequest(), options, (json) =>
        derivatives.decodeResponse(json, specOf, drift),
      ),
    contracts: (options: ReadOptions) =>
      readValue(caller, contractList, contractList.encodeRequest(), options),
  };
}

/** Stops and trailing stops that wait at the broker. */
function conditionCalls({ caller, traded, specOf }: ClientParts) {
  return {
    place: (order: ConditionToPlace, options: SendOptions): Promise<CallOutcome> =>
      withSpec(specOf, order, (spec) => {
        const request = placeCondition.encodeRequest({ ...traded, ...order, spec });
        return caller.move(placeCondition, request, options, classifyCallReply);
      }),
    /** Moves the trigger alone. */
    change: (change: ConditionToChange, options: SendOptions): Promise<CallOutcome> =>
      withSpec(specOf, change, (spec) => {
        const request = changeCondition.encodeRequest({ accountId: traded.accountId, ...change, spec });
        return caller.move(changeCondition, request, options, (reply, name, drift) =>
          classifyConditionReply(reply, name, change, drift),
        );
      }),
    /** Accepted is not yet canceled: the book shows when it is. */
    cancel(condition: ConditionRef, options: SendOptions): Promise<CallOutcome> {
      const request = cancelCondition.encodeRequest({ ...traded, ...condition });
      return caller.move(cancelCondition, request, options, (reply, name, drift) =>
        classifyConditionReply(reply, name, condition, drift),
      );
    },
    /** Every conditional order, page by page: stops, halves of brackets, arbitrage. */
    book: (options: ReadOptions): Promise<BookScan<BrokerTriggerOrder>> =>
      scanBook(
        caller,
        conditionBook,
        (page) => conditionBook.encodeRequest({ ...traded, ...page }),
        (json) => conditionBook.decodeResponse(json, specOf, caller.drift),
        ({ orderKey }) => `condition ${orderKey}`,
        options,
      ),
  };
}

/**
 * Moves of money, sent once, after everything else that waits. They carry no id of ours, so nothing can
 * prove later that one arrived: the caller journals each before it is sent, and an unknown one is for the operator (rulings, 7).
 */
function moneyCalls({ caller, traded }: ClientParts) {
  const move =
    (operation: typeof deposit | typeof withdraw) =>
    (amount: CashMove, { refuse }: MoneyOptions): Promise<CallReceipt> => {
      const request = operation.encodeRequest({ ...traded, ...amount });
      return caller.move(operation, request, { priority: 'background', refuse }, classifyCashReply);
    };
  return {
    deposit: move(deposit),
    /** Margin out of the derivative account. */
    withdraw: move(withdraw),
    transfer: (sum: MoneyTransfer, { refuse }: MoneyOptions): Promise<CallReceipt> =>
      caller.move(
        transfer,
        transfer.encodeRequest(sum),
        { priority: 'background', refuse },
        classifyTransferReply,
      ),
  };
}

/** Reads of the account that trading does not need, and the stock side. */
function accountCalls({ caller, traded }: ClientParts) {
  return {
    /** Contracts closed today; `symbol` null for all contracts. All pages, or a failure. */
    closedPositions: (symbol: string | null, options: ReadOptions) =>
      readClosedPositions(caller, traded, symbol, options),
    /** Shares of a normal or margin sub-account. */
    stockAssets: (accountNo: string, options: ReadOptions) =>
      readValue(caller, withPath(stockAssets, accountNo), stockAssets.encodeRequest(), options),
    cashBalance: (accountNo: string, options: ReadOptions) =>
      readValue(caller, withPath(cashBalance, accountNo), cashBalance.encodeRequest(), options),
    loanPackages: (accountNo: string, options: ReadOptions) =>
      readValue(caller, withPath(loanPackages, accountNo), loanPackages.encodeRequest(), options),
    /** Cancels normal stock orders by their ids. Sent once; accepted is the answer to all of them together. */
    cancelStockOrders: (
      accountNo: string,
      orderIds: readonly string[],
      { refuse }: MoneyOptions,
    ): Promise<CallReceipt> =>
      caller.move(
        withPath(cancelStockOrders, accountNo),
        cancelStockOrders.encodeRequest(orderIds),
        { priority: 'background', refuse },
        classifyStockCancelReply,
      ),
  };
}

async function readClosedPositions(
  caller: RestCaller,
  traded: TradedAccount,
  symbol: string | null,
  options: ReadOptions,
): Promise<ReadResult<ClosedPositions>> {
  let total: ClosedTotal | null = null;
  let kind: ReadFailureKind = 'unanswered';
  const scan = await scanPages<BrokerClosedPosition>(
    async (pageNo, pageSize) => {
      const request = closedPositions.encodeRequest({ ...traded, symbol, pageNo, pageSize });
      const read = await caller.read(closedPositions, request, options, (json) => {
        const page = closedPositions.decodeResponse(json, caller.drift);
        if (!page.ok) return page;
        total ??= page.value.total;
        return parsed({ rows: page.value.positions, unreadable: 0 });
      });
      if (!read.ok) kind = read.kind;
      return read;
    },
    ({ orderCode, side }) => `${orderCode} ${side}`,
  );
  if (scan.complete) return { ok: true, value: { total, positions: scan.rows } };
  return { ok: false, kind, reason: scan.reason };
}

async function scanBook<Row>(
  caller: RestCaller,
  operation: RestRoute,
  requestOf: (page: PageQuery) => WireRequest,
  decode: (json: unknown) => ParseResult<BookPage<Row>>,
  nameOf: (row: Row) => string,
  { priority, onStart }: ReadOptions,
): Promise<BookScan<Row>> {
  const pageOf = (page: ParseResult<BookPage<Row>>): ParseResult<Page<Row>> => {
    if (!page.ok) return page;
    const { orders, unreadable, foreign } = page.value;
    const [first] = unreadable;
    if (first !== undefined) caller.failed(operation, issueText([first]), false);
    return parsed({ rows: orders, unreadable: unreadable.length, foreign });
  };
  const { complete, rows, reason } = await scanPages<Row>(
    (pageNo, pageSize) =>
      caller.read(
        operation,
        requestOf({ pageNo, pageSize }),
        // The scan begins with its first page: later orders may be on a later one, or on none.
        pageNo === 1 && onStart !== undefined ? { priority, onStart } : { priority },
        (json) => pageOf(decode(json)),
      ),
    nameOf,
  );
  return { complete, orders: rows, reason };
}

const readValue = <T>(
  caller: RestCaller,
  operation: RestRoute & { decodeResponse(json: unknown, drift: DriftCounter): ParseResult<T> },
  request: WireRequest,
  options: ReadOptions,
): Promise<ReadResult<T>> =>
  caller.read(operation, request, options, (json) => operation.decodeResponse(json, caller.drift));

const withPath = <O extends { pathOf(accountNo: string): string }>(operation: O, accountNo: string) => ({
  ...operation,
  path: operation.pathOf(accountNo),
});

/** An unknown contract has no price format, so its price cannot be written. */
function withSpec(
  specOf: SpecOf,
  { orderCode }: { readonly orderCode: OrderCode },
  call: (spec: ContractSpec) => Promise<CallOutcome>,
): Promise<CallOutcome> {
  const spec = specOf(orderCode);
  if (spec !== undefined) return call(spec);
  return Promise.resolve({ status: 'not_sent', reason: `no contract specification for ${orderCode}` });
}

/** All pages of a book, put together. */
export interface BookScan<Order> {
  /** Whether it is evidence (rulings, 9). */
  readonly complete: boolean;
  readonly orders: readonly Order[];
  /** Reason why it is not complete; empty when it is. */
  readonly reason: string;
}

export interface CancelRequest {
  readonly orderNo: BrokerOrderNo;
  /** Null for a cancel of the kill path, which no strategy remembers. */
  readonly callId: ClientOrderId | null;
}

/** A normal order; with terms it brings a bracket, or waits for a leg (rulings, 13). */
export type PlaceRequest = Pick<
  OrderToSend,
  'clientOrderId' | 'orderCode' | 'side' | 'qty' | 'limitPrice'
> & {
  readonly terms?: OrderKindTerms;
};

/** New total quantity and price; one of them repeats the old value (rulings, 10). */
export type ChangeRequest = Pick<ModifyToSend, 'callId' | 'orderNo' | 'orderCode' | 'qty' | 'limitPrice'>;

/** `limitPrice`: of the order that it sends. */
export interface ConditionToPlace extends Pick<OrderToSend, 'orderCode' | 'side' | 'qty' | 'limitPrice'> {
  /** Sent as `refId`; the book does not show it. */
  readonly callId: ClientOrderId;
  readonly trigger: ConditionTrigger;
}

/** A conditional order in the book; the broker identifies it by its key. */
export interface ConditionRef {
  readonly orderNo: BrokerOrderNo;
  readonly orderKey: BrokerOrderKey;
}

export interface ConditionToChange extends ConditionRef {
  readonly callId: ClientOrderId;
  readonly orderCode: OrderCode;
  /** For a trailing stop, its activation price. Quantity and limit cannot be changed (rulings, 13). */
  readonly triggerPrice: PriceTicks;
}

/** The last check before the first byte: a text refuses, and the outcome is `not_sent`. */
export type MoneyOptions = Pick<SendOptions, 'refuse'>;

type AuthOperation = RestRoute & { decodeResponse(json: unknown): ParseResult<string> };

/** The two calls that carry no token. Never tried twice: each exchange is one of ten a day. */
export function createAuthCalls(transport: Transport): TokenExchange {
  const ask = async (
    operation: AuthOperation,
    { query, body }: WireRequest,
    hooks: HttpHooks,
  ): Promise<AuthReply> => {
    const { name, method, path } = operation;
    const result = await transport.send({
      ...hooks,
      operation: name,
      // No other call works without a token.
      priority: 'lookup',
      request: () => ({ method, path, query, body, token: undefined }),
    });
    if (result.kind === 'lost') return { status: 'unknown', reason: result.reason };
    if (result.kind !== 'reply') return { status: 'not_sent', reason: result.reason };
    return replyOf(result.status, jsonOf(result.text), operation);
  };
  return {
    requestOtp: (apiKey) => ask(requestOtp, requestOtp.encodeRequest(apiKey), {}),
    exchangeToken: (request, onStart) =>
      ask(exchangeToken, exchangeToken.encodeRequest(request), { onStart }),
  };
}

function replyOf(status: number, json: unknown, operation: AuthOperation): AuthReply {
  if (status === 200) {
    const value = operation.decodeResponse(json);
    if (value.ok) return { status: 'ok', value: value.value };
    return { status: 'unknown', reason: `${operation.name}: expected ${value.issues[0].expected}` };
  }
  const { code, message } = decodeErrorBody(json);
  const isOtp = code === OTP_INVALID.code;
  return {
    status: 'refused',
    code: code === '' ? `HTTP ${status}` : code,
    message,
    // Any other refusal (maintenance, a fault of the broker, a proxy's page) may pass: key and password are not to blame.
    isFinal: isOtp || code === API_KEY_INVALID.code || code === EXCHANGE_LIMIT.code,
    isOtp,
  };
}
