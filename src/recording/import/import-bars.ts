/** Imports bars, open, high, low, close and volume under any names: one file of columns a symbol and year. */
import { InputFault } from '../../domain/failure.ts';
import { basename } from 'node:path';
import { barBounds } from '../../domain/bars.ts';
import { type DurationUs, durationUs, tsUs, US_PER_MINUTE } from '../../domain/units.ts';
import { formatLocalTime, type TimeZone } from '../../text/dates.ts';
import { formatBarLength } from '../../text/durations.ts';
import {
  BAR_LAYOUT,
  BAR_PHASES,
  type BarMeta,
  type BarRows,
  barsOf,
  barsPath,
  readBarMeta,
  tableOfBars,
  writeBars,
} from '../columns/bar-file.ts';
import { cellText, type CsvRow } from './table-file.ts';
import {
  type BadRows,
  type ImportOptions,
  type ImportReport,
  importTable,
  type ImportWatch,
  NONE,
  ImportRowReader,
  type RowSource,
} from './import-table.ts';
import {
  allocateTable,
  columnAs,
  copyTable,
  type Layout,
  type RowTable,
  sliceTable,
} from '../columns/row-table.ts';
import { type SpillFile, TimedRows } from '../collect/collector.ts';
import { type StoredFile, storeFile } from '../columns/whole-file.ts';

// Collects the bars of one year and writes them into the data directory.

const LINED: Layout = [...BAR_LAYOUT, { name: 'line', kind: 'whole' }];

interface LinedBars extends BarRows {
  readonly line: Int32Array;
}

const COLLECTED = ['startUs', 'open', 'high', 'low', 'close', 'volume', 'phase', 'line'] as const;

class YearBars extends TimedRows<LinedBars> {
  readonly symbol: string;
  readonly year: number;

  constructor(symbol: string, year: number, spillFile: SpillFile) {
    super(LINED, linedOf, spillFile);
    this.symbol = symbol;
    this.year = year;
  }

  push(bar: Readonly<Record<(typeof COLLECTED)[number], number>>): void {
    const i = this.next();
    for (const name of COLLECTED) this.tail[name][i] = bar[name];
    this.tail.complete[i] = 1;
  }
}

const linedOf = ({ rows, columns }: RowTable): LinedBars => ({
  ...barsOf({ rows, columns: columns.slice(0, -1) }),
  line: columnAs(columns.at(-1), Int32Array),
});

function storeYear(
  bars: YearBars,
  everyUs: number,
  { dir, tickSize, lotSize, zone, replace }: ImportOptions,
  origin: Pick<BarMeta, 'badRows' | 'source'>,
): StoredFile<BarMeta> {
  const { symbol, year } = bars;
  const path = barsPath(dir, symbol, everyUs, year);
  const tally = { volume: 0 };
  return storeFile(path, readBarMeta, replace, (accept) =>
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
        ...origin,
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
    const all = tableOfBars(part);
    const kept = allocateTable(BAR_LAYOUT, part.rows);
    const into = barsOf(kept);
    let rows = 0;
    for (let i = 0; i < part.rows; i += 1) {
      const start = part.startUs[i] ?? 0;
      if (start === before) continue;
      before = start;
      copyTable(kept, rows, all, i, 1);
      into.endUs[rows] = start + everyUs;
      tally.volume += into.volume[rows] ?? 0;
      rows += 1;
    }
    yield sliceTable(kept, 0, rows);
  }
}

export interface BarImportOptions extends ImportOptions {
  /** Length of the bars; absent: the most frequent distance of two. */
  readonly every?: DurationUs | undefined;
  /** Whether a row's time is the start of its bar or the end. */
  readonly stamp: 'start' | 'end';
}

export async function importBars(
  file: string,
  options: BarImportOptions,
  watch: ImportWatch,
): Promise<ImportReport<BarMeta>> {
  const { every, stamp } = options;
  if (stamp === 'end' && every === undefined) {
    throw new InputFault('arguments', `${file}: for bars with the time of their end say how long they are`);
  }
  const shift = durationUs(stamp === 'end' && every !== undefined ? every : 0);
  let everyUs: number | null = every ?? null;
  return importTable<YearBars, BarMeta>(file, options, watch, {
    reader: (source) => new BarReader(source, shift),
    check(years, bad) {
      for (const year of years) reportSecondBars(year, bad, options.stampZone ?? options.zone);
      const { distance, isFar } = distancesOf(years, every ?? 0);
      // A bar that reached into the next one would be known before its end.
      if (every !== undefined && distance !== null && (distance < every || isFar))
        throw new InputFault(
          'arguments',
          `${file}: expected bars of ${formatBarLength(every)}, was mostly ${formatBarLength(distance)} from one to the next; say how long they are`,
        );
      everyUs ??= distance;
    },
    store(year, badRows) {
      if (everyUs === null) throw new InputFault('arguments', `${file}: one bar alone; say how long it is`);
      return storeYear(year, everyUs, options, { badRows, source: basename(file) });
    },
  });
}

