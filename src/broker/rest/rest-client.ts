/** The broker's REST interface: one typed method an operation, in groups; `broker-calls.ts` describes each. */
import type { BrokerClosedPosition, CallOutcome, ClosedTotal } from '../../domain/broker-order.ts';
import { type Issue, parsed, type Parsed } from '../../domain/parsed.ts';
import { accountStatus } from '../../wire/rest/account-status.ts';
import {
  classifyCallReply,
  classifyCashReply,
  classifyConditionReply,
  classifyStockCancelReply,
  classifyTransferReply,
} from '../../wire/rest/call-reply.ts';
import { cancelOrder, changeOrder, placeOrder } from '../../wire/rest/order-calls.ts';
import { cancelStockOrders, cashBalance, loanPackages, stockAssets } from '../../wire/rest/securities.ts';
import { closedPositions } from '../../wire/rest/closed-positions.ts';
import { conditionBook } from '../../wire/rest/condition-book.ts';
import { cancelCondition, changeCondition, placeCondition } from '../../wire/rest/condition-calls.ts';
import { contractList, derivatives } from '../../wire/rest/market-reads.ts';
import { deposit, transfer, withdraw } from '../../wire/rest/money-calls.ts';
import { inDayBook } from '../../wire/rest/in-day-book.ts';
import { issueText } from '../../wire/rest/lenient.ts';
import { openPositions } from '../../wire/rest/open-positions.ts';
import { type NamedSubAccount, profile } from '../../wire/rest/profile.ts';
import type { WireRequest } from '../../wire/rest/operation.ts';
import type {
  AccountCalls,
  BookScan,
  ClosedPositions,
  ConditionCalls,
  MoneyCalls,
  OrderCalls,
  ReadCalls,
  ReadFailureKind,
  ReadOptions,
  ReadResult,
  SpecOf,
  TradedAccount,
} from './broker-calls.ts';
import { RestCaller, type RestCallerOptions, type Route } from './rest-caller.ts';
import { type Page, scanPages } from './scan-pages.ts';

export interface RestClientOptions extends RestCallerOptions {
  readonly account: TradedAccount;
  readonly specOf: SpecOf;
}

export interface RestClient extends OrderCalls, ReadCalls {
  /** The sub-accounts of the custody account (contract, 2.1 and 4.2). */
  subAccounts(options: ReadOptions): Promise<ReadResult<readonly NamedSubAccount[]>>;
  readonly conditions: ConditionCalls;
  readonly money: MoneyCalls;
  readonly accounts: AccountCalls;
}

interface DecodedPage<Row> {
  readonly orders: readonly Row[];
  /** A scan with unreadable rows is no evidence. */
  readonly unreadable: readonly Issue[];
}

/** Carries the calls of one account. */
interface Line {
  readonly caller: RestCaller;
  readonly traded: TradedAccount;
  readonly specOf: SpecOf;
}

export function createRestClient(options: RestClientOptions): RestClient {
  const line = { caller: new RestCaller(options), traded: options.account, specOf: options.specOf };
  return {
    ...orderCalls(line),
    ...readCalls(line),
    conditions: conditionCalls(line),
    money: moneyCalls(line),
    accounts: accountCalls(line),
  };
}

/** Reads all pages of a book. */
async function scanBook<Row>(
  caller: RestCaller,
  operation: Route,
  requestOf: (page: { readonly pageNo: number; readonly pageSize: number }) => WireRequest,
  decode: (json: unknown) => Parsed<DecodedPage<Row>>,
  nameOf: (row: Row) => string,
  { priority, onStart }: ReadOptions,
): Promise<BookScan<Row>> {
  const pageOf = (page: Parsed<DecodedPage<Row>>): Parsed<Page<Row>> => {
    if (!page.ok) return page;
    const { orders, unreadable } = page.value;
    const [first] = unreadable;
    if (first !== undefined) caller.failed(operation, issueText([first]), false);
    return parsed({ rows: orders, unreadable: unreadable.length });
  };
  const { complete, rows, reason } = await scanPages<Row>(
    (pageNo, pageSize) =>
      caller.read(
        operation,
        requestOf({ pageNo, pageSize }),
        // The scan begins with its first page: later orders may stand on a later one, or on none.
        pageNo === 1 && onStart !== undefined ? { priority, onStart } : { priority },
        (json) => pageOf(decode(json)),
      ),
    nameOf,
  );
  return { complete, orders: rows, reason };
}

function orderCalls({ caller, traded, specOf }: Line): OrderCalls {
  return {
    async place(order, options) {
      const spec = specOf(order.orderCode);
      if (spec === undefined) return noSpec(order.orderCode);
      const request = placeOrder.encodeRequest({ ...traded, ...order, spec });
      return caller.move(placeOrder, request, options, classifyCallReply);
    },
    async change(modify, options) {
      const spec = specOf(modify.orderCode);
      if (spec === undefined) return noSpec(modify.orderCode);
      const request = changeOrder.encodeRequest({ ...traded, ...modify, spec });
      return caller.move(changeOrder, request, options, classifyCallReply);
    },
    cancel({ orderNo, callId }, options) {
      const request = cancelOrder.encodeRequest({ accountId: traded.accountId, orderNo, callId });
      return caller.move(cancelOrder, request, options, classifyCallReply);
    },
  };
}

