/** Dates by arithmetic alone, without `Date`: days-from-civil after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms". */
import { assert } from './assert.ts';
import { type Brand, type TsUs, US_PER_DAY, US_PER_MINUTE, tsUs } from './units.ts';

/** A date of the exchange, `YYYY-MM-DD`. Sorts as text. */
export type TradingDay = Brand<string, 'TradingDay'>;
export type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6;

export interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export function daysFromCivil(date: CivilDate): number {
  const year = date.month <= 2 ? date.year - 1 : date.year;
  const era = Math.floor(year / 400);
  const yearOfEra = year - era * 400;
  const dayOfYear = Math.floor((153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5) + date.day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

export function civilFromDays(days: number): CivilDate {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthIndex = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9;
  const day = dayOfYear - Math.floor((153 * monthIndex + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

const pad = (value: number, width: number): string => String(value).padStart(width, '0');

export function tradingDay(text: string): TradingDay {
  assert(isTradingDay(text), 'a trading day is a date, YYYY-MM-DD');
  return text as TradingDay; // oxlint-disable-line typescript/no-unsafe-type-assertion -- a mint of trading days
}

export function isTradingDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = {
    year: Number(text.slice(0, 4)),
    month: Number(text.slice(5, 7)),
    day: Number(text.slice(8, 10)),
  };
  return formatDays(daysFromCivil(date)) === text;
}

const formatDays = (days: number): string => {
  const { year, month, day } = civilFromDays(days);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
};

/** Dates that were asked for: an event asks for its day, a search over years for each of them again and again. */
const KNOWN = { texts: new Map<number, TradingDay>(), numbers: new Map<TradingDay, number>() };
const KNOWN_MAX = 100_000;

export function dayFromNumber(days: number): TradingDay {
  const known = KNOWN.texts.get(days);
  if (known !== undefined) return known;
  const day = formatDays(days) as TradingDay; // oxlint-disable-line typescript/no-unsafe-type-assertion -- a mint of trading days
  if (KNOWN.texts.size < KNOWN_MAX) KNOWN.texts.set(days, day);
  return day;
}

export function dayNumber(day: TradingDay): number {
  const known = KNOWN.numbers.get(day);
  if (known !== undefined) return known;
  const number = daysFromCivil({
    year: Number(day.slice(0, 4)),
    month: Number(day.slice(5, 7)),
    day: Number(day.slice(8, 10)),
  });
  if (KNOWN.numbers.size < KNOWN_MAX) KNOWN.numbers.set(day, number);
  return number;
}

/** 0 is Sunday. 1970-01-01 was a Thursday. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a remainder of seven is a weekday
export const weekdayOf = (day: TradingDay): Weekday => ((((dayNumber(day) + 4) % 7) + 7) % 7) as Weekday;

export const addDays = (day: TradingDay, days: number): TradingDay => dayFromNumber(dayNumber(day) + days);

/** The local date at `at` in a zone with a fixed offset (Vietnam: 420 minutes, no summer time). */
export const dayAt = (at: TsUs, utcOffsetMinutes: number): TradingDay =>
  dayFromNumber(Math.floor((at + utcOffsetMinutes * US_PER_MINUTE) / US_PER_DAY));

export function timeOfDayUs(at: TsUs, utcOffsetMinutes: number): number {
  const local = at + utcOffsetMinutes * US_PER_MINUTE;
  return local - Math.floor(local / US_PER_DAY) * US_PER_DAY;
}

export const startOfDay = (at: TsUs, utcOffsetMinutes: number): TsUs =>
  tsUs(at - timeOfDayUs(at, utcOffsetMinutes));

/** The moment at which `timeUs` after local midnight of `day` falls. */
export const momentOf = (day: TradingDay, timeUs: number, utcOffsetMinutes: number): TsUs =>
  tsUs(dayNumber(day) * US_PER_DAY + timeUs - utcOffsetMinutes * US_PER_MINUTE);

/** `HH:MM:SS.mmm` of the local day, for people. */
export function formatTime(at: TsUs, utcOffsetMinutes: number): string {
  const ms = Math.floor(timeOfDayUs(at, utcOffsetMinutes) / 1000);
  const hours = Math.floor(ms / 3_600_000);
  const mins = Math.floor(ms / 60_000) % 60;
  return `${pad(hours, 2)}:${pad(mins, 2)}:${pad(Math.floor(ms / 1000) % 60, 2)}.${pad(ms % 1000, 3)}`;
}
