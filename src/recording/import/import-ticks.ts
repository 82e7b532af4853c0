/**
 * Imports tables of ticks under any names, one file of columns a symbol and day: prints (time, price, volume and side) and quotes (bid and
 * ask, with or without sizes), both also with numbered levels of a book, which holds after the row. A print of volume 0 changes the book
 * alone.
 */
import { InputFault } from '../../domain/failure.ts';
import { basename } from 'node:path';
import { dayAt } from '../../domain/civil-date.ts';
import { UNLIMITED_QTY } from '../../domain/ticks.ts';
import { tsUs, US_PER_MINUTE } from '../../domain/units.ts';
import { type DayTicks, openDay, storeDay, AuctionStamps } from '../collect/day-ticks.ts';
import type { TickMeta, TickRows } from '../columns/tick-file.ts';
import { BOOK_LEVELS, levelRole, TOUCH_ROLES } from './column-map.ts';
import { cellText, type CsvRow } from './table-file.ts';
import {
  type ImportOptions,
  type ImportReport,
  importTable,
  type ImportWatch,
  INT32_MAX,
  NONE,
  ImportRowReader,
  type RowSource,
  SideCodes,
} from './import-table.ts';

type TickImport = (
  file: string,
  options: ImportOptions,
  watch: ImportWatch,
) => Promise<ImportReport<TickMeta>>;

export const importPrints: TickImport = (file, options, watch) =>
  importTable<DayTicks, TickMeta>(file, options, watch, {
    reader: (source) => new PrintReader(source),
    store: (ticks, badRows) =>
      storeDay(ticks, options, {
        source: basename(file),
        badRows,
        sides: 'source',
        ...(ticks.depth > 0 && { complete: lastPrices(false) }),
      }),
  });

export const importQuotes: TickImport = (file, options, watch) => {
  let quotes: 'sized' | 'unsized' = 'sized';
  return importTable<DayTicks, TickMeta>(file, options, watch, {
    reader(source) {
      const levels = levelCells(source);
      const cells = levels.length > 0 ? levels : touchCells(file, source);
      if (cells.includes(NONE)) quotes = 'unsized';
      return new QuoteReader(source, cells, levels.length === 0);
    },
    store: (ticks, badRows) =>
      storeDay(ticks, options, {
        source: basename(file),
        badRows,
        sides: 'touch',
        quotes,
        complete: lastPrices(true),
      }),
  });
};

function lastPrices(isQuotes: boolean): (part: TickRows) => void {
  let last = 0;
  return ({ rows, priceTicks, qty }) => {
    for (let i = 0; i < rows; i += 1) {
      const price = priceTicks[i] ?? 0;
      if (price > 0) last = price;
      else {
        priceTicks[i] = last;
        if (isQuotes) qty[i] = last > 0 ? 1 : 0;
      }
    }
  };
}

/** Columns of bid, its size, ask and its size, level by level. */
type LevelCells = readonly number[];

/** Cells of numbered levels; empty where there are none. */
function levelCells({ columns, columnOf }: RowSource<DayTicks>): LevelCells {
  const deepest = BOOK_LEVELS.findLast((level) =>
    TOUCH_ROLES.some((role) => columns[levelRole(role, level)] !== undefined),
  );
  return BOOK_LEVELS.slice(0, deepest ?? 0).flatMap((level) =>
    TOUCH_ROLES.map((role) => columnOf(levelRole(role, level))),
  );
}

function touchCells(file: string, { columns, columnOf }: RowSource<DayTicks>): LevelCells {
  const { bid_size: bidSize = NONE, ask_size: askSize = NONE } = columns;
  if ((bidSize === NONE) !== (askSize === NONE))
    throw new InputFault(
      'arguments',
      `${file}, line 1: expected a size for bid and ask or for neither, was one`,
    );
  return [columnOf('bid'), bidSize, columnOf('ask'), askSize];
}

/** Zones differ by whole quarters of an hour, so a local day begins with one. */
const QUARTER_US = 15 * US_PER_MINUTE;

abstract class TickReader extends ImportRowReader<DayTicks> {
  protected readonly auctions: AuctionStamps;
  readonly #cells: LevelCells;
  /** Bid and ask alone, in each row; sizes may be unknown. */
  readonly #isTouch: boolean;
  /** Values of the levels of a row, as `#cells`; 0 where there is none. */
  readonly #values: Int32Array;
  #ticks: DayTicks | undefined = undefined;
  #quarter = NaN;

  constructor(source: RowSource<DayTicks>, cells: LevelCells, isTouch = false) {
    super(source);
    this.auctions = new AuctionStamps(source.options.calendar);
    this.#cells = cells;
    this.#isTouch = isTouch;
    this.#values = new Int32Array(cells.length);
  }

  protected get hasBook(): boolean {
    return this.#cells.length > 0;
  }

