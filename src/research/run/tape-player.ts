/**
 * The recording of one day: rows of all its contracts in the order of time, those of the same moment in the order of the
 * contracts. For each row first our orders meet it, then the engine sees it. This is the loop that decides how fast a run is.
 */
import type { BarTick, BookLevel, TradeTick } from '../../domain/ticks.ts';
import type { OrderCode } from '../../domain/ids.ts';
import type { DurationUs, InstrumentIndex, PriceTicks, Qty, Seq, TsUs } from '../../domain/units.ts';
import type { Engine } from '../../engine/engine.ts';
import type { QuietStretch, TradeSource } from '../../engine/quiet-stretch.ts';
import type { BookUpdate } from '../../engine/ports/engine-event.ts';
import { ROWS_PER_BAR } from '../../venue/exchange/bar-exchange.ts';
import type { Exchange } from '../../venue/exchange/exchange.ts';
import type { Timeline } from './timeline.ts';
import type { RunVenue } from './run-broker.ts';
import { allocateRows, type BarTape, type TickRows } from '../../recording/columns/tick-file.ts';
import { seqOf, timeOf, type VirtualClock } from './virtual-time.ts';
import { assert } from '../../domain/assert.ts';
import type { BarRows } from '../../recording/columns/bar-file.ts';
import type { BarPath } from '../../venue/exchange/fill-models.ts';
import { depthLevels, touchLevels } from '../../venue/exchange/shown-book.ts';
import type { DeferredBook } from '../../engine/market/market.ts';

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
  readonly onRows: (rows: number) => void;
}

/** One side of a book as it was shown last, and its pending change. */
class ShownSide {
  readonly name: 'bid' | 'ask';
  /** Changes that the exchange had counted. */
  changes = 0;
  isDeferred = false;
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
    this.isDeferred = false;
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

class Cursor implements DeferredBook, TradeSource {
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

  trade(): TradeTick {
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

  /** Defers changes of a book that no strategy listens to. */
  deferBook(clock: VirtualClock, stretch: QuietStretch): void {
    const { exchange } = this.tape;
    const { bid, ask } = this;
    if (exchange.book.bidChanges !== bid.changes) {
      bid.take(this, clock);
      bid.isDeferred = true;
    }
    if (exchange.book.askChanges !== ask.changes) {
      ask.take(this, clock);
      ask.isDeferred = true;
    }
    stretch.deferBook(this);
  }

  drainDeferred(): readonly BookUpdate[] {
    const { bid, ask } = this;
    const late = (bid.seq < ask.seq ? [bid, ask] : [ask, bid]).filter(({ isDeferred }) => isDeferred);
    return late.map((side) => side.update(this.tape));
  }

  get atUs(): number {
    return this.tape.rows.tsUs[this.row] ?? Infinity;
  }
}

const hasNewBook = ({ tape: { exchange }, bid, ask }: Cursor): boolean =>
  exchange.book.bidChanges !== bid.changes || exchange.book.askChanges !== ask.changes;

/** Rows between two reports of progress. */
const ROWS_AT_ONCE = 1 << 18;

/**
 * Whose row is played when: by time, rows of one moment in the order of the tapes. Merged once a day by a tournament: `winners` holds at
 * each node the tape whose next row is first among those below it, with the tapes as leaves.
 */
function mergeByTime(tapes: readonly PlayedTape[]) {
  const all = tapes.reduce((sum, { rows }) => sum + rows.rows, 0);
  const turns = { tsUs: new Float64Array(all), tapes: new Uint16Array(all) };
  const leaves = 2 ** Math.ceil(Math.log2(tapes.length));
  const played = new Int32Array(leaves);
  const nextUs = new Float64Array(leaves).fill(Infinity);
  for (const [tape, { rows }] of tapes.entries())
    nextUs[tape] = rows.rows > 0 ? (rows.tsUs[0] ?? Infinity) : Infinity;
  const winners = new Uint16Array(2 * leaves);
  for (let index = 0; index < leaves; index += 1) winners[leaves + index] = index;
  const decide = (node: number): void => {
    const one = winners[2 * node] ?? 0;
    const other = winners[2 * node + 1] ?? 0;
    winners[node] = (nextUs[one] ?? Infinity) <= (nextUs[other] ?? Infinity) ? one : other;
  };
  for (let node = leaves - 1; node > 0; node -= 1) decide(node);
  for (let turn = 0; turn < all; turn += 1) {
    const tape = winners[1] ?? 0;
    turns.tapes[turn] = tape;
    turns.tsUs[turn] = nextUs[tape] ?? Infinity;
    const row = (played[tape] ?? 0) + 1;
    played[tape] = row;
    const rows = tapes[tape]?.rows;
    nextUs[tape] = rows !== undefined && row < rows.rows ? (rows.tsUs[row] ?? Infinity) : Infinity;
    for (let node = (leaves + tape) >> 1; node > 0; node >>= 1) decide(node);
  }
  return turns;
}

/** Why a quiet stretch ended: the next row is of another contract, or is not quiet, or a strategy left work. */
type QuietEnd = 'next' | 'loud' | 'work';

export class TapePlayer {
  readonly #parts: TapePlayerParts;
  readonly #engine: Engine;
  readonly #clock: VirtualClock;
  readonly #cursors: readonly Cursor[];
  /** When each row of the day comes. */
  readonly #tsUs: Float64Array;
  /** Index of each row's cursor; null where one contract has all rows. */
  readonly #cursorIndices: Uint16Array | null;
  readonly #rows: number;
  #turn = 0;

