import { describe, expect, it } from 'vitest';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { orderCode } from '../../src/domain/ids.ts';
import { priceTicks, type TsUs } from '../../src/domain/units.ts';
import type { VenueEvent } from '../../src/venue/venue-event.ts';
import { Venue } from '../../src/venue/venue.ts';
import {
  ALICE,
  ALWAYS_OPEN,
  at,
  BOB,
  codeOf,
  DELAYED,
  fillsIn,
  FRONT,
  HNX,
  later,
  NEXT,
  openVenue,
  options,
  place,
  placed,
  tradesIn,
  WEDNESDAY,
} from './venue-fixture.ts';

const cashOf = (events: readonly VenueEvent[], reason: string): number[] =>
  events.flatMap((event) =>
    event.kind === 'cash' && event.reason === reason && event.accountId === ALICE ? [event.amount] : [],
  );

describe('phases', () => {
  const moments = {
    'before the opening': at(WEDNESDAY, 8, 44, 59),
    'the opening auction': at(WEDNESDAY, 8, 45),
    'the morning': at(WEDNESDAY, 9),
    'the break': at(WEDNESDAY, 11, 30),
    'the afternoon': at(WEDNESDAY, 13),
    'the closing auction': at(WEDNESDAY, 14, 30),
    'the evening': at(WEDNESDAY, 14, 45),
  } satisfies Record<string, TsUs>;

  it.each([
    ['before the opening', 'closed', -6022],
    ['the opening auction', 'opening_auction', 'accepted'],
    ['the morning', 'continuous', 'accepted'],
    ['the break', 'break', -6022],
    ['the afternoon', 'continuous', 'accepted'],
    ['the closing auction', 'closing_auction', 'accepted'],
    ['the evening', 'closed', -6022],
  ] as const)('%s takes orders as %s: %s', (moment, phase, expected) => {
    const venue = openVenue({ startUs: moments[moment] });
    expect(venue.phase).toBe(phase);
    expect(codeOf(place(venue, 'buy', 1, 13_000))).toBe(expected);
  });

  it.each([
    ['the break', -6026],
    ['the afternoon', 'accepted'],
    ['the closing auction', -6026],
  ] as const)('%s answers a cancel of an order carried in', (moment, expected) => {
    const venue = openVenue();
    const orderNo = placed(venue, 'buy', 2, 12_990);
    venue.advance(moments[moment]);
    const editable = expected === 'accepted';
    expect(venue.order(ALICE, orderNo)).toMatchObject({ canCancel: editable, canModify: editable });
    const change = { accountId: ALICE, orderNo, limitPrice: priceTicks(12_990), qty: 1 };
    expect(codeOf(venue.change(change))).toBe(expected);
    expect(codeOf(venue.cancel({ accountId: ALICE, orderNo }))).toBe(expected);
  });

  it('ends what arrives at the exchange when it takes nothing any more', () => {
    const venue = openVenue({ startUs: later(at(WEDNESDAY, 11, 30), -10_000), rules: DELAYED });
    const orderNo = placed(venue, 'buy', 1, 13_000);
    venue.advance(at(WEDNESDAY, 11, 31));
    expect(venue.order(ALICE, orderNo)).toMatchObject({ status: 'canceled', reason: 'Market is closed' });
  });

  it('keeps an order whose cancel arrives in an auction', () => {
    const venue = openVenue({ startUs: later(at(WEDNESDAY, 14, 30), -40_000), rules: DELAYED });
    const orderNo = placed(venue, 'buy', 1, 13_000);
    venue.advance(later(at(WEDNESDAY, 14, 30), -10_000));
    expect(venue.cancel({ accountId: ALICE, orderNo })).toMatchObject({
      order: { status: 'cancel_pending' },
    });
    venue.advance(at(WEDNESDAY, 14, 31));
    expect(venue.order(ALICE, orderNo)).toMatchObject({
      status: 'resting',
      reason: 'Cancel or change not allowed in this session',
    });
  });

  it('says each phase once and sleeps over the weekend', () => {
    const venue = openVenue({ startUs: at('2026-03-06', 14) });
    const said = venue.advance(at('2026-03-09', 9)).flatMap((event) => {
      if (event.kind === 'phase') return [`${event.day} ${event.phase}`];
      return event.kind === 'day_started' ? [`start ${event.day}`] : [];
    });
    expect(said).toEqual([
      '2026-03-06 closing_auction',
      '2026-03-06 closed',
      'start 2026-03-09',
      '2026-03-09 opening_auction',
      '2026-03-09 continuous',
    ]);
  });
});

