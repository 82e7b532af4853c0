/** One side of a book as prices with quantities, built from changes. */
import { assert } from '../../domain/assert.ts';

export class BookSide {
  /** 1 for bids, -1 for asks: a higher price times this is better. */
  readonly #sign: 1 | -1;
  /** The best price last: most changes are near it. */
  readonly #prices: number[] = [];
  readonly #qtys: number[] = [];

  constructor(side: 'buy' | 'sell') {
    this.#sign = side === 'buy' ? 1 : -1;
  }

  /** Prices with a quantity. */
  get levels(): number {
    return this.#prices.length;
  }

  /** `level` 0 is the best; 0 where there is none. */
  priceAt(level: number): number {
    return this.#prices[this.#prices.length - 1 - level] ?? 0;
  }

  qtyAt(level: number): number {
    return this.#qtys[this.#qtys.length - 1 - level] ?? 0;
  }

  /** Quantity at a price. */
  at(price: number): number {
    const place = this.#placeOf(price);
    return this.#prices[place] === price ? (this.#qtys[place] ?? 0) : 0;
  }

  add(price: number, qty: number): void {
    const left = this.at(price) + qty;
    assert(left >= 0, 'no more leaves a price than stands there');
    this.set(price, left);
  }

  /** Of 0 the price is gone. */
  set(price: number, qty: number): void {
    const place = this.#placeOf(price);
    if (this.#prices[place] === price) {
      if (qty > 0) this.#qtys[place] = qty;
      else this.#remove(place);
    } else if (qty > 0) {
      this.#prices.splice(place, 0, price);
      this.#qtys.splice(place, 0, qty);
    }
  }

  clear(): void {
    this.#prices.length = 0;
    this.#qtys.length = 0;
  }

  #remove(place: number): void {
    this.#prices.splice(place, 1);
    this.#qtys.splice(place, 1);
  }

  /** Of a price that is not there: where it would be put. */
  #placeOf(price: number): number {
    const prices = this.#prices;
    const wanted = price * this.#sign;
    let low = 0;
    let high = prices.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((prices[middle] ?? 0) * this.#sign < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
