/** Builders for tests of orders that wait. */
import type { Side, TriggerWhen } from '../../../src/domain/order.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import type { PlaceLimit, PlaceStop, PlaceTrailingStop } from '../../../src/venue/venue-command.ts';
import type { CommandOutcome, TriggerOutcome, TriggerReport } from '../../../src/venue/venue-event.ts';
import type { Venue } from '../../../src/venue/venue.ts';
import { ALICE, FRONT, NEXT } from '../venue-fixture.ts';

/** Alice waits with a stop that sends `price` once a trade touches `trigger`. */
export const stop = (
  venue: Venue,
  side: Side,
  when: TriggerWhen,
  trigger: number,
  changes: Partial<PlaceStop> = {},
): TriggerOutcome =>
  venue.placeTrigger({
    kind: 'stop',
    accountId: ALICE,
    orderCode: FRONT,
    side,
    qty: 1,
    limitPrice: priceTicks(side === 'buy' ? trigger + 5 : trigger - 5),
    refId: null,
    triggerPrice: priceTicks(trigger),
    triggerWhen: when,
    ...changes,
  });

/** Waits with something that must be accepted; returns its row. */
export function waiting(outcome: TriggerOutcome): TriggerReport {
  if (outcome.status === 'refused') throw new Error(`refused: ${outcome.refusal.text}`);
  return outcome.trigger;
}

/** The row as it is now. */
export function rowOf(venue: Venue, { accountId: id, orderKey }: TriggerReport): TriggerReport {
  const found = venue.triggers(id).find((row) => row.orderKey === orderKey);
  if (found === undefined) throw new Error(`no row ${orderKey}`);
  return found;
}

/** Alice protects with a trailing stop of ten ticks. */
export const trail = (
  venue: Venue,
  side: 'buy' | 'sell',
  activation: number,
  changes: Partial<PlaceTrailingStop> = {},
) =>
  venue.placeTrigger({
    kind: 'trailing_stop',
    accountId: ALICE,
    orderCode: FRONT,
    side,
    qty: 2,
    limitPrice: priceTicks(side === 'buy' ? 13_500 : 12_500),
    refId: null,
    activationPrice: priceTicks(activation),
    offset: 10,
    ...changes,
  });

/** Alice sells the next month as she buys the front. */
export const spread = (venue: Venue, changes: Partial<PlaceLimit> = {}): CommandOutcome =>
  venue.place({
    accountId: ALICE,
    orderCode: NEXT,
    side: 'sell',
    qty: 3,
    limitPrice: priceTicks(13_050),
    refId: null,
    leg: FRONT,
    ...changes,
  });
