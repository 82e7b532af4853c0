/** Trades of one contract today: the figures of the board, and the base of the settlement price. */
import { assert } from '../../domain/assert.ts';
import {
  type PriceHundredths,
  priceHundredths,
  type PriceTicks,
  priceTicks,
  type TsUs,
  US_PER_MINUTE,
} from '../../domain/units.ts';

import type { MinuteState, TailTrade, TallyState } from '../venue-state.ts';

export type TradeSource = 'opening' | 'continuous' | 'closing';

/** Window of the settlement price, minutes (market rules, section 5). */
const WINDOW_MINUTES = 30;
/** Trades the trimmed average looks at. */
export const TAIL_TRADES = 20;

type MinuteBucket = { -readonly [K in keyof MinuteState]: MinuteState[K] };

export class DayTally {
  #open: number | null = null;
  #high = 0;
  #low = 0;
  #last: number | null = null;
  #lastQty = 0;
  #volume = 0;
  #tickQty = 0;
  #closingPrice: number | null = null;
  readonly #minutes: MinuteBucket[] = [];
  readonly #tail: TailTrade[] = [];

  record(price: PriceTicks, quantity: number, tsUs: TsUs, source: TradeSource): void {
    assert(quantity > 0, 'a trade has a quantity');
    if (this.#open === null || price > this.#high) this.#high = price;
    if (this.#open === null || price < this.#low) this.#low = price;
    this.#open ??= price;
    this.#last = price;
    this.#lastQty = quantity;
    this.#volume += quantity;
    this.#tickQty += price * quantity;
    switch (source) {
      case 'opening':
        return;
      case 'closing':
        this.#closingPrice = price;
        return;
      case 'continuous':
        this.#remember(price, quantity, tsUs);
    }
  }

  /** Continues a day that began before a restart. */
  resume(state: TallyState): void {
    assert(this.#open === null, 'a day is resumed before its first trade');
    this.#open = state.open;
    this.#high = state.high ?? 0;
    this.#low = state.low ?? 0;
    this.#last = state.lastPrice;
    this.#lastQty = state.lastQty;
    this.#volume = state.totalVolume;
    this.#tickQty = state.totalTickQty;
    this.#closingPrice = state.closePrice;
    for (const bucket of state.minutes) this.#minutes.push({ ...bucket });
    this.#tail.push(...state.tail);
  }

  exportState(): TallyState {
    return {
      open: this.#open,
      high: this.high,
      low: this.low,
      lastPrice: this.#last,
      lastQty: this.#lastQty,
      totalVolume: this.#volume,
      totalTickQty: this.#tickQty,
      closePrice: this.#closingPrice,
      minutes: this.#minutes.map((bucket) => ({ ...bucket })),
      tail: this.#tail.slice(),
    };
  }

  get open(): PriceTicks | null {
    return ticksOrNull(this.#open);
  }
  get high(): PriceTicks | null {
    return this.#open === null ? null : priceTicks(this.#high);
  }
  get low(): PriceTicks | null {
    return this.#open === null ? null : priceTicks(this.#low);
  }
  get last(): PriceTicks | null {
    return ticksOrNull(this.#last);
  }
  get lastQty(): number {
    return this.#lastQty;
  }
  get volume(): number {
    return this.#volume;
  }
  /** Sum of price in ticks times quantity. */
  get tickQty(): number {
    return this.#tickQty;
  }
  get closingPrice(): number | null {
    return this.#closingPrice;
  }
  /** The last trades of continuous trading, oldest first, at most `TAIL_TRADES`. */
  get tail(): readonly TailTrade[] {
    return this.#tail;
  }

  /** Average of the day, to the nearest hundredth; null before the first trade. */
  average(hundredthsPerTick: number): PriceHundredths | null {
    return this.#volume === 0 ? null : averageOf(this.#tickQty, this.#volume, hundredthsPerTick);
  }

  /** Trades of the `WINDOW_MINUTES` minutes before `endUs`, a whole minute. */
  window(endUs: TsUs): { trades: number; qty: number; tickQty: number } {
    const endMinute = Math.floor(endUs / US_PER_MINUTE);
    const sum = { trades: 0, qty: 0, tickQty: 0 };
    for (const bucket of this.#minutes) {
      if (bucket.minute < endMinute - WINDOW_MINUTES || bucket.minute >= endMinute) continue;
      sum.trades += bucket.trades;
      sum.qty += bucket.qty;
      sum.tickQty += bucket.tickQty;
    }
    return sum;
  }

  #remember(price: number, quantity: number, tsUs: TsUs): void {
    this.#tail.push({ price, qty: quantity });
    if (this.#tail.length > TAIL_TRADES) this.#tail.shift();
    const minute = Math.floor(tsUs / US_PER_MINUTE);
    let bucket = this.#minutes.at(-1);
    if (bucket === undefined || bucket.minute !== minute) {
      bucket = { minute, trades: 0, qty: 0, tickQty: 0 };
      this.#minutes.push(bucket);
      if (this.#minutes.length > WINDOW_MINUTES + 1) this.#minutes.shift();
    }
    bucket.trades += 1;
    bucket.qty += quantity;
    bucket.tickQty += price * quantity;
  }
}

export function averageOf(tickQty: number, quantity: number, hundredthsPerTick: number): PriceHundredths {
  return priceHundredths(Math.round((tickQty * hundredthsPerTick) / quantity));
}

const ticksOrNull = (value: number | null): PriceTicks | null => (value === null ? null : priceTicks(value));
