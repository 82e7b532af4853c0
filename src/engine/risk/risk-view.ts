/**
 * The state that the risk guard and the session controller may read, read-only; the engine implements it. Each answer is about
 * the moment of the event being processed. The guard keeps no state: rates, rejections and ages are answered here, so that a
 * replay of recorded decisions leaves it with the right memory.
 */
import type { SessionPhase } from '../../domain/calendar.ts';
import type { BrokerAccount } from '../../domain/broker-order.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { Contract, PriceBand } from '../../domain/contract.ts';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import type { OrderIntent, OrderStatus, Side, Trigger, TriggerWhen } from '../../domain/order.ts';
import type { Position } from '../../domain/position.ts';
import type { BookTick } from '../../domain/ticks.ts';
import type {
  InstrumentIndex,
  Money,
  PriceTicks,
  Qty,
  Seq,
  SignedQty,
  StrategyIndex,
  TsUs,
} from '../../domain/units.ts';
import type { ApprovedModify, ApprovedOrder, Purpose } from '../ports/approved.ts';
import type { Denial } from '../ports/denial.ts';

/** One of our orders, or one adopted from the broker's book. The object is live: read it, do not keep it. */
export interface OrderView {
  readonly clientOrderId: ClientOrderId;
  /** `OPERATOR_INDEX` for an adopted one. */
  readonly strategy: StrategyIndex;
  readonly purpose: Purpose;
  readonly instrument: InstrumentIndex;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly status: OrderStatus;
  /** Null until the broker has given it. */
  readonly orderNo: BrokerOrderNo | null;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  readonly filledQty: Qty;
  /** `qty - filledQty`, zero when the order is final. */
  readonly leavesQty: Qty;
  /** Largest quantity that may still fill: while a change is open the larger of both; zero when the order is final. */
  readonly exposedQty: Qty;
  /** The price a change that is not confirmed asks for, or null: until then either may be resting. */
  readonly pendingPrice: PriceTicks | null;
  readonly isAdopted: boolean;
  /** A stop that the engine placed and manages (rulings, 14); absent is no. */
  readonly isProtective?: boolean;
  /** The order that sent or brought it; absent or null for none. */
  readonly parent?: ClientOrderId | null;
  /** The book's own flags, obeyed (rulings, 10); true until a row says otherwise. */
  readonly canCancel: boolean;
  readonly canModify: boolean;
  /** A cancel waits for the order number. */
  readonly cancelQueued: boolean;
  readonly createdUs: TsUs;
  /** When a change that enlarged it was sent, and its quantity as the account read before that knew it; absent for none. */
  readonly grownUs?: number;
  readonly grownFrom?: Qty;
  /** It stands in the trigger book: nothing of it rests at the exchange until it triggers; absent is no. */
  readonly isWaiting?: boolean;
  /** When the scan began that showed it waiting last; absent or -Infinity: none has. */
  readonly waitedUs?: number;
  /** It waited in the session before, and the trigger book has not shown it since; absent is no. */
  readonly isUnseen?: boolean;
  /** As it was placed; absent or null for none. */
  readonly trigger?: Trigger | null;
  /** Orders of one group exclude each other, as the halves of a bracket do; absent or null for an order of its own. */
  readonly group?: string | null;
  /** Names the order in the trigger book. */
  readonly orderKey?: BrokerOrderKey | null;
  /** Where it triggers, or a trailing stop begins to follow; null for what has no price to wait for. */
  readonly triggerPrice?: PriceTicks | null;
  readonly triggerWhen?: TriggerWhen | null;
  /** Trigger price as we asked for it: another one is a person's. */
  readonly placedTrigger?: PriceTicks | null;
  /** When it was last withdrawn because it is larger than the position it closes; absent or -Infinity: never. */
  readonly oversizedUs?: number;
}

/** How often the broker refused this very request lately. */
export interface RejectionRecord {
  readonly count: number;
  readonly text: string;
  readonly lastUs: TsUs;
}

export interface RiskView {
  nowUs(): TsUs;
  /** Sequence number of the event being processed: the `cause` of what is decided now. */
  seq(): Seq;
  tradingDay(): TradingDay;
  phase(): SessionPhase;

  contract(instrument: InstrumentIndex): Contract | undefined;
  contracts(): readonly Contract[];
  /** The broker no longer lists it. */
  isEnded(instrument: InstrumentIndex): boolean;
  /** Undefined until the day's reference prices were read. */
  band(instrument: InstrumentIndex): PriceBand | undefined;
  /** Price of the last trade since the start; undefined when there was none. */
  tradedPrice(instrument: InstrumentIndex): PriceTicks | undefined;
  lastBook(instrument: InstrumentIndex): BookTick | undefined;
  /** A disconnect emptied the book, and a side of it has not come back. */
  isBookAwaited(instrument: InstrumentIndex): boolean;
  /** Microseconds since the last market event of the contract; Infinity when there was none. */
  dataAgeUs(instrument: InstrumentIndex): number;
  isStreamLive(): boolean;
  /** The reference prices were read since the stream last came up (rulings, 20). */
  isReferenceFresh(): boolean;

