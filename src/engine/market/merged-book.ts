/**
 * The book of one contract, merged from partial frames (rulings, 21): a level that is absent keeps its value, null or a quantity of zero
 * empties it, a disconnect empties all of it. Until both best levels have come again the book is hidden, because the second level would
 * pass for the best; and entries wait (failure cases, 23).
 */
import type { BookLevel, BookTick, HalfLevel } from '../../domain/ticks.ts';
import type { BookUpdate } from '../ports/engine-event.ts';

/** Levels a side; a frame's further levels are ignored. */
const LEVELS_MAX = 10;
const NO_LEVELS: readonly BookLevel[] = [];

/** By position in the frame: null and absent are empty. Never changed, only replaced, because messages keep it. */
type Slots = readonly (BookLevel | null | undefined)[];

/** Changes of a book that are not merged yet. */
export interface LateBook {
  /** Each change is handed out once, in the order of the sequence. */
  takeLate(): readonly BookUpdate[];
}

export class MergedBook {
  #bidSlots: Slots = NO_LEVELS;
  #askSlots: Slots = NO_LEVELS;
  #last: BookTick | undefined = undefined;
  #isKnown = false;
  #wasKnown = false;
  #late: LateBook | null = null;

  /** Undefined until both best levels were seen after the last disconnect, even if one of them is empty. */
  get last(): BookTick | undefined {
    return this.isKnown ? this.#last : undefined;
  }

  /** Both best levels were seen since the last disconnect. */
  get isKnown(): boolean {
    this.settle();
    return this.#isKnown;
  }

  /** A disconnect emptied it, and a side has not come back. A contract without book data waits for nothing. */
  get isAwaited(): boolean {
    return this.#wasKnown && !this.isKnown;
  }

  /** A change waits to be merged. */
  defer(late: LateBook): void {
    if (this.#late !== late) this.settle();
    this.#late = late;
  }

  merge(update: BookUpdate): BookTick {
    this.settle();
    const isBid = update.side === 'bid';
    const slots = mergeSlots(isBid ? this.#bidSlots : this.#askSlots, update);
    if (isBid) this.#bidSlots = slots;
    else this.#askSlots = slots;
    if (!this.#isKnown) this.#isKnown = this.#bidSlots[0] !== undefined && this.#askSlots[0] !== undefined;
    const known = knownOf(slots);
    const bids = isBid ? known : (this.#last?.bids ?? NO_LEVELS);
    const asks = isBid ? (this.#last?.asks ?? NO_LEVELS) : known;
    const bestBid = bids[0];
    const bestAsk = asks[0];
    const tick: BookTick = {
      kind: 'book',
      seq: update.seq,
      tsUs: update.tsUs,
      instrument: update.instrument,
      bids,
      asks,
      crossed: bestBid !== undefined && bestAsk !== undefined && bestBid.price >= bestAsk.price,
    };
    this.#last = tick;
    return tick;
  }

  settle(): void {
    const late = this.#late;
    if (late === null) return;
    this.#late = null;
    for (const update of late.takeLate()) this.merge(update);
  }

  empty(): void {
    this.settle();
    this.#bidSlots = NO_LEVELS;
    this.#askSlots = NO_LEVELS;
    this.#last = undefined;
    this.#wasKnown ||= this.#isKnown;
    this.#isKnown = false;
  }
}

/** A message with every level is kept as it is. */
function mergeSlots(before: Slots, { levels, halves }: BookUpdate): Slots {
  const isWhole = levels.length >= before.length && levels.length <= LEVELS_MAX && isFull(levels);
  if (isWhole && (halves === undefined || halves === null)) return levels;
  const slots: (BookLevel | null | undefined)[] = [...before];
  const count = Math.min(levels.length, LEVELS_MAX);
  for (let i = 0; i < count; i += 1) {
    const level = levels[i];
    if (level !== undefined) slots[i] = level === null || level.qty === 0 ? null : level;
  }
  if (halves !== undefined && halves !== null) for (const half of halves) mergeHalf(slots, half);
  return slots;
}

function isFull(levels: Slots): levels is readonly BookLevel[] {
  for (let i = 0; i < levels.length; i += 1) {
    const level = levels[i];
    if (level === undefined || level === null || level.qty === 0) return false;
  }
  return true;
}

/** Levels behind one that was not seen yet are hidden: they would appear in its place. */
function knownOf(slots: Slots): readonly BookLevel[] {
  if (isFull(slots)) return slots;
  const known: BookLevel[] = [];
  for (const level of slots) {
    if (level === undefined) break;
    if (level !== null) known.push(level);
  }
  return known;
}

/** An absent half keeps its value; on an empty level there is nothing to keep. */
function mergeHalf(slots: (BookLevel | null | undefined)[], { level, price, qty }: HalfLevel): void {
  const previous = slots[level];
  if (previous === undefined || previous === null) return;
  const merged: BookLevel = { price: price ?? previous.price, qty: qty ?? previous.qty };
  slots[level] = merged.qty === 0 ? null : merged;
}
