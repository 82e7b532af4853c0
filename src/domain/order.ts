/** Orders as strategies ask for them, their triggers, and the statuses of their life. */
import type { ClientOrderId, OrderCode } from './ids.ts';
import type { InstrumentIndex, PriceTicks, Qty } from './units.ts';

export type Side = 'buy' | 'sell';
export const SIDES: readonly Side[] = ['buy', 'sell'];
export const opposite = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy');
export const signOf = (side: Side): 1 | -1 => (side === 'buy' ? 1 : -1);

/** Trigger price of a trailing stop if the market turns at once. */
export const firstTrigger = (side: Side, activation: number, offset: number): number =>
  activation + signOf(side) * offset;

interface IntentHead {
  readonly instrument: InstrumentIndex;
  readonly side: Side;
  readonly qty: Qty;
  /** Worst price that is acceptable; of an order with a trigger, that of the limit order it sends. A market order has that of `marketLimit`. */
  readonly limitPrice: PriceTicks;
  /** Free text for the journal: why the strategy wants it. */
  readonly reason: string;
  /** Absent is that of the market: the day, or until canceled where trading never stops. */
  readonly timeInForce?: TimeInForce;
}

/** `gtc` is good till canceled: it outlives the day. */
export type TimeInForce = 'day' | 'gtc';

export interface LimitIntent extends IntentHead {
  readonly kind: 'limit';
}

/** Which way the market has to come to the trigger price. Touching it is enough. */
export type TriggerWhen = 'at_or_above' | 'at_or_below';

export interface StopIntent extends IntentHead {
  readonly kind: 'stop';
  readonly triggerPrice: PriceTicks;
  readonly triggerWhen: TriggerWhen;
  /** Refused where it could do more than shrink the position as read last (rulings, 14); absent is no. */
  readonly reduceOnly?: boolean;
  /** It may turn the position round: an entry, even where it would only close when it is placed; absent is no. */
  readonly mayReverse?: boolean;
}

/** Begins to follow the market once a trade touches `activationPrice`, then moves only in favour. */
export interface TrailingStopIntent extends IntentHead {
  readonly kind: 'trailing_stop';
  readonly activationPrice: PriceTicks;
  /** Ticks between the best price since the activation and the trigger; one or more. */
  readonly trailingOffset: number;
  /** As of a stop. */
  readonly reduceOnly?: boolean;
  readonly mayReverse?: boolean;
}

/** An order with a stop-loss and a take-profit for its filled quantity; one cancels the other. */
export interface BracketIntent extends IntentHead {
  readonly kind: 'bracket';
  readonly stopLossPrice: PriceTicks;
  readonly takeProfitPrice: PriceTicks;
}

/** A limit order that is placed when our order in the other contract fills. */
export interface ArbitrageIntent extends IntentHead {
  readonly kind: 'arbitrage';
  readonly leg: InstrumentIndex;
}

/** An order as a strategy asks for it. One case a kind of order, so that a nonsense order cannot be written. */
export type OrderIntent = LimitIntent | StopIntent | TrailingStopIntent | BracketIntent | ArbitrageIntent;

/** An order that waits at the broker for a price or for another order's fill, or brings exits (contract, 4.3; rulings, 13). */
export type TriggerIntent = Exclude<OrderIntent, LimitIntent>;

/** The condition that an order waits for; of a bracket, the exits that wait once it fills. */
export type Trigger =
  | Pick<StopIntent, 'kind' | 'triggerPrice' | 'triggerWhen'>
  | Pick<TrailingStopIntent, 'kind' | 'activationPrice' | 'trailingOffset'>
  | Pick<BracketIntent, 'kind' | 'stopLossPrice' | 'takeProfitPrice'>
  /** `legCode` is the order code of `leg`. */
  | (Pick<ArbitrageIntent, 'kind' | 'leg'> & { readonly legCode: OrderCode });

/** A change edits price or total quantity, never both; of an order that waits the trigger alone (rulings, 10, 13; market rules, 4). */
export type ModifyIntent =
  | { readonly kind: 'price'; readonly clientOrderId: ClientOrderId; readonly limitPrice: PriceTicks }
  | { readonly kind: 'qty'; readonly clientOrderId: ClientOrderId; readonly qty: Qty }
  /** For a trailing stop, its activation price. */
  | { readonly kind: 'trigger'; readonly clientOrderId: ClientOrderId; readonly triggerPrice: PriceTicks };

/**
 * The life of an order as we know it. `submitted`: no answer yet. `unknown`: sent, and no answer can be trusted.
 * `presumed_absent`: three complete scans did not show it, still counted as exposure. `not_sent`: it never left, which is
 * neither our denial nor the broker's rejection. `expired_unproven`: the day ended before it was proven.
 *
 * An order with a trigger waits in the trigger book: `pending_trigger`; `triggering` once the broker has sent its limit order
 * and the in-day book has not shown that order yet; `triggered` when that order is known, with a life of its own.
 */
export type OrderStatus =
  | 'submitted'
  | 'unknown'
  | 'presumed_absent'
  | 'accepted'
  | 'partially_filled'
  | 'pending_modify'
  | 'pending_cancel'
  | 'pending_trigger'
  | 'triggering'
  | 'triggered'
  | 'denied'
  | 'not_sent'
  | 'rejected'
  | 'filled'
  | 'canceled'
  | 'expired'
  | 'expired_unproven';

export const TERMINAL_STATUSES: ReadonlySet<OrderStatus> = new Set<OrderStatus>([
  'denied',
  'triggered',
  'not_sent',
  'rejected',
  'filled',
  'canceled',
  'expired',
  'expired_unproven',
]);

/** Nothing proves what became of the order. */
export const isFateUnknown = (status: OrderStatus): boolean =>
  status === 'unknown' || status === 'presumed_absent' || status === 'expired_unproven';

/** The order is over, and its end was seen: the end of a day alone proves nothing. */
export const hasProvenEnd = (status: OrderStatus): boolean =>
  TERMINAL_STATUSES.has(status) && status !== 'expired_unproven';

/** It waits in the trigger book; brackets and arbitrage orders are in the in-day book from the start. */
export const waitsInTriggerBook = (trigger: Trigger | null): boolean =>
  trigger?.kind === 'stop' || trigger?.kind === 'trailing_stop';

/** How sure the money of a fill is (rulings, 2). */
export type FillQuality = 'exact' | 'average' | 'estimated';
