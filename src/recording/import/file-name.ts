/** What the name of a file says of what is in it: `2026-03-04_vn30f2603.csv.gz`. */
import { basename } from 'node:path';
import { isTradingDay, type TradingDay, tradingDay } from '../../domain/civil-date.ts';

export interface NamedFile {
  readonly day: TradingDay | null;
  /** Upper case; null where the name has no word besides the day. */
  readonly symbol: string | null;
}

const DAY = /(\d{4}-\d{2}-\d{2}|\d{8})/;

export function nameParts(path: string): NamedFile {
  const name = basename(path).replace(/\.(csv|txt|tsv)?(\.gz)?$/i, '');
  const found = DAY.exec(name)?.[1] ?? '';
  const date = found.length === 8 ? `${found.slice(0, 4)}-${found.slice(4, 6)}-${found.slice(6)}` : found;
  const day = isTradingDay(date) ? tradingDay(date) : null;
  const word = (day === null ? name : name.replace(found, '')).replaceAll(/^[-_.\s]+|[-_.\s]+$/g, '');
  return { day, symbol: isSymbol(word) ? word.toUpperCase() : null };
}

/** Symbols name folders, so they are plain words. */
export const isSymbol = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9.-]{0,31}$/.test(text);
