/** Durations in text; numbers are microseconds, these alone seconds. */
import { US_PER_DAY, US_PER_HOUR, US_PER_MINUTE, US_PER_MS, US_PER_SECOND } from '../domain/units.ts';

export const MINUTE = 60;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;
const UNIT_US: Readonly<Record<string, number>> = {
  ms: US_PER_MS,
  s: US_PER_SECOND,
  m: US_PER_MINUTE,
  h: US_PER_HOUR,
};

/** `500ms`, `2s`, `15m`, `1.5h`; undefined for other text. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  const unit = UNIT_US[match?.[2] ?? ''];
  return match === null || unit === undefined ? undefined : Math.round(Number(match[1]) * unit);
}

/** In the largest of these units, ascending, that leaves a whole number; else in the first. */
function inLargestUnit(us: number, units: Readonly<Record<string, number>>): string {
  const all = Object.entries(units);
  const [unit, unitUs] = all.findLast(([, each]) => us % each === 0) ?? all[0] ?? ['us', 1];
  return `${us / unitUs}${unit}`;
}

/** `500ms`, `15m`. */
export const formatDuration = (us: number): string => inLargestUnit(us, UNIT_US);

const DAYS = /^(\d+)([dw])$/;
const DAYS_A_WEEK = 7;

/** A duration, or whole days or weeks: `30s`, `1m`, `4h`, `1d`, `1w`; undefined for other text. */
export function parseBarLength(text: string): number | undefined {
  const [, count, unit] = DAYS.exec(text) ?? [];
  if (count === undefined) return parseDuration(text);
  return Number(count) * (unit === 'w' ? DAYS_A_WEEK : 1) * US_PER_DAY;
}

const BAR_UNIT_US = { us: 1, s: US_PER_SECOND, m: US_PER_MINUTE, h: US_PER_HOUR, d: US_PER_DAY };

/** `1m`, `4h`, `1d`. */
export const formatBarLength = (us: number): string => inLargestUnit(us, BAR_UNIT_US);

/** `12 s`, `3 min 5 s`, `5 h 12 min`, `3 days 4 h`: the two largest units, rounded up. */
export function formatSpan(us: number): string {
  // The hours are rounded up: 47 h and a minute are two days.
  const day = us > 2 * US_PER_DAY - US_PER_HOUR ? 'days' : 'day';
  if (us >= US_PER_DAY) return twoUnits(us, US_PER_DAY, day, US_PER_HOUR, 'h');
  if (us >= US_PER_HOUR) return twoUnits(us, US_PER_HOUR, 'h', US_PER_MINUTE, 'min');
  return twoUnits(us, US_PER_MINUTE, 'min', US_PER_SECOND, 's');
}

function twoUnits(us: number, largeUs: number, large: string, smallUs: number, small: string): string {
  const all = Math.ceil(us / smallUs);
  const inLarge = largeUs / smallUs;
  const [count, remainder] = [Math.floor(all / inLarge), all % inLarge];
  if (count === 0) return `${remainder} ${small}`;
  return remainder === 0 ? `${count} ${large}` : `${count} ${large} ${remainder} ${small}`;
}

/** `45m`, `6h05m`: whole minutes, rounded down. */
export function formatMinutes(us: number): string {
  const minutes = Math.floor(us / US_PER_MINUTE);
  return minutes < 60
    ? `${minutes}m`
    : `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m`;
}
