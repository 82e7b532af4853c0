/** Collects the bars of one year and writes them into the data directory. */
import {
  BAR_LAYOUT,
  type BarMeta,
  type BarRows,
  barsOf,
  barsPath,
  readBarMeta,
  tableOfBars,
  writeBars,
} from '../columns/bar-file.ts';
import { allocateTable, columnAs, type Layout, type RowTable, sliceTable } from '../columns/row-table.ts';
import type { SpillFile } from './collector.ts';
import { storeFile, type StoredFile, type StoreOptions } from './store-file.ts';
import { TimedRows } from './timed-rows.ts';

const LINED: Layout = [...BAR_LAYOUT, { name: 'line', kind: 'whole' }];

/** Each bar with the line of the file it came from. */
interface LinedBars extends BarRows {
  readonly line: Int32Array;
}

type CollectedBar = Readonly<
  Record<'startUs' | 'open' | 'high' | 'low' | 'close' | 'volume' | 'phase' | 'line', number>
>;

export class YearBars extends TimedRows<LinedBars> {
  readonly symbol: string;
  readonly year: number;

  constructor(symbol: string, year: number, spillFile: SpillFile, onGrow: () => void) {
    super(LINED, linedOf, spillFile, onGrow);
    this.symbol = symbol;
    this.year = year;
  }

  push(bar: CollectedBar): void {
    const i = this.next();
    const tail = this.tail;
    tail.startUs[i] = bar.startUs;
    tail.open[i] = bar.open;
    tail.high[i] = bar.high;
    tail.low[i] = bar.low;
    tail.close[i] = bar.close;
    tail.volume[i] = bar.volume;
    tail.phase[i] = bar.phase;
    tail.complete[i] = 1;
    tail.line[i] = bar.line;
  }
}

const linedOf = ({ rows, columns }: RowTable): LinedBars => ({
  ...barsOf({ rows, columns: columns.slice(0, -1) }),
  line: columnAs(columns.at(-1), Int32Array),
});

interface StoreYearOptions extends StoreOptions {
  readonly everyUs: number;
  readonly zone: { readonly name: string };
  readonly source: string;
  readonly badRows: number;
}

export function storeYear(bars: YearBars, options: StoreYearOptions): StoredFile<BarMeta> {
  const { symbol, year } = bars;
  const { everyUs, tickSize, lotSize, zone, badRows, source } = options;
  const path = barsPath(options.dir, symbol, everyUs, year);
  const tally = { volume: 0 };
  return storeFile(path, readBarMeta, options.replace, (accept) =>
    writeBars(path, withEnds(bars, everyUs, tally), (totals) =>
      accept({
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
      }),
    ),
  );
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
