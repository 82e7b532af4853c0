/** Writes the bars of a year into the data directory, over nothing that it would lose. */
import { existsSync } from 'node:fs';
import { barsPath, readBarMeta, writeBars } from '../bars/bar-file.ts';
import type { BarMeta } from '../bars/bar-meta.ts';
import { BAR_LAYOUT, barsOf, tableOfBars } from '../bars/bar-columns.ts';
import { allocateTable, type RowTable, sliceTable } from '../columns/row-table.ts';
import { keepStored, type StoreOutcome, Unwanted } from './keep-stored.ts';
import type { LinedBars, YearBars } from './year-bars.ts';

export interface StoreYearOptions {
  readonly dir: string;
  readonly everyUs: number;
  readonly tickSize: string;
  readonly lotSize: string;
  readonly zone: { readonly name: string };
  readonly replace: boolean;
  readonly source: string;
  readonly badRows: number;
}

export interface StoredYear {
  readonly symbol: string;
  readonly year: number;
  readonly path: string;
  readonly outcome: StoreOutcome;
  readonly meta: BarMeta;
}

export function storeYear(bars: YearBars, options: StoreYearOptions): StoredYear {
  const { symbol, year } = bars;
  const { everyUs, tickSize, lotSize, zone, badRows, source } = options;
  const path = barsPath(options.dir, symbol, everyUs, year);
  const before = existsSync(path) ? readBarMeta(path) : undefined;
  const tally = { volume: 0 };
  try {
    const meta = writeBars(path, withEnds(bars, everyUs, tally), (totals) => {
      const written: BarMeta = {
        kind: 'bars',
        version: 1,
        symbol,
        everyUs,
        year,
        tickSize,
        lotSize,
        timeZone: zone.name,
        badRows,
        source,
        volume: tally.volume,
        ...totals,
      };
      keepStored(before, written, options.replace);
      return written;
    });
    return { symbol, year, path, outcome: before === undefined ? 'written' : 'replaced', meta };
  } catch (error) {
    if (!(error instanceof Unwanted) || before === undefined) throw error;
    return { symbol, year, path, outcome: error.outcome, meta: before };
  }
}

/** Of two bars that begin at the same time the first one counts; the second was reported. */
function* withEnds(bars: YearBars, everyUs: number, tally: { volume: number }): Generator<RowTable> {
  let before = NaN;
  for (const part of bars.inOrder()) {
    const kept = allocateTable(BAR_LAYOUT, part.rows);
    const into = barsOf(kept);
    let rows = 0;
    for (let i = 0; i < part.rows; i += 1) {
      const start = part.startUs[i] ?? 0;
      if (start === before) continue;
      before = start;
      copyBar(kept, rows, part, i);
      into.endUs[rows] = start + everyUs;
      tally.volume += into.volume[rows] ?? 0;
      rows += 1;
    }
    yield sliceTable(kept, 0, rows);
  }
}

function copyBar(into: RowTable, row: number, from: LinedBars, fromRow: number): void {
  const columns = tableOfBars(from).columns;
  for (const [i, column] of into.columns.entries()) column[row] = columns[i]?.[fromRow] ?? 0;
}
