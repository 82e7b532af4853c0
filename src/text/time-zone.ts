/** Offsets of a time zone: a fixed one, or a named zone with its summer time. */
import { daysFromCivil } from '../domain/civil-date.ts';
import { US_PER_DAY, US_PER_HOUR, US_PER_MINUTE, US_PER_SECOND } from '../domain/units.ts';

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
