/** A contract's book over recorded trades, for the simulator. Best prices are inferred, and said to be, unless a book was recorded. */
import { assert } from '../../domain/assert.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import { type Side, signOf } from '../../domain/order.ts';
import type { BookLevel, TapeColumns } from '../../domain/ticks.ts';
import { priceTicks, qty, type TsUs, US_PER_SECOND } from '../../domain/units.ts';
import type { BookEntry, ContractBook, TapeState } from './contract-book.ts';
import type { FillSink } from './exchange.ts';
import { DayTally } from './settlement-price.ts';
import type { TickFillModel } from './fill-models.ts';
import type { BookView, Listing, Outbox } from '../venue-event.ts';
import { TapeExchange } from './tape-exchange.ts';
import type { QueuedOrder } from './tape-queue.ts';
import { LEVELS_SHOWN, Ticker } from './ticker.ts';
import type { TriggerWatch } from '../triggers/trigger.ts';
import type { TapePrint } from '../venue-options.ts';

/** Inferred quantities change with every print: a book with unchanged prices is sent at most this often. */
const SAME_PRICES_EVERY_US = US_PER_SECOND;

/** Orders wait behind the quantity that is inferred to rest at their price. */
const MODEL: TickFillModel = { on: 'ticks', queue: 'queue', cancels: 'behind', slippageTicks: 0 };

export class TapeBook implements ContractBook {
  listing: Listing;
  readonly tally = new DayTally();
  readonly #ticker: Ticker;
  /** Null where no book was recorded. */
  readonly #rows: LiveRows | null;
  readonly #exchange: TapeExchange<BookEntry>;
  #auction: 'opening' | 'closing' = 'opening';
  #sentUs = 0;
  /** Places in the queues before a restart, until the orders are restored. */
  readonly #restoredPlaces = new Map<number, TapeState['queue'][number]>();

  constructor(
    listing: Listing,
    outbox: Outbox,
    sink: FillSink<BookEntry>,
    watch: TriggerWatch,
    hasBook: boolean,
  ) {
    this.listing = listing;
    this.#rows = hasBook ? new LiveRows() : null;
    this.#exchange = new TapeExchange(this.#rows, MODEL, sink);
    this.#ticker = new Ticker(listing.contract.spec, this.tally, outbox, watch);
  }

