/**
 * A contract's book over recorded trades. What stood in the real book was not recorded: the best bid and ask are inferred
 * from the aggressor of each print and said to be inferred. Users' orders stand beside the tape and never change it: the
 * prints, and so the chain of volumes, stay as they were recorded. The reading is the careful one:
 *
 * - A resting order waits for the quantity ahead of it at its price, estimated when it joins the queue, then fills from what
 *   the tape prints there against its side, never more. A print through its price fills it at its own price.
 * - An aggressive order takes what is inferred to stand at the touch, no deeper; its rest takes from prints inside its
 *   limit, at their price, as far as they printed.
 * - In an auction an order fills at the price of the cross when its limit is better, never beyond the volume of the prints.
 *   At the very price of the cross nobody knows who was ahead: it does not fill.
 * - Users' orders do not meet each other.
 */
import { assert } from '../../domain/assert.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import type { Side } from '../../domain/order.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import { priceTicks, qty, type TsUs, US_PER_SECOND } from '../../domain/units.ts';
import type { BookEntry, ContractBook, FillSink } from './contract-book.ts';
import { DayTally } from './day-tally.ts';
import type { Outbox } from '../outbox.ts';
import { type OnTapeFill, TapeQueue } from './tape-queue.ts';
import { TapeTouch } from './tape-touch.ts';
import { type BookView, LEVELS_SHOWN, Ticker } from './ticker.ts';
import type { TriggerWatch } from '../conditions/trigger-watch.ts';
import type { Listing } from '../venue-event.ts';
import type { TapePrint } from '../venue-options.ts';
import type { CrossingState, QueueState, TapeState } from '../venue-state.ts';

/** Recorded times are whole seconds: the prints of a cross carry the second in which the auction ended. */
const CROSS_PRINTS_US = US_PER_SECOND;
/** Guessed quantities change with every print: a book with the same prices is sent at most this often. */
const SAME_PRICES_EVERY_US = US_PER_SECOND;

type Crossing = { -readonly [K in keyof CrossingState]: CrossingState[K] };

export class TapeBook implements ContractBook {
  #listing: Listing;
  readonly tally = new DayTally();
  readonly #sink: FillSink;
  readonly #ticker: Ticker;
  readonly #touch = new TapeTouch();
  readonly #buys = new TapeQueue('buy');
  readonly #sells = new TapeQueue('sell');
  readonly #sideOfTag = new Map<number, Side>();
  #phase: SessionPhase = 'closed';
  #crossing: Crossing | null = null;
  #sentUs = 0;
  /** Places in the queues before a restart, until the orders stand again. */
  readonly #recalled = new Map<number, QueueState>();

  constructor(listing: Listing, outbox: Outbox, sink: FillSink, watch: TriggerWatch) {
    this.#listing = listing;
    this.#sink = sink;
    this.#ticker = new Ticker(listing.contract.spec, this.tally, outbox, watch);
  }

  get listing(): Listing {
    return this.#listing;
  }

  relist(listing: Listing): void {
    this.#listing = listing;
  }

