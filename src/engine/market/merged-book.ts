/**
 * The book of one contract, merged from partial frames (rulings, 21): a level that is absent keeps its value, null or a
 * quantity of zero empties it, a disconnect empties all of it.
 */
import type { BookLevel, BookTick, HalfLevel } from '../../domain/ticks.ts';
import type { BookUpdate } from '../ports/engine-event.ts';

/** Levels a side; more than that in a frame is not looked at. */
const LEVELS_MAX = 10;
const NO_LEVELS: readonly BookLevel[] = [];

export class MergedBook {
  readonly #bidSlots: (BookLevel | null)[] = [];
  readonly #askSlots: (BookLevel | null)[] = [];
  #bids: readonly BookLevel[] = NO_LEVELS;
  #asks: readonly BookLevel[] = NO_LEVELS;
  #last: BookTick | undefined = undefined;

  /** Undefined until a frame came after the last disconnect. */
  get last(): BookTick | undefined {
    return this.#last;
  }

  merge(update: BookUpdate): BookTick {
    if (update.side === 'bid') this.#bids = mergeLevels(this.#bidSlots, update);
    else this.#asks = mergeLevels(this.#askSlots, update);
    const bestBid = this.#bids[0];
    const bestAsk = this.#asks[0];
    const tick: BookTick = {
      kind: 'book',
      seq: update.seq,
      tsUs: update.tsUs,
      instrument: update.instrument,
      bids: this.#bids,
      asks: this.#asks,
      crossed: bestBid !== undefined && bestAsk !== undefined && bestBid.price >= bestAsk.price,
    };
    this.#last = tick;
    return tick;
  }

  empty(): void {
    this.#bidSlots.length = 0;
    this.#askSlots.length = 0;
    this.#bids = NO_LEVELS;
    this.#asks = NO_LEVELS;
    this.#last = undefined;
  }
}

function mergeLevels(slots: (BookLevel | null)[], { levels, halves }: BookUpdate): readonly BookLevel[] {
  const count = Math.min(levels.length, LEVELS_MAX);
  for (let i = 0; i < count; i += 1) {
    const level = levels[i];
    if (level !== undefined) slots[i] = level === null || level.qty === 0 ? null : level;
  }
  if (halves !== undefined && halves !== null) for (const half of halves) mergeHalf(slots, half);
  const known: BookLevel[] = [];
  for (let i = 0; i < slots.length; i += 1) {
    const level = slots[i];
    if (level !== undefined && level !== null) known.push(level);
  }
  return known;
}

/** The half that was not said keeps its value; where nothing stood there is nothing to keep. */
function mergeHalf(slots: (BookLevel | null)[], { level, price, qty }: HalfLevel): void {
  const stood = slots[level];
  if (stood === undefined || stood === null) return;
  const merged: BookLevel = { price: price ?? stood.price, qty: qty ?? stood.qty };
  slots[level] = merged.qty === 0 ? null : merged;
}
