/** What the REST client can do, in the trade's words: one method an operation. */
import type { BrokerAccount, BrokerPosition, CallOutcome, ContractQuote } from '../../domain/broker-order.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { BrokerOrderNo, ClientOrderId } from '../../domain/ids.ts';
import type { ModifyToSend, OrderToSend } from '../../engine/ports/approved.ts';
import type { InDayWalk } from './in-day-walk.ts';
import type { Priority } from './rate-limiter.ts';
import type { ReadResult } from './read-result.ts';

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
  /** Null for a cancel that belongs to nobody's memory (kill path). */
  readonly callId: ClientOrderId | null;
}

/** One entry of the contract list; the code is the stream's. */
export interface ListedContract {
  readonly code: string;
  readonly expiry: TradingDay | null;
}

/** Never tried twice: each call ends in exactly one outcome. */
export interface OrderCalls {
  place(order: OrderToSend, options: SendOptions): Promise<CallOutcome>;
  change(modify: ModifyToSend, options: SendOptions): Promise<CallOutcome>;
  cancel(request: CancelRequest, options: SendOptions): Promise<CallOutcome>;
}

/** Tried again a few times when that can help. */
export interface ReadCalls {
  inDayBook(options: ReadOptions): Promise<InDayWalk>;
  positions(options: ReadOptions): Promise<ReadResult<readonly BrokerPosition[]>>;
  account(options: ReadOptions): Promise<ReadResult<BrokerAccount>>;
  quotes(options: ReadOptions): Promise<ReadResult<readonly ContractQuote[]>>;
  contracts(options: ReadOptions): Promise<ReadResult<readonly ListedContract[]>>;
}
