/**
 * The calls of the REST client, in the trade's words: one method an operation. Prices are ticks, quantities contracts, money
 * whole VND. Reads are tried again a few times where that can help; calls that move orders or money are sent once, and end as
 * accepted, rejected, not sent or unknown (rulings, 7): an unknown one is looked up, never sent again.
 */
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
import type { TradingDay } from '../../domain/civil-date.ts';
import type { ContractSpec } from '../../domain/contract.ts';
import type {
  AccountId,
  BrokerOrderKey,
  BrokerOrderNo,
  ClientOrderId,
  OrderCode,
  SubAccountId,
} from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { Money, PriceTicks, Qty } from '../../domain/units.ts';
import type { ModifyToSend, OrderToSend } from '../../engine/ports/approved.ts';
import type { ConditionTrigger } from '../../wire/rest/condition-calls.ts';
import type { OrderTerms } from '../../wire/rest/order-calls.ts';
import type { Priority } from './rate-limiter.ts';

/** `onStart` runs when the first byte of the (last) try is about to leave: from then on the answer may show it. */
export interface ReadOptions {
  readonly priority: Exclude<Priority, 'exit' | 'entry'>;
  readonly onStart?: () => void;
}

export interface SendOptions {
  readonly priority: 'exit' | 'entry';
  /** The last look before the first byte: a text refuses, and the outcome is `not_sent`. */
  readonly refuse: () => string | null;
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
  readonly terms?: OrderTerms;
};

/** New total quantity and price; one of them repeats the old value (rulings, 10). */
export type ChangeRequest = Pick<ModifyToSend, 'callId' | 'orderNo' | 'orderCode' | 'qty' | 'limitPrice'>;

/** All pages of a book, put together. */
export interface BookScan<Order> {
  /** Whether it is evidence (rulings, 9). */
  readonly complete: boolean;
  readonly orders: readonly Order[];
  /** Reason why it is not complete; empty when it is. */
  readonly reason: string;
}

/** One entry of the contract list; the code is the stream's. */
export interface ListedContract {
  readonly code: string;
  readonly expiry: TradingDay | null;
}

/** Normal orders (contract, 4.3). Each call ends in exactly one outcome. */
export interface OrderCalls {
  /** A limit order; accepted means received, and the book shows the rest. */
  place(order: PlaceRequest, options: SendOptions): Promise<CallOutcome>;
  /** Price or total quantity of an order that works. */
  change(modify: ChangeRequest, options: SendOptions): Promise<CallOutcome>;
  /** Accepted means asked for: the order may still fill first. */
  cancel(request: CancelRequest, options: SendOptions): Promise<CallOutcome>;
}

/** Reads that trading needs. */
export interface ReadCalls {
  /** Every normal order of today, page by page (contract, 4.3). */
  inDayBook(options: ReadOptions): Promise<BookScan<BrokerOrder>>;
  /** Open positions (contract, 2.6 and 4.2). */
  positions(options: ReadOptions): Promise<ReadResult<readonly BrokerPosition[]>>;
  /** Money and margin of the derivative account (contract, 2.2 and 4.2). */
  account(options: ReadOptions): Promise<ReadResult<BrokerAccount>>;
  /** Ceiling, floor, reference and last price of each contract (contract, 2.5 and 4.4). */
  quotes(options: ReadOptions): Promise<ReadResult<readonly ContractQuote[]>>;
  /** The stream's codes (contract, 4.4). */
  contracts(options: ReadOptions): Promise<ReadResult<readonly ListedContract[]>>;
}

export interface ConditionToPlace {
  /** Sent as `refId`; the book does not show it. */
  readonly callId: ClientOrderId;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly qty: Qty;
  /** Limit of the order it sends. */
  readonly limitPrice: PriceTicks;
  readonly trigger: ConditionTrigger;
}

/** A conditional order that stands in the book; the broker identifies it by its key. */
export interface ConditionRef {
  readonly orderNo: BrokerOrderNo;
  readonly orderKey: BrokerOrderKey;
}