  order(id: ClientOrderId): OrderView | undefined;
  /** All orders that are not final, oldest first: ours and adopted ones, with `unknown` and `presumed_absent`. */
  openOrders(): readonly OrderView[];
  /** Contracts of exits that brackets of this owner, or null for all, have earned by fills and no book has shown yet. */
  owedExitQty(strategy: StrategyIndex | null, instrument: InstrumentIndex, side: Side): number;
  /** Those of them that are not missing yet: they close the position of their owner like any exit. */
  awaitedExitQty(strategy: StrategyIndex, instrument: InstrumentIndex, side: Side): number;
  /** Contracts that orders of the day before may have traded unseen: positions have not agreed since their end. */
  unseenExitQty(strategy: StrategyIndex, instrument: InstrumentIndex, side: Side): number;

  /** The strategy's own position; `OPERATOR_INDEX` holds what was adopted. */
  position(strategy: StrategyIndex, instrument: InstrumentIndex): Position;
  /** Net quantity over all strategies and the operator. */
  accountQty(instrument: InstrumentIndex): SignedQty;
  /** Contracts of all owners whose position is on this side, zero or more: opposite positions are not set off. */
  grossQty(instrument: InstrumentIndex, side: Side): number;
  /** Contracts that strategies hold and a person has closed by orders of this side: the operator holds the opposite. */
  closedByHand(instrument: InstrumentIndex, side: Side): number;
  /** The broker's own figure in the last position read; undefined when there was none. Zero when it lists no position. */
  brokerQty(instrument: InstrumentIndex): SignedQty | undefined;
  /** When the last position read began; -Infinity when there was none since the start. */
  positionsReadUs(): number;
  /** When the last complete scan of the in-day book began; -Infinity when there was none since the start. */
  bookReadUs(): number;
  /** When the last complete scan of the trigger book began; -Infinity when there was none since the start. */
  triggersReadUs(): number;
  /** Why positions do not count as proven (not compared since the start, mismatch, an unproven order), or null. */
  unproven(): string | null;

  account(): BrokerAccount | undefined;
  /** When the last account read began; -Infinity when there was none since the start. */
  accountReadUs(): number;
  /** Calls that were sent before are in the account's figures, answered or not; null where the account is read. */
  arrivedUs(): number | null;

  /**
   * Loss of the day as the limits count it (rulings, 37): of realised and open profit and costs, from what a person accepted when
   * he resumed; below zero is a gain.
   */
  lossOf(strategy: StrategyIndex): Money;
  accountLoss(): Money;
  /** No less than `accountLoss`, without adding up what many contracts have lost. */
  accountLossAtMost(): number;

  /** The daemon is stopping: only calls of the system are still sent. */
  isStopping(): boolean;
  /** Why entries are halted (operator, loss limit, journal failure), or null. Ends only by `resume`. */
  halted(): string | null;
  /** When the last halt of the account ended: Infinity while one holds, -Infinity where there was none. */
  haltedUntilUs(): number;
  /** Why the entries of this strategy alone are halted (its daily loss), or null. Ends only by `resume`. */
  strategyHalted(strategy: StrategyIndex): string | null;
  isStopped(strategy: StrategyIndex): boolean;
  /** The session controller is flattening the strategy, which enters nothing meanwhile. */
  isFlattening(strategy: StrategyIndex): boolean;
  /** Places and modifies sent within the last `spanUs`. */
  sentWithin(spanUs: number): number;
  /** Rejections of an identical request (strategy, contract, side, quantity, price), in a row. */
  rejections(strategy: StrategyIndex, intent: OrderIntent): RejectionRecord | undefined;
  /** Our clock minus the broker's, as last measured; 0 when it was not. */
  clockSkewUs(): number;
  /** Wall clock minus market time after the wall clock was set; 0 while they agree. */
  clockStepUs(): number;
}

/** 'exit' comes from the system, 'reduce' from a reduce-only order: both may only shrink the position that was read. */
export type PurposeHint = 'any' | 'reduce' | 'exit';

export type SubmitVerdict = { readonly ok: true; readonly order: ApprovedOrder } | Refusal;
export type ModifyVerdict = { readonly ok: true; readonly modify: ApprovedModify } | Refusal;

export interface Refusal {
  readonly ok: false;
  readonly denial: Denial;
  /**
   * True when the intent would be a reduction, and pass, if positions had been read less than 5 s ago (rulings, 36). The
   * engine then reads them and asks once more instead of refusing an exit for a stale read.
   */
  readonly readFirst: boolean;
}
