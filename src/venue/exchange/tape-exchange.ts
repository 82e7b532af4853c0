/**
 * A contract's market over recorded trades, for backtests and for the simulator's replay. Our orders rest next to the recording and never
 * change it. A trade fills orders that wait at its price behind the quantity that was there first, and orders that it traded through at
 * their own price; all fills of one trade, on both sides and of all accounts, never exceed it. An order that crosses the shown book takes
 * it, level by level. Orders carried into an auction share in its uncross, at its price and inside its volume, if their limit is better; at
 * exactly its price the queue is unknown and they get nothing. Our orders never meet each other.
 */
import { assert } from '../../domain/assert.ts';
import { isAuction, type SessionPhase } from '../../domain/calendar.ts';
import { isMarketLimit } from '../../domain/contract.ts';
import { opposite, type Side, signOf } from '../../domain/order.ts';
import type { TapeColumns } from '../../domain/ticks.ts';
import { US_PER_SECOND } from '../../domain/units.ts';
import type { BookOrder, Exchange, FillSink } from './exchange.ts';
import { type FillClause, slippedPrice, type TickFillModel } from './fill-models.ts';
import { crosses, InferredBook, Prints, RecordedBook, type ShownBook, type Touch } from './shown-book.ts';
import { noteTraded, type QueuedOrder, shareCanceled, TapeQueue } from './tape-queue.ts';

export type QueuePlace = Pick<QueuedOrder<BookOrder>, 'ahead' | 'takes' | 'isCarried'>;

/** For a restart: the state beyond the orders. */
export interface TapeExchangeState {
  readonly inferred: Pick<
    InferredBook,
    'bidPrinted' | 'askPrinted' | 'usualQty' | Exclude<keyof Touch, 'aggressorOf'>
  >;
  readonly isSettled: boolean;
  readonly auction: Pick<AuctionPrints, 'untilUs' | 'price' | 'side'> | null;
}

const NO_TIMES = new Float64Array(0);
const NO_WHOLES = new Int32Array(0);
const NO_SIDES = new Int8Array(0);

export class TapeExchange<O extends BookOrder = BookOrder> extends Prints implements Exchange<O> {
  readonly isPath = false;
  readonly silentUntilUs = -Infinity;
  buyLimit = -Infinity;
  sellLimit = Infinity;
  readonly #tsUs: Float64Array;
  readonly #price: Int32Array;
  readonly #qty: Int32Array;
  readonly #side: Int8Array;
  readonly #isQuotes: boolean;
  readonly #model: TickFillModel;
  readonly #sink: FillSink<O>;
  readonly #inferred = new InferredBook();
  readonly #recorded: RecordedBook | null;
  /** The recorded book, or the inferred one where none was recorded. */
  readonly book: ShownBook;
  /** Where canceled quantity is guessed to have been in front of us or behind. */
  readonly #guessed: RecordedBook | null;
  readonly #buys = new TapeQueue<O>('buy');
  readonly #sells = new TapeQueue<O>('sell');
  /** In order of entry. */
  readonly #waiting = new Map<O, QueuedOrder<O>>();
  phase: SessionPhase = 'closed';
  #uncross: AuctionPrints | null = null;
  /** False until the book is known, at the start and again after an auction: orders entered meanwhile meet it then. */
  #isSettled = false;

  /** `rows` null: trades come by `print`, and no book was recorded. */
  constructor(rows: TapeColumns | null, model: TickFillModel, sink: FillSink<O>) {
    super();
    this.#tsUs = rows?.tsUs ?? NO_TIMES;
    this.#price = rows?.priceTicks ?? NO_WHOLES;
    this.#qty = rows?.qty ?? NO_WHOLES;
    this.#side = rows?.side ?? NO_SIDES;
    this.#isQuotes = rows?.isQuotes ?? false;
    this.#model = model;
    this.#sink = sink;
    const depth = rows?.book ?? null;
    const recorded = depth === null ? null : new RecordedBook(depth);
    this.#recorded = recorded;
    this.book = recorded ?? this.#inferred;
    const isGuessed = recorded !== null && model.queue === 'queue' && !this.#isQuotes;
    this.#guessed = isGuessed ? recorded : null;
  }

  get hasOrders(): boolean {
    return this.#waiting.size > 0;
  }

  get isQuiet(): boolean {
    const isEachRowMet = this.#guessed !== null || this.#isQuotes;
    return this.#uncross === null && this.#isSettled && (!isEachRowMet || this.#waiting.size === 0);
  }

  /** Our orders of one side, best price first. */
  waitingOn(side: Side): readonly QueuedOrder<O>[] {
    return this.#queueAt(side).waiting;
  }

