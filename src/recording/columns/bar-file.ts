/** Files of bars: `bars/<symbol>/<length>/<year>.arrow`. */
import { formatBarLength } from '../../text/durations.ts';
import { join } from 'node:path';
import { readMeta, readTables, type TableKind, writeTable } from './arrow-file.ts';
import type { RowTable, TableTotals } from './row-table.ts';
import { BAR_LAYOUT, type BarMeta, type BarRows, barsOf, parseBarMeta } from './bar-columns.ts';

export interface BarColumns extends BarRows {
  readonly meta: BarMeta;
}

const BAR_FILE: TableKind<BarMeta> = {
  what: 'a file of bars',
  parse: parseBarMeta,
  layout: () => BAR_LAYOUT,
};

export const barsPath = (dir: string, symbol: string, everyUs: number, year: number): string =>
  join(dir, 'bars', symbol, formatBarLength(everyUs), `${year}.arrow`);

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
