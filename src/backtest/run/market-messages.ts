/** Market events from columns. Each is one literal with every key; the numbers were checked when the columns were written. */
import type { BookLevel, TradeTick } from '../../domain/ticks.ts';
import type { InstrumentIndex, PriceTicks, Qty, Seq, TsUs } from '../../domain/units.ts';
import type { BookUpdate } from '../../engine/ports/engine-event.ts';

/* oxlint-disable typescript/no-unsafe-type-assertion -- minting with an assertion for each number costs a third of a run */
export const tradeOf = (
  seq: number,
  atUs: number,
  instrument: InstrumentIndex,
  price: number,
  qty: number,
  totalVolume: number,
): TradeTick => ({
  kind: 'trade',
  seq: seq as Seq,
  tsUs: atUs as TsUs,
  instrument,
  price: price as PriceTicks,
  qty: qty as Qty,
  totalVolume,
});

/** `shownBefore` levels of this side were shown last: those that are gone are sent as empty, and so is the best of an empty side. */
export function bookOf(
  seq: number,
  atUs: number,
  instrument: InstrumentIndex,
  side: 'bid' | 'ask',
  shown: readonly BookLevel[],
  shownBefore: number,
): BookUpdate {
  // A copy only where a level is added: the exchange never changes shown levels.
  const count = Math.max(1, shownBefore);
  const levels = shown.length < count ? withEmpty(shown, count) : shown;
  return {
    kind: 'book_update',
    seq: seq as Seq,
    tsUs: atUs as TsUs,
    instrument,
    side,
    levels,
    halves: null,
  };
}

function withEmpty(shown: readonly BookLevel[], count: number): readonly (BookLevel | null)[] {
  const levels: (BookLevel | null)[] = [...shown];
  while (levels.length < count) levels.push(null);
  return levels;
}

export const seqOf = (seq: number): Seq => seq as Seq;
export const timeOf = (atUs: number): TsUs => atUs as TsUs;
