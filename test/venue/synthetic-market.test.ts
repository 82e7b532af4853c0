import { describe, expect, it } from 'vitest';
import { priceTicks, type TsUs, tsUs } from '../../src/domain/units.ts';
import { Random } from '../../src/venue/market/random.ts';
import type { BookMessage, TradeMessage, VenueEvent } from '../../src/venue/venue-event.ts';
import type { VenueOptions } from '../../src/venue/venue-options.ts';
import { Venue } from '../../src/venue/venue.ts';
import {
  ALICE,
  ALWAYS_OPEN,
  at,
  DELAYED,
  FRONT,
  later,
  NEXT,
  openVenue,
  options,
  place,
  placed,
  WEDNESDAY,
} from './venue-fixture.ts';

const MINUTE = 60_000_000;
const SECOND = 1_000_000;

const market = (seed: number): Partial<VenueOptions> => ({
  market: { kind: 'synthetic', seed, startPrice: priceTicks(19_000) },
  rules: DELAYED,
});

/** Runs from `from` to `to` in the given steps, with an order in between. */
function session(seed: number, stepUs: number): VenueEvent[] {
  const venue = new Venue(options({ ...market(seed), startUs: at(WEDNESDAY, 10) }));
  const events = [...venue.startEvents()];
  const until = (moment: TsUs): void => {
    while (venue.nowUs < moment) events.push(...venue.advance(tsUs(Math.min(moment, venue.nowUs + stepUs))));
  };
  until(at(WEDNESDAY, 10, 1));
  const best = venue.board(FRONT)?.bids[0]?.price ?? 0;
  events.push(...place(venue, 'buy', 40, best).events);
  until(at(WEDNESDAY, 10, 2));
  return events;
}

/** References are numbered over a file: they are not what is compared. */
const anonymous = (events: readonly VenueEvent[]): unknown[] =>
  events.map((event) =>
    event.kind === 'order' ? { ...event, order: { ...event.order, refId: null } } : event,
  );

const trades = (events: readonly VenueEvent[], code = FRONT): TradeMessage[] =>
  events.filter((event): event is TradeMessage => event.kind === 'trade' && event.orderCode === code);
const books = (events: readonly VenueEvent[], code = FRONT): BookMessage[] =>
  events.filter((event): event is BookMessage => event.kind === 'book' && event.orderCode === code);

/** Last price of each minute. */
const minuteCloses = (events: readonly VenueEvent[], code: typeof FRONT): number[] => [
  ...new Map(
    trades(events, code).map(({ tsUs: when, price }) => [Math.floor(when / MINUTE), price]),
  ).values(),
];
const moves = (closes: number[]): number[] => closes.slice(1).map((close, i) => close - closes[i]!);
const dot = (x: number[], y: number[]): number => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);

