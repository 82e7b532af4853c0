/** Imports a tape of prints, `Time,Price,Volume,Side` in any order and under any names: one file of columns a symbol and day. */
import { basename } from 'node:path';
import { type DayTicks, type StoredDay, storeDay } from '../collect/day-ticks.ts';
import { AuctionStamps } from '../collect/session-times.ts';
import type { CsvRow } from './csv-rows.ts';
import { DayRowReader } from './day-row-reader.ts';
import {
  type ImportOptions,
  type ImportReport,
  importTable,
  type ImportWatch,
  INT32_MAX,
  NONE,
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

class PrintReader extends DayRowReader {
  readonly #sides: SideCodes;
  readonly #auctions: AuctionStamps;
  readonly #price: number;
  readonly #volume: number;
  readonly #side: number;

  constructor(source: RowSource<DayTicks>) {
    super(source, { depth: 0 });
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
    this.ticksAt(symbol, at).push(at, price, qty, this.#auctions.isUncross(at) ? 0 : side);
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