function readCalls({ caller, traded, specOf }: Line): ReadCalls & Pick<RestClient, 'subAccounts'> {
  const { drift } = caller;
  return {
    inDayBook: (options) =>
      scanBook(
        caller,
        inDayBook,
        (page) => inDayBook.encodeRequest({ accountId: traded.accountId, ...page }),
        (json) => inDayBook.decodeResponse(json, specOf, drift),
        ({ orderNo }) => `order ${orderNo}`,
        options,
      ),
    positions: (options) =>
      caller.read(openPositions, openPositions.encodeRequest(traded), options, (json) =>
        openPositions.decodeResponse(json, drift),
      ),
    account: (options) =>
      caller.read(accountStatus, accountStatus.encodeRequest(traded), options, (json) =>
        accountStatus.decodeResponse(json, drift),
      ),
    quotes: (options) =>
      caller.read(derivatives, derivatives.encodeRequest(), options, (json) =>
        derivatives.decodeResponse(json, specOf, drift),
      ),
    contracts: (options) =>
      caller.read(contractList, contractList.encodeRequest(), options, (json) =>
        contractList.decodeResponse(json, drift),
      ),
    subAccounts: (options) =>
      caller.read(at(profile, traded.accountId), profile.encodeRequest(), options, (json) =>
        profile.decodeResponse(json),
      ),
  };
}

/** Orders that wait at the broker: place, change, cancel, and their book. */
function conditionCalls({ caller, traded, specOf }: Line): ConditionCalls {
  return {
    async place(order, options) {
      const spec = specOf(order.orderCode);
      if (spec === undefined) return noSpec(order.orderCode);
      const request = placeCondition.encodeRequest({ ...traded, ...order, spec });
      return caller.move(placeCondition, request, options, classifyCallReply);
    },
    async change(change, options) {
      const spec = specOf(change.orderCode);
      if (spec === undefined) return noSpec(change.orderCode);
      const request = changeCondition.encodeRequest({ accountId: traded.accountId, ...change, spec });
      return caller.move(changeCondition, request, options, (reply, name, drift) =>
        classifyConditionReply(reply, name, change, drift),
      );
    },
    cancel: (condition, options) =>
      caller.move(
        cancelCondition,
        cancelCondition.encodeRequest({ ...traded, ...condition }),
        options,
        (reply, name, drift) => classifyConditionReply(reply, name, condition, drift),
      ),
    book: (options) =>
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

/** Deposits, withdrawals, transfers: sent once, after everything else that waits. */
function moneyCalls({ caller, traded }: Line): MoneyCalls {
  const move =
    (operation: typeof deposit | typeof withdraw): MoneyCalls['deposit'] =>
    (amount, { refuse }) => {
      const request = operation.encodeRequest({ ...traded, ...amount });
      return caller.move(operation, request, { priority: 'rest', refuse }, classifyCashReply);
    };
  return {
    deposit: move(deposit),
    withdraw: move(withdraw),
    transfer({ from, to, amount, note }, { refuse }) {
      const request = transfer.encodeRequest({ from, to, amount, description: note });
      return caller.move(transfer, request, { priority: 'rest', refuse }, classifyTransferReply);
    },
  };
}

/** Closed positions, and the stock side: shares, cash, loan packages, the cancel of stock orders. */
function accountCalls({ caller, traded }: Line): AccountCalls {
  const { drift } = caller;
  return {
    closedPositions: (symbol, options) => readClosedPositions(caller, traded, symbol, options),
    stockAssets: (accountNo, options) =>
      caller.read(at(stockAssets, accountNo), stockAssets.encodeRequest(), options, (json) =>
        stockAssets.decodeResponse(json, drift),
      ),
    cashBalance: (accountNo, options) =>
      caller.read(at(cashBalance, accountNo), cashBalance.encodeRequest(), options, (json) =>
        cashBalance.decodeResponse(json, drift),
      ),
    loanPackages: (accountNo, options) =>
      caller.read(at(loanPackages, accountNo), loanPackages.encodeRequest(), options, (json) =>
        loanPackages.decodeResponse(json, drift),
      ),
    cancelStockOrders: (accountNo, orderIds, { refuse }) =>
      caller.move(
        at(cancelStockOrders, accountNo),
        cancelStockOrders.encodeRequest(orderIds),
        { priority: 'rest', refuse },
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

/** The route of an operation whose path names an account. */
const at = (
  { name, method, pathOf }: Omit<Route, 'path'> & { readonly pathOf: (accountNo: string) => string },
  accountNo: string,
): Route => ({ name, method, path: pathOf(accountNo) });

/** An unknown contract has no price format, so its price cannot be written. */
const noSpec = (code: string): CallOutcome => ({
  status: 'not_sent',
  reason: `no contract specification for ${code}`,
});
