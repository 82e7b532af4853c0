import { US_PER_DAY, US_PER_HOUR, US_PER_MINUTE, US_PER_SECOND } from '../../../domain/units.ts';

const UNITS: Readonly<Record<string, number>> = {
  s: US_PER_SECOND,
  m: US_PER_MINUTE,
  h: US_PER_HOUR,
  d: US_PER_DAY,
};

/** `5m` in microseconds; the schema has seen that it is one. */
export const barLengthUs = (text: string): number => Number(text.slice(0, -1)) * (UNITS[text.slice(-1)] ?? 1);
