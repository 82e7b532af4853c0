/** The small words of the configuration: times of day, dates, money, quantities. */
import { z } from 'zod';
import { isTradingDay, tradingDay } from '../domain/civil-date.ts';
import { money, qty, US_PER_DAY } from '../domain/units.ts';
import { parseTimeOfDay } from '../text/dates.ts';

const A_TIME = 'a time of day like 08:45';

/** `08:45`, as it is written. */
export const timeText = z.unknown().transform((value, context) => {
  if (typeof value === 'string' && parseTimeOfDay(value) !== undefined) return value;
  context.addIssue({ code: 'custom', message: A_TIME, params: { hint: timeHint(value) } });
  return z.NEVER;
});

/** `08:45` as microseconds from midnight; `24:00` is the end of the day. */
export const timeOfDay = z.unknown().transform((value, context) => {
  if (value === '24:00') return US_PER_DAY;
  const timeUs = typeof value === 'string' ? parseTimeOfDay(value) : undefined;
  if (timeUs === undefined) {
    context.addIssue({ code: 'custom', message: A_TIME, params: { hint: timeHint(value) } });
    return z.NEVER;
  }
  return timeUs;
});

function timeHint(value: unknown): string {
  const match = typeof value === 'string' ? /^(\d):([0-5]\d)$/.exec(value) : null;
  return match === null ? '' : `write "0${match[1]}:${match[2]}"`;
}

export const date = z.unknown().transform((value, context) => {
  if (typeof value === 'string' && isTradingDay(value)) return tradingDay(value);
  context.addIssue({ code: 'custom', message: 'a date like 2026-03-19' });
  return z.NEVER;
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
  .min(0.01)
  .max(100)
  .transform((value) => Math.round(value * 100));