export interface ConditionToChange extends ConditionRef {
  readonly callId: ClientOrderId;
  readonly orderCode: OrderCode;
  /** Of a trailing stop: its activation price. Quantity and limit cannot be changed (rulings, 13). */
  readonly triggerPrice: PriceTicks;
}

/** Stops and trailing stops that wait at the broker (contract, 2.4 and 4.3). */
export interface ConditionCalls {
  place(order: ConditionToPlace, options: SendOptions): Promise<CallOutcome>;
  /** Moves the trigger alone. */
  change(change: ConditionToChange, options: SendOptions): Promise<CallOutcome>;
  /** Accepted is not yet canceled: the book shows when it is. */
  cancel(condition: ConditionRef, options: SendOptions): Promise<CallOutcome>;
  /** Every conditional order, page by page: stops, halves of brackets, arbitrage. */
  book(options: ReadOptions): Promise<BookScan<BrokerTriggerOrder>>;
}

export interface CashMove {
  /** Whole VND, above zero. */
  readonly amount: Money;
  /** For the statement; may be empty. */
  readonly note: string;
}

export interface MoneyTransfer extends CashMove {
  readonly from: string;
  readonly to: string;
}

export interface MoneyOptions {
  /** The last look before the first byte: a text refuses, and the outcome is `not_sent`. */
  readonly refuse: () => string | null;
}

/**
 * Moves of money (contract, 2.10 and 4.5). They carry no id of ours, so nothing can prove later that one arrived: the
 * caller journals each before it is sent, and an unknown one is for the operator (rulings, 7).
 */
export interface MoneyCalls {
  /** Margin into the derivative account. */
  deposit(move: CashMove, options: MoneyOptions): Promise<CallReceipt>;
  /** Margin out of the derivative account. */
  withdraw(move: CashMove, options: MoneyOptions): Promise<CallReceipt>;
  /** Money from one sub-account to another. */
  transfer(transfer: MoneyTransfer, options: MoneyOptions): Promise<CallReceipt>;
}

export interface ClosedPositions {
  /** The broker's own sums; null when it gave none. */
  readonly total: ClosedTotal | null;
  readonly positions: readonly BrokerClosedPosition[];
}

/** Reads of the account that trading does not need, and the stock side (contract, 2.7 to 2.9, 4.2 and 4.6). */
export interface AccountCalls {
  /** Contracts closed today; `symbol` null for all contracts. All pages, or a failure. */
  closedPositions(symbol: string | null, options: ReadOptions): Promise<ReadResult<ClosedPositions>>;
  /** Shares of a normal or margin sub-account. */
  stockAssets(accountNo: string, options: ReadOptions): Promise<ReadResult<readonly StockHolding[]>>;
  /** Cash of a sub-account. */
  cashBalance(accountNo: string, options: ReadOptions): Promise<ReadResult<readonly CashBalance[]>>;
  /** Supplementary loan packages of a margin account. */
  loanPackages(accountNo: string, options: ReadOptions): Promise<ReadResult<LoanPackages>>;
  /** Cancels normal stock orders by their ids. Sent once; accepted is the answer to all of them together. */
  cancelStockOrders(
    accountNo: string,
    orderIds: readonly string[],
    options: MoneyOptions,
  ): Promise<CallReceipt>;
}

/** The value of a read, or the reason why there is none. A failure adds no knowledge. */
export type ReadResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly kind: ReadFailureKind; readonly reason: string };

/**
 * `no_token`: nothing was asked. `unanswered`: lost, too late, or an answer without sense; asking again may help.
 * `token_refused`: 401 or 403. `too_many`: 429. `refused`: the broker understood and refused.
 */
export type ReadFailureKind =
  | 'no_token'
  | 'unanswered'
  | 'token_refused'
  | 'too_many'
  | 'refused'
  | 'queue_full';

/** The derivative account that orders and margin belong to. */
export interface TradedAccount {
  readonly accountId: AccountId;
  readonly subAccountId: SubAccountId;
}

/** Undefined for a code that is not traded here. */
export type SpecOf = (code: string) => ContractSpec | undefined;