describe('SyntheticMarket', () => {
  it('gives the same events for the same seed and commands, however the span is split', () => {
    const whole = anonymous(session(5, MINUTE));
    expect(whole.length).toBeGreaterThan(1_000);
    expect(anonymous(session(5, 777_777))).toEqual(whole);
    expect(anonymous(session(5, 10_000))).toEqual(whole);
    expect(anonymous(session(6, MINUTE))).not.toEqual(whole);
  });

  const venue = openVenue({ ...market(11), calendar: ALWAYS_OPEN });
  const hour = venue.advance(later(venue.nowUs, 60 * MINUTE));
  const codes = venue.contracts().map(({ orderCode }) => orderCode);

  it('trades the front month several times a second and leaves no contract silent for ten seconds', () => {
    expect(trades(hour).length).toBeGreaterThan(3 * 3_600);
    expect(trades(hour).length).toBeLessThan(12 * 3_600);
    expect(trades(hour, NEXT).length).toBeLessThan(trades(hour).length / 3);
    for (const code of codes) {
      let last = at(WEDNESDAY, 10);
      let silence = 0;
      for (const { tsUs: when } of trades(hour, code)) {
        silence = Math.max(silence, when - last);
        last = when;
      }
      expect(silence, code).toBeLessThan(10 * SECOND);
      expect(at(WEDNESDAY, 11) - last, code).toBeLessThan(10 * SECOND);
    }
  });

  it('moves all contracts together', () => {
    const [front, next] = [minuteCloses(hour, FRONT), minuteCloses(hour, NEXT)];
    const [a, b] = [moves(front), moves(next)];
    expect(dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))).toBeGreaterThan(0.8);
    expect(Math.sqrt(dot(a, a) / a.length)).toBeGreaterThan(2);
  });

  it('lives through a day: auctions with one price, nothing in the break, a settlement price at the close', () => {
    const day = openVenue({ ...market(4), startUs: at(WEDNESDAY, 8) });
    const auction = day.advance(later(at(WEDNESDAY, 9), -1));
    expect(trades(auction)).toEqual([]);
    expect(books(auction).some(({ auctionPrice }) => auctionPrice !== null)).toBe(true);
    const opening = trades(day.advance(at(WEDNESDAY, 9)));
    expect(opening.length).toBeGreaterThan(20);
    expect(new Set(opening.map(({ price }) => price)).size).toBe(1);
    expect(opening.every(({ aggressor }) => aggressor === null)).toBe(true);
    day.advance(at(WEDNESDAY, 11, 30));
    expect(day.nextDueUs()).toBe(at(WEDNESDAY, 13));
    expect(trades(day.advance(at(WEDNESDAY, 12, 59)))).toEqual([]);
    day.advance(at(WEDNESDAY, 14, 30));
    expect(trades(day.advance(later(at(WEDNESDAY, 14, 45), -1)))).toEqual([]);
    const closing = day.advance(at(WEDNESDAY, 14, 45));
    const last = trades(closing).at(-1)?.price ?? 0;
    expect(closing.find((event) => event.kind === 'settlement_price')).toMatchObject({ price: last * 10 });
    expect(day.nextDueUs()).toBe(at('2026-03-05', 0));
  });

  it('settles at expiry by the index, near the last price and not at it', () => {
    const day = openVenue({ ...market(8), startUs: at('2026-03-19', 13, 30) });
    const events = day.advance(at('2026-03-19', 15));
    const settled = events.find((event) => event.kind === 'settlement_price' && event.final);
    const last = trades(events).at(-1)?.price ?? 0;
    expect(settled).toMatchObject({ orderCode: FRONT });
    const distance = settled?.kind === 'settlement_price' ? Math.abs(settled.price - last * 10) : Infinity;
    expect(distance).toBeGreaterThan(0);
    expect(distance).toBeLessThan(1_500);
  });

  it('goes on after a restart near where it was, with the order still in the book', () => {
    const own = openVenue({ ...market(3), calendar: ALWAYS_OPEN });
    own.advance(later(own.nowUs, 10 * MINUTE));
    const low = (own.board(FRONT)?.bids[0]?.price ?? 0) - 200;
    const resting = placed(own, 'buy', 1, low);
    own.advance(later(own.nowUs, SECOND));
    const before = own.board(FRONT)!;
    const again = new Venue(
      options({ ...market(3), calendar: ALWAYS_OPEN, startUs: later(own.nowUs, SECOND) }),
      own.exportState(),
    );
    const events = [...again.startEvents(), ...again.advance(later(again.nowUs, MINUTE))];
    const first = trades(events)[0]!;
    expect(first.totalVolume).toBe(before.totalVolume + first.qty);
    expect(Math.abs(first.price - (before.lastPrice ?? 0))).toBeLessThan(20);
    expect(again.order(ALICE, resting)).toMatchObject({ status: 'resting', canCancel: true });
  });
});

describe('Random', () => {
  it('has the means and spreads it promises', () => {
    const random = new Random(42);
    const draws = 20_000;
    let outside = 0;
    const sums = { below: 0, exponential: 0, bell: 0, bellSquares: 0 };
    for (let i = 0; i < draws; i += 1) {
      const value = random.below(10);
      if (value < 0 || value > 9) outside += 1;
      sums.below += value;
      sums.exponential += random.exponential(1_000);
      const bell = random.bell();
      sums.bell += bell;
      sums.bellSquares += bell * bell;
    }
    expect(outside).toBe(0);
    expect(sums.below / draws).toBeCloseTo(4.5, 0);
    expect(Math.abs(sums.exponential / draws - 1_000)).toBeLessThan(40);
    expect(Math.abs(sums.bell / draws)).toBeLessThan(30);
    expect(Math.abs(Math.sqrt(sums.bellSquares / draws) - 1_000)).toBeLessThan(30);
  });
});
