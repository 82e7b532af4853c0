import { describe, expect, it } from 'vitest';
import { accountId, brokerOrderKey, clientOrderId, orderCode } from '../../../src/domain/ids.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { cancel, move, rowOf, stop, waiting } from './trigger-fixture.ts';
import {
  ALICE,
  AT_ONCE,
  BOB,
  codeOf,
  DELAYED,
  later,
  NEXT,
  openVenue,
  options,
  placed,
  print,
} from '../venue-fixture.ts';

describe('a stop', () => {
  it('waits with a key of its own, outside the in-day book', () => {
    const venue = openVenue();
    const outcome = stop(venue, 'sell', 'at_or_below', 12_950);
    expect(outcome).toMatchObject({
      trigger: { orderNo: '1', orderKey: '7000000', status: 'pending', canCancel: true },
      events: [{ kind: 'trigger' }],
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
    expect(cancel(venue, row)).toMatchObject({ trigger: { status: 'canceled', expired: false } });
    print(venue, 12_900);
    expect(venue.triggers(ALICE)).toMatchObject([
      { status: 'canceled', canceledUs: venue.nowUs, reason: '' },
    ]);
    expect(venue.orders(ALICE)).toEqual([]);
    expect([codeOf(cancel(venue, row)), codeOf(move(venue, row, 12_000))]).toEqual([-6014, -6015]);
  });

  it('changes its trigger, and nothing else', () => {
    const venue = openVenue();
    const row = waiting(stop(venue, 'sell', 'at_or_below', 12_950));
    expect(move(venue, row, 12_900)).toMatchObject({
      trigger: { triggerPrice: 12_900, qty: 1, limitPrice: row.limitPrice, orderKey: row.orderKey },
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
    expect(venue.triggers(ALICE)).toEqual([]);
  });

  it('refuses a reference it has seen, and more than may wait', () => {
    const venue = openVenue({ rules: { ...AT_ONCE, triggersMax: 2 } });
    const refId = clientOrderId('H.1');
    expect(codeOf(stop(venue, 'sell', 'at_or_below', 12_950, { refId }))).toBe('accepted');
    expect(codeOf(stop(venue, 'sell', 'at_or_below', 12_950, { refId }))).toBe(-6004);
    expect(codeOf(stop(venue, 'sell', 'at_or_below', 12_950))).toBe('accepted');
    expect(codeOf(stop(venue, 'sell', 'at_or_below', 12_950))).toBe(-6038);
  });

  it('belongs to its account', () => {
    const venue = openVenue();
    const row = waiting(stop(venue, 'sell', 'at_or_below', 12_950));
    expect(venue.triggers(BOB)).toEqual([]);
    expect(codeOf(cancel(venue, { ...row, accountId: BOB }))).toBe(-6003);
    expect(codeOf(move(venue, { ...row, orderKey: brokerOrderKey('1') }, 12_900))).toBe(-6003);
  });
});
