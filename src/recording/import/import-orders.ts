/**
 * Imports single orders as Databento writes them (mbo): A brings an order, C takes lots of it away, M gives it another price or size, F
 * fills it and T is the trade of its aggressor, R empties the book. An order that is filled is told once more by C or M, which changes
 * nothing then. What of a trade filled no order of the book was hidden.
 */
import { basename } from 'node:path';
import { type DayTicks, type StoredDay, storeDay } from '../collect/day-ticks.ts';
import { cellText, type CsvRow } from './csv-rows.ts';
import { DayRowReader } from './day-row-reader.ts';
import { type KnownOrder, KnownOrders } from './known-orders.ts';
import {
  ImportError,
  type ImportOptions,
  type ImportReport,
  importTable,
  type ImportWatch,
  INT32_MAX,
  NONE,
  type RowSource,
} from './import-table.ts';

export async function importOrders(
  file: string,
  options: ImportOptions,
  watch: ImportWatch,
): Promise<ImportReport<StoredDay>> {
  const readers: OrderReader[] = [];
  return importTable<DayTicks, StoredDay>(file, options, watch, {
    needs: ['time', 'action', 'side', 'price', 'volume', 'order'],
    reader(source) {
      const reader = new OrderReader(source);
      readers.push(reader);
      return reader;
    },
    check: () => readers.forEach((reader) => reader.end()),
    store: (ticks, badRows) => storeDay(ticks, options, { source: basename(file), badRows, sides: 'source' }),
  });
}

const SIDES: Readonly<Record<string, number>> = { B: 1, A: -1, N: 0 };

/** A trade of which not all is explained by orders that it filled. */
interface OpenTrade {
  /** Of its last fill. */
  at: number;
  readonly price: number;
  readonly side: number;
  left: number;
}

class OrderReader extends DayRowReader {
  readonly #orders = new KnownOrders();
  /** Lots that were filled and not yet taken away by a C or M, by id. */
  readonly #filled = new Map<string, number>();
  #trade: OpenTrade | null = null;
  #last = 0;
  #atUs = -Infinity;

  constructor(source: RowSource<DayTicks>) {
    super(source, { depth: source.options.levels, isByOrder: true });
    if (source.symbol === '')
      throw new ImportError('expected orders of one symbol, was a column of symbols; say which one it is');
  }

  end(): void {
    this.#endTrade();
  }

  protected override take(row: CsvRow, time: number): boolean {
    if (this.symbol(row) === undefined) return false;
    const at = Math.max(time, this.#atUs);
    this.#atUs = at;
    const action = this.#text(row, 'action');
    if (action !== 'F') this.#endTrade();
    if (action === 'R') return this.#clear(at);
    if (action === 'N') return true;
    const side = SIDES[this.#text(row, 'side')];
    if (side === undefined) return this.#refused(row, 'a side of A, B or N', 'side');
    const size = this.lots(row, this.source.columns.volume ?? NONE);
    if (!(size > 0 && size <= INT32_MAX)) return this.#refused(row, 'a size above 0', 'volume');
    const price = this.price(row, this.source.columns.price ?? NONE);
    if (Number.isNaN(price)) return false;
    const id = this.#text(row, 'order');
    if (action === 'T') {
      this.#trade = { at, price, side, left: size };
      return true;
    }
    const order = this.#orders.get(id);
    if (action === 'A') {
      if (order !== undefined) return this.#refused(row, 'the id of a new order', 'order');
      return this.#add(row, id, { at, price, side, size });
    }
    if (order === undefined)
      return this.#refused(
        row,
        'the id of an order in the book; a file that begins within the day needs its snapshot',
        'order',
      );
    switch (action) {
      case 'C':
        return this.#cancel(row, id, order, at, size);
      case 'M':
        return this.#modify(row, id, order, { at, price, side, size });
      case 'F':
        return this.#fill(row, id, order, at, size);
      default:
        return this.#refused(row, 'an action of A, C, M, T, F, R or N', 'action');
    }
  }

  #add(row: CsvRow, id: string, { at, price, side, size }: Message): boolean {
    if (side === 0) return this.#refused(row, 'a side of A or B', 'side');
    if (this.#orders.sideOf(side).at(price) + size > INT32_MAX)
      return this.#refused(row, `at most ${INT32_MAX} lots at a price`, 'volume');
    this.#pushOrder(at, this.#orders.add(id, price, side, size), size);
    return true;
  }

  #cancel(row: CsvRow, id: string, order: KnownOrder, at: number, size: number): boolean {
    const filled = Math.min(size, this.#filled.get(id) ?? 0);
    const left = size - filled;
    if (left > order.left)
      return this.#refused(row, `a size of at most ${order.left + filled}, as its order has`, 'volume');
    this.#forgetFilled(id, filled);
    this.#reduce(id, order, at, left);
    return true;
  }

  /** Another price or a larger size loses the place. */
  #modify(row: CsvRow, id: string, order: KnownOrder, message: Message): boolean {
    const { at, price, side, size } = message;
    if (side !== order.side) return this.#refused(row, 'the side of its order', 'side');
    this.#filled.delete(id);
    if (price === order.price && size <= order.left) {
      this.#reduce(id, order, at, order.left - size);
      return true;
    }
    this.#reduce(id, order, at, order.left);
    return this.#add(row, id, message);
  }

