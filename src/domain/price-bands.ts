/**
 * Price bands by contract: inside its band a fact that depends on prices alone stays true, so that a price pays one comparison.
 */
export class PriceBands {
  /** By instrument, inclusive. */
  readonly #low: number[] = [];
  readonly #high: number[] = [];

  lowOf(instrument: number): number {
    return this.#low[instrument] ?? -Infinity;
  }

  highOf(instrument: number): number {
    return this.#high[instrument] ?? Infinity;
  }

  has(instrument: number, price: number): boolean {
    return price >= this.lowOf(instrument) && price <= this.highOf(instrument);
  }

  /** Every price of the first `count` contracts. */
  clear(count: number): void {
    for (let at = 0; at < count; at += 1) {
      this.#low[at] = -Infinity;
      this.#high[at] = Infinity;
    }
  }

  /**
   * `room`: money that may be lost on the way from `price`; `tick`: money that one tick of the price costs at most, above zero. The
   * price at which the room is used up is outside; with no room at all, so is every price.
   */
  narrow(instrument: number, price: number, room: number, tick: number): void {
    const ticks = Math.ceil(room / tick) - 1;
    this.#low[instrument] = Math.max(this.lowOf(instrument), price - ticks);
    this.#high[instrument] = Math.min(this.highOf(instrument), price + ticks);
  }

  /** No price at all. */
  shut(instrument: number): void {
    this.#low[instrument] = Infinity;
    this.#high[instrument] = -Infinity;
  }
}
