import type { TradingCalendar } from '../../domain/calendar.ts';
import { tradingDay } from '../../domain/civil-date.ts';
import { US_PER_DAY } from '../../domain/units.ts';

const VIETNAM_OFFSET_MINUTES = 420;

/** Continuous trading at any hour of any day, so that a demo runs whenever someone looks at it. */
export const ALWAYS_OPEN: TradingCalendar = {
  name: 'always-open',
  timeZone: 'Asia/Ho_Chi_Minh',
  utcOffsetMinutes: VIETNAM_OFFSET_MINUTES,
  weekdays: [0, 1, 2, 3, 4, 5, 6],
  phases: [{ phase: 'continuous', fromUs: 0, toUs: US_PER_DAY }],
  closures: new Set(),
  validFrom: tradingDay('2000-01-01'),
  validTo: tradingDay('2099-12-31'),
};