  #fill(row: CsvRow, id: string, order: KnownOrder, at: number, size: number): boolean {
    if (size > order.left)
      return this.#refused(row, `a size of at most ${order.left}, as its order has`, 'volume');
    if (this.#trade !== null) {
      this.#trade.left -= size;
      this.#trade.at = at;
    }
    this.#filled.set(id, (this.#filled.get(id) ?? 0) + size);
    // An order that is filled whole stays known until it is told to be gone.
    this.#orders.take(order, size);
    this.#last = order.price;
    this.#push(at, order.price, size, -order.side).setOrder(order.number, order.price, 0, order.side);
    return true;
  }

  #reduce(id: string, order: KnownOrder, at: number, lots: number): void {
    this.#orders.reduce(id, order, lots);
    if (lots > 0) this.#pushOrder(at, order, -lots);
  }

  #forgetFilled(id: string, lots: number): void {
    const left = (this.#filled.get(id) ?? 0) - lots;
    if (left > 0) this.#filled.set(id, left);
    else this.#filled.delete(id);
  }

  #clear(at: number): boolean {
    const gone = this.#orders.all;
    this.#orders.clear();
    this.#filled.clear();
    for (const order of gone) if (order.left > 0) this.#pushOrder(at, order, -order.left);
    return true;
  }

  #endTrade(): void {
    const trade = this.#trade;
    this.#trade = null;
    if (trade === null || trade.left <= 0) return;
    this.#last = trade.price;
    this.#push(trade.at, trade.price, trade.left, trade.side);
  }

  #pushOrder(at: number, { number, price, side }: KnownOrder, change: number): void {
    this.#push(at, this.#last, 0, 0).setOrder(number, price, change, side);
  }

  #push(at: number, price: number, qty: number, side: number): DayTicks {
    const ticks = this.ticksAt(this.source.symbol, at);
    ticks.push(at, price, qty, side);
    ticks.setLevels(this.#orders.bids, this.#orders.asks);
    return ticks;
  }

  #text(row: CsvRow, role: 'action' | 'side' | 'order'): string {
    return cellText(row, this.source.columns[role] ?? NONE);
  }

  #refused(row: CsvRow, expected: string, role: 'action' | 'side' | 'order' | 'volume'): false {
    this.refuse(row, expected, this.source.columns[role] ?? NONE);
    return false;
  }
}

interface Message {
  readonly at: number;
  readonly price: number;
  readonly side: number;
  readonly size: number;
}
