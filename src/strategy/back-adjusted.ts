import type { Contract } from '../domain/contract.ts';
import { priceAfter } from '../domain/corporate-action.ts';
import type { ActionTaken } from '../engine/ports/strategy-port.ts';

/**
 * Prices of before an ex-date, in ticks, oldest first, as they compare with those from now on: a split divides them, a dividend takes
 * its part of the last close off each. To be called on `actions$`: nothing that comes later is in them.
 */
export function backAdjusted(
  prices: readonly number[],
  { action }: ActionTaken,
  { spec: { partsPerPoint = 100, hundredthsPerTick } }: Contract,
): readonly number[] {
  const close = prices.at(-1);
  if (close === undefined || close <= 0) return prices;
  const factor = priceAfter(action, close, partsPerPoint / hundredthsPerTick) / close;
  return prices.map((price) => price * factor);
}
