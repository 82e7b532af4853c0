/** Rows of a file of bars, open, high, low, close and volume under any names, into the bars of their year. */
import { barBounds } from '../../domain/bars.ts';
import { type DurationUs, tsUs, US_PER_MINUTE } from '../../domain/units.ts';
import { BAR_PHASES } from '../columns/bar-columns.ts';
import { YearBars } from '../collect/year-bars.ts';
import { cellText, type CsvRow } from './csv-rows.ts';
import { DecimalReader } from '../../text/decimals.ts';
import type { RowsParts } from './print-rows.ts';
import { RowSymbol } from './row-symbol.ts';
import { RowTimes } from './row-times.ts';

const INT32_MAX = 2 ** 31 - 1;
const NONE = -1;

export interface BarRowsParts extends RowsParts<YearBars> {
  /** Taken off the time of a row to have the start of its bar. */
  readonly shift: DurationUs;
}

const PRICES = ['open', 'high', 'low', 'close'] as const;

export class BarRowReader {
  readonly #parts: BarRowsParts;
  readonly #times: RowTimes;
  readonly #symbols: RowSymbol;
  readonly #ticks: DecimalReader;
  readonly #lots: DecimalReader;
  /** Of open, high, low and close. */
  readonly #prices: readonly number[];
  readonly #volume: number;
  readonly #cellsMin: number;
  #rows = 0;

  constructor(parts: BarRowsParts) {
    const { options, columns } = parts;
    this.#parts = parts;
    this.#times = new RowTimes(columns, parts.stamps);
    this.#symbols = new RowSymbol(columns, parts.symbol);
    this.#ticks = new DecimalReader(options.tickSize);
    this.#lots = new DecimalReader(options.lotSize);
    this.#prices = PRICES.map((role) => columns[role] ?? NONE);
    this.#volume = columns.volume ?? NONE;
    this.#cellsMin = Math.max(...Object.values(columns)) + 1;
  }

  /** Rows that were read, bad ones not counted. */
  get rows(): number {
    return this.#rows;
  }

  add(row: CsvRow): void {
    if (row.cells < this.#cellsMin) return this.#refuse(row, `${this.#cellsMin} columns or more`, NONE);
    const stamp = this.#times.read(row);
    if (Number.isNaN(stamp)) return this.#refuse(row, this.#times.wanted, this.#times.column);
    const prices = this.#readPrices(row);
    if (prices === undefined) return;
    const [open = 0, high = 0, low = 0, close = 0] = prices;
    if (high < Math.max(open, close, low) || low > Math.min(open, close)) {
      const was = this.#prices.map((cell) => cellText(row, cell)).join(', ');
      this.#parts.bad.add(row.line, `expected open and close between low and high, was ${was}`);
      return;
    }
    const volume = this.#volume === NONE ? 0 : read(this.#lots, row, this.#volume);
    if (!(volume >= 0)) {
      return this.#refuse(row, `a volume in lots of ${this.#parts.options.lotSize}`, this.#volume);
    }
    const symbol = this.#symbols.read(row);
    if (symbol === undefined) return this.#refuse(row, 'a symbol', this.#symbols.column ?? NONE);
    const startUs = stamp - this.#parts.shift;
    const phase = this.#phase(startUs);
    this.#yearOf(symbol, startUs).push({ startUs, open, high, low, close, volume, phase, line: row.line });
    if (this.#rows === 0) this.#parts.bad.good();
    this.#rows += 1;
  }

  #readPrices(row: CsvRow): readonly number[] | undefined {
    const prices: number[] = [];
    for (const cell of this.#prices) {
      const price = read(this.#ticks, row, cell);
      if (!(price > 0 && price <= INT32_MAX)) {
        this.#refuse(row, `a price above 0 on the grid of ${this.#parts.options.tickSize}`, cell);
        return undefined;
      }
      prices.push(price);
    }
    return prices;
  }

  #phase(startUs: number): number {
    const { calendar } = this.#parts.options;
    const phase = calendar === null ? 'continuous' : barBounds(calendar, tsUs(startUs), null).phase;
    return BAR_PHASES.indexOf(phase);
  }

  #yearOf(symbol: string, startUs: number): YearBars {
    const { options, collector } = this.#parts;
    const local = startUs + options.zone.offsetAtMoment(startUs) * US_PER_MINUTE;
    const year = new Date(local / 1_000).getUTCFullYear();
    return collector.at(
      `${symbol} ${year}`,
      (spillFile, onGrow) => new YearBars({ symbol, year }, spillFile, onGrow),
    );
  }

  #refuse(row: CsvRow, expected: string, cell: number): void {
    const was = cell === NONE ? `${row.cells}` : JSON.stringify(cellText(row, cell));
    this.#parts.bad.add(row.line, `expected ${expected}, was ${was}`);
  }
}

const read = (reader: DecimalReader, { bytes, bounds }: CsvRow, cell: number): number =>
  reader.read(bytes, bounds[2 * cell] ?? 0, bounds[2 * cell + 1] ?? 0);
