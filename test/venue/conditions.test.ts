import { describe, expect, it } from 'vitest';
import { accountId, brokerOrderKey, clientOrderId, orderCode } from '../../src/domain/ids.ts';
import { priceTicks } from '../../src/domain/units.ts';
import type { PlaceArbitrage, PlaceTrailingStop } from '../../src/venue/condition-command.ts';
import type { VenueCondition } from '../../src/venue/venue-condition.ts';
import { Venue } from '../../src/venue/venue.ts';
import {
  ALICE,
  at,
  AT_ONCE,
  BOB,
  codeOf,
  DELAYED,
  FRONT,
  later,
  NEXT,
  openVenue,
  options,
  placed,
  print,
  rowOf,
  stop,
  waiting,
  WEDNESDAY,
} from './venue-fixture.ts';

const FAR = orderCode('VN30F2606');

const trail = (
  venue: Venue,
  side: 'buy' | 'sell',
  activation: number,
  changes: Partial<PlaceTrailingStop> = {},
) =>
  venue.placeCondition({
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

const spread = (venue: Venue, changes: Partial<PlaceArbitrage> = {}) =>
  venue.placeCondition({
    kind: 'arbitrage',
    accountId: ALICE,
    orderCode: NEXT,
    side: 'sell',
    qty: 3,
    limitPrice: priceTicks(13_050),
    refId: null,
    leg: FRONT,
    ...changes,
  });

const move = (venue: Venue, { accountId: id, orderKey }: VenueCondition, price: number) =>
  venue.changeCondition({ accountId: id, orderKey, triggerPrice: priceTicks(price) });
const cancel = (venue: Venue, { accountId: id, orderKey }: VenueCondition) =>
  venue.cancelCondition({ accountId: id, orderKey });

describe('a stop', () => {
  it('waits with a key of its own, outside the in-day book', () => {
    const venue = openVenue();
    const outcome = stop(venue, 'sell', 'at_or_below', 12_950);
    expect(outcome).toMatchObject({
      condition: { orderNo: '1', orderKey: '7000000', status: 'pending', canCancel: true, canChange: true },
      events: [{ kind: 'condition' }],
    });
    expect(venue.orders(ALICE)).toEqual([]);
    const orderNo = placed(venue, 'buy', 1, 12_900);
    expect(venue.order(ALICE, orderNo)).toMatchObject({ orderNo: '1', orderKey: '7000001' });
  });

  it.each([
    ['sell', 'at_or_below', 12_950, 12_951, 12_950],
    ['sell', 'at_or_above', 13_050, 13_049, 13_050],
    ['buy', 'at_or_above', 13_050, 13_049, 13_051],
    ['buy', 'at_or_below', 12_950, 12_951, 12_940],
  ] as const)('%s %s %i: not at %i, sent at %i', (side, when, trigger, before, touch) => {
    const venue = openVenue();
    const row = waiting(stop(venue, side, when, trigger));
    print(venue, before);
    expect(rowOf(venue, row).status).toBe('pending');
    print(venue, touch);
    expect(rowOf(venue, row)).toMatchObject({
      status: 'activated',
      sentQty: 1,
      canCancel: false,
      canChange: false,
    });
    const [child] = rowOf(venue, row).children;
    expect(venue.orders(ALICE)).toMatchObject([
      { orderNo: child, source: 'system', origin: 'stop', side, limitPrice: row.limitPrice, refId: null },
    ]);
  });

  it('is already met when it is placed: the next trade triggers it, not the last', () => {
    const venue = openVenue();
    print(venue, 12_900);
    const row = waiting(stop(venue, 'sell', 'at_or_below', 12_950));
    expect(rowOf(venue, row).status).toBe('pending');
    placed(venue, 'buy', 5, 12_890);
    expect(rowOf(venue, row).status).toBe('pending');
    print(venue, 12_949);
    expect(rowOf(venue, row).status).toBe('activated');
  });

  it('hears of its own contract alone', () => {
    const venue = openVenue();
    const row = waiting(stop(venue, 'sell', 'at_or_below', 12_950));
    print(venue, 12_900, NEXT);
    expect(rowOf(venue, row).status).toBe('pending');
  });

  it('goes through the gateway like any order, and trades what it finds', () => {
    const venue = openVenue({ rules: DELAYED });
    placed(venue, 'buy', 3, 12_948, BOB);
    const row = waiting(stop(venue, 'sell', 'at_or_below', 12_950, { qty: 2 }));
    placed(venue, 'sell', 1, 12_950, BOB);
    placed(venue, 'buy', 1, 12_950, BOB);
    venue.advance(later(venue.nowUs, 30_000));
    expect(venue.orders(ALICE)).toMatchObject([{ status: 'queued', qty: 2 }]);
    expect(rowOf(venue, row)).toMatchObject({ status: 'activated', activatedUs: venue.nowUs });
    venue.advance(later(venue.nowUs, 30_000));
    expect(venue.orders(ALICE)).toMatchObject([
      { status: 'matched', filledQty: 2, filledValue: 2 * 129_480_000 },
    ]);
  });

  it('sets off others: what one sends trades, and triggers the next', () => {
    const venue = openVenue();
    placed(venue, 'buy', 1, 12_940, BOB);
    placed(venue, 'buy', 1, 12_930, BOB);
    const first = waiting(stop(venue, 'sell', 'at_or_below', 12_950, { limitPrice: priceTicks(12_930) }));
    const second = waiting(stop(venue, 'sell', 'at_or_below', 12_940, { limitPrice: priceTicks(12_930) }));
    print(venue, 12_950);
    expect([rowOf(venue, first).status, rowOf(venue, second).status]).toEqual(['activated', 'activated']);
    expect(venue.positions(ALICE)).toMatchObject([{ net: -2 }]);
  });

  it('is rejected with its reason when the gate refuses what it sends', () => {
    const venue = openVenue({
      accounts: [{ accountId: ALICE, subAccountId: 'A', cash: 1_000_000 }, ...options().accounts.slice(1)],
    });
    const row = waiting(stop(venue, 'sell', 'at_or_below', 12_950));
    print(venue, 12_950);
    expect(rowOf(venue, row)).toMatchObject({
      status: 'rejected',
      reason: 'Not enough buying power',
      children: [],
    });
    expect(codeOf(cancel(venue, row))).toBe(-6014);
    expect(venue.orders(ALICE)).toEqual([]);
  });

  it('is canceled, and stays in the book as that', () => {
    const venue = openVenue();
    const row = waiting(stop(venue, 'sell', 'at_or_below', 12_950));
    expect(cancel(venue, row)).toMatchObject({ condition: { status: 'canceled', expired: false } });
    print(venue, 12_900);
    expect(venue.conditions(ALICE)).toMatchObject([
      { status: 'canceled', canceledUs: venue.nowUs, reason: '' },
    ]);
    expect(venue.orders(ALICE)).toEqual([]);
    expect([codeOf(cancel(venue, row)), codeOf(move(venue, row, 12_000))]).toEqual([-6014, -6015]);
  });

  it('changes its trigger, and nothing else', () => {
    const venue = openVenue();
    const row = waiting(stop(venue, 'sell', 'at_or_below', 12_950));
    expect(move(venue, row, 12_900)).toMatchObject({
      condition: { triggerPrice: 12_900, qty: 1, limitPrice: row.limitPrice, orderKey: row.orderKey },
    });
    print(venue, 12_920);
    expect(rowOf(venue, row).status).toBe('pending');
    move(venue, row, 12_930);
    // Already met by the last trade: it waits for the next one.
    expect(rowOf(venue, row).status).toBe('pending');
    print(venue, 12_930);
    expect(rowOf(venue, row).status).toBe('activated');
    expect(codeOf(move(venue, row, 12_900))).toBe(-6015);
  });

  it.each([
    ['an account nobody has', { accountId: accountId('105C999999') }, -6001],
    ['a contract nobody knows', { orderCode: orderCode('XYZ') }, -6003],
    ['a contract that expired', { orderCode: orderCode('VN30F2602') }, -6033],
    ['no volume', { qty: 0 }, -6019],
    ['half a contract', { qty: 0.5 }, -6019],
    ['more than 500', { qty: 501 }, -6034],
    ['a trigger above the ceiling', { triggerPrice: priceTicks(13_911) }, -6035],
    ['a price below the floor', { limitPrice: priceTicks(12_089) }, -6035],
  ])('refuses %s', (_what, changes, code) => {
    const venue = openVenue();
    expect(codeOf(stop(venue, 'sell', 'at_or_below', 12_950, changes))).toBe(code);
    expect(venue.conditions(ALICE)).toEqual([]);
  });

  it('refuses a reference it has seen, and more than may wait', () => {
    const venue = openVenue({ rules: { ...AT_ONCE, conditionsMax: 2 } });
    const refId = clientOrderId('H.1');
    expect(codeOf(stop(venue, 'sell', 'at_or_below', 12_950, { refId }))).toBe('accepted');
    expect(codeOf(stop(venue, 'sell', 'at_or_below', 12_950, { refId }))).toBe(-6004);
    expect(codeOf(stop(venue, 'sell', 'at_or_below', 12_950))).toBe('accepted');
    expect(codeOf(stop(venue, 'sell', 'at_or_below', 12_950))).toBe(-6038);
  });

  it('belongs to its account', () => {
    const venue = openVenue();
    const row = waiting(stop(venue, 'sell', 'at_or_below', 12_950));
    expect(venue.conditions(BOB)).toEqual([]);
    expect(codeOf(cancel(venue, { ...row, accountId: BOB }))).toBe(-6003);
    expect(codeOf(move(venue, { ...row, orderKey: brokerOrderKey('1') }, 12_900))).toBe(-6003);
  });
});

describe('a trailing stop', () => {
  it('starts at its activation price, follows in favour only, and sends when the market comes back', () => {
    const venue = openVenue();
    const row = waiting(trail(venue, 'sell', 13_050));
    expect(row).toMatchObject({
      triggerPrice: null,
      triggerWhen: 'at_or_below',
      trailing: { bestPrice: null },
    });
    // Falls before it is activated: nothing.
    print(venue, 12_800);
    expect(rowOf(venue, row)).toMatchObject({ status: 'pending', triggerPrice: null });
    print(venue, 13_050);
    expect(rowOf(venue, row)).toMatchObject({ triggerPrice: 13_040, trailing: { bestPrice: 13_050 } });
    print(venue, 13_070);
    print(venue, 13_061);
    expect(rowOf(venue, row)).toMatchObject({
      status: 'pending',
      triggerPrice: 13_060,
      trailing: { bestPrice: 13_070 },
    });
    print(venue, 13_060);
    expect(rowOf(venue, row)).toMatchObject({ status: 'activated', sentQty: 2 });
    expect(venue.orders(ALICE)).toMatchObject([
      { origin: 'trailing_stop', side: 'sell', limitPrice: 12_500 },
    ]);
  });

  it('is the mirror for a buy', () => {
    const venue = openVenue();
    const row = waiting(trail(venue, 'buy', 12_950));
    print(venue, 13_200);
    print(venue, 12_940);
    expect(rowOf(venue, row)).toMatchObject({ triggerPrice: 12_950, triggerWhen: 'at_or_above' });
    print(venue, 12_900);
    print(venue, 12_909);
    expect(rowOf(venue, row).status).toBe('pending');
    print(venue, 12_910);
    expect(rowOf(venue, row).status).toBe('activated');
  });

  it('sees every trade of one sweep: up and down again within one match', () => {
    const venue = openVenue();
    const row = waiting(trail(venue, 'sell', 13_020, { offset: 3 }));
    for (const price of [13_000, 13_020, 13_040]) placed(venue, 'sell', 1, price, BOB);
    placed(venue, 'buy', 3, 13_040, BOB);
    expect(rowOf(venue, row)).toMatchObject({ status: 'pending', triggerPrice: 13_037 });
  });

  it('moves its activation price until it is activated', () => {
    const venue = openVenue();
    const row = waiting(trail(venue, 'sell', 13_050));
    expect(move(venue, row, 13_020)).toMatchObject({ condition: { trailing: { activationPrice: 13_020 } } });
    print(venue, 13_020);
    expect(rowOf(venue, row)).toMatchObject({ triggerPrice: 13_010, canChange: false });
    expect(codeOf(move(venue, row, 13_050))).toBe(-6015);
  });

  it.each([0, -1, 1.5])('refuses a step of %d ticks', (offset) => {
    expect(codeOf(trail(openVenue(), 'sell', 13_050, { offset }))).toBe(-6021);
  });
});

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
    expect(cancel(venue, row)).toMatchObject({ condition: { status: 'canceled', sentQty: 1 } });
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

describe('the day of what waits', () => {
  it('may be entered before the opening and in the break, not after the close', () => {
    const venue = openVenue({ startUs: at(WEDNESDAY, 8) });
    for (const hour of [8, 12]) {
      venue.advance(at(WEDNESDAY, hour));
      expect(codeOf(stop(venue, 'sell', 'at_or_below', 12_950))).toBe('accepted');
    }
    venue.advance(at(WEDNESDAY, 15));
    expect(codeOf(stop(venue, 'sell', 'at_or_below', 12_950))).toBe(-6022);
  });

  it('triggers at the price of the opening auction', () => {
    const venue = openVenue({ startUs: at(WEDNESDAY, 8, 50) });
    const row = waiting(stop(venue, 'sell', 'at_or_below', 12_950));
    placed(venue, 'sell', 1, 12_900, BOB);
    placed(venue, 'buy', 1, 12_900, BOB);
    venue.advance(at(WEDNESDAY, 9));
    expect(rowOf(venue, row)).toMatchObject({ status: 'activated', activatedUs: at(WEDNESDAY, 9) });
  });

  it('ends with the day: told, and gone the next morning', () => {
    const venue = openVenue();
    const row = waiting(stop(venue, 'sell', 'at_or_below', 12_950));
    venue.advance(at(WEDNESDAY, 15));
    expect(rowOf(venue, row)).toMatchObject({ status: 'canceled', expired: true });
    venue.advance(at('2026-03-05', 9));
    expect(venue.conditions(ALICE)).toEqual([]);
  });

  it('lives until its contract expires where the broker says so, and is not lost at a closing price', () => {
    const venue = openVenue({
      startUs: at('2026-03-18', 14, 20),
      rules: { ...options().rules, conditionLife: 'contract' },
    });
    const row = waiting(stop(venue, 'sell', 'at_or_below', 12_950));
    const other = waiting(stop(venue, 'sell', 'at_or_below', 12_900, { orderCode: NEXT }));
    venue.advance(at('2026-03-18', 14, 40));
    placed(venue, 'sell', 1, 12_940, BOB);
    placed(venue, 'buy', 1, 12_940, BOB);
    venue.advance(at('2026-03-19', 10));
    // The closing price touched it when nothing could be sent any more.
    expect(rowOf(venue, row).status).toBe('pending');
    const events = venue.advance(at('2026-03-20', 10));
    expect(events.filter((event) => event.kind === 'condition')).toMatchObject([
      {
        condition: {
          orderKey: row.orderKey,
          status: 'canceled',
          expired: true,
          reason: 'Contract at maturity',
        },
      },
    ]);
    expect(venue.conditions(ALICE)).toMatchObject([{ orderKey: other.orderKey, status: 'pending' }]);
    print(venue, 12_900, NEXT);
    expect(rowOf(venue, other).status).toBe('activated');
  });

  it('survives a restart: what follows the market follows on', () => {
    const venue = openVenue();
    const row = waiting(trail(venue, 'sell', 13_050));
    const leg = waiting(spread(venue));
    print(venue, 13_080);
    const again = new Venue(
      options({ startUs: venue.nowUs }),
      JSON.parse(JSON.stringify(venue.exportState())),
    );
    again.startEvents();
    expect(again.conditions(ALICE)).toEqual(venue.conditions(ALICE));
    placed(again, 'buy', 1, 13_080);
    placed(again, 'sell', 1, 13_080, BOB);
    expect(rowOf(again, leg).sentQty).toBe(1);
    print(again, 13_071);
    expect(rowOf(again, row).status).toBe('pending');
    print(again, 13_070);
    expect(rowOf(again, row).status).toBe('activated');
    expect(waiting(stop(again, 'sell', 'at_or_below', 12_950)).orderNo).toBe('3');
  });
});
