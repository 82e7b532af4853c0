/** Inputs of the engine. Number and time of receipt are inputs too, so that the same events always give the same decisions. */
import type {
  BrokerAccount,
  BrokerClosedPosition,
  BrokerOrder,
  BrokerPosition,
  BrokerTriggerOrder,
  CallOutcome,
} from '../../domain/broker-order.ts';
import type { CalendarCoverage } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { Contract, PriceBand } from '../../domain/contract.ts';
import { errorText, isDiskFull } from '../../domain/failure.ts';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import type { FillQuality, OrderStatus, Trigger } from '../../domain/order.ts';
import type { StrategySettings } from '../../domain/settings.ts';
import type { BookLevel, DaySummary, HalfLevel, TradeTick } from '../../domain/ticks.ts';
import type {
  DurationUs,
  InstrumentIndex,
  Money,
  PriceTicks,
  Qty,
  Seq,
  SignedQty,
  StrategyIndex,
  TsUs,
} from '../../domain/units.ts';
import type { CancelToSend, ModifyToSend, OrderToSend } from './approved.ts';

export interface EventHead {
  readonly seq: Seq;
  readonly tsUs: TsUs;
}

/** One side of the book, partial: undefined keeps a level, null empties it (rulings, 21). Best level first. */
export interface BookUpdate extends EventHead {
  readonly kind: 'book_update';
  readonly instrument: InstrumentIndex;
  readonly side: 'bid' | 'ask';
  readonly levels: readonly (BookLevel | null | undefined)[];
  /** Levels that came with only their price or only their quantity; null or absent when there are none. */
  readonly halves?: readonly HalfLevel[] | null;
}

export type MarketEvent = TradeTick | BookUpdate | DaySummary;

/** The price stream is authenticated and subscribed (`live`), or is not (`down`), or is and brings no prices (`stale`). */
export interface StreamChanged extends EventHead {
  readonly kind: 'stream';
  readonly state: 'live' | 'stale' | 'down';
  readonly reason: string;
}

/** The session's contract table; sent before anything that names an index, and again when the list changes. */
export interface ContractsListed extends EventHead {
  readonly kind: 'contracts';
  readonly contracts: readonly Contract[];
  /** Codes of those that the broker lists now; absent: all. */
  readonly listed?: readonly OrderCode[];
}

export interface ReferenceRow extends PriceBand {
  readonly instrument: InstrumentIndex;
  readonly lastPrice: PriceTicks | null;
}

/** Ceiling, floor and reference by REST; entries wait for it after every (re)connect. */
export interface ReferencePrices extends EventHead {
  readonly kind: 'reference';
  readonly rows: readonly ReferenceRow[];
}

/** One scan of the broker's orders: of those at the exchange, or of those that wait for a trigger. */
export type OrderListSnapshot = EventHead & {
  readonly kind: 'book_snapshot';
  readonly startedUs: TsUs;
  /** Only a complete scan is evidence (rulings, 9). */
  readonly complete: boolean;
} & BookRows;

export type BookRows =
  | { readonly list: 'orders'; readonly orders: readonly BrokerOrder[] }
  /** Waiting orders, and those that have ended. */
  | { readonly list: 'triggers'; readonly orders: readonly BrokerTriggerOrder[] };

export interface PositionSnapshot extends EventHead {
  readonly kind: 'position_snapshot';
  readonly startedUs: TsUs;
  readonly positions: readonly BrokerPosition[];
}

export interface AccountSnapshot extends EventHead {
  readonly kind: 'account_snapshot';
  readonly startedUs: TsUs;
  readonly account: BrokerAccount;
}

/** Positions that were closed today, also by the end of their contract. */
export interface ClosedSnapshot extends EventHead {
  readonly kind: 'closed_snapshot';
  readonly startedUs: TsUs;
  readonly positions: readonly BrokerClosedPosition[];
}

export type ReadKind = 'book' | 'triggers' | 'positions' | 'account' | 'reference' | 'contracts' | 'closed';

/** A read failed and brought no news. */
export interface ReadFailed extends EventHead {
  readonly kind: 'read_failed';
  readonly what: ReadKind;
  readonly reason: string;
}

/** The outcome of one call to the broker. `callId` is the `refId` it carried. */
export interface CallAnswer {
  readonly call: 'place' | 'modify' | 'cancel';
  readonly callId: ClientOrderId;
  readonly clientOrderId: ClientOrderId;
  readonly outcome: CallOutcome;
}

/** Rows of the in-day book that changed, and the account after it; null where the account is read on request. */
export interface OrderNews {
  readonly startedUs: TsUs;
  readonly rows: readonly BrokerOrder[];
  readonly account: BrokerAccount | null;
}

/** The broker reports on orders: the answer to a call, the rows that changed, or both. */
export interface ExecutionReport extends EventHead {
  readonly kind: 'execution_report';
  readonly answer: CallAnswer | null;
  readonly news: OrderNews | null;
}

export type ReportEvent =
  | ContractsListed
  | ReferencePrices
  | OrderListSnapshot
  | PositionSnapshot
  | AccountSnapshot
  | ClosedSnapshot
  | ReadFailed
  | ExecutionReport;

