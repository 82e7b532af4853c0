/** A contract's book with the orders of the whole market: users' and the background's, matched alike. */
import type { SessionPhase } from '../../domain/calendar.ts';
import { assert } from '../../domain/assert.ts';
import { hundredthsOf } from '../../domain/contract.ts';
import { type Side, signOf } from '../../domain/order.ts';
import { type PriceHundredths, priceTicks, qty, type TsUs } from '../../domain/units.ts';
import type { BookEntry, BookFills, ContractBook } from './contract-book.ts';
import { DayTally, type TradePhase } from './settlement-price.ts';
import { Ladder, type LadderFill, type LadderOrder } from './ladder.ts';
import type { BookView, Listing, Outbox } from '../venue-event.ts';
import { LEVELS_SHOWN, Ticker } from './ticker.ts';
import type { TriggerWatch } from '../triggers/trigger.ts';
import type { BookLevel } from '../../domain/ticks.ts';

// The price of a call auction (market rules, 4): (a) most volume; (b) one side filled in full, which holds at every price of most volume,
// because volume is the smaller side; (c) nearest to the anchor, the last matched price, at the opening the reference. Our choice where no
// rule is published: at equal distance the price with the smaller surplus, then the higher one; at the margin time decides.

interface Cross {
  readonly price: number;
  readonly volume: number;
}

/** The cross of the orders in the book, or undefined without one. */
export function uncross(
  ladder: Ladder,
  anchor: PriceHundredths,
  hundredthsPerTick: number,
): Cross | undefined {
  const buys = ladder.depth('buy');
  const sells = ladder.depth('sell');
  let demand = 0;
  for (const quantity of buys) demand += quantity;
  let supply = 0;
  let best: { price: number; volume: number; distance: number; surplus: number } | undefined;
  for (let i = 0; i < buys.length; i += 1) {
    supply += sells[i] ?? 0;
    const volume = Math.min(demand, supply);
    if (volume > 0 && (best === undefined || volume >= best.volume)) {
      const price = ladder.floor + i;
      const distance = Math.abs(price * hundredthsPerTick - anchor);
      const surplus = Math.abs(demand - supply);
      if (best === undefined || volume > best.volume || isNearer(distance, surplus, best)) {
        best = { price, volume, distance, surplus };
      }
    }
    demand -= buys[i] ?? 0;
  }
  return best === undefined ? undefined : { price: best.price, volume: best.volume };
}

/** Prices are walked upwards, so an equal one that comes later is the higher one. */
const isNearer = (distance: number, surplus: number, best: { distance: number; surplus: number }): boolean =>
  distance < best.distance || (distance === best.distance && surplus <= best.surplus);

/** Levels of the board in an auction: the best levels expected to be left after the cross, not the book. */
export function levelsAfter(
  ladder: Ladder,
  side: 'buy' | 'sell',
  volume: number,
  count: number,
): BookLevel[] {
  const depth = ladder.depth(side);
  const step = side === 'buy' ? -1 : 1;
  const result: BookLevel[] = [];
  let gone = volume;
  for (
    let i = (ladder.best(side) ?? ladder.floor - 1) - ladder.floor;
    i >= 0 && i < depth.length && result.length < count;
    i += step
  ) {
    const quantity = depth[i] ?? 0;
    const left = quantity - Math.min(gone, quantity);
    gone -= quantity - left;
    if (left > 0) result.push({ price: priceTicks(ladder.floor + i), qty: qty(left) });
  }
  return result;
}

export const BACKGROUND = 0;
/** Tag of background auction orders without a price: at ceiling or floor by time, gone after the cross. */
const BACKGROUND_AUCTION = -1;

export class LadderBook implements ContractBook {
  listing: Listing;
  readonly tally = new DayTally();
  readonly ladder: Ladder;
  readonly #sink: BookFills;
  readonly #ticker: Ticker;
  /** Orders of users that rest, by tag. */
  readonly #orders = new Map<number, LadderOrder>();
  #auction: 'opening' | 'closing' | null = null;
  #pressure = 0;
  /** State of the ladder that was published last; below zero, none of this phase. */
  #shownRevision = -1;

  constructor(listing: Listing, outbox: Outbox, sink: BookFills, watch: TriggerWatch) {
    this.listing = listing;
    this.#sink = sink;
    this.ladder = new Ladder(listing.band.floor, listing.band.ceiling);
    this.#ticker = new Ticker(listing.contract.spec, this.tally, outbox, watch);
  }