function reportSecondBars(year: YearBars, bad: BadRows, zone: TimeZone): void {
  let before = NaN;
  for (const { rows, startUs, line } of year.inOrder()) {
    for (let i = 0; i < rows; i += 1) {
      const start = startUs[i] ?? 0;
      if (start === before) {
        const time = `${formatLocalTime(start, zone.offsetAtMoment(start))} in ${zone.name}`;
        bad.add(line[i] ?? 0, `expected one bar of ${year.symbol} that begins at ${time}, was a second one`);
      }
      before = start;
    }
  }
}

/** Bars that are examined to find their length. */
const SAMPLE_MAX = 100_000;
/** So many bars fit between two rows that are far from one another: fewer than of a session in a day and night. */
const FAR = 5;
/** Fewer distances may all be gaps. */
const FAR_MIN = 10;

/** The most frequent distance of two bars, and whether nearly all are far longer than bars of `everyUs`. */
function distancesOf(years: readonly YearBars[], everyUs: number) {
  const counts = new Map<number, number>();
  let [seen, far] = [0, 0];
  for (const year of years) {
    for (const { rows, startUs } of year.inOrder()) {
      for (let i = 1; i < rows && seen < SAMPLE_MAX; i += 1) {
        const distance = (startUs[i] ?? 0) - (startUs[i - 1] ?? 0);
        if (distance > 0) counts.set(distance, (counts.get(distance) ?? 0) + 1);
        if (distance >= FAR * everyUs) far += 1;
        seen += 1;
      }
    }
    if (seen >= SAMPLE_MAX) break;
  }
  const distance = [...counts].toSorted(([a, n], [b, m]) => m - n || a - b)[0]?.[0] ?? null;
  return { distance, isFar: far >= FAR_MIN && far >= 0.99 * seen };
}

/** Lots of one bar: the volume of a day of minutes is counted exactly. */
const VOLUME_MAX = 1_000_000_000_000;

const PRICES = ['open', 'high', 'low', 'close'] as const;

class BarReader extends ImportRowReader<YearBars> {
  /** Taken off the time of a row to have the start of its bar. */
  readonly #shift: DurationUs;
  readonly #prices: readonly number[];
  readonly #volume: number;

  constructor(source: RowSource<YearBars>, shift: DurationUs) {
    super(source);
    const { columns, columnOf } = source;
    this.#shift = shift;
    this.#prices = PRICES.map(columnOf);
    this.#volume = columns.volume ?? NONE;
  }

  protected override take(row: CsvRow, at: number): boolean {
    const prices: number[] = [];
    for (const cell of this.#prices) {
      const price = this.price(row, cell);
      if (Number.isNaN(price)) return false;
      prices.push(price);
    }
    const [open = 0, high = 0, low = 0, close = 0] = prices;
    if (high < Math.max(open, close, low) || low > Math.min(open, close)) {
      const was = this.#prices.map((cell) => cellText(row, cell)).join(', ');
      this.source.bad.add(row.line, `expected open and close between low and high, was ${was}`);
      return false;
    }
    const volume = this.#volume === NONE ? 0 : this.lots(row, this.#volume);
    if (!(volume >= 0 && volume <= VOLUME_MAX)) {
      const most =
        volume > VOLUME_MAX ? `, ${VOLUME_MAX} of them at most (a larger lot makes them fewer)` : '';
      return this.refuse(row, `a volume in lots of ${this.source.options.lotSize}${most}`, this.#volume);
    }
    const symbol = this.symbol(row);
    if (symbol === undefined) return false;
    const startUs = at - this.#shift;
    const { calendar } = this.source.options;
    const name = calendar === null ? 'continuous' : barBounds(calendar, tsUs(startUs), null).phase;
    const phase = BAR_PHASES.indexOf(name);
    const year = this.#yearOf(symbol, startUs);
    this.source.order.add(year, startUs, row.line, this.source.options.isClosed?.(startUs));
    year.push({ startUs, open, high, low, close, volume, phase, line: row.line });
    return true;
  }

  #yearOf(symbol: string, startUs: number): YearBars {
    const { options, collector } = this.source;
    const local = startUs + options.zone.offsetAtMoment(startUs) * US_PER_MINUTE;
    const year = new Date(local / 1_000).getUTCFullYear();
    return collector.at(`${symbol} ${year}`, (spillFile) => new YearBars(symbol, year, spillFile));
  }
}
