/**
 * Imports message files of LOBSTER (lobsterdata.com, "message_N.csv"): time in seconds after midnight, type, order id, size, price in
 * ten-thousandths, direction. Each message is a row with the book after it, and the order that it is about. Where the order book file
 * stands beside it, the book is that one: what it shows and no message told is an order without an id, older than all that come later.
 */
import { basename } from 'node:path';
import { dayNumber } from '../../domain/civil-date.ts';
import { US_PER_DAY, US_PER_MINUTE } from '../../domain/units.ts';
import { DecimalReader, decimalText } from '../../text/decimals.ts';
import type { BookSide } from '../collect/book-side.ts';
import { type DayTicks, type StoredDay, storeDay } from '../collect/day-ticks.ts';
import { cellText, type CsvRow } from './csv-rows.ts';
import { DayRowReader } from './day-row-reader.ts';
import { type KnownOrder, KnownOrders } from './known-orders.ts';
import { LobsterBookFile, type ShownSide } from './lobster-book-file.ts';
import {
  ImportError,
  type ImportOptions,
  type ImportReport,
  importTable,
  type ImportWatch,
  INT32_MAX,
  type RowSource,
} from './import-table.ts';

export async function importLobster(
  file: string,
  options: ImportOptions,
  watch: ImportWatch,
): Promise<ImportReport<StoredDay>> {
  const book = await LobsterBookFile.beside(file, tickOf(options.tickSize), options.isRounding);
  const unseen: Unseen = { rows: 0, changes: 0 };
  const table = {
    ...options,
    hasHeader: false,
    delimiter: ',',
    columns: { time: '1' },
    levels: Math.min(options.levels, book?.levels ?? Infinity),
  };
  let reader: MessageReader | null = null;
  const report = await importTable<DayTicks, StoredDay>(file, table, watch, {
    needs: ['time'],
    reader: (source) => (reader = new MessageReader(source, file, book, unseen)),
    // The rows that begin in the chunk, and one that began before it.
    ...(book !== null && { ready: (newlines) => book.fill(newlines + 1) }),
    check: (_, bad) => book?.assertOver((reader?.rows ?? 0) + bad.count),
    store: (ticks, badRows) => storeDay(ticks, table, { source: basename(file), badRows, sides: 'source' }),
  });
  const notes =
    book === null
      ? []
      : [
          `the book is that of ${basename(book.path)}: ${unseen.rows} rows are about orders that no message brought, and ${unseen.changes} times a level stood there or changed without a message`,
        ];
  return { ...report, notes };
}

/** Ten-thousandths in a tick. */
const tickOf = (tickSize: string): number => Number((Number(tickSize) * PRICE_SCALE).toFixed(5));

/** Counts of what the messages did not tell. */
interface Unseen {
  rows: number;
  changes: number;
}

const CELLS = 6;
const [TIME, TYPE, ID, SIZE, PRICE, DIRECTION] = [0, 1, 2, 3, 4, 5];
/** Prices are dollars times this. */
const PRICE_SCALE = 10_000;
const ONE_US = '0.000001';
/** Longer numbers are not exact in a double. */
const EXACT_DIGITS_MAX = 15;

const ADD = 1;
const REDUCE = 2;
const DELETE = 3;
const EXECUTE = 4;
const EXECUTE_HIDDEN = 5;
const CROSS = 6;
const HALT = 7;

class MessageReader extends DayRowReader {
  readonly #midnightUs: number;
  readonly #zone: RowSource<DayTicks>['stamps']['zone'];
  readonly #times = new DecimalReader(ONE_US, true);
  readonly #prices: DecimalReader;
  readonly #orders = new KnownOrders();
  readonly #book: LobsterBookFile | null;
  readonly #unseen: Unseen;
  #last = 0;
  #atUs = -Infinity;

  constructor(source: RowSource<DayTicks>, file: string, book: LobsterBookFile | null, unseen: Unseen) {
    super(source, { depth: source.options.levels, isByOrder: true });
    const { day, zone } = source.stamps;
    if (day === null)
      throw new ImportError(`${file}: expected a day in its name; say which one it is with --day`);
    this.#midnightUs = dayNumber(day) * US_PER_DAY;
    this.#zone = zone;
    const { tickSize, isRounding } = source.options;
    this.#prices = new DecimalReader(decimalText(tickOf(tickSize)), isRounding);
    this.#book = book;
    this.#unseen = unseen;
  }

  protected override timeOf({ bytes, bounds }: CsvRow): number {
    const localUs = this.#midnightUs + this.#times.read(bytes, bounds[0] ?? 0, bounds[1] ?? 0);
    return Number.isNaN(localUs) ? NaN : localUs - this.#zone.offsetAt(localUs) * US_PER_MINUTE;
  }

