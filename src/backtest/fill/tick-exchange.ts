/**
 * A contract over recorded trades, with the recorded book or without one. Our orders stand beside the recording and never change
 * it. A trade fills what waits at its price behind the quantity that was there first, and what it went through at the price it
 * waited at; all fills of one trade together never exceed it. An order that meets what stands takes it, level by level. What
 * is carried into an auction shares in its uncross, at its price and inside its volume, if its limit is better.
 */
import { assert } from '../../domain/assert.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import { opposite, type Side } from '../../domain/order.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import type { TickRows } from '../../recording/columns/tick-columns.ts';
import { TapeQueue, type Waiting } from '../../venue/exchange/tape-queue.ts';
import type { Exchange, FillSink } from './exchange.ts';
import type { FillClause } from './fill-clause.ts';
import type { TickFillModel } from './fill-models.ts';
import { InferredBook } from './inferred-book.ts';
import { QueueCancels } from './queue-cancels.ts';
import { RecordedBook } from './recorded-book.ts';
import { crosses, type ShownBook } from './shown-book.ts';
import { Uncross } from './uncross.ts';
import type { VenueOrder } from './venue-order.ts';

/** An order that waits, and its place in the queue. */
interface Place {
  readonly order: VenueOrder;
  readonly waiting: Waiting;
}

export class TickExchange implements Exchange {
  readonly isPath = false;
  last = 0;
  high = -Infinity;
  low = Infinity;
  readonly #tsUs: Float64Array;
  readonly #price: Int32Array;
  readonly #qty: Int32Array;
  readonly #side: Int8Array;
  readonly #model: TickFillModel;
  readonly #sink: FillSink;
  readonly #book: ShownBook;
  /** The same, where it was recorded. */
  readonly #recorded: RecordedBook | null;
  readonly #cancels: QueueCancels | null;
  readonly #buys = new TapeQueue('buy');
  readonly #sells = new TapeQueue('sell');
  readonly #places = new Map<number, Place>();
  readonly #tags = new Map<VenueOrder, number>();
  #lastTag = 0;
  #phase: SessionPhase = 'closed';
  #uncross: Uncross | null = null;
  /** Nothing is known of the book yet, or not since the auction: what came meanwhile waits, and meets it when it is. */
  #isUnsettled = true;
  /** A trade at or below the one, or at or above the other, may fill something: the one comparison that a trade pays. */
  #buyLimit = -Infinity;
  #sellLimit = Infinity;

  constructor(rows: TickRows, model: TickFillModel, sink: FillSink) {
    this.#tsUs = rows.tsUs;
    this.#price = rows.priceTicks;
    this.#qty = rows.qty;
    this.#side = rows.side;
    this.#model = model;
    this.#sink = sink;
    const recorded = rows.book === null ? null : new RecordedBook(rows.book);
    this.#book = recorded ?? new InferredBook();
    this.#recorded = recorded;
    this.#cancels =
      recorded !== null && model.queue === 'queue' ? new QueueCancels(recorded, model.cancels) : null;
  }

  get bid(): number {
    return this.#book.bid;
  }
  get ask(): number {
    return this.#book.ask;
  }
  get bidQty(): number {
    return this.#book.bidQty;
  }
  get askQty(): number {
    return this.#book.askQty;
  }
  get bidChanges(): number {
    return this.#book.bidChanges;
  }
  get askChanges(): number {
    return this.#book.askChanges;
  }

  levels(side: Side): readonly BookLevel[] {
    return this.#book.levels(side);
  }

  restartRange(): void {
    this.high = -Infinity;
    this.low = Infinity;
  }

