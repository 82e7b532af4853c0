import { z } from 'zod';
import { durationUs } from '../domain/units.ts';
import { parseDuration } from '../text/durations.ts';

/** `500ms`, `2s`, `15m`, `8h`, within bounds that make sense for what they are about. */
export function durationFrom(least: string, most: string) {
  const [leastUs, mostUs] = [parseDuration(least), parseDuration(most)];
  return z.unknown().transform((value, context) => {
    const found = typeof value === 'string' ? parseDuration(value.trim()) : undefined;
    const refuse = (message: string, hint = ''): never => {
      context.addIssue({ code: 'custom', message, params: { hint } });
      return z.NEVER;
    };
    if (found === undefined) return refuse('a duration like 500ms, 2s, 15m or 8h', durationHint(value));
    if (leastUs === undefined || found < leastUs) return refuse(`a duration of at least ${least}`);
    if (mostUs === undefined || found > mostUs) return refuse(`a duration of at most ${most}`);
    return durationUs(found);
  });
}

const UNIT_WORDS: Readonly<Record<string, string>> = {
  '': 's',
  ms: 'ms',
  msec: 'ms',
  millis: 'ms',
  s: 's',
  sec: 's',
  secs: 's',
  second: 's',
  seconds: 's',
  m: 'm',
  min: 'm',
  mins: 'm',
  minute: 'm',
  minutes: 'm',
  h: 'h',
  hr: 'h',
  hrs: 'h',
  hour: 'h',
  hours: 'h',
};

function durationHint(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const match = /^(\d+(?:\.\d+)?) *([a-z]*)$/i.exec(text.trim());
  const unit = UNIT_WORDS[(match?.[2] ?? '?').toLowerCase()];
  if (/^\d+ *d(ays?)?$/i.test(text.trim())) return `write ${Number.parseInt(text, 10) * 24}h`;
  if (match === null || unit === undefined || Number(match[1]) === 0) return '';
  return match[2] === '' ? `add the unit: ${match[1]}s if it is seconds` : `write ${match[1]}${unit}`;
}
