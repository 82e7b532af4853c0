/** Rows of a tape of prints, `Time,Price,Volume,Side` in any order and under any names, into the ticks of their day. */
import { dayAt } from '../../domain/civil-date.ts';
import { tsUs, US_PER_MINUTE } from '../../domain/units.ts';
import type { DayTicks } from '../collect/day-ticks.ts';
import type { TickCollector } from '../collect/tick-collector.ts';
import { AuctionStamps } from './auction-stamps.ts';
import type { BadRows } from './bad-rows.ts';
import type { ColumnMap } from './column-map.ts';
import { cellText, type CsvRow } from './csv-rows.ts';
import { DecimalReader } from './decimal-reader.ts';
import type { ImportOptions } from './import-options.ts';
import { isSymbol } from './file-name.ts';
import { SideCodes } from './side-codes.ts';
import { StampReader, type StampOptions } from './stamp-reader.ts';

const INT32_MAX = 2 ** 31 - 1;
const NONE = -1;
/** Zones differ by whole quarters of an hour, so a local day begins with one. */
const QUARTER_US = 15 * US_PER_MINUTE;

export interface PrintRowsParts {
  readonly options: ImportOptions;
  readonly stamps: StampOptions;
  readonly columns: ColumnMap;
  /** Of rows without a column for it. */
  readonly symbol: string;
  readonly collector: TickCollector;
  readonly bad: BadRows;
}

export class PrintRows {
  readonly #parts: PrintRowsParts;
  readonly #stamps: StampReader;
  readonly #prices: DecimalReader;
  readonly #lots: DecimalReader;
  readonly #sides: SideCodes;
  readonly #auctions: AuctionStamps;
  readonly #time: number;
  readonly #date: number;
  readonly #symbol: number;
  readonly #price: number;
  readonly #volume: number;
  readonly #side: number;
  readonly #cellsMin: number;
  #ticks: DayTicks | undefined = undefined;
  #quarter = NaN;
  #code = '';
  #rows = 0;

  constructor(parts: PrintRowsParts) {
    const { options, columns } = parts;
    this.#parts = parts;
    this.#stamps = new StampReader(parts.stamps);
    this.#prices = new DecimalReader(options.tickSize);
    this.#lots = new DecimalReader(options.lotSize);
    this.#sides = new SideCodes(options.sides);
    this.#auctions = new AuctionStamps(options.calendar);
    this.#time = columns.time ?? NONE;
    this.#date = columns.date ?? NONE;
    this.#symbol = columns.symbol ?? NONE;
    this.#price = columns.price ?? NONE;
    this.#volume = columns.volume ?? NONE;
    this.#side = columns.side ?? NONE;
    this.#cellsMin = Math.max(...Object.values(columns)) + 1;
    this.#code = parts.symbol;
  }

  /** Rows that were read, bad ones not counted. */
  get rows(): number {
    return this.#rows;
  }

  add(row: CsvRow): void {
    const { bytes, bounds, cells } = row;
    if (cells < this.#cellsMin) return this.#refuse(row, `${this.#cellsMin} columns or more`, NONE);
    const from = (cell: number): number => bounds[2 * cell] ?? 0;
    const to = (cell: number): number => bounds[2 * cell + 1] ?? 0;
    const at =
      this.#date === NONE
        ? this.#stamps.read(bytes, from(this.#time), to(this.#time))
        : this.#stamps.readPair(cellText(row, this.#date), cellText(row, this.#time));
    if (Number.isNaN(at)) return this.#refuse(row, this.#timeWanted(), this.#time);
    const price = this.#prices.read(bytes, from(this.#price), to(this.#price));
    if (!(price > 0 && price <= INT32_MAX)) {
      return this.#refuse(row, `a price above 0 on the grid of ${this.#parts.options.tickSize}`, this.#price);
    }
    const qty = this.#lots.read(bytes, from(this.#volume), to(this.#volume));
    if (!(qty > 0 && qty <= INT32_MAX)) {
      const { lotSize } = this.#parts.options;
      const wanted = lotSize === '1' ? 'a whole volume above 0' : `a volume above 0 in lots of ${lotSize}`;
      return this.#refuse(row, wanted, this.#volume);
    }
    const side = this.#side === NONE ? 0 : this.#sides.read(row, from(this.#side), to(this.#side));
    if (Number.isNaN(side)) return this.#refuse(row, this.#sideWanted(), this.#side);
    if (this.#symbol !== NONE && !this.#follow(row)) return;
    this.#ticksAt(at).push(at, price, qty, this.#auctions.isUncross(at) ? 0 : side);
    if (this.#rows === 0) this.#parts.bad.good();
    this.#rows += 1;
  }

  /** Turns to the symbol of the row; false when it has none. */
  #follow(row: CsvRow): boolean {
    const code = cellText(row, this.#symbol);
    if (code === this.#code) return true;
    if (!isSymbol(code)) {
      this.#refuse(row, 'a symbol of letters, digits, dots and dashes', this.#symbol);
      return false;
    }
    this.#code = code;
    this.#quarter = NaN;
    return true;
  }

  #ticksAt(at: number): DayTicks {
    const quarter = Math.floor(at / QUARTER_US);
    if (quarter !== this.#quarter || this.#ticks === undefined) {
      const { options, collector } = this.#parts;
      this.#quarter = quarter;
      const start = quarter * QUARTER_US;
      this.#ticks = collector.day(this.#code, dayAt(tsUs(start), options.zone.offsetAtMoment(start)));
    }
    return this.#ticks;
  }

  #timeWanted(): string {
    const { day, dateOrder } = this.#parts.stamps;
    if (this.#date === NONE && day !== null) return 'a time like 09:00:00';
    return `a date and time like 2026-03-04 09:00:00${dateOrder === null ? ' (for 04/03/2026 say which order)' : ''}`;
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
