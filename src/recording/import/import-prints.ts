/** Imports a tape of prints: one file of columns for each symbol and day in it. */
import { basename } from 'node:path';
import { type DayTicks, storeDay, type StoredDay } from '../collect/day-ticks.ts';
import type { ImportOptions, ImportWatch } from './import-options.ts';
import { type ImportReport, importTable } from './import-table.ts';
import { PrintRows } from './print-rows.ts';

export const importPrints = (
  file: string,
  options: ImportOptions,
  watch: ImportWatch,
): Promise<ImportReport<StoredDay>> =>
  importTable<DayTicks, StoredDay>(file, options, watch, {
    needs: ['time', 'price', 'volume'],
    take: (parts) => new PrintRows(parts),
    check: () => undefined,
    store: (ticks, badRows) => storeDay(ticks, options, { source: basename(file), badRows, sides: 'source' }),
  });
