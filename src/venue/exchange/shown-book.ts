/** Books over a recording, less what our own orders took: the recorded one, and one that is inferred from trades. */
import type { Side } from '../../domain/order.ts';
import { type BookColumns, type BookLevel, UNLIMITED_QTY } from '../../domain/ticks.ts';
import type { PriceTicks, Qty } from '../../domain/units.ts';

/** Quantity we took at one price, and the quantity shown there when we did. */
interface Taken {
  readonly side: Side;
  readonly price: number;
  readonly shown: number;
  qty: number;
}

const NOTHING = new Int32Array(0);

/** The trades of a recording so far. */
export class Prints {
  /** Price of the last one; 0 before the first. */
  last = 0;
  /** First, highest and lowest since `restartRange`; before one `high` is below `low`. */
  first = 0;
  high = -Infinity;
  low = Infinity;

  restartRange(): void {
    this.high = -Infinity;
    this.low = Infinity;
  }

  protected note(price: number): void {
    this.last = price;
    if (price > this.high) {
      if (this.low === Infinity) this.first = price;
      this.high = price;
    }
    if (price < this.low) this.low = price;
  }
}

/** Best prices and quantities, 0 where none is known, how many rows changed each side, and the side of the trades at them. */
export class Touch {
  bid = 0;
  ask = 0;
  bidQty = 0;
  askQty = 0;
  bidChanges = 0;
  askChanges = 0;
  lastSide: Side = 'buy';

  /** Aggressor of a trade that comes next; `side` is 1 for the buyer, -1 for the seller, 0 where it is guessed. */
  aggressorOf(price: number, side: number): Side {
    if (side !== 0) return side > 0 ? 'buy' : 'sell';
    if (this.ask !== 0 && price >= this.ask) return 'buy';
    if (this.bid !== 0 && price <= this.bid) return 'sell';
    return this.lastSide;
  }
}

/** Receives each level that is taken from. */
export type OnTake = (price: number, qty: number) => void;

/** The book of one contract as a recording shows it, less the quantity our own orders took. */
export interface ShownBook extends Readonly<Touch> {
  /** A trade of the recording; returns its aggressor. */
  trade(price: number, qty: number, side: number): Side;
  /** Quantity that rests at a price in front of an order that joins there. */
  ahead(side: Side, price: number): number;
  /** Takes the shown quantity of the other side inside the limit; returns how much. */
  take(side: Side, limit: number, qty: number, onTake: OnTake): number;
}

/** The book as it was recorded, row by row. Quantity that our orders took stays gone until the recording shows another quantity there. */
export class RecordedBook extends Touch implements ShownBook {
  readonly #columns: BookColumns;
  readonly #bidPrice: Int32Array;
  readonly #bidShown: Int32Array;
  readonly #askPrice: Int32Array;
  readonly #askShown: Int32Array;
  #row = -1;
  #taken: Taken[] = [];

  constructor(columns: BookColumns) {
    super();
    this.#columns = columns;
    this.#bidPrice = columns.bidPrice[0] ?? NOTHING;
    this.#bidShown = columns.bidQty[0] ?? NOTHING;
    this.#askPrice = columns.askPrice[0] ?? NOTHING;
    this.#askShown = columns.askQty[0] ?? NOTHING;
  }

  trade(price: number, _traded: number, side: number): Side {
    const aggressor = this.aggressorOf(price, side);
    this.lastSide = aggressor;
    return aggressor;
  }

