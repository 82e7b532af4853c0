/**
 * The price of a call auction (market rules, 4): (a) most volume; (b) one side filled in full, which holds at every
 * price of most volume, because volume is the smaller side; (c) nearest to the anchor, the last matched price, at the
 * opening the reference. What is not published is our choice: at equal distance the price with the smaller surplus,
 * then the higher one; at the margin time decides.
 */
import type { BookLevel } from '../../domain/ticks.ts';
import { type PriceHundredths, priceTicks, qty } from '../../domain/units.ts';
import type { Ladder } from './ladder.ts';

export interface Cross {
  readonly price: number;
  readonly volume: number;
}

/** The cross of the orders in the book, or undefined without one. */
export function uncross(
  ladder: Ladder,
  anchor: PriceHundredths,
  hundredthsPerTick: number,
): Cross | undefined {
  const buys = ladder.depth('buy');
  const sells = ladder.depth('sell');
  let demand = 0;
  for (const quantity of buys) demand += quantity;
  let supply = 0;
  let best: { price: number; volume: number; distance: number; surplus: number } | undefined;
  for (let i = 0; i < buys.length; i += 1) {
    supply += sells[i] ?? 0;
    const volume = Math.min(demand, supply);
    if (volume > 0 && (best === undefined || volume >= best.volume)) {
      const price = ladder.floor + i;
      const distance = Math.abs(price * hundredthsPerTick - anchor);
      const surplus = Math.abs(demand - supply);
      if (best === undefined || volume > best.volume || isNearer(distance, surplus, best)) {
        best = { price, volume, distance, surplus };
      }
    }
    demand -= buys[i] ?? 0;
  }
  return best === undefined ? undefined : { price: best.price, volume: best.volume };
}

/** Prices are walked upwards, so an equal one that comes later is the higher one. */
const isNearer = (distance: number, surplus: number, best: { distance: number; surplus: number }): boolean =>
  distance < best.distance || (distance === best.distance && surplus <= best.surplus);

/** Levels of the board in an auction: the best levels expected to be left after the cross, not the book. */
export function levelsAfter(
  ladder: Ladder,
  side: 'buy' | 'sell',
  volume: number,
  count: number,
): BookLevel[] {
  const depth = ladder.depth(side);
  const step = side === 'buy' ? -1 : 1;
  const result: BookLevel[] = [];
  let gone = volume;
  for (
    let i = (ladder.best(side) ?? ladder.floor - 1) - ladder.floor;
    i >= 0 && i < depth.length && result.length < count;
    i += step
  ) {
    const quantity = depth[i] ?? 0;
    const left = quantity - Math.min(gone, quantity);
    gone -= quantity - left;
    if (left > 0) result.push({ price: priceTicks(ladder.floor + i), qty: qty(left) });
  }
  return result;
}