  row(row: number): void {
    this.#recorded?.row(row);
    if (this.#uncross !== null && this.#uncross.isOver(this.#tsUs[row] ?? 0)) this.#uncross = null;
    const qty = this.#qty[row] ?? 0;
    if (qty > 0) this.#trade(this.#price[row] ?? 0, qty, this.#side[row] ?? 0);
    if (this.#isUnsettled) this.#settle();
    if (this.#cancels !== null && this.#places.size > 0) this.#afterBook();
  }

  setPhase(phase: SessionPhase, atUs: number): void {
    const before = this.#phase;
    this.#phase = phase;
    const wasAuction = before === 'opening_auction' || before === 'closing_auction';
    if (wasAuction && phase !== before) {
      this.#uncross = new Uncross(atUs, new Set(this.#places.keys()));
      this.#isUnsettled = true;
    }
    this.#refresh();
  }

  enter(order: VenueOrder): void {
    const { side, price } = order;
    const isTaking = this.#isMatching && crosses(this.#book, side, price);
    if (isTaking) this.#take(order, 'shown');
    const left = order.leavesQty;
    if (left > 0) this.#stand(order, left, isTaking);
  }

  change(order: VenueOrder, price: number, qty: number): void {
    const tag = this.#tagOf(order);
    const isLess = price === order.price && qty < order.qty;
    order.price = price;
    order.qty = qty;
    if (isLess) {
      this.#queueOf(order).decrease(tag, order.leavesQty);
      return;
    }
    this.remove(order);
    this.enter(order);
  }

  remove(order: VenueOrder): void {
    const tag = this.#tagOf(order);
    this.#queueOf(order).remove(tag);
    this.#forget(order, tag);
    this.#refresh();
  }

  #trade(price: number, qty: number, side: number): void {
    this.last = price;
    if (price > this.high) this.high = price;
    if (price < this.low) this.low = price;
    if (this.#uncross !== null) {
      if (this.#uncross.has(price, side)) return this.#cross(this.#uncross, price, qty);
      this.#uncross = null;
    }
    const aggressor = this.#book.trade(price, qty, side);
    if (price <= this.#buyLimit || price >= this.#sellLimit) this.#match(price, qty, aggressor);
    this.#cancels?.traded(aggressor, price, qty);
  }

  #cross(uncross: Uncross, price: number, printed: number): void {
    const onFill = ({ tag }: Waiting, qty: number): void =>
      this.#sink.onFill(this.#placeOf(tag).order, price, qty, 'uncross');
    const left = uncross.share(this.#buys, printed, (limit) => limit > price, onFill);
    uncross.share(this.#sells, left, (limit) => limit < price, onFill);
    this.#dropFilled();
  }

  /** First the side that the aggressor hit; both sides together never get more than was printed. */
  #match(price: number, printed: number, aggressor: Side): void {
    let left = printed;
    const onFill = (tag: number, at: number, qty: number): void => {
      const { order, waiting } = this.#placeOf(tag);
      left -= qty;
      if (waiting.takes) return this.#sink.onFill(order, this.#slipped(order, at), qty, 'beside_taker');
      this.#sink.onFill(order, at, qty, at === price ? 'queue_reached' : 'traded_through');
    };
    for (const side of [opposite(aggressor), aggressor]) {
      const isMet = side === 'buy' ? price <= this.#buyLimit : price >= this.#sellLimit;
      if (isMet && left > 0) this.#queueAt(side).fillFrom(price, left, aggressor, onFill);
    }
    this.#dropFilled();
    // Who is behind everybody stays there, however far the market went through him.
    if (this.#model.queue === 'through')
      for (const { waiting } of this.#places.values()) waiting.ahead = waiting.takes ? 0 : Infinity;
  }

  get #isMatching(): boolean {
    return this.#phase === 'continuous' && !this.#isUnsettled;
  }

  /** The book is known: everything that stands meets it, in the order of its coming. */
  #settle(): void {
    const { bid, ask } = this.#book;
    if (this.#phase !== 'continuous' || this.#uncross !== null || (bid === 0 && ask === 0)) return;
    this.#isUnsettled = false;
    const standing = Array.from(this.#places.values(), ({ order }) => order);
    for (const order of standing) this.remove(order);
    for (const order of standing) this.enter(order);
  }

  #take(order: VenueOrder, clause: FillClause): void {
    this.#book.take(order.side, order.price, order.leavesQty, (price, qty) =>
      this.#sink.onFill(order, this.#slipped(order, price), qty, clause),
    );
  }

  #stand(order: VenueOrder, left: number, takes: boolean): void {
    this.#lastTag += 1;
    const ahead = takes ? 0 : this.#aheadOf(order);
    const waiting: Waiting = { tag: this.#lastTag, price: order.price, left, ahead, takes };
    this.#places.set(this.#lastTag, { order, waiting });
    this.#tags.set(order, this.#lastTag);
    this.#queueOf(order).add(waiting);
    this.#cancels?.joined(order.side, waiting);
    this.#refresh();
  }

  #aheadOf({ side, price }: VenueOrder): number {
    if (this.#model.queue === 'touch') return 0;
    return this.#model.queue === 'through' ? Infinity : this.#book.ahead(side, price);
  }

  /** The book moved: what left it without a trade is shared, and what still takes looks again. */
  #afterBook(): void {
    this.#cancels?.share();
    if (!this.#isMatching) return;
    for (const { order, waiting } of this.#places.values()) {
      if (!waiting.takes) continue;
      this.#take(order, 'shown_later');
      waiting.left = order.leavesQty;
      if (waiting.left === 0) this.#queueOf(order).remove(waiting.tag);
    }
    this.#dropFilled();
  }

  #placeOf(tag: number): Place {
    const place = this.#places.get(tag);
    assert(place !== undefined, 'what is filled waits here');
    return place;
  }

  #slipped({ side, price: limit }: VenueOrder, price: number): number {
    const { slippageTicks } = this.#model;
    return side === 'buy' ? Math.min(limit, price + slippageTicks) : Math.max(limit, price - slippageTicks);
  }

  #dropFilled(): void {
    for (const [tag, { order }] of this.#places) if (order.leavesQty === 0) this.#forget(order, tag);
    this.#refresh();
  }

  #forget(order: VenueOrder, tag: number): void {
    this.#places.delete(tag);
    this.#tags.delete(order);
    this.#cancels?.left(tag);
  }

  #refresh(): void {
    const isOpen = this.#isMatching;
    this.#buyLimit = isOpen ? (this.#buys.orders()[0]?.price ?? -Infinity) : -Infinity;
    this.#sellLimit = isOpen ? (this.#sells.orders()[0]?.price ?? Infinity) : Infinity;
  }

  #queueOf({ side }: VenueOrder): TapeQueue {
    return this.#queueAt(side);
  }

  #queueAt(side: Side): TapeQueue {
    return side === 'buy' ? this.#buys : this.#sells;
  }

  #tagOf(order: VenueOrder): number {
    const tag = this.#tags.get(order);
    assert(tag !== undefined, 'the order stands');
    return tag;
  }
}
