/**
 * The recording of one day: rows of all its contracts in the order of time, those of the same moment in the order of the
 * contracts. For each row first our orders meet it, then the engine sees it. This is the loop that decides how fast a run is.
 */
import type { BookLevel, TradeTick } from '../../domain/ticks.ts';
import type { OrderCode } from '../../domain/ids.ts';
import type { InstrumentIndex, PriceTicks, Qty, Seq, TsUs } from '../../domain/units.ts';
import type { Engine } from '../../engine/engine.ts';
import type { LazyTrade, QuietStretch } from '../../engine/quiet-stretch.ts';
import type { BookUpdate } from '../../engine/ports/engine-event.ts';
import type { BarTape, TickRows } from '../../recording/columns/tick-columns.ts';
import { ROWS_PER_BAR } from '../../venue/exchange/bar-exchange.ts';
import type { Exchange } from '../../venue/exchange/exchange.ts';
import { barTickOf } from '../bar-ticks.ts';
import { seqOf, timeOf, type VirtualClock } from './virtual-clock.ts';
import type { Timeline } from './timeline.ts';
import type { RunVenue } from './run-venue.ts';
import { depthLevels, touchLevels } from '../../venue/exchange/shown-book.ts';
import type { LateBook } from '../../engine/market/market.ts';

export interface PlayedTape {
  readonly instrument: InstrumentIndex;
  readonly orderCode: OrderCode;
  readonly rows: TickRows;
  readonly exchange: Exchange;
  /** Lots that were traded on this day before the first row, in a bar that began the day before. */
  readonly volumeBefore: number;
}

interface TapePlayerParts {
  readonly engine: Engine;
  readonly clock: VirtualClock;
  readonly timeline: Timeline;
  readonly venue: RunVenue;
  readonly isRowByRow: boolean;
  /** Called after each stretch of rows. */
  readonly onRows: (rows: number) => void;
}

/** One side of a book as it was shown last, and its pending change. */
class ShownSide {
  readonly name: 'bid' | 'ask';
  /** Changes that the exchange had counted. */
  changes = 0;
  isLate = false;
  seq = 0;
  row = 0;
  price = 0;
  qty = 0;
  #levels = 0;

  constructor(name: 'bid' | 'ask') {
    this.name = name;
  }

  /** As the exchange has it now. */
  take({ tape: { exchange }, row }: Cursor, clock: VirtualClock): void {
    const isBid = this.name === 'bid';
    clock.seq += 1;
    this.seq = clock.seq;
    this.row = row;
    this.changes = isBid ? exchange.book.bidChanges : exchange.book.askChanges;
    this.price = isBid ? exchange.book.bid : exchange.book.ask;
    this.qty = isBid ? exchange.book.bidQty : exchange.book.askQty;
  }

  /** Levels that were shown last and are gone are sent as empty, and so is the best of an empty side. */
  update({ instrument, rows }: PlayedTape): BookUpdate {
    this.isLate = false;
    const { name: side, row } = this;
    const shown =
      rows.book === null
        ? touchLevels(this.price, this.qty)
        : depthLevels(rows.book, side === 'bid' ? 'buy' : 'sell', row);
    const count = Math.max(1, this.#levels);
    this.#levels = shown.length;
    // A copy only where a level is added: the exchange never changes shown levels.
    const levels = shown.length < count ? withEmpty(shown, count) : shown;
    const seq = seqOf(this.seq);
    const tsUs = timeOf(rows.tsUs[row] ?? 0);
    return { kind: 'book_update', seq, tsUs, instrument, side, levels, halves: null };
  }
}

class Cursor implements LateBook, LazyTrade {
  readonly tape: PlayedTape;
  row = 0;
  /** Of the last trade. */
  seq = 0;
  totalVolume: number;
  readonly bid = new ShownSide('bid');
  readonly ask = new ShownSide('ask');

  constructor(tape: PlayedTape) {
    this.tape = tape;
    this.totalVolume = tape.volumeBefore;
  }

  /** The trade of this row gets its number. */
  count(traded: number, clock: VirtualClock): void {
    clock.seq += 1;
    this.seq = clock.seq;
    this.totalVolume += traded;
  }

  get trade(): TradeTick {
    const { instrument, rows } = this.tape;
    const { row } = this;
    /* oxlint-disable typescript/no-unsafe-type-assertion -- minting with an assertion for each number costs a third of a run */
    return {
      kind: 'trade',
      seq: this.seq as Seq,
      tsUs: (rows.tsUs[row] ?? 0) as TsUs,
      instrument,
      price: (rows.priceTicks[row] ?? 0) as PriceTicks,
      qty: (rows.qty[row] ?? 0) as Qty,
      totalVolume: this.totalVolume,
    };
    /* oxlint-enable typescript/no-unsafe-type-assertion */
  }

  /** Changes of the book that no strategy listens to. */
  showLater(clock: VirtualClock, stretch: QuietStretch): void {
    const { exchange } = this.tape;
    const { bid, ask } = this;
    if (exchange.book.bidChanges !== bid.changes) {
      bid.take(this, clock);
      bid.isLate = true;
    }
    if (exchange.book.askChanges !== ask.changes) {
      ask.take(this, clock);
      ask.isLate = true;
    }
    stretch.bookLater(this);
  }

