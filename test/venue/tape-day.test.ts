import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { orderCode } from '../../src/domain/ids.ts';
import { hundredthsOf } from '../../src/domain/contract.ts';
import { priceTicks, tsUs, US_PER_MINUTE } from '../../src/domain/units.ts';
import { type Print, readPrints } from '../../src/recording/read-prints.ts';
import { Random } from '../../src/venue/market/random.ts';
import type { FillMessage, TradeMessage, VenueEvent } from '../../src/venue/venue-event.ts';
import type { VenueState } from '../../src/venue/venue-state.ts';
import { Venue } from '../../src/venue/venue.ts';
import { ALICE, at, BOB, openVenue, options, place, VN30 } from './venue-fixture.ts';

const FILE = '2026-03-04_vn30f2603.csv.gz';
const DATA = process.env['TICKWRIGHT_DATA'] ?? join(import.meta.dirname, '../../../shared/data');
const PATH = join(DATA, 'vn30f/ticks', FILE);
const CODE = orderCode('VN30F2603');

const throughJson = (state: VenueState): VenueState => JSON.parse(JSON.stringify(state)) as VenueState;

const fillsOf = (events: readonly VenueEvent[]): FillMessage[] =>
  events.filter((event): event is FillMessage => event.kind === 'fill');

/** What a fill from a print breaks: its volume, or its price in our favour. */
function broken(fills: readonly FillMessage[], print: Print): string[] {
  const problems: string[] = [];
  // An order that meets the book once it is known takes what is shown.
  const filled = fills.reduce((sum, { qty, clause }) => sum + (clause === 'shown' ? 0 : qty), 0);
  if (filled > print.qty) problems.push(`${filled} of ${print.qty} printed at ${print.tsUs}`);
  for (const side of ['buy', 'sell'] as const) {
    const own = fills.filter((fill) => fill.side === side);
    const better = own.filter(({ price }) => (side === 'buy' ? price < print.price : price > print.price));
    problems.push(...better.map(({ price }) => `${side} at ${price} while ${print.price} printed`));
  }
  return problems;
}

/** Between the crosses and outside continuous trading nothing may fill. */
const quiet = (when: number): boolean => {
  const minutes = (when - at('2026-03-04', 0)) / US_PER_MINUTE;
  return (
    minutes < 540 ||
    (minutes >= 690 && minutes < 780) ||
    (minutes >= 870 && minutes < 885) ||
    minutes > 885.05
  );
};

class Replay {
  readonly venue: Venue;
  readonly trades: TradeMessage[] = [];
  readonly fills: FillMessage[] = [];
  readonly problems: string[] = [];
  readonly #random = new Random(9);

  constructor(prints: readonly Print[]) {
    const reference = hundredthsOf(VN30, prints[0]!.price);
    this.venue = openVenue({
      startUs: at('2026-03-04', 8, 50),
      market: { kind: 'tape', orderCode: CODE, reference },
    });
    for (const [i, print] of prints.entries()) this.#step(print, i);
    this.#take(this.venue.advance(at('2026-03-04', 15)));
  }

  #step(print: Print, i: number): void {
    if (this.venue.nowUs < print.tsUs) this.#take(this.venue.advance(print.tsUs));
    const { tsUs: when, price, qty } = print;
    const events = this.venue.print({
      tsUs: when,
      orderCode: CODE,
      price,
      qty,
      aggressor: print.aggressor,
    });
    this.problems.push(...broken(fillsOf(events), print));
    this.#take(events);
    if (i % 200 === 0) this.#order();
  }

  /** An order near the touch, now and then; most of the older ones are cancelled. */
  #order(): void {
    const { venue } = this;
    const account = this.#random.chance(500) ? ALICE : BOB;
    for (const { orderNo, canCancel } of venue.orders(account).slice(-3)) {
      if (canCancel && this.#random.chance(700)) venue.cancel({ accountId: account, orderNo });
    }
    const board = venue.board(CODE);
    const side = this.#random.chance(500) ? 'buy' : 'sell';
    const touch = side === 'buy' ? board?.asks[0] : board?.bids[0];
    const price = (board?.lastPrice ?? 0) + this.#random.below(21) - 10;
    const fills = fillsOf(place(venue, side, 1 + this.#random.below(9), price, account, CODE).events);
    for (const fill of fills) {
      if (fill.price !== touch?.price || fill.qty > touch.qty)
        this.problems.push(`took ${fill.qty}@${fill.price}`);
    }
    this.fills.push(...fills);
  }

  #take(events: readonly VenueEvent[]): void {
    for (const event of events) {
      if (event.kind === 'trade') this.trades.push(event);
      else if (event.kind === 'fill') this.fills.push(event);
    }
  }
}

