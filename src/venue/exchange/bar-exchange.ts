/**
 * A contract over bars, each of them four rows: its open, its two extremes, its close. An order is matched from the bar after its arrival;
 * where the model is `ohlc` from the next stretch of the same bar on if it came before the first extreme, else at the close. At the open it
 * gets the open, if its limit allows; on the way through the bar its own price; an order sent by a trigger on the way gets the trigger
 * price. In one stretch resting orders come first, nearest price first, then triggered orders, in the order of arrival.
 */
import { assert } from '../../domain/assert.ts';
import { isAuction, type SessionPhase } from '../../domain/calendar.ts';
import { type Side, signOf } from '../../domain/order.ts';
import type { TapeColumns } from '../../domain/ticks.ts';
import { BPS, US_PER_SECOND } from '../../domain/units.ts';
import type { BookOrder, Exchange, FillSink } from './exchange.ts';
import {
  type BarFillModel,
  type FillClause,
  type FillModel,
  MILLION,
  type Slippage,
  slippedPrice,
} from './fill-models.ts';
import { Prints, Touch } from './shown-book.ts';
import { TapeExchange } from './tape-exchange.ts';

interface RestingOrder<O extends BookOrder> {
  readonly order: O;
  /** First bar that may fill it. */
  readonly fromBar: number;
  /** It rested when an auction ended. */
  isCarried: boolean;
  /** Where the trailing stop that sent it fired, while its fill waits for the close; null for any other order. */
  firedAt: number | null;
}

/** Open, two extremes, close. */
export const ROWS_PER_BAR = 4;
const CLOSE = ROWS_PER_BAR - 1;
const NO_SLIPPAGE: Slippage = { slippageTicks: 0 };

class BarExchange<O extends BookOrder> extends Prints implements Exchange<O> {
  readonly isPath = true;
  /** Bars show no book. */
  readonly book = new Touch();
  /** Every row may reach an order. */
  readonly buyLimit = Infinity;
  readonly sellLimit = -Infinity;
  readonly isQuiet = false;
  readonly #rows: TapeColumns;
  readonly #model: BarFillModel;
  readonly #sink: FillSink<O>;
  /** Net position, for the path that is worst for it. */
  readonly #held: () => number;
  #resting: RestingOrder<O>[] = [];
  #phase: SessionPhase = 'closed';
  /** The open of a bar that begins before it is the price of an uncross. */
  #uncrossUntilUs = -Infinity;
  #isUncross = false;
  #bar = -1;
  #stage = CLOSE;
  #rowUs = -Infinity;
  #before = 0;
  /** Part of the bar's volume that our orders may still take. */
  #volumeLeft = Infinity;
  #volumeTaken = 0;

  constructor(rows: TapeColumns, model: BarFillModel, sink: FillSink<O>, held: () => number) {
    super();
    assert(rows.rows % ROWS_PER_BAR === 0 && rows.bars !== null, 'a bar is four rows');
    this.#rows = rows;
    this.#model = model;
    this.#sink = sink;
    this.#held = held;
  }

  /** Open and close are known when they are traded; a part of the volume at the open gives away the bar's. */
  get silentUntilUs(): number {
    const isKnown = this.#stage === CLOSE || (this.#stage === 0 && this.#model.volumeBps === 0);
    if (isKnown) return -Infinity;
    return this.#rows.tsUs[ROWS_PER_BAR * this.#bar + CLOSE] ?? -Infinity;
  }

