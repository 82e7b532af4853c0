/** Trades of one contract today: the figures of the board, and the base of the settlement price. */
import { assert } from '../../domain/assert.ts';
import {
  type PriceHundredths,
  priceHundredths,
  type PriceTicks,
  type TsUs,
  US_PER_MINUTE,
} from '../../domain/units.ts';

export type TradePhase = 'opening' | 'continuous' | 'closing';

/** Window of the settlement price, minutes (market rules, 5). */
const WINDOW_MINUTES = 30;
export const TAIL_TRADES = 20;

interface MinuteBucket {
  readonly minute: number;
  trades: number;
  qty: number;
  tickQty: number;
}

/** Plain data: the fields of a tally. */
export type TallyState = Omit<DayTally, 'record' | 'resume' | 'exportState' | 'average' | 'window'>;

export class DayTally {
  /** Null before the first trade. */
  open: PriceTicks | null = null;
  high: PriceTicks | null = null;
  low: PriceTicks | null = null;
  last: PriceTicks | null = null;
  lastQty = 0;
  volume = 0;
  /** Sum of price in ticks times quantity. */
  tickQty = 0;
  /** Price of the closing auction, when there was one today. */
  closingPrice: PriceTicks | null = null;
  /** The last half hour of continuous trading. */
  readonly minutes: MinuteBucket[] = [];
  /** The last trades of continuous trading, oldest first, at most `TAIL_TRADES`. */
  readonly tail: { readonly price: number; readonly qty: number }[] = [];

  record(price: PriceTicks, quantity: number, tsUs: TsUs, source: TradePhase): void {
    assert(quantity > 0, 'a trade has a quantity');
    if (this.high === null || price > this.high) this.high = price;
    if (this.low === null || price < this.low) this.low = price;
    this.open ??= price;
    this.last = price;
    this.lastQty = quantity;
    this.volume += quantity;
    this.tickQty += price * quantity;
    if (source === 'closing') this.closingPrice = price;
    else if (source === 'continuous') this.#remember(price, quantity, tsUs);
  }

  /** Continues a day that began before a restart. */
  resume(state: TallyState): void {
    assert(this.open === null, 'a day is resumed before its first trade');
    Object.assign(this, copyOf(state));
  }

  exportState(): TallyState {
    return copyOf(this);
  }

  /** Average of the day, to the nearest hundredth; null before the first trade. */
  average(hundredthsPerTick: number): PriceHundredths | null {
    return this.volume === 0 ? null : averageOf(this.tickQty, this.volume, hundredthsPerTick);
  }

  /** Trades of the `WINDOW_MINUTES` minutes before `endUs`, a whole minute. */
  window(endUs: TsUs): { trades: number; qty: number; tickQty: number } {
    const endMinute = Math.floor(endUs / US_PER_MINUTE);
    const sum = { trades: 0, qty: 0, tickQty: 0 };
    for (const bucket of this.minutes) {
      if (bucket.minute < endMinute - WINDOW_MINUTES || bucket.minute >= endMinute) continue;
      sum.trades += bucket.trades;
      sum.qty += bucket.qty;
      sum.tickQty += bucket.tickQty;
    }
    return sum;
  }

  #remember(price: number, quantity: number, tsUs: TsUs): void {
    this.tail.push({ price, qty: quantity });
    if (this.tail.length > TAIL_TRADES) this.tail.shift();
    const minute = Math.floor(tsUs / US_PER_MINUTE);
    let bucket = this.minutes.at(-1);
    if (bucket?.minute !== minute) {
      bucket = { minute, trades: 0, qty: 0, tickQty: 0 };
      this.minutes.push(bucket);
      if (this.minutes.length > WINDOW_MINUTES + 1) this.minutes.shift();
    }
    bucket.trades += 1;
    bucket.qty += quantity;
    bucket.tickQty += price * quantity;
  }
}

const copyOf = (state: TallyState): TallyState => ({
  ...state,
  minutes: state.minutes.map((bucket) => ({ ...bucket })),
  tail: [...state.tail],
});

export function averageOf(tickQty: number, quantity: number, hundredthsPerTick: number): PriceHundredths {
  return priceHundredths(Math.round((tickQty * hundredthsPerTick) / quantity));
}
