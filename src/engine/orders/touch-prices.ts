/** The price at which a print touches one of our resting orders, one comparison a print and side. */
import type { InstrumentIndex } from '../../domain/units.ts';
import type { OurOrder } from './our-order.ts';

export class TouchPrices {
  /** Highest resting buy by instrument, -Infinity without one. */
  readonly #buys: number[] = [];
  /** Lowest resting sell by instrument, Infinity without one. */
  readonly #sells: number[] = [];

  isTouched(instrument: InstrumentIndex, price: number): boolean {
    return price <= this.buyOf(instrument) || price >= this.sellOf(instrument);
  }

  buyOf(instrument: InstrumentIndex): number {
    return this.#buys[instrument] ?? -Infinity;
  }

  sellOf(instrument: InstrumentIndex): number {
    return this.#sells[instrument] ?? Infinity;
  }

  refresh(open: readonly OurOrder[]): void {
    for (let at = 0; at < this.#buys.length; at += 1) {
      this.#buys[at] = -Infinity;
      this.#sells[at] = Infinity;
    }
    for (const order of open) {
      this.#grow(order.instrument);
      if (order.isWaiting) this.#addTrigger(order);
      else {
        this.#add(order, order.limitPrice);
        if (order.pendingPrice !== null) this.#add(order, order.pendingPrice);
      }
    }
  }

  /** Where the broker last said that it triggers. */
  #addTrigger({ instrument, triggerPrice, triggerWhen }: OurOrder): void {
    if (triggerPrice === null) return;
    if (triggerWhen !== 'at_or_above')
      this.#buys[instrument] = Math.max(this.#buys[instrument] ?? -Infinity, triggerPrice);
    if (triggerWhen !== 'at_or_below')
      this.#sells[instrument] = Math.min(this.#sells[instrument] ?? Infinity, triggerPrice);
  }

  #add(order: OurOrder, price: number): void {
    const { instrument, side } = order;
    if (side === 'buy') this.#buys[instrument] = Math.max(this.#buys[instrument] ?? -Infinity, price);
    else this.#sells[instrument] = Math.min(this.#sells[instrument] ?? Infinity, price);
  }

  #grow(instrument: InstrumentIndex): void {
    while (this.#buys.length <= instrument) {
      this.#buys.push(-Infinity);
      this.#sells.push(Infinity);
    }
  }
}
