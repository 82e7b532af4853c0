/**
 * A run keeps one offset from Greenwich all year. Where clocks change, moments move to where the clocks on the wall stood, so that
 * hours and days stay where people see them.
 */
import { US_PER_DAY } from '../../../domain/units.ts';
import { type BacktestMarket, wallShift } from './backtest-market.ts';

/** Trading that never stops runs through the change of the clocks, unless its bars are whole days. */
export const isMoved = ({ isZoneFixed, isAlwaysOpen }: BacktestMarket, everyUs: number | null): boolean =>
  !isZoneFixed && (!isAlwaysOpen || (everyUs !== null && everyUs >= US_PER_DAY));

/** What is added to a moment. */
export function wallClock(market: BacktestMarket, everyUs: number | null): (atUs: number) => number {
  if (!isMoved(market, everyUs)) return () => 0;
  const { zone } = market;
  // Clocks change at night: one look a day is enough.
  let known = NaN;
  let shift = 0;
  return (atUs) => {
    const day = Math.floor(atUs / US_PER_DAY);
    if (day !== known) shift = wallShift(zone, atUs);
    known = day;
    return shift;
  };
}

const MINUTES_PER_HOUR = 60;

/**
 * A zone that shows moved moments as the clocks on the wall did: its name has the sign the other way round. Undefined for half
 * hours, which have no such name.
 */
export function fixedZoneName(utcOffsetMinutes: number): string | undefined {
  const hours = utcOffsetMinutes / MINUTES_PER_HOUR;
  if (!Number.isInteger(hours)) return undefined;
  return hours === 0 ? 'UTC' : `Etc/GMT${hours < 0 ? '+' : '-'}${Math.abs(hours)}`;
}
