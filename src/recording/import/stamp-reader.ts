/** Reads times as files have them: `9:00:00`, `2026-03-04 09:00:00+07:00`, `20260304 090000`, seconds or finer since 1970. */
import { isTradingDay, tradingDay, dayNumber, type TradingDay } from '../../domain/civil-date.ts';
import { US_PER_DAY, US_PER_HOUR, US_PER_MINUTE, US_PER_SECOND } from '../../domain/units.ts';
import type { TimeZone } from '../../text/dates.ts';

/** The first part of `04/03/2026`: day or month; without it such a date is not read. */
export type DateOrder = 'dmy' | 'mdy';

export interface StampOptions {
  readonly zone: TimeZone;
  /** Day of times without a date. */
  readonly day: TradingDay | null;
  readonly dateOrder?: DateOrder | undefined;
}

const ZERO = 48;
const COLON = 58;
const DOT = 46;
const BLANK = 32;
const LETTER_T = 84;
const DATE_LENGTH = '2026-03-04'.length;
const CLOCK_LENGTH = '09:00:00'.length;
const DATE = String.raw`(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})`;
const TIME = String.raw`(\d{1,2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?`;
const ZONE = String.raw`\s*(Z|UTC|[+-]\d{2}:?\d{2})?`;
const FULL = new RegExp(`^${DATE}(?:[T ]\\s*${TIME}${ZONE})?$`, 'i');
const SHORT_DATE = new RegExp(
  String.raw`^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?:[T ]\s*${TIME}${ZONE})?$`,
  'i',
);
const TIME_ALONE = new RegExp(`^${TIME}$`);

export class StampReader {
  readonly #options: StampOptions;
  readonly #dayUs: number;
  /** The cell before and its moment: many rows in a row have the same. */
  #before: Uint8Array = new Uint8Array(0);
  #beforeUs = NaN;
  #dateBefore: Uint8Array = new Uint8Array(0);
  #dateBeforeUs = NaN;

  constructor(options: StampOptions) {
    this.#options = options;
    this.#dayUs = options.day === null ? NaN : dayNumber(options.day) * US_PER_DAY;
  }

  /** Microseconds since 1970; NaN when it is no time. */
  read(bytes: Buffer, from: number, to: number): number {
    if (isSame(this.#before, bytes, from, to)) return this.#beforeUs;
    const at = this.#read(bytes, from, to);
    this.#before = new Uint8Array(bytes.subarray(from, to));
    this.#beforeUs = at;
    return at;
  }

  readPair(date: string, time: string): number {
    return this.#readText(`${date} ${time}`);
  }

  /** The common forms are read from their bytes, the others from a text. */
  #read(bytes: Buffer, from: number, to: number): number {
    const length = to - from;
    let at = NaN;
    if (length === 7 || length === 8) at = this.#moment(this.#dayUs + clockUs(bytes, from, to));
    else if (length > 18 && (bytes[from + 4] ?? 0) < ZERO) at = this.#datedUs(bytes, from, to);
    else at = epochUs(bytes, from, to);
    return Number.isNaN(at) ? this.#readText(bytes.toString('latin1', from, to)) : at;
  }

  /** `YYYY-MM-DD HH:MM:SS` with an optional fraction; mostly the date of the row before. */
  #datedUs(bytes: Buffer, from: number, to: number): number {
    const dateEnd = from + DATE_LENGTH;
    if (bytes[dateEnd] !== BLANK && bytes[dateEnd] !== LETTER_T) return NaN;
    if (!isSame(this.#dateBefore, bytes, from, dateEnd)) {
      this.#dateBefore = new Uint8Array(bytes.subarray(from, dateEnd));
      const date = bytes.toString('latin1', from, dateEnd);
      this.#dateBeforeUs = dateUs(date.slice(0, 4), date.slice(5, 7), date.slice(8, 10));
    }
    const clockEnd = dateEnd + 1 + CLOCK_LENGTH;
    const clock = clockUs(bytes, dateEnd + 1, clockEnd);
    if (clockEnd === to) return this.#moment(this.#dateBeforeUs + clock);
    if (bytes[clockEnd] !== DOT) return NaN;
    let fraction = 0;
    let unit = US_PER_SECOND;
    let at = clockEnd + 1;
    for (; at < to && unit > 1; at += 1) {
      const digit = (bytes[at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) return NaN;
      unit /= 10;
      fraction += digit * unit;
    }
    return at === to ? this.#moment(this.#dateBeforeUs + clock + fraction) : NaN;
  }

  #readText(text: string): number {
    const full = FULL.exec(text);
    if (full !== null) return this.#fromParts(full[1], full[2], full[3], full.slice(4));
    const alone = TIME_ALONE.exec(text);
    if (alone !== null) return this.#moment(this.#dayUs + timeUs(alone.slice(1)));
    const short = SHORT_DATE.exec(text);
    const { dateOrder } = this.#options;
    if (short === null || dateOrder === undefined) return NaN;
    const [, first, second, year, ...rest] = short;
    const [month, day] = dateOrder === 'mdy' ? [first, second] : [second, first];
    return this.#fromParts(year, month, day, rest);
  }

  #fromParts(year = '', month = '', day = '', rest: readonly (string | undefined)[] = []): number {
    const local = dateUs(year, month.padStart(2, '0'), day.padStart(2, '0')) + timeUs(rest);
    const zone = rest[4];
    if (zone === undefined) return this.#moment(local);
    return local - zoneMinutes(zone) * US_PER_MINUTE;
  }

