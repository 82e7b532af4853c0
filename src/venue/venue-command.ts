/** What a client of the exchange and its broker may ask, and how a refusal is said. */
import type { AccountId, BrokerOrderNo, ClientOrderId, OrderCode } from '../domain/ids.ts';
import type { Side } from '../domain/order.ts';
import type { PriceTicks } from '../domain/units.ts';
import type { Bracket } from './conditions/bracket.ts';
import type { VenueEvent, VenueOrder } from './venue-event.ts';

/** A day order with a limit price: the only kind the broker's contract can write for certain (notes, section 3). */
export interface PlaceLimit {
  readonly accountId: AccountId;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly limitPrice: PriceTicks;
  /** Unchecked: zero, fractions and sizes above the limit are refused with their code. */
  readonly qty: number;
  readonly refId: ClientOrderId | null;
  /** Exits for what of the order fills. */
  readonly bracket?: Bracket;
}

/** A change names both fields, as the broker's call does; the one that is not to change repeats its old value. */
export interface ChangeOrder {
  readonly accountId: AccountId;
  readonly orderNo: BrokerOrderNo;
  readonly limitPrice: PriceTicks;
  /** New total volume (rulings, 10), the matched part included. */
  readonly qty: number;
}

export interface CancelOrder {
  readonly accountId: AccountId;
  readonly orderNo: BrokerOrderNo;
}

/** Codes of the back office (notes, section 3), numbers as the broker gives them. */
export type RefusalCode =
  | -6001
  | -6003
  | -6004
  | -6012
  | -6014
  | -6015
  | -6019
  | -6021
  | -6022
  | -6024
  | -6026
  | -6032
  | -6033
  | -6034
  | -6035
  | -6038
  | -6048
  | -8004;

export interface Refusal {
  readonly code: RefusalCode;
  readonly text: string;
}

/** The answer to one command, and what it caused at once. */
export type CommandOutcome =
  | { readonly status: 'accepted'; readonly order: VenueOrder; readonly events: readonly VenueEvent[] }
  | { readonly status: 'refused'; readonly refusal: Refusal; readonly events: readonly VenueEvent[] };

/** The answer to a deposit, a withdrawal, or an intervention that has no order to show. */
export type CashOutcome =
  | { readonly status: 'accepted'; readonly events: readonly VenueEvent[] }
  | { readonly status: 'refused'; readonly refusal: Refusal; readonly events: readonly VenueEvent[] };