describe('auctions', () => {
  it('trades at one price at 09:00 and shows before what will be left', () => {
    const venue = openVenue({ startUs: at(WEDNESDAY, 8, 50) });
    placed(venue, 'buy', 5, 13_010);
    placed(venue, 'buy', 5, 13_000);
    const last = place(venue, 'sell', 7, 12_990, BOB);
    expect(last.events.find((event) => event.kind === 'book')).toMatchObject({
      bids: [{ price: 13_000, qty: 3 }],
      asks: [],
      auctionPrice: 13_000,
    });
    const events = venue.advance(at(WEDNESDAY, 9));
    expect(tradesIn(events)).toEqual(['5@13000', '2@13000']);
    expect(fillsIn(events)).toEqual([
      'alice buy 5@13000',
      'bob sell 5@13000',
      'alice buy 2@13000',
      'bob sell 2@13000',
    ]);
    expect(events.flatMap((event) => (event.kind === 'trade' ? [event.aggressor] : []))).toEqual([
      null,
      null,
    ]);
    expect(venue.board(FRONT)).toMatchObject({ bids: [{ price: 13_000, qty: 3 }], auctionPrice: null });
  });

  it('takes the closing price as settlement price and leaves nothing after it', () => {
    const venue = openVenue();
    placed(venue, 'sell', 1, 13_000, BOB);
    placed(venue, 'buy', 1, 13_000);
    const carried = placed(venue, 'buy', 3, 12_900);
    venue.advance(at(WEDNESDAY, 14, 40));
    placed(venue, 'sell', 2, 12_880, BOB);
    const events = venue.advance(at(WEDNESDAY, 14, 45));
    // 12,880 to 12,900 all trade two; the last price was 13,000.
    expect(tradesIn(events)).toEqual(['2@12900']);
    expect(events.find((event) => event.kind === 'settlement_price')).toMatchObject({
      orderCode: FRONT,
      price: 129_000,
    });
    expect(venue.order(ALICE, carried)).toMatchObject({
      status: 'matched_canceled',
      expired: true,
      filledQty: 2,
    });
    expect(venue.board(FRONT)).toMatchObject({ bids: [], asks: [] });
    expect(venue.positions(ALICE)[0]).toMatchObject({ net: 3, lastPrice: 129_000 });
  });
});

describe('days', () => {
  it('bases the next band on the settlement price, rounded inwards', () => {
    const venue = openVenue();
    placed(venue, 'sell', 1, 13_333, BOB);
    placed(venue, 'buy', 1, 13_333);
    const unfilled = placed(venue, 'buy', 1, 13_000);
    const events = venue.advance(at('2026-03-05', 9));
    const started = events.find((event) => event.kind === 'day_started');
    // 1,333.3 x 1.07 = 1,426.631; x 0.93 = 1,239.969.
    expect(started).toMatchObject({
      day: '2026-03-05',
      listings: [
        { contract: { orderCode: FRONT }, band: { ceiling: 14_266, floor: 12_400, reference: 133_330 } },
        {},
        {},
        {},
      ],
    });
    expect(venue.orders(ALICE)).toEqual([]);
    expect(place(venue, 'buy', 1, 13_333)).toMatchObject({ order: { orderNo: '1', orderKey: '7000003' } });
    expect(venue.order(ALICE, unfilled)).toBeUndefined();
    expect(venue.board(FRONT)).toMatchObject({ totalVolume: 0, day: null, lastPrice: null });
  });

  it('moves a contract nobody traded with the front month', () => {
    const venue = openVenue();
    placed(venue, 'sell', 1, 13_100, BOB);
    placed(venue, 'buy', 1, 13_100);
    const events = venue.advance(at(WEDNESDAY, 15));
    const prices = events.flatMap((event) => (event.kind === 'settlement_price' ? [event.price] : []));
    expect(prices).toEqual([131_000, 131_000, 131_000, 131_000]);
  });

  it('rolls at midnight where trading never ends, and settles there', () => {
    const venue = openVenue({ calendar: ALWAYS_OPEN, startUs: at(WEDNESDAY, 23) });
    placed(venue, 'sell', 1, 13_000, BOB);
    placed(venue, 'buy', 1, 13_000);
    const resting = placed(venue, 'buy', 1, 12_900);
    const events = venue.advance(at('2026-03-05', 0));
    expect(events.some((event) => event.kind === 'phase')).toBe(false);
    expect(
      events.flatMap((e) => (e.kind === 'order' && e.order.orderNo === resting ? [e.order.expired] : [])),
    ).toEqual([true]);
    expect(cashOf(events, 'fee')).toEqual([-5_250]);
    expect(venue.day).toBe('2026-03-05');
    expect(codeOf(place(venue, 'sell', 1, 13_000))).toBe('accepted');
    expect(venue.board(FRONT)?.asks).toEqual([{ price: 13_000, qty: 1 }]);
  });
});

