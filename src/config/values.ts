/** Values of the configuration: times, dates, durations, money, quantities, paths, addresses. */
import { z } from 'zod';
import type { ParsePayload } from 'zod/v4/core';
import { isTradingDay, tradingDay, type TradingDay } from '../domain/civil-date.ts';
import { bpsOf, type DurationUs, durationUs, money, qty, US_PER_DAY } from '../domain/units.ts';
import { formatTimeOfDay, parseTimeOfDay } from '../text/dates.ts';
import { formatDuration, parseDuration } from '../text/durations.ts';

/** A value of the file, and back; `unit` is for the page of settings. */
const codec = <T>(
  decode: (value: unknown, payload: ParsePayload) => T,
  encode: (value: T) => unknown,
  unit: string,
) => z.codec(z.unknown(), z.custom<T>(), { decode, encode }).meta({ unit });

/** A section in which every key has a default. */
export const section = <T extends z.core.$ZodLooseShape>(shape: T) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript cannot see that every key has one
  z.strictObject(shape).prefault({} as never);

/** The default comes first. */
export const firstOf = <const T extends readonly [string, ...string[]]>(...known: T) =>
  z.enum(known).default(known[0]);

export const flag = z.boolean().default(false);

const refuse = (payload: ParsePayload, message: string): never => {
  payload.issues.push({ code: 'custom', input: payload.value, message });
  return z.NEVER;
};

const same = <T>(value: T): T => value;

const A_TIME = 'a time of day like 08:45';

/** `08:45`, kept as text. */
export const timeText = codec<string>(
  (value, payload) => {
    if (typeof value === 'string' && parseTimeOfDay(value) !== undefined) return value;
    return refuse(payload, A_TIME);
  },
  same,
  'time of day',
);

/** `08:45` as microseconds from midnight; `24:00` is the end of the day. */
export const timeOfDay = codec<number>(
  (value, payload) => {
    if (value === '24:00') return US_PER_DAY;
    const timeUs = typeof value === 'string' ? parseTimeOfDay(value) : undefined;
    return timeUs ?? refuse(payload, A_TIME);
  },
  formatTimeOfDay,
  'time of day',
);

export const date = codec<TradingDay>(
  (value, payload) =>
    typeof value === 'string' && isTradingDay(value)
      ? tradingDay(value)
      : refuse(payload, 'a date like 2026-03-19'),
  same,
  'date',
);

/** A whole number of a unit. */
const wholeOf = <T extends number>(range: z.ZodInt, decode: (value: number) => T, unit: string) =>
  z.codec(range, z.custom<T>(), { decode, encode: Number }).meta({ unit });

/** With its profit no more than an answer of the broker can show. */
export const paperCash = wholeOf(z.int().min(0).max(100_000_000_000_000), money, 'VND');
export const moneyAboveZero = wholeOf(z.int().min(1), money, 'VND');
export const contracts = wholeOf(z.int().min(1), qty, 'contracts');
export const count = z.int().min(1);
export const percent = z.number().min(0.01).max(100).meta({ unit: '%' });
export const percentAsBps = z
  .codec(percent, z.number(), { decode: bpsOf, encode: (bps) => bps / 100 })
  .meta({ unit: '%' });

/** `500ms`, `2s`, `15m`, `8h`, from `least` to `most`. */
export function durationFrom(least: string, most: string) {
  return codec<DurationUs>(durationReader(least, most), formatDuration, `${least} to ${most}`);
}

/** The same, or `off`, which is null. */
export function durationOrOff(least: string, most: string) {
  const read = durationReader(least, most, ', or off');
  return codec<DurationUs | null>(
    (value, payload) => (value === 'off' || value === false ? null : read(value, payload)),
    (span) => (span === null ? 'off' : formatDuration(span)),
    `${least} to ${most}, off`,
  );
}

function durationReader(least: string, most: string, orElse = '') {
  const [leastUs, mostUs] = [parseDuration(least), parseDuration(most)];
  return (value: unknown, payload: ParsePayload): DurationUs => {
    const found = typeof value === 'string' ? parseDuration(value.trim()) : undefined;
    if (found === undefined) return refuse(payload, `a duration like 500ms, 2s, 15m or 8h${orElse}`);
    if (leastUs === undefined || found < leastUs)
      return refuse(payload, `a duration of at least ${least}${orElse}`);
    if (mostUs === undefined || found > mostUs)
      return refuse(payload, `a duration of at most ${most}${orElse}`);
    return durationUs(found);
  };
}

/** A path without `~` or variables, which nothing would expand. */
export const pathText = z
  .string()
  .refine((text) => text.trim() !== '' && !text.includes('$') && !text.startsWith('~'), {
    error: 'a plain path: ~ and variables are not filled in',
  })
  .refine((text) => text.length <= 1_000 && text.split('/').every((name) => Buffer.byteLength(name) <= 255), {
    error: 'a path of at most 1000 characters, its names of at most 255 bytes',
  })
  .meta({ unit: 'path' });

/** An address without credentials. */
export const address = (example: string) =>
  z
    .string()
    .superRefine((text, context) => {
      const refuse = (message: string, hint = ''): void =>
        context.addIssue({ code: 'custom', message, params: { hint } });
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (url === undefined || url.hostname === '') refuse(`an address like ${example}`);
      else if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
        refuse('an address alone', 'no user, password, ? or # belongs in it');
    })
    .meta({ unit: 'address' });