/** Code of the alert with which the engine turned entries off; absent for a command or a failure of the process. */
export type HaltCode =
  | 'drawdown'
  | 'entries_halted'
  | 'halted'
  | 'journal_failed'
  | 'message_rate'
  | 'money_mismatch'
  | 'rejections'
  | 'second_daemon';

/** Why entries are off; `code` of what an engine found. */
export interface HaltReason {
  readonly reason: string;
  readonly code?: HaltCode | undefined;
}

/** Commands of a person, of the schedule or of the process. */
export type Command =
  /** For the account, or for one strategy. */
  | ({ readonly name: 'halt'; readonly strategy?: StrategyIndex | null } & HaltReason)
  /** Ends the halt of the account, or of one strategy; absent: all of them. */
  | { readonly name: 'resume'; readonly strategy?: StrategyIndex | null; readonly reason: string }
  | { readonly name: 'cancel_all'; readonly reason: string }
  | { readonly name: 'cancel_order'; readonly clientOrderId: ClientOrderId; readonly reason: string }
  | {
      readonly name: 'flatten';
      readonly strategy: StrategyIndex | null;
      readonly reason: string;
      /** A person wants one order sent into an auction, where it can be neither changed nor canceled; absent is no. */
      readonly inAuction?: boolean;
    }
  | { readonly name: 'stop_strategy'; readonly strategy: StrategyIndex; readonly reason: string }
  /** Clears the stop, so that the next list of strategies starts the strategy. */
  | { readonly name: 'start_strategy'; readonly strategy: StrategyIndex; readonly reason: string }
  | {
      readonly name: 'resolve_order';
      readonly clientOrderId: ClientOrderId;
      readonly as: 'absent' | 'live';
      readonly reason: string;
    }
  /** The list of strategies that follows is a person's change. */
  | { readonly name: 'reload'; readonly reason: string }
  | { readonly name: 'rollover'; readonly reason: string }
  | { readonly name: 'stop'; readonly reason: string };

/** True for a command that turns the entries of the account off or on. */
export const isOfAccount = (command: Command): boolean =>
  (command.name === 'halt' || command.name === 'resume') && typeof command.strategy !== 'number';

export interface CommandReceived extends EventHead {
  readonly kind: 'command';
  readonly by: 'operator' | 'schedule' | 'process';
  readonly command: Command;
}

/** A position that a strategy held when the last session ended. */
export interface CarriedPosition {
  readonly strategy: StrategyIndex;
  readonly instrument: InstrumentIndex;
  readonly qty: SignedQty;
  readonly openValue: Money;
}

/** An order that the last session left: at the exchange, in the trigger book, or one whose place had no answer. */
export interface CarriedOrder extends Pick<
  OrderToSend,
  'clientOrderId' | 'strategy' | 'purpose' | 'instrument' | 'side' | 'qty' | 'limitPrice'
> {
  /** The order it was brought or sent by, or null: the halves of a bracket have one. */
  readonly parent: ClientOrderId | null;
  /** Placed by the engine to protect a position. */
  readonly isProtective: boolean;
  /** Null where the trigger book has shown its row. */
  readonly trigger: Trigger | null;
  /** Null when no answer and no row named it. */
  readonly orderNo: BrokerOrderNo | null;
  readonly orderKey: BrokerOrderKey | null;
  readonly status: OrderStatus;
  readonly filledQty: Qty;
  readonly filledValue: Money;
  readonly fillQuality: FillQuality;
  readonly fee: Money;
  readonly tax: Money;
  /** As the trigger book showed it last; absent where it has not. */
  readonly row?: BrokerTriggerOrder;
  /** Trigger price of a protective stop as placed; a person may have moved it since. */
  readonly placedTrigger?: PriceTicks;
  /** For a bracket: the trigger book has not shown exits for all its fills. */
  readonly owesExits?: boolean;
  /** An entry whose cancel was asked for, and that has not ended. */
  readonly isWithdrawn?: boolean;
}

/** An order of ours in the trigger book, with the fields that the book does not show. */
export type WaitingOrder = Pick<
  CarriedOrder,
  'clientOrderId' | 'parent' | 'purpose' | 'isProtective' | 'placedTrigger' | 'instrument'
> & { readonly row: BrokerTriggerOrder };

/** The engine started, in a new process or not; `boot` counts starts for ever, so that ids made from it are never reused. */
export interface Booted extends EventHead, Partial<UnjournaledCalls> {
  readonly kind: 'booted';
  readonly boot: number;
  /** Last six digits of the custody account: part of every `refId`. */
  readonly accountTail: string;
  /** Installation (6) and a random part of this start (4), hexadecimal: part of every `refId` where there is one. */
  readonly stamp?: string;
}

/** Calls that an earlier process sent when the journal could not be written. */
export interface UnjournaledCalls {
  /** No journal row names the owner of these orders. */
  readonly owners: readonly OrderOwner[];
  /** Oldest first. */
  readonly changes: readonly ModifyToSend[];
  readonly cancels: readonly CancelToSend[];
}