  print(print: TapePrint, at: TsUs): void {
    if (print.qty > 0) this.#trade(print, at);
    if (this.#rows !== null) this.#exchange.row(this.#rows.write(print));
  }

  #trade(print: TapePrint, at: TsUs): void {
    assert(Number.isSafeInteger(print.qty), 'a print has a whole quantity');
    const side = sideCode(print.aggressor);
    const aggressor = this.#exchange.aggressorOf(print.price, side, print.tsUs);
    const source = aggressor === null ? this.#auction : 'continuous';
    this.#ticker.trade(print.price, print.qty, aggressor, source, at);
    if (this.#rows === null) this.#exchange.print(print.price, print.qty, side);
  }

  enter(order: BookEntry): void {
    this.#exchange.enter(order);
  }

  restore(order: BookEntry): void {
    const recalled = this.#restoredPlaces.get(order.tag) ?? null;
    this.#restoredPlaces.delete(order.tag);
    this.#exchange.rest(order, recalled);
  }

  decrease(order: BookEntry): void {
    this.#exchange.decrease(order);
  }

  remove(order: BookEntry): void {
    this.#exchange.remove(order);
  }

  setPhase(phase: SessionPhase, at: TsUs): void {
    this.#exchange.setPhase(phase, at);
  }

  /** The uncross itself comes with its prints. */
  uncross(source: 'opening' | 'closing'): void {
    this.#auction = source;
  }

  close(at: TsUs): void {
    this.#exchange.close();
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
    const exchange = this.#exchange;
    const { book } = exchange;
    if (this.#rows !== null) return { ...this.#rows.shown, inferred: false, auctionPrice: null };
    return {
      bids: this.#isTrading ? levelsOf(book.bid, book.bidQty, exchange.waitingOn('buy'), -1) : [],
      asks: this.#isTrading ? levelsOf(book.ask, book.askQty, exchange.waitingOn('sell'), 1) : [],
      inferred: true,
      auctionPrice: null,
    };
  }

  get #isTrading(): boolean {
    const { phase } = this.#exchange;
    return phase === 'continuous' || phase === 'break';
  }

  /** True, most of the time, when prices are those of the last view; makes no new view. */
  #isAsShown(): boolean {
    if (!this.#isTrading || this.#exchange.hasOrders || this.#rows !== null) return false;
    const { bids, asks } = this.#ticker.shown;
    const { bid, bidQty, ask, askQty } = this.#exchange.book;
    return isOnly(bids, bidQty > 0 ? bid : 0) && isOnly(asks, askQty > 0 ? ask : 0);
  }

  exportTape(): TapeState {
    const waiting = [...this.#exchange.waitingOn('buy'), ...this.#exchange.waitingOn('sell')];
    const queue = waiting.map(({ order, ahead, takes, isCarried }) => ({
      tag: order.tag,
      ahead,
      takes,
      isCarried,
    }));
    return { ...this.#exchange.exportState(), source: this.#auction, queue };
  }

  importTape(state: TapeState): void {
    this.#auction = state.source;
    this.#exchange.restoreState(state);
    for (const place of state.queue) this.#restoredPlaces.set(place.tag, place);
  }
}

/** Rows of a recording that is being made: the newest, and the one before it. */
class LiveRows implements TapeColumns {
  readonly rows = 2;
  readonly tsUs = new Float64Array(2);
  readonly priceTicks = new Int32Array(2);
  readonly qty = new Int32Array(2);
  readonly side = new Int8Array(2);
  readonly bars = null;
  readonly isQuotes = false;
  #row = 0;
  shown: NonNullable<TapePrint['book']> = { bids: [], asks: [] };
  readonly book = {
    depth: LEVELS_SHOWN,
    bidPrice: levelColumns(),
    bidQty: levelColumns(),
    askPrice: levelColumns(),
    askQty: levelColumns(),
  };

  write({ tsUs: at, price, qty: traded, aggressor, book }: TapePrint): number {
    this.#row = 1 - this.#row;
    const row = this.#row;
    this.tsUs[row] = at;
    this.priceTicks[row] = price;
    this.qty[row] = traded;
    this.side[row] = sideCode(aggressor);
    this.shown = book ?? this.shown;
    const { bids, asks } = this.shown;
    for (let level = 0; level < LEVELS_SHOWN; level += 1) {
      setLevel(this.book.bidPrice, this.book.bidQty, level, row, bids[level]);
      setLevel(this.book.askPrice, this.book.askQty, level, row, asks[level]);
    }
    return row;
  }
}

const levelColumns = (): readonly Int32Array[] =>
  Array.from({ length: LEVELS_SHOWN }, () => new Int32Array(2));

function setLevel(
  prices: readonly Int32Array[],
  quantities: readonly Int32Array[],
  level: number,
  row: number,
  shown: BookLevel | undefined,
): void {
  prices[level]?.set([shown?.price ?? 0], row);
  quantities[level]?.set([shown?.qty ?? 0], row);
}

/** As recordings have it. */
const sideCode = (side: Side | null): -1 | 0 | 1 => (side === null ? 0 : signOf(side));

/** The inferred touch with users' orders that wait, best first. */
function levelsOf(
  touch: number,
  touchQty: number,
  waiting: readonly QueuedOrder<BookEntry>[],
  step: 1 | -1,
): BookLevel[] {
  const byPrice = new Map<number, number>();
  if (touch !== 0 && touchQty > 0) byPrice.set(touch, touchQty);
  for (const order of waiting)
    if (!order.takes) byPrice.set(order.price, (byPrice.get(order.price) ?? 0) + order.left);
  return [...byPrice]
    .toSorted(([a], [b]) => (a - b) * step)
    .slice(0, LEVELS_SHOWN)
    .map(([price, quantity]) => ({ price: priceTicks(price), qty: qty(quantity) }));
}

/** One level at this price, or none when the price is 0. */
const isOnly = (levels: readonly BookLevel[], price: number): boolean =>
  price === 0 ? levels.length === 0 : levels.length === 1 && levels[0]?.price === price;

const havePrices = (a: readonly BookLevel[], b: readonly BookLevel[]): boolean =>
  a.length === b.length && a.every((level, i) => level.price === b[i]?.price);
