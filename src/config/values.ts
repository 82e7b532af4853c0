/** The small words of the configuration: durations, times of day, money, dates. */
import { z } from 'zod';
import { isTradingDay, tradingDay } from '../domain/civil-date.ts';
import {
  durationUs,
  money,
  qty,
  US_PER_HOUR,
  US_PER_MINUTE,
  US_PER_MS,
  US_PER_SECOND,
} from '../domain/units.ts';

const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;
const UNIT_US: Readonly<Record<string, number>> = {
  ms: US_PER_MS,
  s: US_PER_SECOND,
  m: US_PER_MINUTE,
  h: US_PER_HOUR,
};

/** `500ms`, `2s`, `15m`, `8h`. */
export const duration = z.string('a duration like 500ms, 2s, 15m or 8h').transform((text, context) => {
  const match = DURATION.exec(text.trim());
  const unit = UNIT_US[match?.[2] ?? ''];
  if (match === null || unit === undefined) {
    context.addIssue({ code: 'custom', message: 'a duration like 500ms, 2s, 15m or 8h' });
    return z.NEVER;
  }
  return durationUs(Math.round(Number(match[1]) * unit));
});

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** `08:45`, as it is written. */
export const timeText = z.string('a time of day like 08:45').regex(TIME, 'a time of day like 08:45');

/** `08:45` as microseconds from midnight; `24:00` is the end of the day. */
export const timeOfDay = z.string('a time of day like 08:45').transform((text, context) => {
  const match = TIME.exec(text);
  if (text === '24:00') return 24 * US_PER_HOUR;
  if (match === null) {
    context.addIssue({ code: 'custom', message: 'a time of day like 08:45' });
    return z.NEVER;
  }
  return Number(match[1]) * US_PER_HOUR + Number(match[2]) * US_PER_MINUTE;
});

export const date = z.string('a date like 2026-03-19').transform((text, context) => {
  if (!isTradingDay(text)) {
    context.addIssue({ code: 'custom', message: 'a date like 2026-03-19' });
    return z.NEVER;
  }
  return tradingDay(text);
});

/** Whole money, zero or more. */
export const wholeMoney = z.int().min(0).transform(money);
/** Whole money, one or more. */
export const moneyAboveZero = z.int().min(1).transform(money);
/** Whole contracts, one or more. */
export const contracts = z.int().min(1).transform(qty);
export const count = z.int().min(1);
/** A percentage as parts of 10,000. */
export const percent = z
  .number()
  .min(0)
  .max(1000)
  .transform((value) => Math.round(value * 100));
