/** Every fact the daemon decides or learns. Log, alerts and the report of the day are made from these entries of the journal. */
import type { BrokerOrder, BrokerPosition, CallOutcome } from '../../domain/broker-order.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { BrokerOrderNo, ClientOrderId } from '../../domain/ids.ts';
import type { FillQuality, ModifyIntent, OrderIntent, OrderStatus, Side } from '../../domain/order.ts';
import type { Failure, FailurePolicy } from '../../domain/settings.ts';
import {
  type InstrumentIndex,
  type Money,
  type Qty,
  seq,
  type Seq,
  type SignedQty,
  type StrategyIndex,
  type TsUs,
} from '../../domain/units.ts';
import type { CancelToSend, ModifyToSend, OrderToSend } from './approved.ts';
import type { Denial } from './denial.ts';
import type { Command, ConfiguredStrategy, HaltReason, WaitingOrder } from './engine-event.ts';

/** `cause` is the event that led to the fact; `strategy` is null for facts without one. */
export interface EntryHead {
  readonly cause: Seq;
  readonly tsUs: TsUs;
  readonly strategy: StrategyIndex | null;
}

/** Cause of entries of the main thread: the number of a real event would make that event look decided after a kill. */
export const NO_EVENT = seq(0);

/** A call as it was asked for, before risk checks it. A replay must produce the same ones (rulings, 31). */
export type Proposal =
  | { readonly do: 'submit'; readonly clientOrderId: ClientOrderId; readonly intent: OrderIntent }
  | { readonly do: 'modify'; readonly callId: ClientOrderId; readonly change: ModifyIntent }
  | {
      readonly do: 'cancel';
      readonly callId: ClientOrderId;
      readonly clientOrderId: ClientOrderId;
      /** By the engine, which repeats it until the order is over; absent is no. */
      readonly isWithdrawal?: true;
    };

/** `strategy`: a strategy asked; `system`: the engine did on its behalf (flatten, cancel before an auction, stop). */
export type ProposalSource = 'strategy' | 'system';

/** The base of a strategy's decisions: digests of its parameters and of its code, and how often a person started it again. */
export interface StrategyVersion {
  readonly params: string;
  readonly code: string;
  readonly run: number;
}

export const versionOf = ({ paramsDigest, codeDigest, run }: ConfiguredStrategy): StrategyVersion => ({
  params: paramsDigest,
  code: codeDigest,
  run,
});

export const isSameVersion = (a: StrategyVersion, b: StrategyVersion): boolean =>
  a.params === b.params && a.code === b.code && a.run === b.run;

/** One figure of the trading day, as our books and the broker's account have it. */
export interface MoneyFigure {
  readonly what: 'fee' | 'tax' | 'profit' | 'cash';
  readonly ours: Money;
  readonly broker: Money;
}

/** Money of a fill, as a step: the difference of the order's cumulative figures, fee and tax too. */
interface FilledMoney {
  readonly clientOrderId: ClientOrderId;
  readonly orderNo: BrokerOrderNo;
  readonly instrument: InstrumentIndex;
  readonly side: Side;
  readonly value: Money;
  readonly tax: Money;
  readonly cumValue: Money;
  readonly quality: FillQuality;
}

export type AlertSeverity = 'info' | 'warning' | 'critical';

