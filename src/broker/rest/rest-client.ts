/** The broker's REST interface: one typed method an operation, in groups; `broker-calls.ts` describes each. */
import type {
  BrokerAccount,
  BrokerClosedPosition,
  BrokerOrder,
  BrokerPosition,
  BrokerTriggerOrder,
  CallOutcome,
  CallReceipt,
  CashBalance,
  ClosedTotal,
  ContractQuote,
  LoanPackages,
  StockHolding,
} from '../../domain/broker-order.ts';
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
  CancelRequest,
  CashMove,
  ChangeRequest,
  ClosedPositions,
  ConditionCalls,
  ConditionRef,
  ConditionToChange,
  ConditionToPlace,
  ListedContract,
  MoneyCalls,
  MoneyOptions,
  MoneyTransfer,
  OrderCalls,
  PlaceRequest,
  ReadCalls,
  ReadFailureKind,
  ReadOptions,
  ReadResult,
  SendOptions,
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

export const createRestClient = (options: RestClientOptions): RestClient => new JsonRestClient(options);

interface DecodedPage<Row> {
  readonly orders: readonly Row[];
  /** A scan with unreadable rows is no evidence. */
  readonly unreadable: readonly Issue[];
}

/** Operations of one account. */
class CallGroup {
  protected readonly caller: RestCaller;
  protected readonly traded: TradedAccount;
  protected readonly specOf: SpecOf;

  constructor(caller: RestCaller, traded: TradedAccount, specOf: SpecOf) {
    this.caller = caller;
    this.traded = traded;
    this.specOf = specOf;
  }

  /** Reads all pages of a book. */
  protected async scanBook<Row>(
    operation: Route,
    requestOf: (page: { readonly pageNo: number; readonly pageSize: number }) => WireRequest,
    decode: (json: unknown) => Parsed<DecodedPage<Row>>,
    nameOf: (row: Row) => string,
    { priority, onStart }: ReadOptions,
  ): Promise<BookScan<Row>> {
    const scan = await scanPages<Row>(
      (pageNo, pageSize) =>
        this.caller.read(
          operation,
          requestOf({ pageNo, pageSize }),
          // The scan begins with its first page: later orders may stand on a later one, or on none.
          pageNo === 1 && onStart !== undefined ? { priority, onStart } : { priority },
          (json) => this.#pageOf(operation, decode(json)),
        ),
      nameOf,
    );
    return { complete: scan.complete, orders: scan.rows, reason: scan.reason };
  }

  #pageOf<Row>(operation: Route, page: Parsed<DecodedPage<Row>>): Parsed<Page<Row>> {
    if (!page.ok) return page;
    const { orders, unreadable } = page.value;
    const [first] = unreadable;
    if (first !== undefined) this.caller.failed(operation, issueText([first]), false);
    return parsed({ rows: orders, unreadable: unreadable.length });
  }
}

class JsonRestClient extends CallGroup implements RestClient {
  readonly conditions: ConditionCalls;
  readonly money: MoneyCalls;
  readonly accounts: AccountCalls;

  constructor(options: RestClientOptions) {
    const caller = new RestCaller(options);
    const { account, specOf } = options;
    super(caller, account, specOf);
    this.conditions = new ConditionClient(caller, account, specOf);
    this.money = new MoneyClient(caller, account, specOf);
    this.accounts = new AccountClient(caller, account, specOf);
  }

  place(order: PlaceRequest, options: SendOptions): Promise<CallOutcome> {
    const spec = this.specOf(order.orderCode);
    if (spec === undefined) return noSpec(order.orderCode);
    const request = placeOrder.encodeRequest({ ...this.traded, ...order, spec });
    return this.caller.move(placeOrder, request, options, classifyCallReply);
  }

  change(modify: ChangeRequest, options: SendOptions): Promise<CallOutcome> {
    const spec = this.specOf(modify.orderCode);
    if (spec === undefined) return noSpec(modify.orderCode);
    const request = changeOrder.encodeRequest({ ...this.traded, ...modify, spec });
    return this.caller.move(changeOrder, request, options, classifyCallReply);
  }

  cancel({ orderNo, callId }: CancelRequest, options: SendOptions): Promise<CallOutcome> {
    const { accountId } = this.traded;
    const request = cancelOrder.encodeRequest({ accountId, orderNo, callId });
    return this.caller.move(cancelOrder, request, options, classifyCallReply);
  }

  inDayBook(options: ReadOptions): Promise<BookScan<BrokerOrder>> {
    const { accountId } = this.traded;
    return this.scanBook<BrokerOrder>(
      inDayBook,
      (page) => inDayBook.encodeRequest({ accountId, ...page }),
      (json) => inDayBook.decodeResponse(json, this.specOf, this.caller.drift),
      ({ orderNo }) => `order ${orderNo}`,
      options,
    );
  }

  positions(options: ReadOptions): Promise<ReadResult<readonly BrokerPosition[]>> {
    const request = openPositions.encodeRequest(this.traded);
    return this.caller.read(openPositions, request, options, (json) =>
      openPositions.decodeResponse(json, this.caller.drift),
    );
  }

  account(options: ReadOptions): Promise<ReadResult<BrokerAccount>> {
    const request = accountStatus.encodeRequest(this.traded);
    return this.caller.read(accountStatus, request, options, (json) =>
      accountStatus.decodeResponse(json, this.caller.drift),
    );
  }

  quotes(options: ReadOptions): Promise<ReadResult<readonly ContractQuote[]>> {
    return this.caller.read(derivatives, derivatives.encodeRequest(), options, (json) =>
      derivatives.decodeResponse(json, this.specOf, this.caller.drift),
    );
  }

