/**
 * The recording of one day: rows of all its contracts in the order of time, those of the same moment in the order of the
 * contracts. For each row first our orders meet it, then the engine sees it. This is the loop that decides how fast a run is.
 */
import type { InstrumentIndex } from '../../domain/units.ts';
import type { Engine } from '../../engine/engine.ts';
import type { LateBook } from '../../engine/market/merged-book.ts';
import type { BookUpdate } from '../../engine/ports/engine-event.ts';
import type { TickRows } from '../../recording/columns/tick-columns.ts';
import type { Exchange } from '../../venue/exchange/exchange.ts';
import { depthLevels, touchLevels } from '../../venue/exchange/recorded-book.ts';
import { bookOf, seqOf, timeOf, tradeOf } from './market-messages.ts';
import type { Timeline } from './timeline.ts';
import type { RunVenue } from './run-venue.ts';
import type { Sequence, VirtualClock } from './virtual-clock.ts';

export interface PlayedTape {
  readonly instrument: InstrumentIndex;
  readonly rows: TickRows;
  readonly exchange: Exchange;
}

export interface TapePlayerParts {
  readonly engine: Engine;
  readonly clock: VirtualClock;
  readonly sequence: Sequence;
  readonly timeline: Timeline;
  readonly venue: RunVenue;
  /** Told of each stretch of rows that is done. */
  readonly onRows: (rows: number) => void;
}

/** One side of a book as it was shown last, and the change of it that nobody has looked at yet. */
class ShownSide {
  readonly name: 'bid' | 'ask';
  /** Changes that the exchange had counted. */
  changes = 0;
  isLate = false;
  seq = 0;
  atUs = 0;
  row = 0;
  /** Of the touch. */
  price = 0;
  qty = 0;
  /** Levels that the engine was told. */
  #levels = 0;

  constructor(name: 'bid' | 'ask') {
    this.name = name;
  }

  update({ instrument, rows }: PlayedTape): BookUpdate {
    this.isLate = false;
    const levels =
      rows.book === null
        ? touchLevels(this.price, this.qty)
        : depthLevels(rows.book, this.name === 'bid' ? 'buy' : 'sell', this.row);
    const before = this.#levels;
    this.#levels = levels.length;
    return bookOf(this.seq, this.atUs, instrument, this.name, levels, before);
  }
}

class Cursor implements LateBook {
  readonly tape: PlayedTape;
  row = 0;
  totalVolume = 0;
  readonly bid = new ShownSide('bid');
  readonly ask = new ShownSide('ask');

  constructor(tape: PlayedTape) {
    this.tape = tape;
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

/** Rows between two reports of progress. */
const STRETCH = 1 << 18;

export class TapePlayer {
  readonly #parts: TapePlayerParts;
  readonly #engine: Engine;
  readonly #clock: VirtualClock;
  readonly #sequence: Sequence;
  readonly #cursors: readonly Cursor[];

  constructor(parts: TapePlayerParts, tapes: readonly PlayedTape[]) {
    this.#parts = parts;
    this.#engine = parts.engine;
    this.#clock = parts.clock;
    this.#sequence = parts.sequence;
    this.#cursors = tapes.map((tape) => new Cursor(tape));
  }

  /** Plays every row before `untilUs`. */
  playTo(untilUs: number): void {
    for (;;) {
      let first: Cursor | null = null;
      let atUs = untilUs;
      let otherUs = untilUs;
      for (const cursor of this.#cursors) {
        const nextUs = cursor.atUs;
        if (nextUs < atUs) {
          otherUs = atUs;
          first = cursor;
          atUs = nextUs;
        } else if (nextUs < otherUs) otherUs = nextUs;
      }
      if (first === null) return;
      // Rows of the same moment belong to the contract that comes first in the table.
      const stopUs = this.#isFirst(first, otherUs) ? otherUs + 1 : otherUs;
      this.#parts.onRows(this.#play(first, Math.min(stopUs, untilUs)));
    }
  }

  /** No contract before this one has a row at `atUs`. */
  #isFirst(cursor: Cursor, atUs: number): boolean {
    for (const other of this.#cursors) {
      if (other === cursor) return true;
      if (other.atUs === atUs) return false;
    }
    return true;
  }

  /** Rows of one contract before `stopUs`; returns how many. */
  #play(cursor: Cursor, stopUs: number): number {
    const { timeline, venue } = this.#parts;
    const { bid, ask } = cursor;
    const { instrument, exchange, rows } = cursor.tape;
    const { tsUs, priceTicks, qty } = rows;
    const clock = this.#clock;
    const from = cursor.row;
    const end = Math.min(rows.rows, from + STRETCH);
    let row = from;
    for (; row < end; row += 1) {
      const atUs = tsUs[row] ?? 0;
      if (atUs >= stopUs) break;
      if (atUs >= timeline.nextUs) timeline.runTo(atUs);
      clock.nowUs = atUs;
      const traded = qty[row] ?? 0;
      if (traded > 0 && venue.isWatching) venue.traded(instrument, priceTicks[row] ?? 0);
      exchange.row(row);
      if (venue.isUntold) {
        if (exchange.isPath && venue.isWatching) venue.traded(instrument, priceTicks[row] ?? 0);
        venue.tell();
      }
      if (traded > 0) this.#showTrade(cursor, row);
      if (exchange.bidChanges !== bid.changes) {
        bid.changes = exchange.bidChanges;
        this.#showSide(cursor, bid, row);
      }
      if (exchange.askChanges !== ask.changes) {
        ask.changes = exchange.askChanges;
        this.#showSide(cursor, ask, row);
      }
    }
    cursor.row = row;
    return row - from;
  }

  // Times are too large for small integers: handed on as arguments each would become an object.
  #showTrade(cursor: Cursor, row: number): void {
    const { instrument, rows } = cursor.tape;
    const traded = rows.qty[row] ?? 0;
    cursor.totalVolume += traded;
    this.#sequence.last += 1;
    this.#engine.trade(
      tradeOf(
        this.#sequence.last,
        rows.tsUs[row] ?? 0,
        instrument,
        rows.priceTicks[row] ?? 0,
        traded,
        cursor.totalVolume,
      ),
    );
  }

  /** Nobody looks at most changes of a book: messages are made of those that somebody does. */
  #showSide(cursor: Cursor, side: ShownSide, row: number): void {
    const { instrument, exchange } = cursor.tape;
    const engine = this.#engine;
    const { nowUs } = this.#clock;
    const isLate = nowUs < engine.quietUntilUs && !engine.isBookHeard(instrument);
    // Until the engine has done what is due, the book is as it was before.
    if (!isLate && (cursor.bid.isLate || cursor.ask.isLate)) engine.settleBook(instrument);
    this.#sequence.last += 1;
    side.seq = this.#sequence.last;
    side.atUs = nowUs;
    side.row = row;
    side.price = side.name === 'bid' ? exchange.bid : exchange.ask;
    side.qty = side.name === 'bid' ? exchange.bidQty : exchange.askQty;
    side.isLate = isLate;
    if (isLate) engine.bookLater(seqOf(side.seq), timeOf(nowUs), instrument, cursor);
    else engine.book(side.update(cursor.tape));
  }
}
