/**
 * The recording of one day: rows of all its contracts in the order of time, those of the same moment in the order of the
 * contracts. For each row first our orders meet it, then the engine sees it. This is the loop that decides how fast a run is.
 */
import type { InstrumentIndex } from '../../domain/units.ts';
import type { Engine } from '../../engine/engine.ts';
import type { TickRows } from '../../recording/columns/tick-columns.ts';
import type { Exchange } from '../fill/exchange.ts';
import type { Sequence } from './engine-room.ts';
import { bookOf, tradeOf } from './market-messages.ts';
import type { Timeline } from './timeline.ts';
import type { VenueDesk } from './venue-desk.ts';
import type { VirtualClock } from './virtual-clock.ts';

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
  readonly desk: VenueDesk;
  /** Told of each stretch of rows that is done. */
  readonly onRows: (rows: number) => void;
}

class Cursor {
  readonly tape: PlayedTape;
  row = 0;
  totalVolume = 0;
  bidLevels = 0;
  askLevels = 0;

  constructor(tape: PlayedTape) {
    this.tape = tape;
  }

  get atUs(): number {
    return this.tape.rows.tsUs[this.row] ?? Infinity;
  }
}

/** Rows between two reports of progress. */
const STRETCH = 1 << 18;

export class TapePlayer {
  readonly #parts: TapePlayerParts;
  readonly #cursors: readonly Cursor[];

  constructor(parts: TapePlayerParts, tapes: readonly PlayedTape[]) {
    this.#parts = parts;
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
      this.#play(first, this.#isFirst(first, otherUs) ? otherUs : otherUs - 1, untilUs);
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

  /** Rows of one contract, up to and with `toUs`, and before `untilUs`. */
  #play(cursor: Cursor, toUs: number, untilUs: number): void {
    const { engine, clock, sequence, timeline, desk, onRows } = this.#parts;
    const { instrument, exchange, rows } = cursor.tape;
    const { tsUs, priceTicks, qty } = rows;
    const { conditions } = desk;
    const end = Math.min(rows.rows, cursor.row + STRETCH);
    const from = cursor.row;
    let row = from;
    let total = cursor.totalVolume;
    for (; row < end; row += 1) {
      const atUs = tsUs[row] ?? 0;
      if (atUs > toUs || atUs >= untilUs) break;
      if (atUs >= timeline.nextUs) timeline.runTo(atUs);
      clock.nowUs = atUs;
      const traded = qty[row] ?? 0;
      if (traded > 0 && conditions.isWatching) desk.traded(instrument, priceTicks[row] ?? 0);
      exchange.row(row, atUs);
      if (desk.isUntold) {
        if (exchange.isPath && conditions.isWatching) desk.traded(instrument, priceTicks[row] ?? 0);
        desk.tell();
      }
      if (traded > 0) {
        total += traded;
        sequence.last += 1;
        engine.process(tradeOf(sequence.last, atUs, instrument, priceTicks[row] ?? 0, traded, total));
      }
      if (exchange.isBidNew || exchange.isAskNew) this.#showBook(cursor, atUs);
    }
    cursor.row = row;
    cursor.totalVolume = total;
    onRows(row - from);
  }

  #showBook(cursor: Cursor, atUs: number): void {
    const { engine, sequence } = this.#parts;
    const { instrument, exchange } = cursor.tape;
    if (exchange.isBidNew) {
      const levels = exchange.levels('buy');
      sequence.last += 1;
      engine.process(bookOf(sequence.last, atUs, instrument, 'buy', levels, cursor.bidLevels));
      cursor.bidLevels = levels.length;
    }
    if (exchange.isAskNew) {
      const levels = exchange.levels('sell');
      sequence.last += 1;
      engine.process(bookOf(sequence.last, atUs, instrument, 'sell', levels, cursor.askLevels));
      cursor.askLevels = levels.length;
    }
  }
}