  enter(order: BookEntry, at: TsUs): void {
    const { side, price, leavesQty, tag } = order;
    if (this.#auction === null) this.#match(side, price, leavesQty, tag, at);
    if (order.leavesQty > 0) this.restore(order);
  }

  restore({ side, price, leavesQty, tag }: BookEntry): void {
    this.#orders.set(tag, this.ladder.rest(side, price, leavesQty, tag));
  }

  decrease({ tag, leavesQty }: BookEntry): void {
    this.ladder.decrease(this.#orderOf(tag), leavesQty);
  }

  remove({ tag }: BookEntry): void {
    this.ladder.cancel(this.#orderOf(tag));
    this.#orders.delete(tag);
  }

  /** A background order. What is left stays in the book, unless it is immediate-or-cancel. */
  background(side: Side, price: number, quantity: number, mayRest: boolean, at: TsUs): void {
    const left = this.#auction === null ? this.#match(side, price, quantity, BACKGROUND, at) : quantity;
    if (left > 0 && mayRest) this.ladder.rest(side, price, left, BACKGROUND);
  }

  /** Contracts bought less sold by aggressors since the last call: trades move the market. */
  drainPressure(): number {
    const taken = this.#pressure;
    this.#pressure = 0;
    return taken;
  }

  /** A background order for this auction only, without a price. */
  backgroundAuction(side: Side, quantity: number): void {
    assert(this.#auction !== null, 'an auction order is sent in an auction');
    this.ladder.rest(
      side,
      side === 'buy' ? this.ladder.ceiling : this.ladder.floor,
      quantity,
      BACKGROUND_AUCTION,
    );
  }

  setPhase(phase: SessionPhase): void {
    this.#shownRevision = -1;
    this.#auction = phase === 'opening_auction' ? 'opening' : phase === 'closing_auction' ? 'closing' : null;
  }

  uncross(source: 'opening' | 'closing', at: TsUs): void {
    const cross = uncross(this.ladder, this.#anchor(), this.listing.contract.spec.hundredthsPerTick);
    this.#auction = null;
    if (cross !== undefined) {
      this.#report(this.ladder.cross(cross.price, cross.volume), null, BACKGROUND, source, at);
    }
    this.#dropAuctionOrders('buy', this.ladder.ceiling);
    this.#dropAuctionOrders('sell', this.ladder.floor);
  }

  close(at: TsUs): void {
    this.#orders.clear();
    this.#auction = null;
    this.#shownRevision = -1;
    this.ladder.clear();
    this.publish(at);
  }

  publish(at: TsUs): void {
    if (this.#shownRevision !== this.ladder.revision) {
      this.#shownRevision = this.ladder.revision;
      this.#ticker.book(this.view(), at);
    }
    this.#ticker.summary(at);
  }

  view(): BookView {
    if (this.#auction === null) {
      const bids = this.ladder.levels('buy', LEVELS_SHOWN);
      return { bids, asks: this.ladder.levels('sell', LEVELS_SHOWN), inferred: false, auctionPrice: null };
    }
    const cross = uncross(this.ladder, this.#anchor(), this.listing.contract.spec.hundredthsPerTick);
    const volume = cross?.volume ?? 0;
    return {
      bids: levelsAfter(this.ladder, 'buy', volume, LEVELS_SHOWN),
      asks: levelsAfter(this.ladder, 'sell', volume, LEVELS_SHOWN),
      inferred: false,
      auctionPrice: cross === undefined ? null : priceTicks(cross.price),
    };
  }

  #match(side: Side, price: number, quantity: number, tag: number, at: TsUs): number {
    const fills = this.ladder.take(side, price, quantity);
    const traded = fills.reduce((sum, fill) => sum + fill.qty, 0);
    this.#pressure += signOf(side) * traded;
    this.#report(fills, side, tag, 'continuous', at);
    return quantity - traded;
  }

  /** `aggressor` null: an auction, whose fills name the seller. */
  #report(
    fills: readonly LadderFill[],
    aggressor: Side | null,
    tag: number,
    source: TradePhase,
    at: TsUs,
  ): void {
    for (const { price, qty: quantity, resting, seller } of fills) {
      this.#ticker.trade(priceTicks(price), quantity, aggressor, source, at);
      for (const order of [resting, seller]) if (order?.leavesQty === 0) this.#orders.delete(order.tag);
      for (const each of [resting.tag, seller?.tag ?? tag])
        if (each > BACKGROUND) this.#sink.onFill(each, price, quantity);
    }
  }

  /** Last matched price; before the first trade, and at the opening, the reference. */
  #anchor(): PriceHundredths {
    const { last } = this.tally;
    const { contract, band } = this.listing;
    return last === null || this.#auction === 'opening' ? band.reference : hundredthsOf(contract.spec, last);
  }

  #dropAuctionOrders(side: Side, price: number): void {
    for (const order of this.ladder.ordersAt(side, price).slice())
      if (order.tag === BACKGROUND_AUCTION) this.ladder.cancel(order);
  }

  #orderOf(tag: number): LadderOrder {
    const order = this.#orders.get(tag);
    assert(order !== undefined, 'the order rests in the book');
    return order;
  }
}