  constructor(parts: TapePlayerParts, tapes: readonly PlayedTape[]) {
    this.#parts = parts;
    this.#engine = parts.engine;
    this.#clock = parts.clock;
    this.#cursors = tapes.map((tape) => new Cursor(tape));
    const [only] = tapes;
    if (only !== undefined && tapes.length === 1) {
      this.#tsUs = only.rows.tsUs;
      this.#cursorIndices = null;
      this.#rows = only.rows.rows;
    } else {
      ({ tsUs: this.#tsUs, tapes: this.#cursorIndices } = mergeByTime(tapes));
      this.#rows = this.#cursorIndices.length;
    }
  }

  get isOver(): boolean {
    return this.#turn === this.#rows;
  }

  /** Lots reported so far, by instrument. */
  get volumes(): ReadonlyMap<InstrumentIndex, number> {
    return new Map(this.#cursors.map(({ tape, totalVolume }) => [tape.instrument, totalVolume]));
  }

  playTo(untilUs: number): void {
    const { isRowByRow, onRows } = this.#parts;
    while (this.#turn < this.#rows && (this.#tsUs[this.#turn] ?? 0) < untilUs) {
      const from = this.#turn;
      if (isRowByRow || !this.#playQuiet(untilUs)) this.#playRow(this.#cursorAt(from));
      onRows(this.#turn - from);
    }
  }

  #cursorAt(turn: number): Cursor {
    const cursor = this.#cursors[this.#cursorIndices?.[turn] ?? 0];
    assert(cursor !== undefined, 'each row belongs to a tape');
    return cursor;
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
    if (venue.books.isWatching) this.#watch(cursor);
    exchange.row(row);
    if (venue.hasChanges) {
      if (exchange.isPath && venue.books.isWatching) this.#watch(cursor);
      venue.report();
    }
    // The price of a quote follows from its book.
    if (rows.isQuotes) this.#showBook(cursor);
    const traded = rows.qty[row] ?? 0;
    if (rows.bars !== null) this.#showBar(cursor, rows.bars);
    else if (traded > 0) {
      cursor.count(traded, clock);
      this.#engine.trade(cursor.trade());
    }
    if (!rows.isQuotes) this.#showBook(cursor);
    if (venue.isMarginWatched) venue.watchMargin();
    this.#next(cursor);
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

  /** Rows that only strategies see, of all contracts. False when the next row needs `#playRow`. */
  #playQuiet(stopUs: number): boolean {
    const { venue } = this.#parts;
    const engine = this.#engine;
    if (venue.books.isWatching || venue.hasChanges || venue.isMarginWatched) return false;
    const clock = this.#clock;
    const first = clock.seq;
    const from = this.#turn;
    const end = Math.min(this.#rows, from + ROWS_AT_ONCE);
    const untilUs = Math.min(stopUs, clock.nextUs, engine.quietUntilUs);
    let after: QuietEnd = 'next';
    while (after === 'next' && this.#turn < end)
      after = this.#playQuietRows(this.#cursorAt(this.#turn), end, untilUs);
    if (this.#turn === from && after === 'loud') return false;
    clock.nowUs = this.#tsUs[after === 'work' ? this.#turn : this.#turn - 1] ?? 0;
    if (clock.seq > first) engine.leaveStretch(clock.seq - first);
    if (after === 'work') {
      const cursor = this.#cursorAt(this.#turn);
      this.#showBook(cursor);
      this.#next(cursor);
    }
    return true;
  }

  /** Those of one contract, until another one has its turn. */
  #playQuietRows(cursor: Cursor, end: number, untilUs: number): QuietEnd {
    const { instrument, exchange, rows } = cursor.tape;
    const stretch = exchange.isQuiet ? this.#engine.enterStretch(instrument, cursor.totalVolume) : null;
    if (stretch === null || (rows.isQuotes && stretch.hasBookListener)) return 'loud';
    const low = Math.max(stretch.low, exchange.buyLimit + 1);
    const high = Math.min(stretch.high, exchange.sellLimit - 1);
    const { priceTicks, qty } = rows;
    const clock = this.#clock;
    const times = this.#tsUs;
    const indices = this.#cursorIndices;
    let turn = this.#turn;
    let { row } = cursor;
    let lastTurn = -1;
    let after: QuietEnd = 'next';
    for (const index = indices?.[turn]; turn < end && indices?.[turn] === index; turn += 1) {
      const atUs = times[turn] ?? 0;
      const traded = qty[row] ?? 0;
      const price = priceTicks[row] ?? 0;
      if (atUs >= untilUs || (traded > 0 && (price < low || price > high))) {
        after = 'loud';
        break;
      }
      cursor.row = row;
      exchange.advance(row);
      if (rows.isQuotes && hasNewBook(cursor)) cursor.deferBook(clock, stretch);
      if (traded > 0) {
        cursor.count(traded, clock);
        lastTurn = turn;
        if (!stretch.next(cursor)) after = 'work';
      }
      if (hasNewBook(cursor)) {
        if (stretch.hasBookListener) after = 'work';
        if (after !== 'work') {
          cursor.deferBook(clock, stretch);
          lastTurn = turn;
        }
      }
      if (after === 'work') break;
      row += 1;
    }
    cursor.row = row;
    this.#turn = turn;
    if (lastTurn >= 0) stretch.leave(seqOf(clock.seq), timeOf(times[lastTurn] ?? 0));
    return after;
  }

  #next(cursor: Cursor): void {
    cursor.row += 1;
    this.#turn += 1;
  }

  #showBook(cursor: Cursor): void {
    const { bid, ask } = cursor;
    const { exchange } = cursor.tape;
    if (exchange.book.bidChanges !== bid.changes) this.#showSide(cursor, bid);
    if (exchange.book.askChanges !== ask.changes) this.#showSide(cursor, ask);
  }

  /** Most changes of a book have no reader: messages are made only of the others. */
  #showSide(cursor: Cursor, side: ShownSide): void {
    const engine = this.#engine;
    const stretch = engine.stretchOf(cursor.tape.instrument);
    const { atUs } = cursor;
    const isLate = atUs < engine.quietUntilUs && !stretch.hasBookListener;
    // Until the engine has done its due work, the book is as it was before.
    if (!isLate && (cursor.bid.isDeferred || cursor.ask.isDeferred)) stretch.mergeDeferredBook();
    side.take(cursor, this.#clock);
    side.isDeferred = isLate;
    if (!isLate) return engine.book(side.update(cursor.tape));
    stretch.deferBook(cursor);
    stretch.leave(seqOf(side.seq), timeOf(atUs));
    engine.leaveStretch(1);
  }
}

function withEmpty(shown: readonly BookLevel[], count: number): readonly (BookLevel | null)[] {
  const levels: (BookLevel | null)[] = [...shown];
  while (levels.length < count) levels.push(null);
  return levels;
}

// Bars as rows: each bar is four prices, its open, its two extremes and its close, at the beginning, after a third, after two thirds and in
// the last microsecond of its stretch. A market on bars knows by the row where in a bar it is: row 4n is the open of bar n. Strategies see
// a bar when it is complete; the path is for fills alone.

type BarColumn = 'startUs' | 'endUs' | 'open' | 'high' | 'low' | 'close' | 'volume';

/** Bars of one contract on one day; each ends after it began, and begins when the one before has ended or later. */
export type DayBars = Pick<BarRows, 'rows'> & Readonly<Record<BarColumn, ArrayLike<number>>>;

export function barTicks(bars: DayBars, everyUs: number, path: BarPath): TickRows {
  const rows = allocateRows(0, ROWS_PER_BAR * bars.rows, 'shared');
  const volume = new Float64Array(new SharedArrayBuffer(bars.rows * Float64Array.BYTES_PER_ELEMENT));
  for (let bar = 0; bar < bars.rows; bar += 1) {
    writePath(rows, bars, bar, path);
    volume[bar] = bars.volume[bar] ?? 0;
  }
  return { ...rows, bars: { everyUs, volume } };
}

function writePath(rows: TickRows, bars: DayBars, bar: number, path: BarPath): void {
  const first = ROWS_PER_BAR * bar;
  const start = bars.startUs[bar] ?? 0;
  // Where clocks were set forward, the next bar begins sooner.
  const end = Math.min(bars.endUs[bar] ?? 0, bars.startUs[bar + 1] ?? Infinity);
  const [open, high] = [bars.open[bar] ?? 0, bars.high[bar] ?? 0];
  const [low, close] = [bars.low[bar] ?? 0, bars.close[bar] ?? 0];
  const isHighFirst = highComesFirst(path, open, high, low);
  rows.priceTicks.set(isHighFirst ? [open, high, low, close] : [open, low, high, close], first);
  rows.tsUs.set(pathTimes(start, end), first);
  // A price of the path is a trade, whatever its size.
  rows.qty.fill(1, first, first + ROWS_PER_BAR);
}

function pathTimes(start: number, end: number): readonly number[] {
  const third = Math.floor((end - start) / 3);
  return [start, start + third, start + 2 * third, Math.max(start, end - 1)];
}

/** Ends each bar with the session it lies in, at `endOf` its start: a file's last bar of a day may be shorter than the others. */
export function endWithSession({ rows, tsUs, bars }: TickRows, endOf: (startUs: number) => number): void {
  if (bars === null) return;
  for (let row = 0; row < rows; row += ROWS_PER_BAR) {
    const start = tsUs[row] ?? 0;
    const end = endOf(start);
    if ((tsUs[row + ROWS_PER_BAR - 1] ?? 0) >= end) tsUs.set(pathTimes(start, end), row);
  }
}

/** The bar whose last row is `row`, with its last trade; the numbers were checked when the columns were written. */
function barTickOf(
  seq: number,
  instrument: InstrumentIndex,
  { tsUs, priceTicks, bars }: TickRows,
  row: number,
  totalVolume: number,
): BarTick {
  assert(bars !== null && row % ROWS_PER_BAR === ROWS_PER_BAR - 1, 'a bar ends with its last row');
  const first = row - ROWS_PER_BAR + 1;
  const [one = 0, other = 0] = [priceTicks[first + 1], priceTicks[first + 2]];
  const at = tsUs[row] ?? 0;
  const volume = bars.volume[first / ROWS_PER_BAR] ?? 0;
  /* oxlint-disable typescript/no-unsafe-type-assertion -- checked columns */
  return {
    kind: 'trade',
    seq: seq as Seq,
    tsUs: at as TsUs,
    instrument,
    price: (priceTicks[row] ?? 0) as PriceTicks,
    qty: Math.max(1, volume) as Qty,
    totalVolume,
    bar: {
      every: bars.everyUs as DurationUs,
      startUs: (tsUs[first] ?? 0) as TsUs,
      endUs: (at + 1) as TsUs,
      open: (priceTicks[first] ?? 0) as PriceTicks,
      high: Math.max(one, other) as PriceTicks,
      low: Math.min(one, other) as PriceTicks,
      volume,
    },
  };
  /* oxlint-enable typescript/no-unsafe-type-assertion */
}

/** The extreme that is worse for a position is not known here: the nearer one is shown first, and the exchange turns them round. */
function highComesFirst(path: BarPath, open: number, high: number, low: number): boolean {
  if (path === 'high_first') return true;
  if (path === 'low_first') return false;
  return high - open < open - low;
}
