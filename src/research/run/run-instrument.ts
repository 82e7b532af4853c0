/** One contract of a run: its place in the table, and its market of the day. */
import { type Contract, ratesOf } from '../../domain/contract.ts';
import type { CostSchedule } from '../../domain/costs.ts';
import { type PriceHundredths, priceHundredths } from '../../domain/units.ts';
import type { Mark } from '../../venue/account/account-figures.ts';
import type { Exchange } from '../../venue/exchange/exchange.ts';
import type { VenueOrder } from '../../venue/orders/venue-order.ts';
import type { Listing } from '../../venue/venue-event.ts';
import type { PriceColumns } from './sample-table.ts';

export class RunInstrument implements Mark {
  readonly contract: Contract;
  readonly costs: CostSchedule;
  /** Money of one contract for one tick of its price. */
  readonly unit: number;
  readonly prices: PriceColumns;
  #first = 0;
  #high = -Infinity;
  #low = Infinity;
  /** Null on a day without data of it. */
  exchange: Exchange<VenueOrder> | null = null;
  /** As the venue lists it; null on a day without data of it. */
  listing: Listing | null = null;
  #lastBefore = 0;
  #markBefore = 0;
  /** Ticks; 0 until the day is settled, and where it is settled at the last trade. */
  #settlement = 0;

  /** `market`: rates of a contract that has none of its own. */
  constructor(contract: Contract, market: CostSchedule, prices: PriceColumns) {
    this.contract = contract;
    this.prices = prices;
    this.costs = ratesOf(contract.spec, market);
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

  get price(): PriceHundredths {
    return priceHundredths(Math.round(this.mark * this.contract.spec.hundredthsPerTick));
  }

  /** At the mark; 0 before there is one. */
  get unitValue(): number {
    return Math.round(this.mark * this.unit);
  }

  /** The exchange's range restarts; its trades so far belong to the next sample. */
  restartRange(): void {
    const exchange = this.exchange;
    if (exchange === null || exchange.high < exchange.low) return;
    if (this.#high < this.#low) this.#first = exchange.first;
    this.#high = Math.max(this.#high, exchange.high);
    this.#low = Math.min(this.#low, exchange.low);
    exchange.restartRange();
  }

  sample(): void {
    this.restartRange();
    if (this.#high >= this.#low) this.prices.push(this.last, this.#first, this.#high, this.#low);
    else this.prices.push(this.last, 0, 0, 0);
    this.#high = -Infinity;
    this.#low = Infinity;
  }

  settle(price: PriceHundredths): void {
    this.#settlement = price / this.contract.spec.hundredthsPerTick;
  }

  /** Twice the middle between bid and ask; 0 while one of them is not known. */
  get midTwice(): number {
    if (this.exchange === null) return 0;
    const { bid, ask } = this.exchange.book;
    return bid === 0 || ask === 0 ? 0 : bid + ask;
  }
}
