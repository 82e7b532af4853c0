import { describe, expect, it } from 'vitest';
import { orderCode } from '../../../src/domain/ids.ts';
import type { CommandOutcome, OrderReport } from '../../../src/venue/venue-event.ts';
import { Venue } from '../../../src/venue/venue.ts';
import { spread } from './trigger-fixture.ts';
import { ALICE, BOB, codeOf, FRONT, NEXT, openVenue, options, placed, print } from '../venue-fixture.ts';

const FAR = orderCode('VN30F2606');

function accepted(outcome: CommandOutcome): OrderReport {
  if (outcome.status === 'refused') throw new Error(`refused: ${outcome.refusal.text}`);
  return outcome.order;
}

/** As it is now. */
const orderOf = (venue: Venue, { orderNo }: OrderReport) => venue.order(ALICE, orderNo);

/** Alice buys in the front month. */
function fillLeg(venue: Venue, qty: number): void {
  placed(venue, 'buy', qty, 13_000);
  placed(venue, 'sell', qty, 13_000, BOB);
}

const WAITS = { status: 'queued', canCancel: true, canModify: true, filledQty: 0 };

describe('an arbitrage order', () => {
  it('waits for fills of its own account only, and not for prices', () => {
    const venue = openVenue();
    const order = accepted(spread(venue));
    for (let i = 0; i < 4; i += 1) print(venue, 13_000);
    expect(orderOf(venue, order)).toMatchObject(WAITS);
  });

  it('is sent by a change that asks for no more than its leg has filled', () => {
    const venue = openVenue();
    const order = accepted(spread(venue));
    fillLeg(venue, 1);
    const { orderNo, limitPrice } = order;
    venue.change({ accountId: ALICE, orderNo, limitPrice, qty: 1 });
    expect(orderOf(venue, order)).toMatchObject({ status: 'resting', qty: 1 });
  });

  it('goes on waiting after a restart, with the fills that it has seen', () => {
    const venue = openVenue();
    const order = accepted(spread(venue));
    fillLeg(venue, 2);
    const state = JSON.parse(JSON.stringify(venue.exportState()));
    const again = new Venue(options({ startUs: venue.nowUs }), state);
    expect(orderOf(again, order)).toMatchObject(WAITS);
    fillLeg(again, 1);
    expect(orderOf(again, order)).toMatchObject({ status: 'resting' });
  });

  it('ends with its leg', () => {
    const venue = openVenue();
    const order = accepted(spread(venue));
    venue.rollNow();
    expect(orderOf(venue, order)).toMatchObject({ status: 'canceled', reason: 'Contract at maturity' });
  });

  it.each([
    ['the front month', FRONT, NEXT, 'accepted'],
    ['itself', NEXT, NEXT, -6003],
    ['a contract nobody knows', orderCode('XYZ'), NEXT, -6003],
    ['a third one', FAR, NEXT, 'accepted'],
  ])('has a leg in %s', (_what, leg, code, expected) => {
    expect(codeOf(spread(openVenue(), { leg, orderCode: code }))).toBe(expected);
  });
});
