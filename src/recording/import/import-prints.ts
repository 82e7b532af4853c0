/** Imports a tape of prints, `Time,Price,Volume,Side` in any order and under any names: one file of columns a symbol and day. */
import { basename } from 'node:path';
import { dayAt } from '../../domain/civil-date.ts';
import { tsUs, US_PER_MINUTE } from '../../domain/units.ts';
import { DayTicks, type StoredDay, storeDay } from '../collect/day-ticks.ts';
import { AuctionStamps } from '../collect/session-times.ts';
import type { CsvRow } from './csv-rows.ts';
import {
  type ImportOptions,
  type ImportReport,
  importTable,
  type ImportWatch,
  INT32_MAX,
  NONE,
  RowReader,
  type RowSource,
  SideCodes,
} from './import-table.ts';

export const importPrints = (
  file: string,
  options: ImportOptions,
  watch: ImportWatch,
): Promise<ImportReport<StoredDay>> =>
  importTable<DayTicks, StoredDay>(file, options, watch, {
    needs: ['time', 'price', 'volume'],
    reader: (source) => new PrintReader(source),
    check: () => undefined,
    store: (ticks, badRows) => storeDay(ticks, options, { source: basename(file), badRows, sides: 'source' }),
  });

/** Zones differ by whole quarters of an hour, so a local day begins with one. */
const QUARTER_US = 15 * US_PER_MINUTE;

class PrintReader extends RowReader<DayTicks> {
  readonly #sides: SideCodes;
  readonly #auctions: AuctionStamps;
  readonly #price: number;
  readonly #volume: number;
  readonly #side: number;
  #ticks: DayTicks | undefined = undefined;
  #quarter = NaN;

  constructor(source: RowSource<DayTicks>) {
    super(source);
    const { options, columns } = source;
    this.#sides = new SideCodes(options.sides);
    this.#auctions = new AuctionStamps(options.calendar);
    this.#price = columns.price ?? NONE;
    this.#volume = columns.volume ?? NONE;
    this.#side = columns.side ?? NONE;
  }

  protected override take(row: CsvRow, at: number): boolean {
    const price = this.price(row, this.#price);
    if (Number.isNaN(price)) return false;
    const qty = this.lots(row, this.#volume);
    if (!(qty > 0 && qty <= INT32_MAX)) {
      this.refuse(row, this.#volumeWanted(), this.#volume);
      return false;
    }
    const side = this.#side === NONE ? 0 : this.#sides.read(row, this.#side);
    if (Number.isNaN(side)) {
      this.refuse(row, this.#sideWanted(), this.#side);
      return false;
    }
    const symbol = this.symbol(row);
    if (symbol === undefined) return false;
    this.#ticksAt(symbol, at).push(at, price, qty, this.#auctions.isUncross(at) ? 0 : side);
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
    this.#quarter = quarter;
    this.#ticks = collector.at(
      `${symbol} ${day}`,
      (spillFile, onGrow) => new DayTicks({ symbol, day, depth: 0 }, spillFile, onGrow),
    );
    return this.#ticks;
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
