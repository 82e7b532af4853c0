/** Rows of a tape of prints, `Time,Price,Volume,Side` in any order and under any names, into the ticks of their day. */
import { dayAt } from '../../domain/civil-date.ts';
import { tsUs, US_PER_MINUTE } from '../../domain/units.ts';
import type { Collector } from '../collect/collector.ts';
import { DayTicks } from '../collect/day-ticks.ts';
import { AuctionStamps } from '../collect/session-times.ts';
import type { BadRows } from './bad-rows.ts';
import type { ColumnMap } from './column-map.ts';
import { cellText, type CsvRow } from './csv-rows.ts';
import { DecimalReader } from '../../text/decimals.ts';
import type { ImportOptions } from './import-options.ts';
import { RowSymbol } from './row-symbol.ts';
import { RowTimes } from './row-times.ts';
import { SideCodes } from './side-codes.ts';
import type { StampOptions } from './stamp-reader.ts';

const INT32_MAX = 2 ** 31 - 1;
const NONE = -1;
/** Zones differ by whole quarters of an hour, so a local day begins with one. */
const QUARTER_US = 15 * US_PER_MINUTE;

export interface RowsParts<Held extends { readonly capacity: number; spill(): void }> {
  readonly options: ImportOptions;
  readonly stamps: StampOptions;
  readonly columns: ColumnMap;
  /** Of rows without a column for it. */
  readonly symbol: string;
  readonly collector: Collector<Held>;
  readonly bad: BadRows;
}

export class PrintRows {
  readonly #parts: RowsParts<DayTicks>;
  readonly #times: RowTimes;
  readonly #symbols: RowSymbol;
  readonly #prices: DecimalReader;
  readonly #lots: DecimalReader;
  readonly #sides: SideCodes;
  readonly #auctions: AuctionStamps;
  readonly #price: number;
  readonly #volume: number;
  readonly #side: number;
  readonly #cellsMin: number;
  #ticks: DayTicks | undefined = undefined;
  #quarter = NaN;
  #rows = 0;

  constructor(parts: RowsParts<DayTicks>) {
    const { options, columns } = parts;
    this.#parts = parts;
    this.#times = new RowTimes(columns, parts.stamps);
    this.#symbols = new RowSymbol(columns, parts.symbol);
    this.#prices = new DecimalReader(options.tickSize);
    this.#lots = new DecimalReader(options.lotSize);
    this.#sides = new SideCodes(options.sides);
    this.#auctions = new AuctionStamps(options.calendar);
    this.#price = columns.price ?? NONE;
    this.#volume = columns.volume ?? NONE;
    this.#side = columns.side ?? NONE;
    this.#cellsMin = Math.max(...Object.values(columns)) + 1;
  }

  /** Rows that were read, bad ones not counted. */
  get rows(): number {
    return this.#rows;
  }

  add(row: CsvRow): void {
    const { bytes, bounds, cells } = row;
    if (cells < this.#cellsMin) return this.#refuse(row, `${this.#cellsMin} columns or more`, NONE);
    const { options, bad } = this.#parts;
    const at = this.#times.read(row);
    if (Number.isNaN(at)) return this.#refuse(row, this.#times.wanted, this.#times.column);
    const priceAt = 2 * this.#price;
    const price = this.#prices.read(bytes, bounds[priceAt] ?? 0, bounds[priceAt + 1] ?? 0);
    if (!(price > 0 && price <= INT32_MAX)) {
      return this.#refuse(row, `a price above 0 on the grid of ${options.tickSize}`, this.#price);
    }
    const volumeAt = 2 * this.#volume;
    const qty = this.#lots.read(bytes, bounds[volumeAt] ?? 0, bounds[volumeAt + 1] ?? 0);
    if (!(qty > 0 && qty <= INT32_MAX)) return this.#refuse(row, this.#volumeWanted(), this.#volume);
    const side = this.#side === NONE ? 0 : this.#sides.read(row, this.#side);
    if (Number.isNaN(side)) return this.#refuse(row, this.#sideWanted(), this.#side);
    const symbol = this.#symbols.read(row);
    if (symbol === undefined) return this.#refuse(row, 'a symbol', this.#symbols.column ?? NONE);
    this.#ticksAt(symbol, at).push(at, price, qty, this.#auctions.isUncross(at) ? 0 : side);
    if (this.#rows === 0) bad.good();
    this.#rows += 1;
  }

  #ticksAt(symbol: string, at: number): DayTicks {
    const quarter = Math.floor(at / QUARTER_US);
    if (this.#ticks !== undefined && quarter === this.#quarter && symbol === this.#ticks.symbol) {
      return this.#ticks;
    }
    const { options, collector } = this.#parts;
    const start = quarter * QUARTER_US;
    const day = dayAt(tsUs(start), options.zone.offsetAtMoment(start));
    this.#quarter = quarter;
    this.#ticks = collector.at(
      `${symbol} ${day}`,
      (spillFile, onGrow) => new DayTicks({ symbol, day, depth: 0 }, spillFile, onGrow),
    );
    return this.#ticks;
  }

  #volumeWanted(): string {
    const { lotSize } = this.#parts.options;
    return lotSize === '1' ? 'a whole volume above 0' : `a volume above 0 in lots of ${lotSize}`;
  }

  #sideWanted(): string {
    const { buy, sell, none } = this.#parts.options.sides;
    const words = [...buy, ...sell, ...none].filter((word) => word !== '');
    return `a side out of ${words.join(', ')} or nothing`;
  }

  #refuse(row: CsvRow, expected: string, cell: number): void {
    const was = cell === NONE ? `${row.cells}` : JSON.stringify(cellText(row, cell));
    this.#parts.bad.add(row.line, `expected ${expected}, was ${was}`);
  }
}
