/** Shows a calendar: sessions, holidays and expiries ahead, and its end, which is alerted. */
import {
  coverageDaysLeft,
  isSession,
  coverageOf,
  type TradingCalendar,
  tradingDayAt,
} from '../../domain/calendar.ts';
import { addDays, dayNumber, type TradingDay, weekdayOf } from '../../domain/civil-date.ts';
import type { Clock } from '../../domain/clock.ts';
import { codedForm, expiryOf, listedMonths, UNDERLYINGS } from '../../domain/contract-code.ts';
import type { AlertSeverity } from '../../engine/ports/journal-entry.ts';
import type { JournalStore } from '../../journal/journal-store.ts';
import { formatCount } from '../../text/numbers.ts';

/** A calendar that ends sooner is alerted (rulings, 5). */
const DAYS_MIN = 30;
const SESSIONS_SHOWN = 10;

export type CalendarView = ReturnType<typeof calendarView>;

export function calendarView(calendar: TradingCalendar, underlyings: readonly string[], today: TradingDay) {
  const { name, timeZone, validFrom, validTo } = calendar;
  const sessions: TradingDay[] = [];
  for (let day = today; day <= validTo && sessions.length < SESSIONS_SHOWN; day = addDays(day, 1))
    if (isSession(calendar, day)) sessions.push(day);
  return {
    name,
    timeZone,
    today,
    validFrom,
    validTo,
    /** Below zero once it has ended. */
    daysKnown: coverageDaysLeft(calendar, today),
    /** The next ones that it knows, today's among them. */
    sessions,
    holidays: closuresFrom(calendar, today),
    expiries: UNDERLYINGS.filter((underlying) => underlyings.includes(underlying))
      .flatMap((underlying) => listedMonths(calendar, underlying, today))
      .map((month) => {
        const day = expiryOf(calendar, month);
        return { contract: codedForm(month), day, isKnown: day <= validTo };
      }),
  };
}

/** Weekdays without a session, all that it knows from `today` on. */
export const closuresFrom = (calendar: TradingCalendar, today: TradingDay): readonly TradingDay[] =>
  coverageOf(calendar).closures.filter((day) => day >= today && calendar.weekdays.includes(weekdayOf(day)));

/** That the calendar ends soon, or has ended, in words; null while it knows enough days. */
export function calendarEnd(calendar: TradingCalendar, today: TradingDay): string | null {
  const { validTo } = calendar;
  const left = coverageDaysLeft(calendar, today);
  if (left > DAYS_MIN) return null;
  if (left < 0)
    return `the calendar ended on ${validTo}: entries are denied, and each weekday counts as a session, so that what is held can be closed`;
  return `the calendar ends on ${validTo}, ${left === 0 ? 'today' : `in ${formatCount(left, 'day')}`}: after it entries are denied`;
}

/** One line for each difference from `today` on. */
export function calendarChanges(
  was: TradingCalendar,
  now: TradingCalendar,
  today: TradingDay,
): readonly string[] {
  const [before, after] = [closuresFrom(was, today), closuresFrom(now, today)];
  return [
    ...after.filter((day) => !before.includes(day)).map((day) => `${day} is no session any more`),
    ...before.filter((day) => !after.includes(day)).map((day) => `${day} is a session now`),
    ...(was.validTo === now.validTo ? [] : [`known until ${now.validTo}, before until ${was.validTo}`]),
  ];
}

const DAILY_FROM = 7;
const ALERTED_COUNTER = 'calendar_alerted';

interface CalendarWatch {
  readonly alert: (severity: AlertSeverity, code: string, text: string) => void;
  readonly calendar: TradingCalendar;
  readonly clock: Clock;
  readonly counters: Pick<JournalStore, 'counter' | 'setCounterOrReport'>;
}

/** Alerts once from 30 days before the end, each day from a week before and after it. To be called every few minutes. */
export function checkCalendar({ calendar, clock, counters, alert }: CalendarWatch): void {
  const today = tradingDayAt(calendar, clock.nowUs());
  const text = calendarEnd(calendar, today);
  if (text === null) return;
  const left = coverageDaysLeft(calendar, today);
  const last = counters.counter(ALERTED_COUNTER, calendar.validTo);
  const isDue = last === 0 || (left <= DAILY_FROM && last !== dayNumber(today));
  if (!isDue) return;
  counters.setCounterOrReport(ALERTED_COUNTER, calendar.validTo, dayNumber(today));
  if (left < 0) alert('critical', 'calendar_ended', text);
  else alert('warning', 'calendar_ends', text);
}
