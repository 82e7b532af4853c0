/**
 * Events on their way to the engine thread. Trades and updates of the book are most of them, and a structured clone of such an object
 * costs more than what the engine does with it: they cross as numbers, all else as objects.
 */
import { assert } from '../../domain/assert.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import { instrumentIndex, priceTicks, qty, seq, tsUs } from '../../domain/units.ts';
import type { BookUpdate, EngineEvent } from '../../engine/ports/engine-event.ts';

export interface EventBlock {
  /** Of each event in turn its tag; of one that is not an object its fields too. */
  readonly numbers: Float64Array;
  /** The others, in their order. */
  readonly objects: readonly EngineEvent[];
  readonly count: number;
}

const OBJECT = 0;
const TRADE = 1;
const BID = 2;
const ASK = 3;

/** In place of the price of a level. */
const KEPT = Infinity;
const EMPTIED = -Infinity;

export function packEvents(events: readonly EngineEvent[]): EventBlock {
  const numbers: number[] = [];
  const objects: EngineEvent[] = [];
  for (const event of events)
    if (event.kind === 'trade')
      numbers.push(TRADE, event.seq, event.tsUs, event.instrument, event.price, event.qty, event.totalVolume);
    else if (event.kind === 'book_update' && (event.halves ?? null) === null) packBook(numbers, event);
    else {
      numbers.push(OBJECT);
      objects.push(event);
    }
  return { numbers: Float64Array.from(numbers), objects, count: events.length };
}

function packBook(numbers: number[], { side, seq: number, tsUs: at, instrument, levels }: BookUpdate): void {
  numbers.push(side === 'bid' ? BID : ASK, number, at, instrument, levels.length);
  for (const level of levels)
    if (level === undefined) numbers.push(KEPT, 0);
    else if (level === null) numbers.push(EMPTIED, 0);
    else numbers.push(level.price, level.qty);
}

export function unpackEvents({ numbers, objects, count }: EventBlock): readonly EngineEvent[] {
  const events: EngineEvent[] = [];
  let place = 0;
  let object = 0;
  const next = (): number => {
    const value = numbers[place];
    assert(value !== undefined, 'a block ends with an event');
    place += 1;
    return value;
  };
  const level = (): BookLevel | null | undefined => {
    const price = next();
    const size = next();
    if (price === KEPT) return undefined;
    return price === EMPTIED ? null : { price: priceTicks(price), qty: qty(size) };
  };
  for (let i = 0; i < count; i += 1) {
    const tag = next();
    if (tag === OBJECT) {
      const event = objects[object];
      assert(event !== undefined, 'a block has all its objects');
      object += 1;
      events.push(event);
      continue;
    }
    const number = seq(next());
    const at = tsUs(next());
    const instrument = instrumentIndex(next());
    if (tag === TRADE) {
      const price = priceTicks(next());
      const size = qty(next());
      events.push({
        kind: 'trade',
        seq: number,
        tsUs: at,
        instrument,
        price,
        qty: size,
        totalVolume: next(),
      });
    } else {
      const side = tag === BID ? 'bid' : 'ask';
      const levels = Array.from({ length: next() }, level);
      events.push({ kind: 'book_update', seq: number, tsUs: at, instrument, side, levels, halves: null });
    }
  }
  return events;
}