export type JournalEntry = EntryHead &
  (
    | {
        readonly kind: 'proposal';
        readonly by: ProposalSource;
        readonly proposal: Proposal;
      }
    /** `clientOrderId` is the order's for a place and the call's for a modify. */
    | { readonly kind: 'denied'; readonly clientOrderId: ClientOrderId; readonly denial: Denial }
    /** `isLost`: decided just before a kill, written only after it. It never left. */
    | { readonly kind: 'place'; readonly order: OrderToSend; readonly isLost: boolean }
    | { readonly kind: 'modify'; readonly modify: ModifyToSend; readonly isLost: boolean }
    | { readonly kind: 'cancel'; readonly cancel: CancelToSend; readonly isLost: boolean }
    | {
        readonly kind: 'outcome';
        readonly clientOrderId: ClientOrderId;
        readonly call: 'place' | 'modify' | 'cancel';
        readonly outcome: CallOutcome;
      }
    | {
        readonly kind: 'order_status';
        readonly clientOrderId: ClientOrderId;
        readonly orderNo: BrokerOrderNo | null;
        readonly from: OrderStatus;
        readonly to: OrderStatus;
        readonly event: string;
        readonly detail: string;
      }
    | ({ readonly kind: 'fill'; readonly qty: Qty; readonly cumQty: Qty; readonly fee: Money } & FilledMoney)
    /** A better figure for money that was an average or an estimate (rulings, 2). */
    | ({ readonly kind: 'fill_correction' } & FilledMoney)
    | {
        readonly kind: 'position_event';
        readonly event: 'adopted' | 'settled' | 'forced_close' | 'carried_over';
        readonly instrument: InstrumentIndex;
        readonly qty: SignedQty;
        readonly value: Money;
      }
    | {
        readonly kind: 'order_adopted';
        readonly clientOrderId: ClientOrderId;
        readonly order: BrokerOrder;
        /** The trigger order that sent it, whose strategy owns it; absent for foreign orders. */
        readonly parent?: ClientOrderId;
      }
    /** An order of ours has its row in the trigger book: it may outlive the day, and the next session finds its owner here. */
    | ({ readonly kind: 'order_waiting' } & WaitingOrder)
    | {
        readonly kind: 'position_mismatch';
        readonly broker: readonly BrokerPosition[];
        readonly ours: readonly { readonly orderCode: string; readonly qty: SignedQty }[];
      }
    | { readonly kind: 'position_agreed' }
    /**
     * `moved`: by a transfer or a settlement; `accepted`: a person resumed. Both list the differences alone; those of fee and tax are
     * costs of the operator.
     */
    | {
        readonly kind: 'money_checked';
        readonly verdict: 'agreed' | 'moved' | 'differs' | 'accepted';
        readonly figures: readonly MoneyFigure[];
      }
    | { readonly kind: 'phase'; readonly tradingDay: TradingDay; readonly phase: SessionPhase }
    | { readonly kind: 'gap'; readonly instrument: InstrumentIndex; readonly missed: number }
    | { readonly kind: 'command'; readonly by: string; readonly command: Command }
    /** Requested by a remote person; passwords and codes are left out. */
    | {
        readonly kind: 'remote_command';
        readonly by: string;
        readonly text: string;
        readonly outcome: string;
      }
    | ({ readonly kind: 'halt'; readonly halted: boolean } & HaltReason)
    | { readonly kind: 'strategy_started' }
    /** Another version of a strategy decides from here on; null: none before. */
    | {
        readonly kind: 'strategy_changed';
        readonly from: StrategyVersion | null;
        readonly to: StrategyVersion;
        /** Contracts and orders that it goes on with. */
        readonly heldQty: SignedQty;
        readonly openOrders: number;
      }
    /** `isLasting`: by the operator, and over sessions until `start_strategy`; absent is no. */
    | { readonly kind: 'strategy_stopped'; readonly reason: string; readonly isLasting?: true }
    | { readonly kind: 'strategy_fault'; readonly message: string; readonly where: string }
    | { readonly kind: 'strategy_note'; readonly text: string }
    | { readonly kind: 'stop_ready'; readonly reason: string }
    /** A failure was answered; a replay answers it the same way, whatever the settings say by then. `instrument`: null for all. */
    | {
        readonly kind: 'policy_acted';
        readonly failure: Failure;
        readonly policy: FailurePolicy;
        readonly instrument: InstrumentIndex | null;
        readonly text: string;
      }
    /** Highest net asset value that a drawdown is measured from: the next session begins with it. */
    | { readonly kind: 'equity_peak'; readonly value: Money }
    | ({
        readonly kind: 'alert';
        readonly severity: AlertSeverity;
        readonly code: string;
        readonly text: string;
      } & AlertFacts)
  );

/** Facts of an alert that the program reads besides its code. */
export interface AlertFacts {
  /** The order, the contract or the channel: an all-clear ends alerts of the same strategy about the same. */
  readonly about?: string;
  /** Loss that a person accepted. */
  readonly loss?: Money;
}

export type EntryKind = JournalEntry['kind'];
export type EntryOf<Kind extends EntryKind> = Extract<JournalEntry, { readonly kind: Kind }>;
export type HaltEntry = EntryOf<'halt'>;
export type PolicyEntry = EntryOf<'policy_acted'>;
