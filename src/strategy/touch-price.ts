import type { PriceBand } from '../domain/contract.ts';
import { type Side, signOf } from '../domain/order.ts';
import type { BookTick } from '../domain/ticks.ts';
import { type PriceTicks, priceTicks } from '../domain/units.ts';

/** `join` waits at the best price of our own side, `cross` takes that of the other side. */
export type TouchSide = 'join' | 'cross';

/**
 * A limit price at the touch, `slipTicks` towards the other side, inside the band. Undefined while no price is known:
 * no book, a torn one, or no band of the day. When one side of the book is empty (a locked limit) the other one counts.
 */
export function touchPrice(
  side: Side,
  at: TouchSide,
  slipTicks: number,
  book: BookTick | undefined,
  band: PriceBand | undefined,
): PriceTicks | undefined {
  if (book === undefined || book.crossed || band === undefined) return undefined;
  const bid = book.bids[0]?.price;
  const ask = book.asks[0]?.price;
  const [own, other] = side === 'buy' ? [bid, ask] : [ask, bid];
  const base = at === 'join' ? (own ?? other) : (other ?? own);
  if (base === undefined) return undefined;
  return priceTicks(Math.min(band.ceiling, Math.max(band.floor, base + signOf(side) * slipTicks)));
}