describe('expiry', () => {
  it('settles in cash the day after the last day, and lists the next quarter month', () => {
    const venue = openVenue({ startUs: at('2026-03-19', 14) });
    expect(venue.contracts().map(({ orderCode: code }) => code)).toEqual([
      FRONT,
      NEXT,
      'VN30F2606',
      'VN30F2609',
    ]);
    placed(venue, 'sell', 2, 13_000, BOB);
    placed(venue, 'buy', 2, 13_000);
    venue.advance(at('2026-03-19', 14, 40));
    placed(venue, 'sell', 1, 13_020, BOB);
    placed(venue, 'buy', 1, 13_020);
    const { cash = 0 } = venue.account(ALICE) ?? {};
    const events = venue.advance(at('2026-03-20', 9));
    expect(events.filter((event) => event.kind === 'settlement_price')[0]).toMatchObject({
      final: true,
      price: 130_200,
    });
    expect(events.find((event) => event.kind === 'contract_expired')).toMatchObject({ orderCode: FRONT });
    expect(cashOf(events, 'final_settlement')).toEqual([2 * 200_000]);
    // Two orders (2 x 11,050 and 11,067) and the tax on three contracts at 1,302.0: 33,201.
    expect(cashOf(events, 'tax')).toEqual([-(22_100 + 11_067 + 33_201)]);
    expect(venue.account(ALICE)?.cash).toBe(cash + 400_000 - 15_750 - 66_368);
    expect(venue.positions(ALICE)).toEqual([]);
    expect(venue.contracts().map(({ orderCode: code }) => code)).toEqual([
      NEXT,
      'VN30F2605',
      'VN30F2606',
      'VN30F2609',
    ]);
    expect(codeOf(place(venue, 'buy', 1, 13_000))).toBe(-6033);
    expect(venue.board(FRONT)).toBeUndefined();
    expect(codeOf(place(venue, 'buy', 1, 13_000, ALICE, NEXT))).toBe('accepted');
  });

  it('comes before a holiday: VN30F2602 ended on 2026-02-13', () => {
    const venue = openVenue({ startUs: at('2026-02-13', 10) });
    expect(venue.contracts()[0]).toMatchObject({ orderCode: 'VN30F2602', expiry: '2026-02-13' });
    const events = venue.advance(at('2026-02-23', 9));
    expect(events.find((event) => event.kind === 'contract_expired')).toMatchObject({
      orderCode: 'VN30F2602',
    });
    expect(venue.day).toBe('2026-02-23');
  });

  it('uses the coded form and a stream code of its own when told to', () => {
    const venue = openVenue({ codes: 'coded', streamCodeOf: (code) => `X${code}` });
    expect(venue.contracts()[0]).toMatchObject({ orderCode: '41I1G3000', streamCode: 'X41I1G3000' });
    expect(venue.board(orderCode('41I1G3000'))).toBeDefined();
  });
});

describe('restart', () => {
  it('settles a day that ended in between, on its own calendar', () => {
    const venue = openVenue();
    placed(venue, 'sell', 1, 13_000, BOB);
    placed(venue, 'buy', 1, 13_000);
    const resting = placed(venue, 'buy', 1, 12_900);
    const resumed = new Venue(options({ startUs: at('2026-03-09', 10) }), venue.exportState());
    expect(resumed.day).toBe('2026-03-09');
    const events = resumed.startEvents();
    expect(events.find((e) => e.kind === 'order' && e.order.orderNo === resting)).toMatchObject({
      order: { expired: true },
    });
    expect(cashOf(events, 'fee')).toEqual([-5_250]);
    expect(resumed.positions(ALICE)[0]).toMatchObject({ net: 1, dayProfit: 0 });
    expect(resumed.orders(ALICE)).toEqual([]);
    expect(resumed.board(FRONT)?.band.reference).toBe(130_000);
  });
});

describe('a day beyond the calendar', () => {
  it('takes no order, and says why', () => {
    const venue = openVenue({ calendar: { ...HNX, validTo: tradingDay('2026-03-03') } });
    const refused = place(venue, 'buy', 1, 13_000);
    const text = 'The calendar of trading days ends on 2026-03-03';
    expect(refused).toMatchObject({ status: 'refused', refusal: { code: -6022, text } });
  });
});