  protected override take(row: CsvRow, at: number): boolean {
    if (row.cells < CELLS) return this.#refused(row, `${CELLS} columns`, TIME);
    if (at < this.#atUs) return this.#refused(row, 'a time not before that of the row before', TIME);
    this.#atUs = at;
    const type = smallNumber(row, TYPE);
    if (type === HALT) return true;
    const direction = smallNumber(row, DIRECTION);
    if (direction !== 1 && direction !== -1) return this.#refused(row, 'a direction of 1 or -1', DIRECTION);
    const size = this.lots(row, SIZE);
    if (!(size > 0 && size <= INT32_MAX)) return this.#refused(row, 'a size above 0', SIZE);
    const price = this.#prices.read(row.bytes, row.bounds[2 * PRICE] ?? 0, row.bounds[2 * PRICE + 1] ?? 0);
    if (!(price > 0 && price <= INT32_MAX))
      return this.#refused(
        row,
        `a price in ten-thousandths on the grid of ${this.source.options.tickSize}`,
        PRICE,
      );
    const message: Message = { row, at, price, size, side: direction };
    switch (type) {
      case ADD:
        return this.#add(message);
      case REDUCE:
      case DELETE:
      case EXECUTE:
        return this.#reduce(message, type);
      case EXECUTE_HIDDEN:
      case CROSS:
        if (!this.#meetsBook(message, 0)) return false;
        this.#last = price;
        // Nobody sees the order: the aggressor of a cross has no meaning.
        this.#push(at, { price, size, side: type === CROSS ? 0 : -direction });
        return true;
      default:
        return this.#refused(row, 'a type from 1 to 7', TYPE);
    }
  }

  #add(message: Message): boolean {
    const { row, at, price, size, side } = message;
    const orders = this.#orders;
    const id = orderId(row);
    if (orders.get(id) !== undefined) return this.#refused(row, 'the id of a new order', ID);
    const opposite = orders.sideOf(-side);
    if (this.#book === null && opposite.levels > 0 && (price - opposite.priceAt(0)) * side >= 0)
      return this.#refused(row, 'a price that leaves the book uncrossed', PRICE);
    if (orders.sideOf(side).at(price) + size > INT32_MAX)
      return this.#refused(row, `at most ${INT32_MAX} lots at a price`, SIZE);
    if (!this.#meetsBook(message, size)) return false;
    this.#pushOrder(at, orders.add(id, price, side, size), size);
    return true;
  }

  #reduce(message: Message, type: number): boolean {
    const { row, at, price, size, side } = message;
    const orders = this.#orders;
    const id = orderId(row);
    const order = orders.get(id);
    if (this.#book === null) {
      if (order === undefined)
        return this.#refused(row, 'the id of an order in the book, as no order book file is beside it', ID);
      if (order.side !== side)
        return this.#refused(row, `the direction ${order.side} of its order`, DIRECTION);
      if (order.price !== price) return this.#refused(row, 'the price of its order', PRICE);
      const isWhole = type === DELETE ? size === order.left : size <= order.left;
      const most = type === DELETE ? '' : 'at most ';
      if (!isWhole) return this.#refused(row, `a size of ${most}${order.left}, as its order has`, SIZE);
    }
    if (!this.#meetsBook(message, -size)) return false;
    const isSame = order?.side === side && order.price === price;
    const named = isSame ? Math.min(size, order.left) : 0;
    if (isSame && named > 0) {
      orders.reduce(id, order, named);
      this.#pushReduced(at, order, named, type);
    }
    if (named === size) return true;
    this.#unseen.rows += 1;
    orders.takeUnnamed(price, side, size - named, type === EXECUTE ? 'oldest' : 'newest', (from, lots) =>
      this.#pushReduced(at, from, lots, type),
    );
    return true;
  }

  #pushReduced(at: number, order: KnownOrder, lots: number, type: number): void {
    if (type !== EXECUTE) return this.#pushOrder(at, order, -lots);
    this.#last = order.price;
    this.#push(at, { price: order.price, size: lots, side: -order.side }).setOrder(
      order.number,
      order.price,
      0,
      order.side,
    );
  }

