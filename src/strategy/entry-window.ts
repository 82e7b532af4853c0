import { nextPhaseChange, phaseAt, type TradingCalendar } from '../domain/calendar.ts';
import { type DurationUs, minutes, type TsUs } from '../domain/units.ts';

/** No entry starts this shortly before continuous trading ends: in the auction it could not be withdrawn. */
export const LAST_ENTRY_BEFORE: DurationUs = minutes(1);

/** Whether an entry may start at `now`: continuous trading, and not about to end. */
export function mayEnter(calendar: TradingCalendar, now: TsUs): boolean {
  if (phaseAt(calendar, now) !== 'continuous') return false;
  const change = nextPhaseChange(calendar, now);
  return change - now > LAST_ENTRY_BEFORE || phaseAt(calendar, change) === 'continuous';
}
