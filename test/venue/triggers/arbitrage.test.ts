import { describe, expect, it } from 'vitest';
import { orderCode } from '../../../src/domain/ids.ts';
import { cancel, move, rowOf, spread, waiting } from './trigger-fixture.ts';
import { ALICE, BOB, codeOf, FRONT, NEXT, openVenue, placed, print } from '../venue-fixture.ts';

const FAR = orderCode('VN30F2606');

describe('an arbitrage order', () => {
  it('is sent as its leg fills, never more than was asked for', () => {
    const venue = openVenue();
    const row = waiting(spread(venue));
    placed(venue, 'buy', 4, 13_000);
    expect(rowOf(venue, row)).toMatchObject({
      status: 'pending',
      sentQty: 0,
      triggerPrice: null,
      leg: FRONT,
    });
    placed(venue, 'sell', 2, 13_000, BOB);
    expect(rowOf(venue, row)).toMatchObject({
      status: 'pending',
      sentQty: 2,
      canCancel: true,
      canChange: false,
    });
    placed(venue, 'sell', 2, 13_000, BOB);
    expect(rowOf(venue, row)).toMatchObject({ status: 'activated', sentQty: 3 });
    const children = venue.orders(ALICE).filter(({ origin }) => origin === 'arbitrage');
    expect(children).toMatchObject([
      { orderCode: NEXT, side: 'sell', qty: 2, limitPrice: 13_050, source: 'system' },
      { orderCode: NEXT, side: 'sell', qty: 1 },
    ]);
    expect(rowOf(venue, row).children).toEqual(children.map(({ orderNo }) => orderNo));
  });

  it('waits for fills of its own account only, and not for prices', () => {
    const venue = openVenue();
    const row = waiting(spread(venue));
    print(venue, 13_000);
    expect(rowOf(venue, row)).toMatchObject({ status: 'pending', sentQty: 0 });
    expect(codeOf(move(venue, row, 13_000))).toBe(-6015);
  });

  it('may be canceled after a part of it was sent', () => {
    const venue = openVenue();
    const row = waiting(spread(venue));
    placed(venue, 'buy', 1, 13_000);
    placed(venue, 'sell', 1, 13_000, BOB);
    expect(cancel(venue, row)).toMatchObject({ trigger: { status: 'canceled', sentQty: 1 } });
    placed(venue, 'buy', 1, 13_000);
    placed(venue, 'sell', 1, 13_000, BOB);
    expect(rowOf(venue, row)).toMatchObject({ sentQty: 1 });
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
