/** A file of times and numbers: rates of funding. */
import { StampReader } from '../../../recording/import/stamp-reader.ts';
import { readSmallTable } from '../../../recording/import/table-file.ts';
import { wholeOf } from '../../../text/decimals.ts';
import type { TimeZone } from '../../../text/time-zone.ts';

const RATE_DIGITS = 10;

export interface NumberSeries {
  readonly tsUs: readonly number[];
  /** Parts of 10^10. */
  readonly values: readonly number[];
}

/** Rows of a time and a number, in the order of time; a first row that is neither is a header. */
export function readSeries(path: string, zone: TimeZone): NumberSeries | { readonly wrong: string } {
  const table = readSmallTable(path);
  if ('wrong' in table) return table;
  const stamps = new StampReader({ zone, day: null, dateOrder: null });
  const tsUs: number[] = [];
  const values: number[] = [];
  for (const [i, { cells, place }] of table.entries()) {
    const [time = '', number = ''] = cells;
    const bytes = Buffer.from(time);
    const atUs = stamps.read(bytes, 0, bytes.length);
    if (i === 0 && Number.isNaN(atUs) && (number === '' || Number.isNaN(Number(number)))) continue;
    const value = number === '' ? undefined : wholeOf(Number(number), RATE_DIGITS);
    const before = tsUs.at(-1) ?? -Infinity;
    if (Number.isNaN(atUs) || value === undefined) return { wrong: place };
    if (atUs <= before) return { wrong: `${place} (not later than the row before)` };
    tsUs.push(atUs);
    values.push(value);
  }
  return tsUs.length === 0 ? { wrong: `${path} has no rows` } : { tsUs, values };
}
