/**
 * What waits for trades of one contract. Most trades interest nobody: the watch keeps the prices between which nothing can
 * happen, so that a trade costs two comparisons.
 */
import type { OrderCode } from '../../domain/ids.ts';

/** Told of a trade at which something that waits may have to move or be sent. */
export type OnTouch = (orderCode: OrderCode, price: number) => void;

export class TriggerWatch {
  readonly orderCode: OrderCode;
  readonly #onTouch: OnTouch;
  #riseTo = Number.POSITIVE_INFINITY;
  #fallTo = Number.NEGATIVE_INFINITY;
  #hasTraded = false;

  constructor(orderCode: OrderCode, onTouch: OnTouch) {
    this.orderCode = orderCode;
    this.#onTouch = onTouch;
  }

  note(price: number): void {
    this.#hasTraded = true;
    if (price >= this.#riseTo || price <= this.#fallTo) this.#onTouch(this.orderCode, price);
  }

  /** Nothing waits until the next `heed`. */
  forget(): void {
    this.#riseTo = Number.POSITIVE_INFINITY;
    this.#fallTo = Number.NEGATIVE_INFINITY;
  }

  heed(rise: number, fall: number): void {
    if (rise < this.#riseTo) this.#riseTo = rise;
    if (fall > this.#fallTo) this.#fallTo = fall;
  }

  /** Whether anything traded since this was last asked. */
  takeTraded(): boolean {
    const traded = this.#hasTraded;
    this.#hasTraded = false;
    return traded;
  }
}