  row(row: number): void {
    this.#recorded?.row(row);
    const qty = this.#qty[row] ?? 0;
    if (this.#uncross !== null && this.#uncross.isOver(this.#tsUs[row] ?? 0)) this.#uncross = null;
    if (this.#isQuotes) this.note(this.#price[row] ?? 0);
    else if (qty > 0) this.#trade(this.#price[row] ?? 0, qty, this.#side[row] ?? 0);
    if (!this.#isSettled) this.#settle();
    if (this.#waiting.size === 0) return;
    if (this.#isQuotes) this.#meetQuote();
    else if (this.#guessed !== null) this.#afterBook(this.#guessed);
  }

  advance(row: number): void {
    this.#recorded?.row(row);
    const qty = this.#qty[row] ?? 0;
    if (this.#isQuotes) this.note(this.#price[row] ?? 0);
    else if (qty > 0) this.#show(this.#price[row] ?? 0, qty, this.#side[row] ?? 0);
  }

  /** Aggressor of a trade that comes next, guessed where `side` is 0; null where it belongs to the uncross of an auction. */
  aggressorOf(price: number, side: number, atUs: number): Side | null {
    if (this.#uncross !== null && (this.#uncross.isOver(atUs) || !this.#uncross.has(price, side)))
      this.#uncross = null;
    return this.#uncross === null ? this.book.aggressorOf(price, side) : null;
  }

  /** A recorded trade, after `aggressorOf` was asked for it; `side` as there. */
  print(price: number, qty: number, side: number): void {
    this.#trade(price, qty, side);
    if (!this.#isSettled) this.#settle();
  }

  setPhase(phase: SessionPhase, atUs: number): void {
    const before = this.phase;
    this.phase = phase;
    if (isAuction(before) && phase !== before) {
      this.#uncross = new AuctionPrints(atUs);
      for (const waiting of this.#waiting.values()) waiting.isCarried = true;
      this.#isSettled = false;
    }
    this.#refresh();
  }

  enter(order: O): void {
    const { side, price } = order;
    const isTaking = this.#isMatching && (isMarketLimit(side, price) || crosses(this.book, side, price));
    if (isTaking) this.#take(order, 'shown');
    if (order.leavesQty === 0) return;
    this.rest(order, { ahead: isTaking ? 0 : this.#aheadOf(order), takes: isTaking, isCarried: false });
  }

  /** Without matching: at its earlier place, or behind the resting quantity at its price. */
  rest(order: O, place: QueuePlace | null): void {
    const ahead = place?.ahead ?? this.#aheadOf(order);
    const takes = place?.takes ?? false;
    const isCarried = place?.isCarried ?? false;
    const { side, price, leavesQty: left } = order;
    const shown = this.#guessed?.shownAt(side, price);
    const waiting: QueuedOrder<O> = { order, price, left, ahead, takes, isCarried, shown, traded: 0 };
    this.#waiting.set(order, waiting);
    this.#queueAt(side).add(waiting);
    this.#refresh();
  }

  decrease(order: O): void {
    const waiting = this.#waitingOf(order);
    assert(order.leavesQty > 0 && order.leavesQty <= waiting.left, 'a decrease leaves something, and less');
    waiting.left = order.leavesQty;
  }

  remove(order: O): void {
    const waiting = this.#waitingOf(order);
    this.#queueAt(order.side).remove(waiting);
    this.#waiting.delete(order);
    this.#refresh();
  }

  close(): void {
    this.#buys.clear();
    this.#sells.clear();
    this.#waiting.clear();
    this.#uncross = null;
    this.phase = 'closed';
    this.#refresh();
  }

  exportState(): TapeExchangeState {
    const auction = this.#uncross && Object.assign({}, this.#uncross);
    return { inferred: Object.assign({}, this.#inferred), isSettled: this.#isSettled, auction };
  }

  restoreState({ inferred, isSettled, auction }: TapeExchangeState): void {
    Object.assign(this.#inferred, inferred);
    this.#isSettled = isSettled;
    this.#uncross = auction && Object.assign(new AuctionPrints(0), auction);
  }

  #show(price: number, qty: number, side: number): Side {
    this.note(price);
    return this.book.trade(price, qty, side);
  }

  #trade(price: number, qty: number, side: number): void {
    if (this.#uncross !== null) {
      if (this.#uncross.has(price, side)) return this.#cross(price, qty);
      this.#uncross = null;
    }
    const aggressor = this.#show(price, qty, side);
    if (price <= this.buyLimit || price >= this.sellLimit) this.#match(price, qty, aggressor);
    if (this.#guessed !== null) noteTraded(this.#waiting, aggressor, price, qty);
  }

  #cross(price: number, printed: number): void {
    this.note(price);
    const onFill = ({ order }: QueuedOrder<O>, at: number, qty: number): void =>
      this.#sink.fill(order, at, qty, 'uncross');
    const left = this.#buys.fillUncross(price, printed, onFill);
    this.#sells.fillUncross(price, left, onFill);
    this.#dropFilled();
  }

  /** First the side that the aggressor hit. */
  #match(price: number, printed: number, aggressor: Side): void {
    const onFill = ({ order, takes }: QueuedOrder<O>, at: number, qty: number): void => {
      if (takes) return this.#sink.fill(order, slippedPrice(this.#model, order, at), qty, 'same_side_trade');
      this.#sink.fill(order, at, qty, at === price ? 'queue_reached' : 'traded_through');
    };
    let left = printed;
    for (const side of [opposite(aggressor), aggressor]) {
      const isMet = side === 'buy' ? price <= this.buyLimit : price >= this.sellLimit;
      if (isMet && left > 0) left = this.#queueAt(side).fillFrom(price, left, aggressor, onFill);
    }
    this.#dropFilled();
    // An order behind the whole queue stays there, however far the market traded through it.
    if (this.#model.queue === 'through')
      for (const waiting of this.#waiting.values()) waiting.ahead = waiting.takes ? 0 : Infinity;
  }

  get #isMatching(): boolean {
    return this.phase === 'continuous' && this.#isSettled;
  }

  /** Once the book is known every resting order meets it, in the order of entry. */
  #settle(): void {
    const { bid, ask } = this.book;
    if (this.phase !== 'continuous' || this.#uncross !== null || (bid === 0 && ask === 0)) return;
    this.#isSettled = true;
    const resting = [...this.#waiting.keys()];
    for (const order of resting) this.remove(order);
    for (const order of resting) this.enter(order);
  }

  #take(order: O, clause: FillClause): void {
    this.book.take(order.side, order.price, order.leavesQty, (price, qty) =>
      this.#sink.fill(order, slippedPrice(this.#model, order, price), qty, clause),
    );
  }

  #aheadOf({ side, price }: O): number {
    if (this.#model.queue === 'touch') return 0;
    return this.#model.queue === 'through' ? Infinity : this.book.ahead(side, price);
  }

  /** The recorded book moved: canceled quantity is shared out, and an order that still takes is matched again. */
  #afterBook(book: RecordedBook): void {
    shareCanceled(this.#waiting, book, this.#model.cancels);
    if (!this.#isMatching) return;
    for (const waiting of this.#waiting.values()) {
      if (!waiting.takes) continue;
      this.#take(waiting.order, 'shown_later');
      waiting.left = waiting.order.leavesQty;
      if (waiting.left === 0) this.#queueAt(waiting.order.side).remove(waiting);
    }
    this.#dropFilled();
  }

  /** A quote that reached the price of a waiting order fills it there; an order that still takes gets the quote itself. */
  #meetQuote(): void {
    if (!this.#isMatching) return;
    for (const side of ['buy', 'sell'] as const) {
      for (const waiting of this.#queueAt(side).waiting.slice()) {
        if (!this.#isReached(waiting)) continue;
        const { order, takes } = waiting;
        if (takes) this.#take(order, 'shown_later');
        else
          this.book.take(side, order.price, order.leavesQty, (_at, qty) =>
            this.#sink.fill(order, order.price, qty, 'quote_reached'),
          );
        waiting.left = order.leavesQty;
        if (waiting.left === 0) this.#queueAt(side).remove(waiting);
      }
    }
    this.#dropFilled();
  }

  /** Behind the whole queue a quote has to go beyond the price. */
  #isReached({ order: { side, price }, takes }: QueuedOrder<O>): boolean {
    const isStrict = this.#model.queue === 'through' && !takes;
    return crosses(this.book, side, isStrict ? price - signOf(side) : price);
  }

  #dropFilled(): void {
    for (const { order, left } of this.#waiting.values()) if (left === 0) this.#waiting.delete(order);
    this.#refresh();
  }

  #refresh(): void {
    const isOpen = this.#isMatching;
    this.buyLimit = isOpen ? (this.#buys.waiting[0]?.price ?? -Infinity) : -Infinity;
    this.sellLimit = isOpen ? (this.#sells.waiting[0]?.price ?? Infinity) : Infinity;
  }

  #queueAt(side: Side): TapeQueue<O> {
    return side === 'buy' ? this.#buys : this.#sells;
  }

  #waitingOf(order: O): QueuedOrder<O> {
    const waiting = this.#waiting.get(order);
    assert(waiting !== undefined, 'the order rests');
    return waiting;
  }
}

/**
 * The uncross of an auction in a recording: prints at one price and with one meaningless side, all of them before any other
 * print. Recorded times may be whole seconds: the prints carry the second in which the auction ended.
 */
export class AuctionPrints {
  readonly untilUs: number;
  /** 0 before the first print. */
  price = 0;
  /** 1, -1 or 0, as the recording has it. */
  side = 0;

  constructor(endedUs: number) {
    this.untilUs = endedUs + US_PER_SECOND;
  }

  isOver(atUs: number): boolean {
    return atUs >= this.untilUs;
  }

  /** The first print sets price and side; the first print that differs ends the uncross. */
  has(price: number, side: number): boolean {
    if (this.price === 0) {
      this.price = price;
      this.side = side;
    }
    return this.price === price && this.side === side;
  }
}
