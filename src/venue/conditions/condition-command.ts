/** What a client may ask about orders that wait, and the answer. */
import type { AccountId, BrokerOrderKey, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import type { Side, TriggerWhen } from '../../domain/order.ts';
import type { PriceTicks } from '../../domain/units.ts';
import type { Refusal } from '../venue-command.ts';
import type { VenueCondition } from './venue-condition.ts';
import type { VenueEvent } from '../venue-event.ts';

/** A bracket is not among them: it is attached to a limit order (`PlaceLimit.bracket`). */
export type PlaceCondition = PlaceStop | PlaceTrailingStop | PlaceArbitrage;

interface ConditionHead {
  readonly accountId: AccountId;
  readonly orderCode: OrderCode;
  readonly side: Side;
  /** Unchecked, as in `PlaceLimit`. */
  readonly qty: number;
  /** Limit of the order that is sent. */
  readonly limitPrice: PriceTicks;
  readonly refId: ClientOrderId | null;
}

export interface PlaceStop extends ConditionHead {
  readonly kind: 'stop';
  readonly triggerPrice: PriceTicks;
  readonly triggerWhen: TriggerWhen;
}

export interface PlaceTrailingStop extends ConditionHead {
  readonly kind: 'trailing_stop';
  readonly activationPrice: PriceTicks;
  /** Ticks, unchecked: one or more. */
  readonly offset: number;
}

/** Sends what the account's own orders in `leg` fill from now on, up to `qty`. */
export interface PlaceArbitrage extends ConditionHead {
  readonly kind: 'arbitrage';
  readonly leg: OrderCode;
}

/** Moves the trigger alone: of a trailing stop the activation price, until it is activated. */
export interface ChangeCondition {
  readonly accountId: AccountId;
  readonly orderKey: BrokerOrderKey;
  readonly triggerPrice: PriceTicks;
}

export interface CancelCondition {
  readonly accountId: AccountId;
  readonly orderKey: BrokerOrderKey;
}

export type ConditionOutcome =
  | {
      readonly status: 'accepted';
      readonly condition: VenueCondition;
      readonly events: readonly VenueEvent[];
    }
  | { readonly status: 'refused'; readonly refusal: Refusal; readonly events: readonly VenueEvent[] };
