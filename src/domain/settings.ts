/** Settings of engine and risk as plain data. Names, units and meanings are those of the file (`config/config-schema.ts`); here is the rest. */
import type { DurationUs, Money, Qty } from './units.ts';

/** One named limit a rule; a rule is switched off only explicitly. */
export interface RiskSettings {
  /** Largest quantity of one order; never above the contract's own maximum. */
  readonly orderQtyMax: Qty;
  readonly collarPercent: number;
  /** Largest absolute position in one contract, working orders counted as filled. */
  readonly positionMax: Qty;
  readonly openOrdersMax: number;
  readonly ordersPerSecondMax: number;
  readonly ordersPerMinuteMax: number;
  readonly dataAgeMax: DurationUs;
  /** Loss of the trading day at which entries stop until a person resumes (rulings, 37); zero or more. */
  readonly dailyLossMax: Money;
  readonly accountAgeMax: DurationUs;
  readonly marginUsePercent: number;
  /** Identical order, identical rejection: after this many, one probe a minute (failure cases, 32). */
  readonly sameRejectionsMax: number;
  readonly clockSkewMax: DurationUs;
  /** Entries may be placed into auctions, where nothing can be changed or canceled; absent is no. Reductions always may. */
  readonly auctionEntries?: boolean;
  /** No order of ours may meet another one of ours; absent is yes. */
  readonly selfTradePrevention?: boolean;
  /** Places, changes and cancels within a minute at which entries stop until a person resumes; absent is no limit. */
  readonly messagesPerMinuteMax?: number;
  /** Refused places and changes within a minute at which entries stop until a person resumes; absent is no limit. */
  readonly rejectionsPerMinuteMax?: number;
  /** Fall of the net asset value below its peak at which entries stop until a person resumes; absent is no limit. */
  readonly drawdownMax?: Money | undefined;
  /** A stop at the broker for every position of a strategy; absent is none. */
  readonly protectiveStop?: ProtectiveStopSettings | undefined;
  /** Fate of a position whose strategy is stopped; absent is `hold`. `protect` needs `protectiveStop`. */
  readonly onOrphan?: 'hold' | 'protect' | 'flatten';
  /** Longest time in continuous trading that such a position may be without one, before `policies.nakedPosition`. */
  readonly nakedSecondsMax?: number;
}

/** Reaction to a failure: nothing but an alert and no entries, entries withdrawn too, or strategies' positions closed too. */
export type FailurePolicy = 'hold' | 'cancel_orders' | 'flatten';

/** A policy for each failure. Entries are off while one lasts, whatever the policy is. */
export interface PolicySettings {
  /** How long token, stream, prices, proof of positions or the right wall clock may be gone in trading hours before their policy acts. */
  readonly after: DurationUs;
  /** A position of a strategy without a stop at the broker for `risk.nakedSecondsMax`. */
  readonly nakedPosition: FailurePolicy;
  readonly tokenDead: FailurePolicy;
  readonly streamDead: FailurePolicy;
  /** The stream is live, and no contract has prices, while something is held or ordered. */
  readonly staleData: FailurePolicy;
  readonly unprovenPosition: FailurePolicy;
  readonly journalFailure: FailurePolicy;
  readonly diskFull: FailurePolicy;
  readonly clockJump: FailurePolicy;
}

export type Failure = Exclude<keyof PolicySettings, 'after'>;

export type StrategyRisk = Pick<RiskSettings, 'positionMax' | 'dailyLossMax' | 'openOrdersMax'>;

export interface ProtectiveStopSettings {
  readonly distanceTicks: number;
  /** Ticks from the trigger to the limit of the order that it sends. */
  readonly slipTicks: number;
}

/**
 * Unconfirmed readings of the broker's contract (rulings, 13): stop-loss and take-profit of one order, an order
 * after another's fill, moving a trigger. An order that needs one is denied unless the configuration assumes it.
 */
export const ASSUMPTIONS = ['entry-with-exits', 'order-after-order', 'conditional-change'] as const;
export type Assumption = (typeof ASSUMPTIONS)[number];

export type ExpiryPolicy = 'flatten' | 'hold';

/** One configured strategy as the engine needs it; its parameters stay with `src/strategy`. */
export interface StrategySettings {
  readonly id: string;
  /** Aliases (`VN30F1M`, `VN30F2M`) or codes, in the order the strategy declares its legs. */
  readonly symbols: readonly string[];
  readonly overnight: boolean;
  readonly onExpiry: ExpiryPolicy;
  readonly risk: StrategyRisk;
  /** It is no longer configured: positions and orders stay under its name, and no code of it runs. Absent is no. */
  readonly isOrphan?: boolean;
}

export interface FlattenSettings {
  readonly slipTicks: number;
  readonly attempts: number;
  readonly retryAfter: DurationUs;
}

export interface ShutdownSettings {
  readonly orders: 'cancel' | 'keep';
  readonly positions: 'hold' | 'flatten';
  /** In an auction nothing can be canceled (rulings, 27). */
  readonly inAuction: 'wait' | 'leave';
}

export interface PollSettings {
  readonly bookFast: DurationUs;
  readonly bookSlow: DurationUs;
  readonly positions: DurationUs;
  readonly account: DurationUs;
}

/** Look-up of a call of unknown outcome (rulings, 8). */
export interface LookUpSettings {
  readonly scans: number;
  readonly spread: DurationUs;
  /** Ends an order once its absence is proven and a later read of positions agrees; absent is `operator`: a person does. */
  readonly resolve?: 'operator' | 'proven_absent';
}

export interface EngineSettings {
  readonly risk: RiskSettings;
  readonly strategies: readonly StrategySettings[];
  readonly flatten: FlattenSettings;
  /** Absent where nothing can fail. */
  readonly policies?: PolicySettings;
  readonly stop: ShutdownSettings;
  readonly poll: PollSettings;
  readonly lookUp: LookUpSettings;
  /** Reaction to money that differs from the broker's: entries stop until a person resumes, or an alert alone. Absent where no broker keeps books. */
  readonly moneyMismatch?: 'halt' | 'alert';
  /** Absent is `day`: orders die with the trading day. `until_canceled` where trading never stops. */
  readonly orders?: 'day' | 'until_canceled';
  /** Orders that are good till canceled are taken where `orders` is `day`; absent is no. */
  readonly gtcOrders?: boolean;
  /** The exchange takes market orders; absent is no: one is sent as a limit at the furthest price that is allowed. */
  readonly marketOrders?: boolean;
  /** The data are bars: a book is shown at their close at most; absent is no. */
  readonly isOnBars?: boolean;
  /** Absent is none. */
  readonly assumed?: readonly Assumption[];
  /** Working orders are withdrawn this long before an auction unless they may be carried in (rulings, 27). */
  readonly cancelBeforeAuction: DurationUs;
  /** Strategies that do not hold overnight are flattened this long before the closing auction; null: nothing is, before no expiry either. */
  readonly flatBeforeClose: DurationUs | null;
}
