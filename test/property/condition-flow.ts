/** Random clients that let orders wait: everything `venue-flow.ts` does, and conditions of all kinds. */
import fc from 'fast-check';
import type { AccountId, OrderCode } from '../../src/domain/ids.ts';
import { priceTicks } from '../../src/domain/units.ts';
import type { VenueEvent } from '../../src/venue/venue-event.ts';
import type { Venue } from '../../src/venue/venue.ts';
import { ALICE, BOB, FRONT, NEXT } from '../venue/venue-fixture.ts';
import { listed, run, type Step, stepOf } from './venue-flow.ts';

export type ConditionStep =
  | Step
  | (Head & { readonly kind: 'stop'; readonly trigger: number; readonly when: 'at_or_above' | 'at_or_below' })
  | (Head & { readonly kind: 'trail'; readonly activation: number; readonly step: number })
  | (Head & { readonly kind: 'spread' })
  | (Head & { readonly kind: 'bracket'; readonly loss: number; readonly gain: number })
  | { readonly kind: 'move'; readonly account: AccountId; readonly pick: number; readonly offset: number }
  | { readonly kind: 'drop'; readonly account: AccountId; readonly pick: number };

interface Head {
  readonly account: AccountId;
  readonly code: OrderCode;
  readonly side: 'buy' | 'sell';
  readonly qty: number;
  /** Limit of the order, ticks from the middle. */
  readonly offset: number;
}

const account = fc.constantFrom(ALICE, BOB);
const offset = fc.integer({ min: -8, max: 8 });
const pick = fc.nat(50);
const head = {
  account,
  code: fc.constantFrom(FRONT, FRONT, NEXT),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  qty: fc.integer({ min: 1, max: 6 }),
  offset,
};
const when = fc.constantFrom('at_or_above' as const, 'at_or_below' as const);
const distance = fc.integer({ min: 1, max: 8 });

export const conditionStepOf = (waitUsMax: number): fc.Arbitrary<ConditionStep> =>
  fc.oneof(
    { weight: 8, arbitrary: stepOf(waitUsMax) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('stop' as const), ...head, trigger: offset, when }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('trail' as const),
        ...head,
        activation: offset,
        step: distance,
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('spread' as const), ...head }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('bracket' as const),
        ...head,
        loss: distance,
        gain: distance,
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('move' as const), account, pick, offset }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), account, pick }) },
  );

/** Does one step around `center`, in ticks. */
export function runCondition(venue: Venue, step: ConditionStep, center: number): readonly VenueEvent[] {
  const at = (ticks: number): ReturnType<typeof priceTicks> => priceTicks(center + ticks);
  switch (step.kind) {
    case 'stop': {
      const { trigger, when: triggerWhen } = step;
      return venue.placeTrigger({
        kind: 'stop',
        ...commandOf(venue, step, center),
        triggerPrice: at(trigger),
        triggerWhen,
      }).events;
    }
    case 'trail': {
      const { activation, step: ticks } = step;
      const command = commandOf(venue, step, center);
      return venue.placeTrigger({
        kind: 'trailing_stop',
        ...command,
        activationPrice: at(activation),
        offset: ticks,
      }).events;
    }
    case 'spread': {
      const leg = listed(venue, step.code === FRONT ? NEXT : FRONT);
      return venue.place({ ...commandOf(venue, step, center), leg }).events;
    }
    case 'bracket': {
      const bracket = { is: 'distances', stopLoss: step.loss, takeProfit: step.gain } as const;
      return venue.place({ ...commandOf(venue, step, center), bracket }).events;
    }
    case 'move':
    case 'drop': {
      const rows = venue.triggers(step.account);
      const row = rows[step.pick % Math.max(1, rows.length)];
      if (row === undefined) return [];
      const { accountId, orderKey } = row;
      return step.kind === 'drop'
        ? venue.cancelTrigger({ accountId, orderKey }).events
        : venue.changeTrigger({ accountId, orderKey, triggerPrice: at(step.offset) }).events;
    }
    case 'wait':
    case 'place':
    case 'change':
    case 'cancel':
      return run(venue, step, center);
  }
}

const commandOf = (
  venue: Venue,
  { account: accountId, code, side, qty, offset: ticks }: Head,
  center: number,
) => ({
  accountId,
  orderCode: listed(venue, code),
  side,
  qty,
  limitPrice: priceTicks(center + ticks),
  refId: null,
});
