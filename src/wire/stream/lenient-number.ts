import type { Drift } from '../drift.ts';

/** A number, or a text that is one (counted); undefined for anything else. Empty text and null are no number. */
export function lenientNumber(value: unknown, where: string, drift: Drift): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const read = Number(value);
  if (!Number.isFinite(read)) return undefined;
  drift.count(`${where}: text for a number`);
  return read;
}
