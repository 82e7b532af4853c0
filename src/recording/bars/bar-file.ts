/** Files of bars: `bars/<symbol>/<length>/<year>.arrow`. */
import { join } from 'node:path';
import { readMeta, readTables, type TableKind } from '../columns/column-reader.ts';
import { writeTable } from '../columns/column-writer.ts';
import type { RowTable } from '../columns/row-table.ts';
import type { TableTotals } from '../columns/table-totals.ts';
import { BAR_LAYOUT, type BarRows, barsOf } from './bar-columns.ts';
import { type BarMeta, parseBarMeta } from './bar-meta.ts';

export interface BarColumns extends BarRows {
  readonly meta: BarMeta;
}

const BAR_FILE: TableKind<BarMeta> = {
  what: 'a file of bars',
  parse: parseBarMeta,
  layout: () => BAR_LAYOUT,
};

const UNITS = [
  ['d', 86_400_000_000],
  ['h', 3_600_000_000],
  ['m', 60_000_000],
  ['s', 1_000_000],
  ['us', 1],
] as const;

/** `1m`, `4h`, `1d`: the largest unit that it is a whole number of. */
export function lengthName(everyUs: number): string {
  const [unit, us] = UNITS.find(([, us]) => everyUs % us === 0) ?? ['us', 1];
  return `${everyUs / us}${unit}`;
}

export const barsPath = (dir: string, symbol: string, everyUs: number, year: number): string =>
  join(dir, 'bars', symbol, lengthName(everyUs), `${year}.arrow`);

export const writeBars = (
  path: string,
  parts: Iterable<RowTable>,
  describe: (totals: TableTotals) => BarMeta,
): BarMeta => writeTable(path, BAR_LAYOUT, parts, describe);

/** The bars of the file, part by part. */
export function* readBarParts(path: string): Generator<BarColumns> {
  for (const { meta, table } of readTables(path, BAR_FILE)) yield { meta, ...barsOf(table) };
}

export const readBarMeta = (path: string): BarMeta => readMeta(path, BAR_FILE);
