/**
 * Imports message files of LOBSTER (lobsterdata.com, "message_N.csv"): time in seconds after midnight, type, order id, size, price in
 * ten-thousandths, direction. Each message is a row with the book after it, and the order that it is about.
 */
import { basename } from 'node:path';
import { dayNumber } from '../../domain/civil-date.ts';
import { US_PER_DAY, US_PER_MINUTE } from '../../domain/units.ts';
import { DecimalReader, decimalText } from '../../text/decimals.ts';
import { BookSide } from '../collect/book-side.ts';
import { type DayTicks, type StoredDay, storeDay } from '../collect/day-ticks.ts';
import { cellText, type CsvRow } from './csv-rows.ts';
import { DayRowReader } from './day-row-reader.ts';
import {
  ImportError,
  type ImportOptions,
  type ImportReport,
  importTable,
  type ImportWatch,
  INT32_MAX,
  type RowSource,
} from './import-table.ts';

export function importLobster(
  file: string,
  options: ImportOptions,
  watch: ImportWatch,
): Promise<ImportReport<StoredDay>> {
  const table = { ...options, hasHeader: false, delimiter: ',', columns: { time: '1' } };
  return importTable<DayTicks, StoredDay>(file, table, watch, {
    needs: ['time'],
    reader: (source) => new MessageReader(source, file),
    check: () => undefined,
    store: (ticks, badRows) => storeDay(ticks, options, { source: basename(file), badRows, sides: 'source' }),
  });
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

interface KnownOrder {
  readonly number: number;
  readonly price: number;
  /** 1 for a buy, -1 for a sell. */
  readonly side: number;
  left: number;
}

class MessageReader extends DayRowReader {
  readonly #midnightUs: number;
  readonly #zone: RowSource<DayTicks>['stamps']['zone'];
  readonly #times = new DecimalReader(ONE_US, true);
  readonly #prices: DecimalReader;
  readonly #orders = new Map<number | string, KnownOrder>();
  readonly #bids = new BookSide('buy');
  readonly #asks = new BookSide('sell');
  /** Orders so far. */
  #count = 0;
  #last = 0;
  #atUs = -Infinity;

  constructor(source: RowSource<DayTicks>, file: string) {
    super(source, { depth: source.options.levels, isByOrder: true });
    const { day, zone } = source.stamps;
    if (day === null)
      throw new ImportError(`${file}: expected a day in its name; say which one it is with --day`);
    this.#midnightUs = dayNumber(day) * US_PER_DAY;
    this.#zone = zone;
    const { tickSize, isRounding } = source.options;
    this.#prices = new DecimalReader(
      decimalText(Number((Number(tickSize) * PRICE_SCALE).toFixed(5))),
      isRounding,
    );
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
    const ticks = this.ticksAt(this.source.symbol, at);
    switch (type) {
      case ADD:
        return this.#add(row, ticks, { at, price, size, side: direction });
      case REDUCE:
      case DELETE:
      case EXECUTE:
        return this.#reduce(row, ticks, { at, price, size, side: direction }, type);
      case EXECUTE_HIDDEN:
      case CROSS:
        this.#last = price;
        // Nobody sees the order: the aggressor of a cross has no meaning.
        this.#push(ticks, { at, price, size, side: type === CROSS ? 0 : -direction });
        return true;
      default:
        return this.#refused(row, 'a type from 1 to 7', TYPE);
    }
  }

  #add(row: CsvRow, ticks: DayTicks, message: Message): boolean {
    const { at, price, size, side } = message;
    const id = orderId(row);
    if (this.#orders.has(id)) return this.#refused(row, 'the id of a new order', ID);
    const [opposite, own] = side > 0 ? [this.#asks, this.#bids] : [this.#bids, this.#asks];
    if (opposite.levels > 0 && (price - opposite.priceAt(0)) * side >= 0)
      return this.#refused(row, 'a price that leaves the book uncrossed', PRICE);
    if (own.at(price) + size > INT32_MAX)
      return this.#refused(row, `at most ${INT32_MAX} lots at a price`, SIZE);
    this.#count += 1;
    this.#orders.set(id, { number: this.#count, price, side, left: size });
    own.add(price, size);
    this.#push(ticks, { at, price: this.#last, size: 0, side: 0 });
    ticks.setOrder(this.#count, price, size, side);
    return true;
  }

  #reduce(row: CsvRow, ticks: DayTicks, { at, price, size, side }: Message, type: number): boolean {
    const id = orderId(row);
    const order = this.#orders.get(id);
    if (order === undefined) return this.#refused(row, 'the id of an order in the book', ID);
    if (order.side !== side) return this.#refused(row, `the direction ${order.side} of its order`, DIRECTION);
    if (order.price !== price) return this.#refused(row, 'the price of its order', PRICE);
    const isWhole = type === DELETE ? size === order.left : size <= order.left;
    if (!isWhole)
      return this.#refused(
        row,
        `a size of ${type === DELETE ? '' : 'at most '}${order.left}, as its order has`,
        SIZE,
      );
    order.left -= size;
    if (order.left === 0) this.#orders.delete(id);
    (side > 0 ? this.#bids : this.#asks).add(price, -size);
    const isTrade = type === EXECUTE;
    if (isTrade) this.#last = price;
    this.#push(ticks, { at, price: this.#last, size: isTrade ? size : 0, side: isTrade ? -side : 0 });
    ticks.setOrder(order.number, price, isTrade ? 0 : -size, side);
    return true;
  }

  #push(ticks: DayTicks, { at, price, size, side }: Message): void {
    ticks.push(at, price, size, side);
    ticks.setLevels(this.#bids, this.#asks);
  }

  #refused(row: CsvRow, expected: string, cell: number): false {
    this.refuse(row, expected, cell);
    return false;
  }
}

interface Message {
  readonly at: number;
  readonly price: number;
  readonly size: number;
  readonly side: number;
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