  takeLate(): readonly BookUpdate[] {
    const { bid, ask } = this;
    const late = (bid.seq < ask.seq ? [bid, ask] : [ask, bid]).filter(({ isLate }) => isLate);
    return late.map((side) => side.update(this.tape));
  }

  get atUs(): number {
    return this.tape.rows.tsUs[this.row] ?? Infinity;
  }
}

const hasNewBook = ({ tape: { exchange }, bid, ask }: Cursor): boolean =>
  exchange.book.bidChanges !== bid.changes || exchange.book.askChanges !== ask.changes;

/** Rows of one contract between two reports of progress. */
const ROWS_AT_ONCE = 1 << 18;

interface Turns {
  readonly tsUs: Float64Array;
  readonly places: Uint16Array;
}

/**
 * Whose row is played when: by time, rows of one moment in the order of the tapes. Merged once a day, so that a row costs the same with one
 * contract and with many.
 */
function turnsOf(tapes: readonly PlayedTape[], first = 0): Turns {
  const [only] = tapes;
  if (only === undefined || tapes.length === 1) {
    const { tsUs, rows } = only?.rows ?? { tsUs: new Float64Array(), rows: 0 };
    return { tsUs: tsUs.subarray(0, rows), places: new Uint16Array(rows).fill(first) };
  }
  const half = tapes.length >> 1;
  const one = turnsOf(tapes.slice(0, half), first);
  const other = turnsOf(tapes.slice(half), first + half);
  const length = one.places.length + other.places.length;
  const merged = { tsUs: new Float64Array(length), places: new Uint16Array(length) };
  for (let at = 0, a = 0, b = 0; at < length; at += 1) {
    const isOnes = (one.tsUs[a] ?? Infinity) <= (other.tsUs[b] ?? Infinity);
    const from = isOnes ? one : other;
    const row = isOnes ? a : b;
    merged.tsUs[at] = from.tsUs[row] ?? 0;
    merged.places[at] = from.places[row] ?? 0;
    if (isOnes) a += 1;
    else b += 1;
  }
  return merged;
}

export class TapePlayer {
  readonly #parts: TapePlayerParts;
  readonly #engine: Engine;
  readonly #clock: VirtualClock;
  readonly #cursors: readonly Cursor[];
  /** Whose row comes next, over all rows; null where one contract has them all. */
  readonly #turns: Uint16Array | null;
  #turn = 0;

  constructor(parts: TapePlayerParts, tapes: readonly PlayedTape[]) {
    this.#parts = parts;
    this.#engine = parts.engine;
    this.#clock = parts.clock;
    this.#cursors = tapes.map((tape) => new Cursor(tape));
    this.#turns = tapes.length > 1 ? turnsOf(tapes).places : null;
  }

  get isOver(): boolean {
    return this.#cursors.every(({ row, tape }) => row === tape.rows.rows);
  }

