/** Commands on orders, triggers and money, and refusals. */
import type { BrokerTriggerKind } from '../domain/broker-order.ts';
import type { AccountId, BrokerOrderKey, BrokerOrderNo, ClientOrderId, OrderCode } from '../domain/ids.ts';
import { type Side, signOf, type Trigger } from '../domain/order.ts';
import type { PriceTicks } from '../domain/units.ts';

interface PlaceTerms {
  readonly accountId: AccountId;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly limitPrice: PriceTicks;
  /** Unchecked: zero, fractions and sizes above the limit are refused with their code. */
  readonly qty: number;
  readonly refId: ClientOrderId | null;
  /** Good till canceled; absent is no: it ends with its day. */
  readonly isGtc?: boolean;
}

/** A day order with a limit price: the only kind the broker's contract can write for certain (notes, 3). */
export interface PlaceLimit extends PlaceTerms {
  readonly bracket?: Bracket;
  /** Waits at the gateway until the account's own fills in this contract, from now on, cover its volume. */
  readonly leg?: OrderCode;
}

export type TriggerKind = Exclude<BrokerTriggerKind, 'unrecognized' | 'arbitrage'>;

/**
 * Origin of an order: `plain`, `bracket` and `arbitrage` were entered by the client, `foreign` through another channel; `stop`,
 * `trailing_stop` and `exit` are children of a trigger order of that kind, `forced` closes a position without margin.
 */
export type OrderOrigin = 'plain' | 'bracket' | 'arbitrage' | 'foreign' | TriggerKind | 'forced';

/** A stop-loss and a take-profit, ticks: prices, or distances from the price of the first fill. One cancels the other. */
export interface Bracket {
  readonly is: 'prices' | 'distances';
  readonly stopLoss: number;
  readonly takeProfit: number;
}

/** Prices of the exits of an order that fills at `price`. */
export function exitPrices(
  { is, stopLoss, takeProfit }: Bracket,
  side: Side,
  price: number,
): Pick<Bracket, 'stopLoss' | 'takeProfit'> {
  if (is === 'prices') return { stopLoss, takeProfit };
  const sign = signOf(side);
  return { stopLoss: price - sign * stopLoss, takeProfit: price + sign * takeProfit };
}

export interface CancelOrder {
  readonly accountId: AccountId;
  readonly orderNo: BrokerOrderNo;
}

/** A change names both fields, as the broker's call does; the one that is not to change repeats its old value. */
export interface ChangeOrder extends CancelOrder {
  readonly limitPrice: PriceTicks;
  /** New total volume (rulings, 10), the matched part included. */
  readonly qty: number;
}

/** Codes of the back office (notes, 3). Its texts are not known: these are ours, and so are -6001 and -6003 altogether. */
const TEXTS = {
  [-6001]: 'Account not found',
  [-6003]: 'Order or contract not found',
  [-6004]: 'Duplicate order reference',
  [-6012]: 'Not enough buying power',
  [-6014]: 'Order cannot be cancelled',
  [-6015]: 'Order cannot be changed',
  [-6019]: 'Invalid volume',
  [-6021]: 'Invalid price',
  [-6022]: 'Market is closed',
  [-6024]: 'Order type not allowed in this session',
  [-6026]: 'Cancel or change not allowed in this session',
  [-6032]: 'Safe ratio exceeded',
  [-6033]: 'Contract at maturity',
  [-6034]: 'Order volume above the limit',
  [-6035]: 'Price outside ceiling and floor',
  [-6038]: 'Maximum position exceeded',
  [-6048]: 'Price and volume may not change together',
  [-8004]: 'Order already fully matched',
} as const;

export type RefusalCode = keyof typeof TEXTS;

export interface Refusal {
  readonly code: RefusalCode;
  readonly text: string;
}

export const refusal = (code: RefusalCode, text: string = TEXTS[code]): Refusal => ({ code, text });

const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

/** Null where the money suffices. `scale`: of it in one unit of the currency. */
export function insufficientFunds(needed: number, free: number, scale = 1): Refusal | null {
  if (needed <= free) return null;
  const [asked, left] = [needed, Math.max(0, free)].map((each) => GROUPED.format(each / scale));
  return refusal(-6012, `${TEXTS[-6012]}: ${asked} needed, ${left} there`);
}

export const isRefusal = (answer: object): answer is Refusal => 'code' in answer;

/** Brackets and arbitrage are terms of a limit order (`PlaceLimit.bracket`, `PlaceLimit.leg`). */
export type PlaceTrigger = PlaceStop | PlaceTrailingStop;

export type PlaceStop = PlaceTerms & Extract<Trigger, { readonly kind: 'stop' }>;

export interface PlaceTrailingStop extends PlaceTerms {
  readonly kind: 'trailing_stop';
  readonly activationPrice: PriceTicks;
  /** Ticks, unchecked: one or more. */
  readonly offset: number;
}

export interface CancelTrigger {
  readonly accountId: AccountId;
  readonly orderKey: BrokerOrderKey;
}

/** Moves the trigger alone: of a trailing stop the activation price, until it is activated. */
export interface ChangeTrigger extends CancelTrigger {
  readonly triggerPrice: PriceTicks;
}