  /** `change`: lots that came, or left without a trade. */
  #pushOrder(at: number, { number, price, side }: KnownOrder, change: number): void {
    this.#push(at, { price: this.#last, size: 0, side: 0 }).setOrder(number, price, change, side);
  }

  /** Brings the book to that of the order book file without the message, which changes its price by `change` lots. */
  #meetsBook({ row, at, price, side }: Message, change: number): boolean {
    const book = this.#book;
    if (book === null) return true;
    book.read(row.line);
    const changes: LevelChange[] = [];
    for (const [of, shown] of [
      [1, book.bids],
      [-1, book.asks],
    ] as const) {
      const own = this.#orders.sideOf(of);
      if (!levelChanges({ own, shown, of }, of === side ? { price, change } : null, changes))
        return this.#refused(row, `the price and size that line ${row.line} of ${book.path} shows`, PRICE);
    }
    if (changes.length === 0) return true;
    this.#unseen.changes += changes.length;
    const moved: { readonly order: KnownOrder; readonly lots: number }[] = [];
    for (const { price: level, of, lots } of changes) {
      if (lots > 0) moved.push({ order: this.#orders.addUnnamed(level, of, lots), lots });
      else this.#orders.takeNewest(level, of, -lots, (order, taken) => moved.push({ order, lots: -taken }));
    }
    for (const { order, lots } of moved) this.#pushOrder(at, order, lots);
    return true;
  }

  #push(at: number, { price, size, side }: Pick<Message, 'price' | 'size' | 'side'>): DayTicks {
    const ticks = this.ticksAt(this.source.symbol, at);
    ticks.push(at, price, size, side);
    ticks.setLevels(this.#orders.bids, this.#orders.asks);
    return ticks;
  }

  #refused(row: CsvRow, expected: string, cell: number): false {
    this.refuse(row, expected, cell);
    return false;
  }
}

interface Message {
  readonly row: CsvRow;
  readonly at: number;
  readonly price: number;
  readonly size: number;
  readonly side: number;
}

interface LevelChange {
  readonly price: number;
  readonly of: number;
  readonly lots: number;
}

interface Compared {
  readonly own: BookSide;
  readonly shown: ShownSide;
  /** 1 for bids, -1 for asks. */
  readonly of: number;
}

/** The change of `own` to the side shown after a message, before the message does; false where that cannot be. */
function levelChanges(
  { own, shown, of }: Compared,
  message: { readonly price: number; readonly change: number } | null,
  changes: LevelChange[],
): boolean {
  const wants = (price: number, lots: number): boolean => {
    const before = price === message?.price ? lots - message.change : lots;
    if (before < 0) return false;
    const has = own.at(price);
    if (before !== has) changes.push({ price, of, lots: before - has });
    return true;
  };
  let level = 0;
  let isSeen = false;
  for (let i = 0; i < shown.count; i += 1) {
    const price = shown.price[i] ?? 0;
    if (!Number.isInteger(price)) return false;
    for (let other = own.priceAt(level); (other - price) * of > 0 && other > 0; other = own.priceAt(level)) {
      if (other === message?.price) isSeen = true;
      if (!wants(other, 0)) return false;
      level += 1;
    }
    if (own.priceAt(level) === price) level += 1;
    if (price === message?.price) isSeen = true;
    if (!wants(price, shown.qty[i] ?? 0)) return false;
  }
  if (shown.isWhole)
    for (let other = own.priceAt(level); other > 0; other = own.priceAt(level)) {
      if (other === message?.price) isSeen = true;
      if (!wants(other, 0)) return false;
      level += 1;
    }
  // It took the last of a level that is not shown any more, or is deeper than what is shown.
  if (message === null || isSeen || message.change >= 0) return true;
  const lacks = -message.change - own.at(message.price);
  if (lacks > 0) changes.push({ price: message.price, of, lots: lacks });
  return true;
}

const ZERO = 48;
const MINUS = 45;

/** Of one digit, with or without a sign; NaN for any other cell. */
function smallNumber({ bytes, bounds }: CsvRow, cell: number): number {
  const from = bounds[2 * cell] ?? 0;
  const to = bounds[2 * cell + 1] ?? 0;
  const isNegative = bytes[from] === MINUS;
  const digit = (bytes[to - 1] ?? 0) - ZERO;
  return to - from === (isNegative ? 2 : 1) && digit >= 0 && digit <= 9 ? (isNegative ? -digit : digit) : NaN;
}

/** A number where that is exact and quick, else its text. */
function orderId(row: CsvRow): number | string {
  const { bytes, bounds } = row;
  const from = bounds[2 * ID] ?? 0;
  const to = bounds[2 * ID + 1] ?? 0;
  if (to === from || to - from > EXACT_DIGITS_MAX) return cellText(row, ID);
  let id = 0;
  for (let i = from; i < to; i += 1) {
    const digit = (bytes[i] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return cellText(row, ID);
    id = id * 10 + digit;
  }
  return id;
}