  contracts(options: ReadOptions): Promise<ReadResult<readonly ListedContract[]>> {
    return this.caller.read(contractList, contractList.encodeRequest(), options, (json) =>
      contractList.decodeResponse(json, this.caller.drift),
    );
  }

  subAccounts(options: ReadOptions): Promise<ReadResult<readonly NamedSubAccount[]>> {
    const { name, method, pathOf } = profile;
    const operation = { name, method, path: pathOf(this.traded.accountId) };
    return this.caller.read(operation, profile.encodeRequest(), options, (json) =>
      profile.decodeResponse(json),
    );
  }
}

/** Orders that wait at the broker: place, change, cancel, and their book. */
class ConditionClient extends CallGroup implements ConditionCalls {
  place(order: ConditionToPlace, options: SendOptions): Promise<CallOutcome> {
    const spec = this.specOf(order.orderCode);
    if (spec === undefined) return noSpec(order.orderCode);
    const request = placeCondition.encodeRequest({ ...this.traded, ...order, spec });
    return this.caller.move(placeCondition, request, options, classifyCallReply);
  }

  change(change: ConditionToChange, options: SendOptions): Promise<CallOutcome> {
    const spec = this.specOf(change.orderCode);
    if (spec === undefined) return noSpec(change.orderCode);
    const { accountId } = this.traded;
    const request = changeCondition.encodeRequest({ accountId, ...change, spec });
    return this.caller.move(changeCondition, request, options, (reply, name, drift) =>
      classifyConditionReply(reply, name, change, drift),
    );
  }

  cancel(condition: ConditionRef, options: SendOptions): Promise<CallOutcome> {
    const request = cancelCondition.encodeRequest({ ...this.traded, ...condition });
    return this.caller.move(cancelCondition, request, options, (reply, name, drift) =>
      classifyConditionReply(reply, name, condition, drift),
    );
  }

  book(options: ReadOptions): Promise<BookScan<BrokerTriggerOrder>> {
    return this.scanBook<BrokerTriggerOrder>(
      conditionBook,
      (page) => conditionBook.encodeRequest({ ...this.traded, ...page }),
      (json) => conditionBook.decodeResponse(json, this.specOf, this.caller.drift),
      ({ orderKey }) => `condition ${orderKey}`,
      options,
    );
  }
}

/** Deposits, withdrawals, transfers: sent once, after everything else that waits. */
class MoneyClient extends CallGroup implements MoneyCalls {
  deposit(move: CashMove, { refuse }: MoneyOptions): Promise<CallReceipt> {
    const request = deposit.encodeRequest({ ...this.traded, ...move });
    return this.caller.move(deposit, request, { priority: 'rest', refuse }, classifyCashReply);
  }

  withdraw(move: CashMove, { refuse }: MoneyOptions): Promise<CallReceipt> {
    const request = withdraw.encodeRequest({ ...this.traded, ...move });
    return this.caller.move(withdraw, request, { priority: 'rest', refuse }, classifyCashReply);
  }

  transfer({ from, to, amount, note }: MoneyTransfer, { refuse }: MoneyOptions): Promise<CallReceipt> {
    const request = transfer.encodeRequest({ from, to, amount, description: note });
    return this.caller.move(transfer, request, { priority: 'rest', refuse }, (reply, _name, drift) =>
      classifyTransferReply(reply, drift),
    );
  }
}

/** Closed positions, and the stock side: shares, cash, loan packages, the cancel of stock orders. */
class AccountClient extends CallGroup implements AccountCalls {
  async closedPositions(symbol: string | null, options: ReadOptions): Promise<ReadResult<ClosedPositions>> {
    const caller = this.caller;
    let total: ClosedTotal | null = null;
    let kind: ReadFailureKind = 'unanswered';
    const scan = await scanPages<BrokerClosedPosition>(
      async (pageNo, pageSize) => {
        const request = closedPositions.encodeRequest({ ...this.traded, symbol, pageNo, pageSize });
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

  stockAssets(accountNo: string, options: ReadOptions): Promise<ReadResult<readonly StockHolding[]>> {
    return this.caller.read(at(stockAssets, accountNo), stockAssets.encodeRequest(), options, (json) =>
      stockAssets.decodeResponse(json, this.caller.drift),
    );
  }

  cashBalance(accountNo: string, options: ReadOptions): Promise<ReadResult<readonly CashBalance[]>> {
    return this.caller.read(at(cashBalance, accountNo), cashBalance.encodeRequest(), options, (json) =>
      cashBalance.decodeResponse(json, this.caller.drift),
    );
  }

  loanPackages(accountNo: string, options: ReadOptions): Promise<ReadResult<LoanPackages>> {
    return this.caller.read(at(loanPackages, accountNo), loanPackages.encodeRequest(), options, (json) =>
      loanPackages.decodeResponse(json, this.caller.drift),
    );
  }

  cancelStockOrders(
    accountNo: string,
    orderIds: readonly string[],
    { refuse }: MoneyOptions,
  ): Promise<CallReceipt> {
    return this.caller.move(
      at(cancelStockOrders, accountNo),
      cancelStockOrders.encodeRequest(orderIds),
      { priority: 'rest', refuse },
      (reply, _name, drift) => classifyStockCancelReply(reply, drift),
    );
  }
}

interface OfAccount {
  readonly name: string;
  readonly method: 'GET' | 'PUT';
  readonly pathOf: (accountNo: string) => string;
}

const at = ({ name, method, pathOf }: OfAccount, accountNo: string) => ({
  name,
  method,
  path: pathOf(accountNo),
});

/** An unknown contract has no price format, so its price cannot be written. */
const noSpec = (code: string): Promise<CallOutcome> =>
  Promise.resolve({ status: 'not_sent', reason: `no contract specification for ${code}` });