  print(print: TapePrint, at: TsUs): void {
    assert(Number.isSafeInteger(print.qty) && print.qty > 0, 'a print has a whole quantity above zero');
    const cross = this.#crossOf(print);
    if (cross !== null) {
      const onFill = this.#onFill(at);
      this.#ticker.trade(print.price, print.qty, null, cross, at);
      this.#buys.fillCross(print.price, print.qty, onFill);
      this.#sells.fillCross(print.price, print.qty, onFill);
      return;
    }
    const aggressor = this.#touch.print(print.price, print.qty, print.aggressor);
    this.#ticker.trade(print.price, print.qty, aggressor, 'continuous', at);
    if (this.#phase !== 'continuous' || (this.#buys.isEmpty && this.#sells.isEmpty)) return;
    const onFill = this.#onFill(at);
    if (!this.#buys.isEmpty) this.#buys.fillFrom(print.price, print.qty, aggressor, onFill);
    if (!this.#sells.isEmpty) this.#sells.fillFrom(print.price, print.qty, aggressor, onFill);
  }

  enter(entry: BookEntry, at: TsUs): void {
    const aggressive = this.#phase === 'continuous' && this.#touch.crosses(entry.side, entry.price);
    if (!aggressive) return this.stand(entry);
    const taken = this.#touch.take(entry.side, entry.price, entry.qty);
    const left = entry.qty - (taken?.qty ?? 0);
    if (left > 0) this.#queue(entry, left, 0, true);
    if (taken !== null) this.#onFill(at)(entry.tag, taken.price, taken.qty);
  }

  stand(entry: BookEntry): void {
    const recalled = this.#recalled.get(entry.tag);
    this.#recalled.delete(entry.tag);
    const ahead = recalled?.ahead ?? this.#touch.ahead(entry.side, entry.price);
    this.#queue(entry, entry.qty, ahead, recalled?.takes ?? false);
  }

  decrease(tag: number, leaves: number): void {
    this.#queueOf(tag).decrease(tag, leaves);
  }

  remove(tag: number): void {
    this.#queueOf(tag).remove(tag);
    this.#sideOfTag.delete(tag);
  }

  setPhase(phase: SessionPhase): void {
    this.#phase = phase;
  }

  /** The cross itself comes with its prints. */
  uncross(source: 'opening' | 'closing', at: TsUs): void {
    this.#crossing = { source, untilUs: at + CROSS_PRINTS_US, price: null, aggressor: null };
  }

  close(at: TsUs): void {
    this.#buys.clear();
    this.#sells.clear();
    this.#sideOfTag.clear();
    this.#crossing = null;
    this.#phase = 'closed';
    this.publish(at);
  }

  publish(at: TsUs): void {
    if (at - this.#sentUs < SAME_PRICES_EVERY_US && this.#isAsShown()) return this.#ticker.summary(at);
    const view = this.view();
    const { shown } = this.#ticker;
    const samePrices = havePrices(view.bids, shown.bids) && havePrices(view.asks, shown.asks);
    if (!samePrices || at - this.#sentUs >= SAME_PRICES_EVERY_US) {
      this.#sentUs = at;
      this.#ticker.book(view, at);
    }
    this.#ticker.summary(at);
  }

  view(): BookView {
    return {
      bids: this.#isTrading ? levelsOf(this.#touch.bid, this.#buys, -1) : [],
      asks: this.#isTrading ? levelsOf(this.#touch.ask, this.#sells, 1) : [],
      inferred: true,
      auctionPrice: null,
    };
  }

  get #isTrading(): boolean {
    return this.#phase === 'continuous' || this.#phase === 'break';
  }

  /** The same prices as in the last view, told without making a new one: with nobody's orders over the tape, most of the time. */
  #isAsShown(): boolean {
    if (!this.#isTrading || !this.#buys.isEmpty || !this.#sells.isEmpty) return false;
    const { bids, asks } = this.#ticker.shown;
    const { bid, ask } = this.#touch;
    return isOnly(bids, bid.qty > 0 ? bid.price : null) && isOnly(asks, ask.qty > 0 ? ask.price : null);
  }

  exportTape(): TapeState {
    const orders = [...this.#buys.orders(), ...this.#sells.orders()];
    return {
      ...this.#touch.exportState(),
      crossing: this.#crossing === null ? null : { ...this.#crossing },
      queue: orders.map(({ tag, ahead, takes }) => ({ tag, ahead, takes })),
    };
  }

  recallTape(state: TapeState): void {
    this.#touch.recall(state);
    this.#crossing = state.crossing === null ? null : { ...state.crossing };
    for (const place of state.queue) this.#recalled.set(place.tag, place);
  }

  /** The auction a print belongs to: all prints of a cross come first, at one price and with one (meaningless) side. */
  #crossOf(print: TapePrint): 'opening' | 'closing' | null {
    const crossing = this.#crossing;
    if (crossing === null) return null;
    if (crossing.price === null) {
      crossing.price = print.price;
      crossing.aggressor = print.aggressor;
    }
    const same = crossing.price === print.price && crossing.aggressor === print.aggressor;
    if (same && print.tsUs < crossing.untilUs) return crossing.source;
    this.#crossing = null;
    return null;
  }

  #queue(entry: BookEntry, left: number, ahead: number, takes: boolean): void {
    this.#sideOfTag.set(entry.tag, entry.side);
    (entry.side === 'buy' ? this.#buys : this.#sells).add({
      tag: entry.tag,
      price: entry.price,
      left,
      ahead,
      takes,
    });
  }

  #queueOf(tag: number): TapeQueue {
    const side = this.#sideOfTag.get(tag);
    assert(side !== undefined, 'the order waits over the tape');
    return side === 'buy' ? this.#buys : this.#sells;
  }

  #onFill(at: TsUs): OnTapeFill {
    return (tag, price, quantity) => this.#sink.onFill(tag, price, quantity, at);
  }
}

/** The inferred touch with users' orders that wait, best first. */
function levelsOf(
  touch: { readonly price: number | null; readonly qty: number },
  queue: TapeQueue,
  step: 1 | -1,
): BookLevel[] {
  if (queue.isEmpty) {
    if (touch.price === null || touch.qty <= 0) return [];
    return [{ price: priceTicks(touch.price), qty: qty(touch.qty) }];
  }
  const byPrice = new Map<number, number>();
  if (touch.price !== null && touch.qty > 0) byPrice.set(touch.price, touch.qty);
  for (const order of queue.orders()) {
    if (!order.takes) byPrice.set(order.price, (byPrice.get(order.price) ?? 0) + order.left);
  }
  return [...byPrice]
    .toSorted(([a], [b]) => (a - b) * step)
    .slice(0, LEVELS_SHOWN)
    .map(([price, quantity]) => ({ price: priceTicks(price), qty: qty(quantity) }));
}

/** One level at this price, or none when there is no price. */
const isOnly = (levels: readonly BookLevel[], price: number | null): boolean =>
  price === null ? levels.length === 0 : levels.length === 1 && levels[0]?.price === price;

const havePrices = (a: readonly BookLevel[], b: readonly BookLevel[]): boolean =>
  a.length === b.length && a.every((level, i) => level.price === b[i]?.price);