describe('a recorded day', () => {
  it('is replayed print by print, and fills only what it can account for', (context) => {
    context.skip(!existsSync(PATH), `no recorded day at ${PATH}: set TICKWRIGHT_DATA`);
    const { prints } = readPrints(PATH, { spec: VN30, utcOffsetMinutes: 420 });
    const { venue, trades, fills, problems } = new Replay(prints);

    // The tape comes through untouched, with an unbroken chain of volumes.
    expect(trades.length).toBe(prints.length);
    expect(
      trades.filter((trade, i) => trade.price !== prints[i]?.price || trade.qty !== prints[i]?.qty),
    ).toEqual([]);
    const gaps = trades.filter(
      (trade, i) => trade.totalVolume - trade.qty !== (trades[i - 1]?.totalVolume ?? 0),
    );
    expect(gaps).toEqual([]);
    // 609 prints of the opening cross and 1,161 of the closing one.
    expect(trades.filter(({ aggressor }) => aggressor === null).length).toBe(609 + 1_161);
    expect(venue.board(CODE)?.day).toMatchObject({ open: 19_420 });
    const marks = venue.positions(ALICE).concat(venue.positions(BOB));
    expect(new Set(marks.map(({ lastPrice }) => lastPrice))).toEqual(new Set([195_600]));

    expect(problems).toEqual([]);
    expect(fills.length).toBeGreaterThan(200);
    const band = venue.board(CODE)!.band;
    expect(fills.filter(({ price }) => price < band.floor || price > band.ceiling)).toEqual([]);
    expect(fills.filter(({ tsUs: when }) => quiet(when))).toEqual([]);

    // Money, from the fills alone.
    for (const account of [ALICE, BOB]) {
      let worth = 0;
      for (const fill of fills.filter(({ accountId }) => accountId === account)) {
        worth += (fill.side === 'buy' ? 1 : -1) * fill.qty * (19_560 - fill.price) * 10_000;
      }
      expect(venue.account(account)?.dayProfit).toBe(worth);
      const orders = venue.orders(account);
      const costs = orders.reduce((sum, { fee, tax }) => sum + fee + tax, 0);
      expect(venue.account(account)?.uncollected).toBe(costs);
    }
  });

  it('goes on after a restart as if nothing had happened, places in the queues included', () => {
    const start = at('2026-03-04', 10);
    const market = {
      kind: 'tape',
      orderCode: CODE,
      reference: hundredthsOf(VN30, priceTicks(19_400)),
    } as const;
    const venue = openVenue({ startUs: start, market });
    const feed = (target: Venue, from: number, to: number): VenueEvent[] => {
      const events: VenueEvent[] = [];
      for (let i = from; i < to; i += 1) {
        const buys = i % 3 === 0;
        const when = tsUs(start + i * 100_000);
        const heard = target.print({
          tsUs: when,
          orderCode: CODE,
          price: priceTicks(19_400 + (i % 7) + (buys ? 1 : 0)),
          qty: 1 + (i % 5),
          aggressor: buys ? 'buy' : 'sell',
        });
        events.push(...heard);
      }
      return events;
    };
    feed(venue, 0, 50);
    // One waits at the bid, one behind it, one takes what comes.
    place(venue, 'buy', 4, venue.board(CODE)?.bids[0]?.price ?? 0, ALICE, CODE);
    place(venue, 'buy', 9, 19_399, BOB, CODE);
    place(venue, 'buy', 60, 19_410, ALICE, CODE);
    const again = new Venue(options({ startUs: venue.nowUs, market }), throughJson(venue.exportState()));
    again.startEvents();
    expect(again.account(ALICE)).toEqual(venue.account(ALICE));
    expect(again.orders(ALICE)).toEqual(venue.orders(ALICE));
    const rest = fillsOf(feed(venue, 50, 150));
    expect(rest.length).toBeGreaterThan(3);
    expect(fillsOf(feed(again, 50, 150))).toEqual(rest);
    expect(again.exportState()).toEqual(venue.exportState());
  });
});
