/** One contract of a run: its place in the table, and its market of the day. */
import type { Contract } from '../../domain/contract.ts';
import type { PriceHundredths } from '../../domain/units.ts';
import type { Exchange } from '../../venue/exchange/exchange.ts';
import type { VenueOrder } from '../../venue/orders/venue-order.ts';
import type { PriceColumns } from './sample-table.ts';

export class RunInstrument {
  readonly contract: Contract;
  /** Money of one contract for one tick of its price. */
  readonly unit: number;
  #first = 0;
  #high = -Infinity;
  #low = Infinity;
  /** Null on a day without data of it. */
  exchange: Exchange<VenueOrder> | null = null;
  #lastBefore = 0;
  #markBefore = 0;
  /** Ticks; 0 until the day is settled, and where it is settled at the last trade. */
  #settlement = 0;

  constructor(contract: Contract) {
    this.contract = contract;
    this.unit = contract.spec.hundredthsPerTick * contract.spec.moneyPerHundredth;
  }

  /** Another day: the last prices stay until it trades; before the first trade of all the mark is the reference. */
  open(exchange: Exchange<VenueOrder> | null, reference?: PriceHundredths): void {
    this.#lastBefore = this.last;
    this.#markBefore = this.mark;
    if (this.#markBefore === 0 && reference !== undefined)
      this.#markBefore = reference / this.contract.spec.hundredthsPerTick;
    this.#settlement = 0;
    this.exchange = exchange;
  }

  /** Price of the last trade of any day; 0 before the first. */
  get last(): number {
    const today = this.exchange?.last ?? 0;
    return today === 0 ? this.#lastBefore : today;
  }

  /** Values positions, ticks: the last trade, after the close the settlement price, which may lie between two ticks. */
  get mark(): number {
    if (this.#settlement !== 0) return this.#settlement;
    const today = this.exchange?.last ?? 0;
    return today === 0 ? this.#markBefore : today;
  }

  /** Money of one contract at its mark. */
  get markValue(): number {
    return Math.round(this.mark * this.unit);
  }

  /** The exchange's range begins anew; its trades so far belong to the next sample. */
  restartRange(): void {
    const exchange = this.exchange;
    if (exchange === null || exchange.high < exchange.low) return;
    if (this.#high < this.#low) this.#first = exchange.first;
    this.#high = Math.max(this.#high, exchange.high);
    this.#low = Math.min(this.#low, exchange.low);
    exchange.restartRange();
  }

  sample(into: PriceColumns): void {
    this.restartRange();
    if (this.#high >= this.#low) into.push(this.last, this.#first, this.#high, this.#low);
    else into.push(this.last, 0, 0, 0);
    this.#high = -Infinity;
    this.#low = Infinity;
  }

  settle(price: PriceHundredths): void {
    this.#settlement = price / this.contract.spec.hundredthsPerTick;
  }

  /** Twice the middle between bid and ask; 0 while one of them is not known. */
  get midTwice(): number {
    if (this.exchange === null) return 0;
    const { bid, ask } = this.exchange;
    return bid === 0 || ask === 0 ? 0 : bid + ask;
  }
}