  row(row: number): void {
    const bidQty = this.#bidShown[row] ?? 0;
    const bid = bidQty === 0 ? 0 : (this.#bidPrice[row] ?? 0);
    const askQty = this.#askShown[row] ?? 0;
    const ask = askQty === 0 ? 0 : (this.#askPrice[row] ?? 0);
    const before = this.#row;
    this.#row = row;
    const isBidNew = bid !== this.bid || bidQty !== this.bidQty;
    const isAskNew = ask !== this.ask || askQty !== this.askQty;
    this.bid = bid;
    this.bidQty = bidQty;
    this.ask = ask;
    this.askQty = askQty;
    const { bidPrice, bidQty: bidQtys, askPrice, askQty: askQtys } = this.#columns;
    if (isBidNew || this.#isDeepNew(bidPrice, bidQtys, before)) this.bidChanges += 1;
    if (isAskNew || this.#isDeepNew(askPrice, askQtys, before)) this.askChanges += 1;
    if (this.#taken.length > 0)
      this.#taken = this.#taken.filter(({ side, price, shown }) => this.shownAt(side, price) === shown);
  }

  ahead(side: Side, price: number): number {
    const best = side === 'buy' ? this.bid : this.ask;
    if (best === 0 || (side === 'buy' ? price > best : price < best)) return 0;
    return this.shownAt(side, price) ?? this.#deepest(side);
  }

  /** Quantity shown at a price; 0 between two levels, undefined below the last one that was recorded. */
  shownAt(side: Side, price: number): number | undefined {
    const { depth } = this.#columns;
    for (let level = 0; level < depth; level += 1) {
      const shown = this.qtyAt(side, level);
      if (shown === 0) return undefined;
      const at = this.priceAt(side, level);
      if (at === price) return shown;
      if (side === 'buy' ? at < price : at > price) return 0;
    }
    return undefined;
  }

  take(side: Side, limit: number, wanted: number, onTake: OnTake): number {
    const other: Side = side === 'buy' ? 'sell' : 'buy';
    let left = wanted;
    for (let level = 0; level < this.#columns.depth && left > 0; level += 1) {
      const price = this.priceAt(other, level);
      const shown = this.qtyAt(other, level);
      if (shown === 0 || (side === 'buy' ? price > limit : price < limit)) break;
      const taken = Math.min(left, shown - this.#takenAt(other, price));
      if (taken <= 0) continue;
      if (shown !== UNLIMITED_QTY) this.#note(other, price, shown, taken);
      left -= taken;
      onTake(price, taken);
    }
    return wanted - left;
  }

  priceAt(side: Side, level: number): number {
    const { bidPrice, askPrice } = this.#columns;
    return (side === 'buy' ? bidPrice : askPrice)[level]?.[this.#row] ?? 0;
  }

  qtyAt(side: Side, level: number): number {
    const { bidQty, askQty } = this.#columns;
    return (side === 'buy' ? bidQty : askQty)[level]?.[this.#row] ?? 0;
  }

  #deepest(side: Side): number {
    for (let level = this.#columns.depth - 1; level >= 0; level -= 1) {
      const shown = this.qtyAt(side, level);
      if (shown > 0) return shown;
    }
    return 0;
  }

  #takenAt(side: Side, price: number): number {
    return this.#taken.find((each) => each.side === side && each.price === price)?.qty ?? 0;
  }

  #note(side: Side, price: number, shown: number, taken: number): void {
    const known = this.#taken.find((each) => each.side === side && each.price === price);
    if (known === undefined) this.#taken.push({ side, price, shown, qty: taken });
    else known.qty += taken;
  }

  /** A level behind the touch differs from the row before. */
  #isDeepNew(prices: readonly Int32Array[], shown: readonly Int32Array[], before: number): boolean {
    for (let level = 1; level < this.#columns.depth; level += 1)
      if (differs(prices[level], before, this.#row) || differs(shown[level], before, this.#row)) return true;
    return false;
  }
}

const differs = (column: Int32Array | undefined, before: number, row: number): boolean =>
  (column?.[before] ?? 0) !== (column?.[row] ?? 0);

/* oxlint-disable typescript/no-unsafe-type-assertion -- from columns, which were checked when they were written */
const levelOf = (price: number, qty: number): BookLevel => ({
  price: price as PriceTicks,
  qty: qty as Qty,
});
/* oxlint-enable typescript/no-unsafe-type-assertion */

export const crosses = (book: ShownBook, side: Side, limit: number): boolean =>
  side === 'buy' ? book.ask !== 0 && limit >= book.ask : book.bid !== 0 && limit <= book.bid;

/** All that is shown of one side at a row, best first. */
export function depthLevels(book: BookColumns, side: Side, row: number): readonly BookLevel[] {
  const [prices, quantities] = side === 'buy' ? [book.bidPrice, book.bidQty] : [book.askPrice, book.askQty];
  const levels: BookLevel[] = [];
  for (let level = 0; level < book.depth; level += 1) {
    const resting = quantities[level]?.[row] ?? 0;
    if (resting === 0) break;
    levels.push(levelOf(prices[level]?.[row] ?? 0, resting));
  }
  return levels;
}

/** Where only the touch is known. */
export const touchLevels = (price: number, qty: number): readonly BookLevel[] =>
  price === 0 || qty <= 0 ? [] : [levelOf(price, qty)];

/** Before anything is known. */
const FIRST_LEVEL_QTY = 10;
/** Weight of the past in the usual quantity of a level: 7 parts of 8. */
const PAST_PARTS = 7;

/**
 * Best prices inferred from trades, where no book was recorded: an aggressive buyer trades at the ask, a seller at the bid. The
 * quantity there is guessed from the usual volume at a price before it gives way. Its fields are all of its state, and plain data.
 */
export class InferredBook extends Touch implements ShownBook {
  /** Traded since this became the touch. */
  bidPrinted = 0;
  askPrinted = 0;
  /** Quantity that usually prints at a price before it gives way. */
  usualQty = FIRST_LEVEL_QTY;

  trade(price: number, traded: number, side: number): Side {
    const aggressor = this.aggressorOf(price, side);
    this.lastSide = aggressor;
    if (aggressor === 'buy') this.#bought(price, traded);
    else this.#sold(price, traded);
    return aggressor;
  }

  ahead(side: Side, price: number): number {
    const touch = side === 'buy' ? this.bid : this.ask;
    if (touch === 0) return this.usualQty;
    if (touch === price) return side === 'buy' ? this.bidQty : this.askQty;
    return (side === 'buy' ? price > touch : price < touch) ? 0 : this.usualQty;
  }

  /** Of the touch alone: deeper levels are unknown. */
  take(side: Side, limit: number, wanted: number, onTake: OnTake): number {
    const touch = side === 'buy' ? this.ask : this.bid;
    if (touch === 0 || (side === 'buy' ? limit < touch : limit > touch)) return 0;
    const taken = Math.min(wanted, side === 'buy' ? this.askQty : this.bidQty);
    if (taken === 0) return 0;
    if (side === 'buy') this.askQty -= taken;
    else this.bidQty -= taken;
    onTake(touch, taken);
    return taken;
  }

  #bought(price: number, traded: number): void {
    if (this.ask !== price) this.#moveAsk(price);
    this.askPrinted += traded;
    this.askQty -= traded;
    if (this.askQty <= 0) this.askQty = this.usualQty;
    if (this.bid === 0 || this.bid >= price) this.#moveBid(price - 1);
  }

  #sold(price: number, traded: number): void {
    if (this.bid !== price) this.#moveBid(price);
    this.bidPrinted += traded;
    this.bidQty -= traded;
    if (this.bidQty <= 0) this.bidQty = this.usualQty;
    if (this.ask === 0 || this.ask <= price) this.#moveAsk(price + 1);
  }

  #moveAsk(price: number): void {
    this.#learn(this.askPrinted);
    this.ask = price;
    this.askPrinted = 0;
    this.askQty = this.usualQty;
    this.askChanges += 1;
  }

  #moveBid(price: number): void {
    this.#learn(this.bidPrinted);
    this.bid = price;
    this.bidPrinted = 0;
    this.bidQty = this.usualQty;
    this.bidChanges += 1;
  }

  #learn(printed: number): void {
    if (printed === 0) return;
    const usual = Math.round((this.usualQty * PAST_PARTS + printed) / (PAST_PARTS + 1));
    this.usualQty = Math.max(1, usual);
  }
}
