/** Moments, times of day, offsets from UTC and time zones in text. */
import { dayAt, formatTime, daysFromCivil } from '../domain/civil-date.ts';
import { tsUs, US_PER_HOUR, US_PER_MINUTE, US_PER_DAY, US_PER_SECOND } from '../domain/units.ts';

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

// Zones: a fixed offset, or a named one with its summer time.

export interface TimeZone {
  readonly name: string;
  /** Minutes east of Greenwich at a local time (microseconds since 1970 as if it were UTC); NaN where clocks skip it. */
  offsetAt(localUs: number): number;
  /** Minutes east of Greenwich at a moment. */
  offsetAtMoment(us: number): number;
}

const OFFSET = /^(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?$/;

/** `+07:00`, `UTC`, `Asia/Ho_Chi_Minh`; undefined for other text. */
export function timeZone(name: string): TimeZone | undefined {
  if (/^(utc|gmt|z)$/i.test(name)) return fixedZone(name, 0);
  const fixed = OFFSET.exec(name);
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3] ?? 0);
    return fixedZone(name, fixed[1] === '-' ? -minutes : minutes);
  }
  return namedZone(name);
}

const fixedZone = (name: string, offset: number): TimeZone => ({
  name,
  offsetAt: () => offset,
  offsetAtMoment: () => offset,
});

/** `UTC`, `Asia/Ho_Chi_Minh`; undefined for other text. */
export function namedZone(name: string): TimeZone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
  // Clocks change at full and half hours.
  const known = new Map<number, number>();
  const offsetAt = (localUs: number): number => {
    const key = Math.floor((2 * localUs) / US_PER_HOUR);
    let offset = known.get(key);
    if (offset === undefined) {
      offset = localOffset(format, (key * US_PER_HOUR) / 2);
      known.set(key, offset);
    }
    return offset;
  };
  return { name, offsetAt, offsetAtMoment: (us) => utcOffset(format, us) };
}

/** The earlier of two moments where clocks go back; none where they skip the time. */
function localOffset(format: Intl.DateTimeFormat, localUs: number): number {
  const candidates = [utcOffset(format, localUs - US_PER_DAY), utcOffset(format, localUs + US_PER_DAY)];
  const fits = candidates.filter((offset) => utcOffset(format, localUs - offset * US_PER_MINUTE) === offset);
  return fits.length === 0 ? NaN : Math.max(...fits);
}

function utcOffset(format: Intl.DateTimeFormat, atUs: number): number {
  const parts = format.formatToParts(atUs / 1_000);
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value);
  const days = daysFromCivil({ year: part('year'), month: part('month'), day: part('day') });
  const localUs =
    days * US_PER_DAY +
    part('hour') * US_PER_HOUR +
    part('minute') * US_PER_MINUTE +
    part('second') * US_PER_SECOND;
  return Math.round((localUs - atUs) / US_PER_MINUTE);
}