  #moment(localUs: number): number {
    if (Number.isNaN(localUs)) return NaN;
    return localUs - this.#options.zone.offsetAt(localUs) * US_PER_MINUTE;
  }
}

/** Hour, minute, second, fraction; absent parts are zero. */
function timeUs([hour = '0', minute = '0', second = '0', fraction = '0']: readonly (
  | string
  | undefined
)[]): number {
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  if (h > 23 || m > 59 || s > 59) return NaN;
  const us = Number(fraction.slice(0, 6).padEnd(6, '0'));
  return h * US_PER_HOUR + m * US_PER_MINUTE + s * US_PER_SECOND + us;
}

function zoneMinutes(text: string): number {
  if (/^(z|utc)$/i.test(text)) return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(-2));
  return text.startsWith('-') ? -minutes : minutes;
}

/** `H:MM:SS` or `HH:MM:SS`; NaN for any other form. */
function clockUs(bytes: Uint8Array, from: number, to: number): number {
  if (bytes[to - 3] !== COLON || bytes[to - 6] !== COLON) return NaN;
  const digit = (at: number): number => {
    const value = (bytes[at] ?? 0) - ZERO;
    return value >= 0 && value <= 9 ? value : NaN;
  };
  const hour = (to - from === CLOCK_LENGTH ? 10 * digit(from) : 0) + digit(to - 7);
  const minute = 10 * digit(to - 5) + digit(to - 4);
  const second = 10 * digit(to - 2) + digit(to - 1);
  if (hour < 24 && minute < 60 && second < 60) return (hour * 3_600 + minute * 60 + second) * US_PER_SECOND;
  return NaN;
}

function dateUs(year: string, month: string, day: string): number {
  const date = `${year}-${month}-${day}`;
  return isTradingDay(date) ? dayNumber(tradingDay(date)) * US_PER_DAY : NaN;
}

const US_DIGITS = 16;

/** Seconds, milliseconds, microseconds or nanoseconds since 1970, recognised by the number of digits. */
function epochUs(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  let digits = 0;
  let whole = 0;
  for (let i = from; i < to; i += 1) {
    const byte = bytes[i] ?? 0;
    const digit = byte - ZERO;
    if (digit >= 0 && digit <= 9) {
      if (digits < US_DIGITS) value = value * 10 + digit;
      digits += 1;
    } else if (byte === DOT && whole === 0) {
      whole = digits;
    } else {
      return NaN;
    }
  }
  if (whole === 0) whole = digits;
  if (whole !== 10 && whole !== 13 && whole !== 16 && whole !== 19) return NaN;
  for (; digits < US_DIGITS; digits += 1) value *= 10;
  return value;
}

function isSame(before: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (before.length !== to - from || to === from) return false;
  for (let i = before.length - 1; i >= 0; i -= 1) if (before[i] !== bytes[from + i]) return false;
  return true;
}
