/** Moments, times of day and offsets from UTC in text. */
import { dayAt, formatTime } from '../domain/civil-date.ts';
import { tsUs, US_PER_HOUR, US_PER_MINUTE } from '../domain/units.ts';

const two = (value: number): string => String(value).padStart(2, '0');

const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** `08:45` as microseconds since midnight; undefined for other text. */
export function parseTimeOfDay(text: string): number | undefined {
  const match = TIME_OF_DAY.exec(text);
  return match === null ? undefined : Number(match[1]) * US_PER_HOUR + Number(match[2]) * US_PER_MINUTE;
}

/** `08:45`: minutes are rounded down. */
export const formatTimeOfDay = (us: number): string =>
  `${two(Math.floor(us / US_PER_HOUR))}:${two(Math.floor((us % US_PER_HOUR) / US_PER_MINUTE))}`;

/** Minutes east of Greenwich as ISO 8601 writes them: `+07:00`. */
export function formatUtcOffset(minutes: number): string {
  const away = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(away / 60))}:${two(away % 60)}`;
}

const UTC_OFFSET = /^([+-])(0\d|1[0-4]):([0-5]\d)$/;

/** `+07:00` as minutes east of Greenwich; undefined for other text. */
export function parseUtcOffset(text: string): number | undefined {
  const match = UTC_OFFSET.exec(text);
  if (match === null) return undefined;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
}

/** `2026-03-04T09:00:01.250`: the local time of an offset, which is not written. */
export const formatLocalTime = (us: number, utcOffsetMinutes: number): string =>
  `${dayAt(tsUs(us), utcOffsetMinutes)}T${formatTime(tsUs(us), utcOffsetMinutes)}`;

/** The same for people: `2026-03-04 09:00:01.250`. */
export const formatLocalMoment = (us: number, utcOffsetMinutes: number): string =>
  formatLocalTime(us, utcOffsetMinutes).replace('T', ' ');

/** `2026-03-04T02:00:01.250Z`. */
export const formatUtc = (us: number): string => `${formatLocalTime(Math.floor(us), 0)}Z`;

/** `2026-03-04 09:00:01`, for people: seconds are rounded down. */
export const formatLocalSecond = (us: number, utcOffsetMinutes: number): string =>
  formatLocalMoment(us, utcOffsetMinutes).slice(0, 19);

/** `09:00:01`, and with the day where it is another one than that of `now`. */
export function formatShownTime(us: number, now: number, utcOffsetMinutes: number): string {
  const text = formatLocalSecond(us, utcOffsetMinutes);
  const today = formatLocalSecond(now, utcOffsetMinutes).slice(0, 10);
  return text.startsWith(today) ? text.slice(11) : text;
}
