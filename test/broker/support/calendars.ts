import { tradingDay } from '../../../src/domain/civil-date.ts';
import { alwaysOpen, type TradingCalendar } from '../../../src/domain/calendar.ts';

const WEEKDAYS: TradingCalendar = {
  name: 'weekdays',
  timeZone: 'Asia/Ho_Chi_Minh',
  utcOffsetMinutes: 420,
  weekdays: [1, 2, 3, 4, 5],
  phases: [],
  closures: new Set(),
  validFrom: tradingDay('2025-01-01'),
  validTo: tradingDay('2026-12-31'),
};

export const OPEN_CALENDAR = alwaysOpen(WEEKDAYS);
