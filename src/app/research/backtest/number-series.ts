/** A file of times and numbers: rates of funding, prices of currencies. */
import { dayAt, addDays, momentOf } from '../../../domain/civil-date.ts';
import { tsUs as timeOf } from '../../../domain/units.ts';
import { StampReader } from '../../../recording/import/stamp-reader.ts';
import { readSmallTable } from '../../../recording/import/table-file.ts';
import { wholeOf } from '../../../text/decimals.ts';
import type { TimeZone } from '../../../text/time-zone.ts';

const RATE_DIGITS = 10;
export const SERIES_PARTS = 10 ** RATE_DIGITS;
const DATE_LENGTH = '2026-03-04'.length;

export interface NumberSeries {
  readonly tsUs: readonly number[];
  /** Parts of `SERIES_PARTS`. */
  readonly values: readonly number[];
}

/**
 * Rows of a time and a number, in the order of time; a first row that is neither is a header. With `isCloses` a date without a time
 * is the end of that day, when its close is known.
 */
export function readSeries(
  path: string,
  zone: TimeZone,
  isCloses = false,
): NumberSeries | { readonly wrong: string } {
  const table = readSmallTable(path);
  if ('wrong' in table) return table;
  const stamps = new StampReader({ zone, day: null, dateOrder: null });
  const tsUs: number[] = [];
  const values: number[] = [];
  for (const [i, { cells, place }] of table.entries()) {
    const [time = '', number = '', ...more] = cells;
    const bytes = Buffer.from(time);
    const stampUs = stamps.read(bytes, 0, bytes.length);
    const atUs = isCloses && time.length <= DATE_LENGTH ? nextMidnight(stampUs, zone) : stampUs;
    if (i === 0 && Number.isNaN(atUs) && (number === '' || Number.isNaN(Number(number)))) continue;
    const value = number === '' ? undefined : wholeOf(Number(number), RATE_DIGITS);
    const before = tsUs.at(-1) ?? -Infinity;
    if (Number.isNaN(atUs) || value === undefined || (isCloses && more.length > 0)) return { wrong: place };
    if (atUs <= before) return { wrong: `${place} (not later than the row before)` };
    tsUs.push(atUs);
    values.push(value);
  }
  return tsUs.length === 0 ? { wrong: `${path} has no rows` } : { tsUs, values };
}

function nextMidnight(atUs: number, zone: TimeZone): number {
  if (Number.isNaN(atUs)) return NaN;
  const offset = zone.offsetAtMoment(atUs);
  return momentOf(addDays(dayAt(timeOf(atUs), offset), 1), 0, offset);
}
