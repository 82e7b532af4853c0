/** Imports quotes, bid and ask with or without sizes, under any names: one file of columns a symbol and day. */
import { basename } from 'node:path';
import { UNLIMITED_QTY } from '../../domain/ticks.ts';
import { type DayTicks, type StoredDay, storeDay } from '../collect/day-ticks.ts';
import { cellText, type CsvRow } from './csv-rows.ts';
import { DayRowReader } from './day-row-reader.ts';
import {
  ImportError,
  type ImportOptions,
  type ImportReport,
  importTable,
  type ImportWatch,
  NONE,
  type RowSource,
} from './import-table.ts';

export async function importQuotes(
  file: string,
  options: ImportOptions,
  watch: ImportWatch,
): Promise<ImportReport<StoredDay>> {
  let quotes: 'sized' | 'unsized' = 'unsized';
  return importTable<DayTicks, StoredDay>(file, options, watch, {
    needs: ['time', 'bid', 'ask'],
    reader(source) {
      const { bid_size: bidSize, ask_size: askSize } = source.columns;
      if ((bidSize === undefined) !== (askSize === undefined))
        throw new ImportError(`${file}, line 1: expected a size for bid and ask or for neither, was one`);
      if (bidSize !== undefined) quotes = 'sized';
      return new QuoteReader(source);
    },
    check: () => undefined,
    store: (ticks, badRows) =>
      storeDay(ticks, options, { source: basename(file), badRows, sides: 'touch', quotes }),
  });
}

/** One level a side; the price of a row is the middle, where it lies between two ticks the one below. */
class QuoteReader extends DayRowReader {
  readonly #bid: number;
  readonly #ask: number;
  readonly #bidSize: number;
  readonly #askSize: number;

  constructor(source: RowSource<DayTicks>) {
    super(source, { depth: 1 });
    const { bid = NONE, ask = NONE, bid_size: bidSize = NONE, ask_size: askSize = NONE } = source.columns;
    this.#bid = bid;
    this.#ask = ask;
    this.#bidSize = bidSize;
    this.#askSize = askSize;
  }

  protected override take(row: CsvRow, at: number): boolean {
    const bid = this.price(row, this.#bid);
    if (Number.isNaN(bid)) return false;
    const ask = this.price(row, this.#ask);
    if (Number.isNaN(ask)) return false;
    if (bid > ask) {
      this.refuse(row, `an ask of at least the bid ${cellText(row, this.#bid)}`, this.#ask);
      return false;
    }
    const bidSize = this.#size(row, this.#bidSize);
    if (Number.isNaN(bidSize)) return false;
    const askSize = this.#size(row, this.#askSize);
    if (Number.isNaN(askSize)) return false;
    const symbol = this.symbol(row);
    if (symbol === undefined) return false;
    const ticks = this.ticksAt(symbol, at);
    ticks.push(at, Math.floor((bid + ask) / 2), 1, 0);
    ticks.setTouch(bid, bidSize, ask, askSize);
    return true;
  }

  /** NaN for a row that it refused. */
  #size(row: CsvRow, cell: number): number {
    if (cell === NONE) return UNLIMITED_QTY;
    const size = this.lots(row, cell);
    if (size > 0 && size < UNLIMITED_QTY) return size;
    this.refuse(row, `a size above 0 in lots of ${this.source.options.lotSize}`, cell);
    return NaN;
  }
}