  /** False for a row that it refused. */
  protected readBook(row: CsvRow): boolean {
    for (let i = 0; i < this.#cells.length; i += 2) if (!this.#readLevel(row, i)) return false;
    return true;
  }

  /** False where it refused quotes that are crossed; before an uncross a book may be. */
  protected isUncrossed(row: CsvRow, at: number): boolean {
    const [bid = 0, , ask = 0] = this.#values;
    if (bid === 0 || ask === 0 || bid <= ask || (!this.#isTouch && this.auctions.isUncross(at))) return true;
    const [bidCell = NONE, , askCell = NONE] = this.#cells;
    return this.refuse(row, `an ask of at least the bid ${cellText(row, bidCell)}`, askCell);
  }

  /** Between best bid and ask, where it lies between two ticks the one below; 0 where a side is empty. */
  protected get middle(): number {
    const [bid = 0, , ask = 0] = this.#values;
    return bid === 0 || ask === 0 ? 0 : Math.floor((bid + ask) / 2);
  }

  /** Adds a row with the levels that were read. */
  protected push(symbol: string, at: number, price: number, qty: number, side: number, line: number): void {
    const ticks = this.#ticksAt(symbol, at);
    this.source.order.add(ticks, at, line, this.source.options.isClosed?.(at));
    const values = this.#values;
    ticks.push(at, price, qty, side);
    for (let i = 0; i < values.length; i += 4)
      ticks.setLevel(i / 4, values[i] ?? 0, values[i + 1] ?? 0, values[i + 2] ?? 0, values[i + 3] ?? 0);
  }

  #readLevel(row: CsvRow, i: number): boolean {
    const values = this.#values;
    const [priceCell = NONE, sizeCell = NONE] = [this.#cells[i], this.#cells[i + 1]];
    const mayLack = !this.#isTouch;
    values[i] = 0;
    values[i + 1] = 0;
    if (mayLack && (isEmpty(row, priceCell) || isEmpty(row, sizeCell))) return true;
    const size = sizeCell === NONE ? UNLIMITED_QTY : this.lots(row, sizeCell);
    if (mayLack && size === 0) return true;
    const price = this.price(row, priceCell);
    if (Number.isNaN(price)) return false;
    // An export of quotes without sizes has them without a limit.
    if (sizeCell !== NONE && !(size > 0 && (size < UNLIMITED_QTY || (mayLack && size === UNLIMITED_QTY))))
      return this.refuse(row, `a size above 0 in lots of ${this.source.options.lotSize}`, sizeCell);
    const better = i < 4 ? price : (values[i - 4] ?? 0);
    const isWorse = i % 4 === 0 ? price < better : price > better;
    if (i >= 4 && (better === 0 || !isWorse))
      return this.refuse(row, 'a price worse than that of the level before', priceCell);
    values[i] = price;
    values[i + 1] = size;
    return true;
  }

  #ticksAt(symbol: string, at: number): DayTicks {
    const quarter = Math.floor(at / QUARTER_US);
    if (this.#ticks !== undefined && quarter === this.#quarter && symbol === this.#ticks.symbol) {
      return this.#ticks;
    }
    const { options, collector } = this.source;
    const start = quarter * QUARTER_US;
    const day = dayAt(tsUs(start), options.zone.offsetAtMoment(start));
    const depth = this.#cells.length / 4;
    this.#quarter = quarter;
    this.#ticks = openDay(collector, { symbol, day, depth });
    return this.#ticks;
  }
}

const isEmpty = ({ bounds }: CsvRow, cell: number): boolean => bounds[2 * cell] === bounds[2 * cell + 1];

class PrintReader extends TickReader {
  readonly #sides: SideCodes;
  readonly #price: number;
  readonly #volume: number;
  readonly #side: number;

  constructor(source: RowSource<DayTicks>) {
    super(source, levelCells(source));
    const { options, columns, columnOf } = source;
    this.#sides = new SideCodes(options.sides);
    this.#price = columnOf('price');
    this.#volume = columnOf('volume');
    this.#side = columns.side ?? NONE;
  }

  protected override take(row: CsvRow, at: number): boolean {
    const { hasBook } = this;
    const qty = hasBook && isEmpty(row, this.#volume) ? 0 : this.lots(row, this.#volume);
    const price = hasBook && qty === 0 ? 0 : this.price(row, this.#price);
    if (Number.isNaN(price)) return false;
    if (!(qty >= (hasBook ? 0 : 1) && qty <= INT32_MAX))
      return this.refuse(row, this.#volumeWanted(), this.#volume);
    const side = this.#side === NONE ? 0 : this.#sides.read(row, this.#side);
    if (Number.isNaN(side)) return this.refuse(row, this.#sideWanted(), this.#side);
    // A stream names one side at a time: between two of its frames the book of a recorded day may be crossed.
    if (hasBook && !this.readBook(row)) return false;
    const symbol = this.symbol(row);
    if (symbol === undefined) return false;
    this.push(symbol, at, price, qty, this.auctions.isUncross(at) ? 0 : side, row.line);
    return true;
  }

  #volumeWanted(): string {
    const { lotSize } = this.source.options;
    return lotSize === '1' ? 'a whole volume above 0' : `a volume above 0 in lots of ${lotSize}`;
  }

  #sideWanted(): string {
    const { buy, sell, none } = this.source.options.sides;
    const words = [...buy, ...sell, ...none].filter((word) => word !== '');
    return `a side out of ${words.join(', ')} or nothing`;
  }
}

/** The price of a row is the middle of its best bid and ask. */
class QuoteReader extends TickReader {
  protected override take(row: CsvRow, at: number): boolean {
    if (!this.readBook(row) || !this.isUncrossed(row, at)) return false;
    const symbol = this.symbol(row);
    if (symbol === undefined) return false;
    this.push(symbol, at, this.middle, 1, 0, row.line);
    return true;
  }
}
