/** Alerts that the calendar ends: once from 30 days before, each day from a week before and after it. */
import { daysKnown, type TradingCalendar, tradingDayAt } from '../../domain/calendar.ts';
import { dayNumber } from '../../domain/civil-date.ts';
import type { Clock } from '../../domain/clock.ts';
import type { AlertSeverity } from '../../engine/ports/journal-entry.ts';
import type { JournalStore } from '../../journal/journal-store.ts';
import { calendarEnd } from '../inspect/calendar-view.ts';

const DAILY_FROM = 7;
const TOLD = 'calendar_told';

interface CalendarWatchParts {
  readonly calendar: TradingCalendar;
  readonly clock: Clock;
  /** A name and a count that outlive the process. */
  readonly counters: Pick<JournalStore, 'counter' | 'keepCounter'>;
  readonly alert: (severity: AlertSeverity, code: string, text: string) => void;
}

/** To be called every few minutes. */
export function checkCalendar({ calendar, clock, counters, alert }: CalendarWatchParts): void {
  const today = tradingDayAt(calendar, clock.nowUs());
  const text = calendarEnd(calendar, today);
  if (text === null) return;
  const left = daysKnown(calendar, today);
  const last = counters.counter(TOLD, calendar.validTo);
  const isDue = last === 0 || (left <= DAILY_FROM && last !== dayNumber(today));
  if (!isDue) return;
  counters.keepCounter(TOLD, calendar.validTo, dayNumber(today));
  if (left < 0) alert('critical', 'calendar_ended', text);
  else alert('warning', 'calendar_ends', text);
}
