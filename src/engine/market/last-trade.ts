/**
 * The last trade of one contract, kept as numbers: to keep each message as it came, the only object of all that outlives its
 * event, costs more than to copy it.
 */
import type { TradeTick } from '../../domain/ticks.ts';
import type { InstrumentIndex, PriceTicks } from '../../domain/units.ts';

export class LastTrade {
  #isKnown = false;
  #seq = 0;
  #tsUs = 0;
  #price = 0;
  #qty = 0;
  #totalVolume = 0;

  take({ seq, tsUs, price, qty, totalVolume }: TradeTick): void {
    this.#isKnown = true;
    this.#seq = seq;
    this.#tsUs = tsUs;
    this.#price = price;
    this.#qty = qty;
    this.#totalVolume = totalVolume;
  }

  /* oxlint-disable typescript/no-unsafe-type-assertion -- what was taken had its brands */
  get price(): PriceTicks | null {
    return this.#isKnown ? (this.#price as PriceTicks) : null;
  }

  tick(instrument: InstrumentIndex): TradeTick | undefined {
    if (!this.#isKnown) return undefined;
    return {
      kind: 'trade',
      seq: this.#seq as TradeTick['seq'],
      tsUs: this.#tsUs as TradeTick['tsUs'],
      instrument,
      price: this.#price as PriceTicks,
      qty: this.#qty as TradeTick['qty'],
      totalVolume: this.#totalVolume,
    };
  }
}