  row(row: number): void {
    const atUs = this.#rows.tsUs[row] ?? 0;
    this.#rowUs = atUs;
    this.#bar = Math.floor(row / ROWS_PER_BAR);
    this.#stage = row % ROWS_PER_BAR;
    if (this.#stage === 0) this.#openBar(row);
    this.#isUncross = this.#stage === 0 && atUs < this.#uncrossUntilUs;
    this.#before = this.last;
    this.note(this.#rows.priceTicks[row] ?? 0);
    if (this.#resting.length > 0) this.#match();
  }

  advance(): void {
    assert(false, 'a bar exchange is never quiet');
  }

  setPhase(phase: SessionPhase, atUs: number): void {
    if (isAuction(this.#phase) && phase !== this.#phase) {
      this.#uncrossUntilUs = atUs + US_PER_SECOND;
      for (const each of this.#resting) each.isCarried = true;
    }
    this.#phase = phase;
  }

  enter(order: O): void {
    if (this.#phase === 'continuous' && this.#bar >= 0) this.#meetAtOnce(order);
    if (order.leavesQty === 0) return;
    const isNow =
      order.triggerPrice !== null ? !this.#isLate(order) : this.#model.bar === 'ohlc' && this.#stage === 0;
    const firedAt = this.#waitsForClose(order) ? this.#firedAt(order) : null;
    this.#resting.push({ order, fromBar: isNow ? this.#bar : this.#bar + 1, isCarried: false, firedAt });
  }

  #meetAtOnce(order: O): void {
    const { bar } = this.#model;
    if (order.triggerPrice !== null) return this.#trigger(order);
    if (bar === 'ohlc' && this.#stage === 0) return this.#meet(order, this.last, 'bar_now');
    // Decided when the bar had just ended, or before.
    if (bar === 'close' && this.#stage === CLOSE && order.decidedUs <= this.#rowUs + 1)
      this.#meet(order, this.last, 'bar_close');
  }

  decrease(): void {
    // A bar has no queue: nothing to keep.
  }

  remove(order: O): void {
    const before = this.#resting.length;
    this.#resting = this.#resting.filter((each) => each.order !== order);
    assert(this.#resting.length === before - 1, 'the order rests');
  }

  #openBar(row: number): void {
    const { priceTicks, bars } = this.#rows;
    const { volumeBps, path } = this.#model;
    const volume = bars?.volume[this.#bar] ?? 0;
    this.#volumeLeft = volumeBps === 0 ? Infinity : Math.floor((volume * volumeBps) / BPS);
    this.#volumeTaken = 0;
    if (path !== 'worst_first') return;
    const held = this.#held();
    const [first, second] = [priceTicks[row + 1] ?? 0, priceTicks[row + 2] ?? 0];
    // A long position suffers from a low, a short one from a high.
    if (held === 0 || (held > 0 ? first <= second : first >= second)) return;
    priceTicks.subarray(row + 1, row + 3).reverse();
  }

  #match(): void {
    const active = this.#resting.filter(({ fromBar }) => fromBar <= this.#bar);
    const isOrdered = this.#isUncross || this.#stage > 0;
    for (const resting of isOrdered ? byPrice(active, this.#before) : active) this.#matchBar(resting);
    if (this.#model.bar !== 'next_open' && this.#stage === CLOSE && this.#phase === 'continuous')
      for (const { order, fromBar } of this.#resting)
        if (fromBar === this.#bar + 1 && !this.#isLate(order)) this.#meet(order, this.last, 'bar_close');
    this.#resting = this.#resting.filter(({ order }) => order.leavesQty > 0);
  }

  #matchBar(resting: RestingOrder<O>): void {
    const { order, fromBar, isCarried, firedAt } = resting;
    const price = this.last;
    if (this.#isUncross && isCarried) {
      // As on ticks: at exactly the price of the uncross the order of execution is unknown.
      if (order.price !== price) this.#meet(order, price, 'uncross');
      return;
    }
    if (this.#phase !== 'continuous') return;
    if (firedAt !== null) {
      if (this.#stage !== CLOSE) return;
      resting.firedAt = null;
      return this.#meet(order, worsePrice(order.side, firedAt, price), 'bar_stop');
    }
    if (this.#stage === 0) return this.#meet(order, price, fromBar === this.#bar ? 'bar_open' : 'bar_gap');
    if (isInside(order, price)) this.#fill(order, reachedOn(order, this.#before), 'bar_path');
  }

  /** Sent by a trigger: the path was there a moment ago, or the bar opened beyond it. */
  #trigger(order: O): void {
    if (this.#isLate(order) || this.#waitsForClose(order)) return;
    const firedAt = this.#firedAt(order);
    if (this.#stage > 0 && order.price === firedAt && !isInside(order, this.#before))
      return this.#fill(order, firedAt, 'bar_path');
    if (!isOfTrailingStop(order) || this.#model.trailingStop === 'stop')
      return this.#meet(order, firedAt, this.#stage === 0 ? 'bar_gap' : 'bar_stop');
    this.#meet(order, worsePrice(order.side, firedAt, this.last), 'bar_stop');
  }

  #firedAt({ triggerPrice }: O): number {
    const [before, now] = [this.#before, this.last];
    if (this.#stage === 0 || triggerPrice === null) return now;
    return Math.min(Math.max(before, now), Math.max(Math.min(before, now), triggerPrice));
  }

  /** It gets no price of the bar in which its trailing stop fired. */
  #isLate(order: O): boolean {
    return this.#model.trailingStop === 'next_open' && isOfTrailingStop(order);
  }

  #waitsForClose(order: O): boolean {
    const { trailingStop } = this.#model;
    return trailingStop === 'worse_of_stop_and_close' && this.#stage !== CLOSE && isOfTrailingStop(order);
  }

  /** Takes at a price, if the limit allows. */
  #meet(order: O, price: number, clause: FillClause): void {
    if (!isInside(order, price)) return;
    if (clause === 'uncross') return this.#fill(order, price, clause);
    const { slippageOn } = this.#model;
    const closing = slippageOn === 'entries' ? Math.max(0, -signOf(order.side) * this.#held()) : 0;
    if (closing > 0) this.#fill(order, this.#slipped(NO_SLIPPAGE, order, price), clause, closing);
    if (order.leavesQty > 0) this.#fill(order, this.#slipped(this.#model, order, price), clause);
  }

  #slipped(slippage: Slippage, order: O, price: number): number {
    const slipped = slippedPrice(slippage, order, price, this.#impactOf(order));
    if (this.#model.slippageUpTo !== 'bar') return slipped;
    const from = ROWS_PER_BAR * this.#bar;
    const extremes = this.#rows.priceTicks.subarray(from, from + ROWS_PER_BAR);
    return order.side === 'buy'
      ? Math.min(slipped, Math.max(...extremes))
      : Math.max(slipped, Math.min(...extremes));
  }

  /** Of all our quantity in the bar once the order has its possible fill. */
  #impactOf({ leavesQty }: O): number {
    const { impactPpm = 0 } = this.#model;
    const volume = this.#rows.bars?.volume[this.#bar] ?? 0;
    if (impactPpm === 0 || volume === 0) return 0;
    const share = (this.#volumeTaken + Math.min(leavesQty, this.#volumeLeft)) / volume;
    return share ** 2 * (impactPpm / MILLION);
  }

  #fill(order: O, price: number, clause: FillClause, most = Infinity): void {
    const qty = Math.min(order.leavesQty, this.#volumeLeft, most);
    if (qty === 0) return;
    this.#volumeLeft -= qty;
    this.#volumeTaken += qty;
    this.#sink.fill(order, price, qty, clause);
  }
}

const isInside = ({ side, price: limit }: Pick<BookOrder, 'side' | 'price'>, price: number): boolean =>
  side === 'buy' ? limit >= price : limit <= price;

const worsePrice = (side: Side, one: number, other: number): number =>
  side === 'buy' ? Math.max(one, other) : Math.min(one, other);

const isOfTrailingStop = ({ origin, triggerPrice }: BookOrder): boolean =>
  triggerPrice !== null && origin === 'trailing_stop';

/** The path reaches a limit at its price; one that it is beyond already gets the price it comes from. */
const reachedOn = ({ side, price: limit }: Pick<BookOrder, 'side' | 'price'>, from: number): number =>
  side === 'buy' ? Math.min(limit, from) : Math.max(limit, from);

/** The nearest limit to where the path comes from is reached first; of equal ones the earlier. */
const byPrice = <O extends BookOrder>(
  resting: readonly RestingOrder<O>[],
  from: number,
): readonly RestingOrder<O>[] => {
  const wayTo = ({ order }: RestingOrder<O>): number => Math.abs(order.price - from);
  return resting.toSorted((a, b) => wayTo(a) - wayTo(b));
};

/** The market of one contract on one day over recorded rows. `held` is the net position in it. */
export function createExchange<O extends BookOrder>(
  rows: TapeColumns,
  model: FillModel,
  sink: FillSink<O>,
  held: () => number,
): Exchange<O> {
  return model.on === 'ticks'
    ? new TapeExchange(rows, model, sink)
    : new BarExchange(rows, model, sink, held);
}

/** An exchange that turns the extremes of a bar round as it goes gets prices of its own. */
export function playedRows<T extends TapeColumns>(rows: T, model: FillModel): T {
  if (model.on === 'ticks' || model.path !== 'worst_first') return rows;
  return { ...rows, priceTicks: rows.priceTicks.slice() };
}
