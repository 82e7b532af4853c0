/** Money of an order's fills, from the two figures that an in-day row may have: value and average price (rulings, 2). */
import type { FilledValue } from '../../domain/broker-order.ts';
import type { ContractSpec } from '../../domain/contract.ts';
import { money, type PriceTicks } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';

export interface SaidOfFills {
  readonly filledQty: number;
  readonly limitPrice: PriceTicks | null;
  /** Points. */
  readonly average: number | undefined;
  readonly value: number | undefined;
}

/** Further from the limit price than a whole price band, it is not of these fills, or not in points and money. */
const FAR_FROM_LIMIT = 0.2;

/**
 * The value when it fits quantity and price, else what the average gives; both are the broker's. The unit of a value on
 * its own is not known, so it counts only beside an average or a limit price. With neither there is no figure here.
 */
export function filledValueFrom(
  said: SaidOfFills,
  spec: ContractSpec,
  drift: DriftCounter,
): FilledValue | null {
  const { filledQty, limitPrice, average = 0, value = 0 } = said;
  if (filledQty === 0) return null;
  const unit = spec.hundredthsPerTick * spec.moneyPerHundredth;
  const atLimit = limitPrice === null ? undefined : limitPrice * filledQty * unit;
  const isPlausible = (amount: number): boolean =>
    Number.isSafeInteger(amount) &&
    amount > 0 &&
    (atLimit === undefined || Math.abs(amount - atLimit) <= atLimit * FAR_FROM_LIMIT);
  // Each fill is whole ticks, so their sum is whole units: the rounding of the average is undone.
  const averaged = Math.round((average * 100 * spec.moneyPerHundredth * filledQty) / unit) * unit;
  const fromAverage = isPlausible(averaged) ? averaged : undefined;
  const isBeside =
    fromAverage === undefined ? atLimit !== undefined : Math.abs(value - fromAverage) <= unit * filledQty;
  const fits = isBeside && value % unit === 0 && isPlausible(value);
  if (value !== 0 && !fits) drift.count('in-day.matchValue', 'does not fit volume and price');
  if (average !== 0 && fromAverage === undefined)
    drift.count('in-day.matchPriceBQ', 'does not fit the price');
  const chosen = fits ? value : fromAverage;
  return chosen === undefined ? null : { value: money(chosen), quality: 'average' };
}