export interface OrderOwner {
  readonly clientOrderId: ClientOrderId;
  readonly strategy: StrategyIndex;
  /** The call, where this session sent it. */
  readonly order?: OrderToSend;
}

/** How many ids one start of the engine has minted. */
export interface MintedIds {
  /** The part of its ids before the counter. */
  readonly start: string;
  readonly count: number;
}

/** A trading day begins, with positions, orders and halts carried over from the last one. */
export interface SessionStarted extends EventHead {
  readonly kind: 'session_started';
  readonly tradingDay: TradingDay;
  /** The last day that an engine processed; absent without one: the broker's positions are then taken over. */
  readonly follows?: TradingDay;
  /** The day had begun before, and the session that it follows has run since. */
  readonly isRestarted?: boolean;
  /** By owner, what the day had realised before it restarted, after costs. */
  readonly earned?: readonly { readonly strategy: StrategyIndex; readonly net: Money }[];
  /** Trading never stops: orders at the exchange may outlive the day. */
  readonly isEndless?: boolean;
  readonly carriedOver: readonly CarriedPosition[];
  /** Waiting orders come first. */
  readonly carriedOrders?: readonly CarriedOrder[];
  /** By starts of sessions before: another reference of our form is that of a second daemon. */
  readonly minted?: readonly MintedIds[];
  /** Entries are halted by an earlier loss or fault until a person resumes. */
  readonly halted: HaltReason | null;
  /** Owners of positions that were to be closed, and why: the day ended before they were. */
  readonly unclosed?: readonly { readonly strategy: StrategyIndex; readonly reason: string }[];
  /** Strategies that the operator stopped: they stay so until `start_strategy`. */
  readonly stoppedStrategies?: readonly { readonly strategy: StrategyIndex; readonly reason: string }[];
  /** The last `equity_peak` entry; absent without one. */
  readonly equityPeak?: Money;
  /** The account's loss limit that was reached while entries were off for another reason. */
  readonly lossReached?: string;
  /** Halts of single strategies by their own loss: the last `halt` entry of each. */
  readonly haltedStrategies?: readonly { readonly strategy: StrategyIndex; readonly reason: string }[];
}

/** A strategy as configured, with digests of the inputs of its decisions. */
export interface ConfiguredStrategy {
  readonly settings: StrategySettings;
  readonly definition: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Digest of definition, parameters and symbols. */
  readonly paramsDigest: string;
  /** Digest of the files with its code. */
  readonly codeDigest: string;
  /** Counts how often a person started it again after a stop. */
  readonly run: number;
}

/**
 * The strategies from here on: with each start, and when they change. A strategy whose digests or run differ from the list before has
 * a new version; one that is left out keeps positions and orders under its name, without code.
 */
export interface StrategiesConfigured extends EventHead {
  readonly kind: 'strategies';
  readonly strategies: readonly ConfiguredStrategy[];
}

/** The days that the calendar knows: as a session begins, with each start, and where a newer file replaces them. */
export type CalendarKnown = EventHead & { readonly kind: 'calendar' } & CalendarCoverage;

/** A row could not be made durable: entries freeze (rulings, 30). */
export interface JournalFailed extends EventHead {
  readonly kind: 'journal_failed';
  readonly reason: string;
  /** The disk is full: `policies.diskFull` applies, not `policies.journalFailure`. */
  readonly isDiskFull?: true;
}

/** Of a write that failed; `what` begins the reason. */
export const journalFailed = (error: unknown, what = ''): UnnumberedInput<JournalFailed> => ({
  kind: 'journal_failed',
  reason: what + errorText(error),
  ...(isDiskFull(error) ? { isDiskFull: true } : {}),
});

export interface ClockSkew extends EventHead {
  readonly kind: 'clock_skew';
  readonly skewUs: number;
  readonly roundTrip: DurationUs;
}

/** The wall clock was set while the process ran: market time goes on, `stepUs` behind it (above zero) or ahead. Zero: both agree again. */
export interface ClockStep extends EventHead {
  readonly kind: 'clock_step';
  readonly stepUs: number;
}

/** The broker's token came or went: without one no call is answered. */
export interface TokenChanged extends EventHead {
  readonly kind: 'token';
  readonly isValid: boolean;
}

/** Time passed: a timer is due, or a phase boundary was reached. */
export interface ClockTick extends EventHead {
  readonly kind: 'clock';
}

export type EngineEvent =
  | MarketEvent
  | StreamChanged
  | ReportEvent
  | CommandReceived
  | Booted
  | SessionStarted
  | StrategiesConfigured
  | CalendarKnown
  | JournalFailed
  | ClockSkew
  | ClockStep
  | TokenChanged
  | ClockTick;

/** An event before it has sequence number and time: the composition root gives it both. */
export type UnnumberedInput<E> = E extends EngineEvent ? Omit<E, 'seq' | 'tsUs'> : never;

/** The edges post their inputs here. */
export interface InputSink {
  post(event: UnnumberedInput<EngineEvent>): void;
}