  /** Lots reported so far, by instrument. */
  get volumes(): ReadonlyMap<InstrumentIndex, number> {
    return new Map(this.#cursors.map(({ tape, totalVolume }) => [tape.instrument, totalVolume]));
  }

  playTo(untilUs: number): void {
    const turns = this.#turns;
    const [only] = this.#cursors;
    if (turns === null) {
      while (only !== undefined && only.row < only.tape.rows.rows && only.atUs < untilUs)
        this.#play(only, Math.min(ROWS_AT_ONCE, only.tape.rows.rows - only.row), untilUs);
      return;
    }
    while (this.#turn < turns.length) {
      const place = turns[this.#turn];
      const cursor = place === undefined ? undefined : this.#cursors[place];
      if (cursor === undefined || cursor.atUs >= untilUs) return;
      let rows = 1;
      while (rows < ROWS_AT_ONCE && turns[this.#turn + rows] === place) rows += 1;
      this.#turn += this.#play(cursor, rows, untilUs);
    }
  }

  /** At most so many rows of one contract, before `stopUs`; returns how many. */
  #play(cursor: Cursor, most: number, stopUs: number): number {
    const { isRowByRow, onRows } = this.#parts;
    const from = cursor.row;
    const end = from + most;
    while (cursor.row < end && cursor.atUs < stopUs) {
      if (isRowByRow || !this.#playQuiet(cursor, end, stopUs)) this.#playRow(cursor);
    }
    onRows(cursor.row - from);
    return cursor.row - from;
  }

  /** One row, with all that may happen before, in and after it. */
  #playRow(cursor: Cursor): void {
    const { timeline, venue } = this.#parts;
    const { exchange, rows } = cursor.tape;
    const { row } = cursor;
    const atUs = rows.tsUs[row] ?? 0;
    const clock = this.#clock;
    if (atUs >= clock.nextUs) timeline.runTo(atUs);
    clock.nowUs = atUs;
    if (venue.isWatching) this.#watch(cursor);
    exchange.row(row);
    if (venue.hasChanges) {
      if (exchange.isPath && venue.isWatching) this.#watch(cursor);
      venue.report();
    }
    // The price of a quote follows from its book.
    if (rows.isQuotes) this.#showBook(cursor);
    const traded = rows.qty[row] ?? 0;
    if (rows.bars !== null) this.#showBar(cursor, rows.bars);
    else if (traded > 0) {
      cursor.count(traded, clock);
      this.#engine.trade(cursor.trade);
    }
    if (!rows.isQuotes) this.#showBook(cursor);
    if (venue.isMarginWatched) venue.watchMargin();
    cursor.row += 1;
  }

  /** Orders that wait for their trigger check the row. */
  #watch({ tape, row }: Cursor): void {
    const { triggers } = this.#parts.venue;
    const { orderCode, rows } = tape;
    const { priceTicks, qty, book, isQuotes } = rows;
    if (isQuotes && book !== null)
      triggers.rows.watchOf(orderCode).quote(book.bidPrice[0]?.[row] ?? 0, book.askPrice[0]?.[row] ?? 0);
    else if ((qty[row] ?? 0) > 0) triggers.rows.watchOf(orderCode).note(priceTicks[row] ?? 0);
  }

  /** A bar is seen when it is complete, as one trade at its close. */
  #showBar(cursor: Cursor, { volume }: BarTape): void {
    const { tape, row } = cursor;
    if (row % ROWS_PER_BAR < ROWS_PER_BAR - 1) return;
    const { triggers } = this.#parts.venue;
    if (triggers.hasHeldBack) triggers.release(tape.orderCode);
    cursor.count(Math.max(1, volume[Math.floor(row / ROWS_PER_BAR)] ?? 0), this.#clock);
    this.#engine.trade(barTickOf(cursor.seq, tape.instrument, tape.rows, row, cursor.totalVolume));
  }

  /** Rows that only strategies see. False when the next row needs `#playRow`. */
  #playQuiet(cursor: Cursor, end: number, stopUs: number): boolean {
    const { venue } = this.#parts;
    const clock = this.#clock;
    const { instrument, exchange, rows } = cursor.tape;
    if (!exchange.isQuiet || venue.isWatching || venue.hasChanges || venue.isMarginWatched) return false;
    const stretch = this.#engine.openStretch(instrument, cursor.totalVolume);
    if (stretch === null || (rows.isQuotes && stretch.isBookHeard)) return false;
    const untilUs = Math.min(stopUs, clock.nextUs, stretch.untilUs);
    const low = Math.max(stretch.low, exchange.buyLimit + 1);
    const high = Math.min(stretch.high, exchange.sellLimit - 1);
    const { tsUs, priceTicks, qty } = rows;
    const first = clock.seq;
    const from = cursor.row;
    let row = from;
    let lastUs = NaN;
    let isOver = false;
    while (row < end && !isOver) {
      const atUs = tsUs[row] ?? 0;
      if (atUs >= untilUs) break;
      const traded = qty[row] ?? 0;
      const price = priceTicks[row] ?? 0;
      if (traded > 0 && (price < low || price > high)) break;
      cursor.row = row;
      exchange.follow(row);
      if (rows.isQuotes && hasNewBook(cursor)) cursor.showLater(clock, stretch);
      if (traded > 0) {
        cursor.count(traded, clock);
        isOver = !stretch.next(cursor);
        lastUs = atUs;
      }
      if (hasNewBook(cursor)) {
        if (stretch.isBookHeard) isOver = true;
        if (!isOver) {
          cursor.showLater(clock, stretch);
          lastUs = atUs;
        }
      }
      row += 1;
    }
    if (row === from) return false;
    clock.nowUs = cursor.atUs;
    const events = clock.seq - first;
    if (events > 0) this.#engine.closeStretch(stretch, events, seqOf(clock.seq), timeOf(lastUs));
    if (isOver) this.#showBook(cursor);
    cursor.row = row;
    return true;
  }

  #showBook(cursor: Cursor): void {
    const { bid, ask } = cursor;
    const { exchange } = cursor.tape;
    if (exchange.book.bidChanges !== bid.changes) this.#showSide(cursor, bid);
    if (exchange.book.askChanges !== ask.changes) this.#showSide(cursor, ask);
  }

  /** Most changes of a book have no reader: messages are made only of the others. */
  #showSide(cursor: Cursor, side: ShownSide): void {
    const { instrument } = cursor.tape;
    const engine = this.#engine;
    const { atUs } = cursor;
    const isLate = atUs < engine.quietUntilUs && !engine.isBookHeard(instrument);
    // Until the engine has done its due work, the book is as it was before.
    if (!isLate && (cursor.bid.isLate || cursor.ask.isLate)) engine.settleBook(instrument);
    side.take(cursor, this.#clock);
    side.isLate = isLate;
    if (isLate) engine.bookLater(seqOf(side.seq), timeOf(atUs), instrument, cursor);
    else engine.book(side.update(cursor.tape));
  }
}

function withEmpty(shown: readonly BookLevel[], count: number): readonly (BookLevel | null)[] {
  const levels: (BookLevel | null)[] = [...shown];
  while (levels.length < count) levels.push(null);
  return levels;
}
