/** Imports a file of bars: one file of columns for each symbol and year in it. */
import { formatUtc } from '../../text/dates.ts';
import { basename } from 'node:path';
import { type DurationUs, durationUs } from '../../domain/units.ts';
import { type StoredYear, storeYear, type YearBars } from '../collect/year-bars.ts';
import type { BadRows } from './bad-rows.ts';
import { BarRowReader } from './bar-rows.ts';
import type { ImportOptions, ImportWatch } from './import-options.ts';
import { ImportError, type ImportReport, importTable } from './import-table.ts';

export interface BarImportOptions extends ImportOptions {
  /** Length of the bars; null: what most of them are apart. */
  readonly every: DurationUs | null;
  /** Whether a row's time is the start of its bar or the end. */
  readonly stamp: 'start' | 'end';
}

export async function importBars(
  file: string,
  options: BarImportOptions,
  watch: ImportWatch,
): Promise<ImportReport<StoredYear>> {
  const { every, stamp } = options;
  if (stamp === 'end' && every === null) {
    throw new ImportError(`${file}: for bars with the time of their end say how long they are`);
  }
  const shift = durationUs(stamp === 'end' && every !== null ? every : 0);
  let everyUs: number | null = every;
  return importTable<YearBars, StoredYear>(file, options, watch, {
    needs: ['time', 'open', 'high', 'low', 'close'],
    take: (parts) => new BarRowReader({ ...parts, shift }),
    check(years, bad) {
      for (const year of years) reportSecondBars(year, bad);
      everyUs ??= commonDistance(years);
    },
    store(year, badRows) {
      if (everyUs === null) throw new ImportError(`${file}: one bar alone; say how long it is`);
      return storeYear(year, { ...options, everyUs, source: basename(file), badRows });
    },
  });
}

function reportSecondBars(year: YearBars, bad: BadRows): void {
  let before = NaN;
  for (const { rows, startUs, line } of year.inOrder()) {
    for (let i = 0; i < rows; i += 1) {
      const start = startUs[i] ?? 0;
      if (start === before) {
        const time = formatUtc(start);
        bad.add(line[i] ?? 0, `expected one bar of ${year.symbol} that begins at ${time}, was a second one`);
      }
      before = start;
    }
  }
}

/** So many bars are looked at to find how long they are. */
const SAMPLE_MAX = 100_000;

function commonDistance(years: readonly YearBars[]): number | null {
  const counts = new Map<number, number>();
  let seen = 0;
  for (const year of years) {
    for (const { rows, startUs } of year.inOrder()) {
      for (let i = 1; i < rows && seen < SAMPLE_MAX; i += 1) {
        const distance = (startUs[i] ?? 0) - (startUs[i - 1] ?? 0);
        if (distance > 0) counts.set(distance, (counts.get(distance) ?? 0) + 1);
        seen += 1;
      }
    }
    if (seen >= SAMPLE_MAX) break;
  }
  return [...counts].toSorted(([a, n], [b, m]) => m - n || a - b)[0]?.[0] ?? null;
}
