import { nextPhaseChange, phaseAt, type TradingCalendar } from '../domain/calendar.ts';
import { type DurationUs, minutes, type TsUs } from '../domain/units.ts';

/** No entry starts this shortly before continuous trading ends: in the auction it could not be withdrawn. */
const LAST_ENTRY_BEFORE: DurationUs = minutes(1);

/** Whether an entry may start at `now`: continuous trading, and at least `before` until it ends. */
export function mayEnter(calendar: TradingCalendar, now: TsUs, before = LAST_ENTRY_BEFORE): boolean {
  if (phaseAt(calendar, now) !== 'continuous') return false;
  const change = nextPhaseChange(calendar, now);
  return change - now > before || phaseAt(calendar, change) === 'continuous';
}
