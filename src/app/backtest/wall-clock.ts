/**
 * A run keeps one offset from Greenwich all year. Where clocks change, moments move to where the clocks on the wall stood, so that
 * hours and days stay where people see them.
 */
import { US_PER_DAY } from '../../domain/units.ts';
import { type BacktestMarket, wallShift } from './backtest-market.ts';

/** What is added to a moment. Trading that never stops runs through the change, unless its bars are whole days. */
export function wallClock(
  { zone, isZoneFixed, isAlwaysOpen }: BacktestMarket,
  everyUs: number | null,
): (atUs: number) => number {
  const isByDay = everyUs !== null && everyUs >= US_PER_DAY;
  if (isZoneFixed || (isAlwaysOpen && !isByDay)) return () => 0;
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
