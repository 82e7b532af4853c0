/** Commands on orders that wait for a trigger, and their outcomes. */
import type { AccountId, BrokerOrderKey, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import type { Side, TriggerWhen } from '../../domain/order.ts';
import type { PriceTicks } from '../../domain/units.ts';
import type { Refusal } from '../venue-command.ts';
import type { VenueEvent } from '../venue-event.ts';
import type { TriggerReport } from './trigger-report.ts';

/** A bracket is not among them: it is attached to a limit order (`PlaceLimit.bracket`). */
export type PlaceTrigger = PlaceStop | PlaceTrailingStop | PlaceArbitrage;

interface TriggerHead {
  readonly accountId: AccountId;
  readonly orderCode: OrderCode;
  readonly side: Side;
  /** Unchecked, as in `PlaceLimit`. */
  readonly qty: number;
  /** Limit of the order that is sent. */
  readonly limitPrice: PriceTicks;
  readonly refId: ClientOrderId | null;
}

export interface PlaceStop extends TriggerHead {
  readonly kind: 'stop';
  readonly triggerPrice: PriceTicks;
  readonly triggerWhen: TriggerWhen;
}

export interface PlaceTrailingStop extends TriggerHead {
  readonly kind: 'trailing_stop';
  readonly activationPrice: PriceTicks;
  /** Ticks, unchecked: one or more. */
  readonly offset: number;
}

/** Sends what the account's own orders in `leg` fill from now on, up to `qty`. */
export interface PlaceArbitrage extends TriggerHead {
  readonly kind: 'arbitrage';
  readonly leg: OrderCode;
}

/** Moves the trigger alone: of a trailing stop the activation price, until it is activated. */
export interface ChangeTrigger {
  readonly accountId: AccountId;
  readonly orderKey: BrokerOrderKey;
  readonly triggerPrice: PriceTicks;
}

export interface CancelTrigger {
  readonly accountId: AccountId;
  readonly orderKey: BrokerOrderKey;
}

export type TriggerOutcome =
  | {
      readonly status: 'accepted';
      readonly condition: TriggerReport;
      readonly events: readonly VenueEvent[];
    }
  | { readonly status: 'refused'; readonly refusal: Refusal; readonly events: readonly VenueEvent[] };
