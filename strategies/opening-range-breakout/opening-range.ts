import type { PriceTicks } from '../../src/domain/units.ts';

/** High and low of the first trades of a session. */
export class OpeningRange {
  #high: PriceTicks | null = null;
  #low: PriceTicks | null = null;

  add(price: PriceTicks): void {
    if (this.#high === null || price > this.#high) this.#high = price;
    if (this.#low === null || price < this.#low) this.#low = price;
  }

  /** The bounds, or null when nothing was traded. */
  get bounds(): { readonly high: PriceTicks; readonly low: PriceTicks } | null {
    return this.#high === null || this.#low === null ? null : { high: this.#high, low: this.#low };
  }
}
