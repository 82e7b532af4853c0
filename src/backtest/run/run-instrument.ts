/** One contract of a run: its place in the table, and its market of the day. */
import type { Contract } from '../../domain/contract.ts';
import type { Exchange } from '../../venue/exchange/exchange.ts';
import type { VenueOrder } from '../../venue/orders/venue-order.ts';
import { Series } from './series.ts';

export class RunInstrument {
  readonly contract: Contract;
  /** Money of one contract for one tick of its price. */
  readonly unit: number;
  /** Last traded price at each sample. */
  readonly prices = new Series();
  #exchange: Exchange<VenueOrder> | null = null;
  #lastBefore = 0;

  constructor(contract: Contract) {
    this.contract = contract;
    this.unit = contract.spec.hundredthsPerTick * contract.spec.moneyPerHundredth;
  }

  /** Null on a day without data of it. */
  get exchange(): Exchange<VenueOrder> | null {
    return this.#exchange;
  }

  /** Another day: the price of the last trade stays. */
  open(exchange: Exchange<VenueOrder> | null): void {
    this.#lastBefore = this.last;
    this.#exchange = exchange;
  }

  /** Price of the last trade of any day; 0 before the first. */
  get last(): number {
    const today = this.#exchange?.last ?? 0;
    return today === 0 ? this.#lastBefore : today;
  }

  /** Twice the middle between bid and ask; 0 while one of them is not known. */
  get midTwice(): number {
    if (this.#exchange === null) return 0;
    const { bid, ask } = this.#exchange;
    return bid === 0 || ask === 0 ? 0 : bid + ask;
  }
}
