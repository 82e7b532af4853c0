/** The market messages that strategies see. Each message is a literal with every key, every time. */
import type { DurationUs, InstrumentIndex, PriceHundredths, PriceTicks, Qty, Seq, TsUs } from './units.ts';

export interface TradeTick {
  readonly kind: 'trade';
  readonly seq: Seq;
  /** When the frame was received. */
  readonly tsUs: TsUs;
  readonly instrument: InstrumentIndex;
  readonly price: PriceTicks;
  readonly qty: Qty;
  /** Total volume of the session after this trade. */
  readonly totalVolume: number;
}

/** Bar of recorded data, without its single trades. */
export interface RecordedBar {
  /** Length of the data's bars; the session may end sooner. */
  readonly every: DurationUs;
  readonly startUs: TsUs;
  readonly endUs: TsUs;
  readonly open: PriceTicks;
  readonly high: PriceTicks;
  readonly low: PriceTicks;
  /** Whole lots; 0 where the data has none. */
  readonly volume: number;
}

/** Last trade of a recorded bar, with the bar: only backtests on bars have it. */
export interface BarTick extends TradeTick {
  readonly bar: RecordedBar;
}

export const isBarTick = (tick: TradeTick): tick is BarTick => 'bar' in tick;

export interface BookLevel {
  readonly price: PriceTicks;
  readonly qty: Qty;
}

/** Quantity of a recorded quote whose source has no sizes: it has no limit. */
export const UNLIMITED_QTY = 2 ** 31 - 1;

/** Update of half a level: undefined keeps its value (rulings, 21). `level` 0 is the best. */
export interface HalfLevel {
  readonly level: number;
  readonly price: PriceTicks | undefined;
  readonly qty: Qty | undefined;
}

/** The merged book, best level first; a level that is not known is absent (rulings, 21). */
export interface BookTick {
  readonly kind: 'book';
  readonly seq: Seq;
  readonly tsUs: TsUs;
  readonly instrument: InstrumentIndex;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** The best bid is not below the best ask: a torn or merged view, for display and not for trading. */
  readonly crossed: boolean;
}

export interface DaySummary {
  readonly kind: 'summary';
  readonly seq: Seq;
  readonly tsUs: TsUs;
  readonly instrument: InstrumentIndex;
  readonly open: PriceTicks;
  readonly high: PriceTicks;
  readonly low: PriceTicks;
  /** Off the tick grid, hence hundredths, rounded to the nearest by the edge. */
  readonly average: PriceHundredths;
}

/** The chain of `totalVolume` broke: trades were missed (notes, 7). */
export interface FeedGap {
  readonly kind: 'gap';
  readonly seq: Seq;
  readonly tsUs: TsUs;
  readonly instrument: InstrumentIndex;
  readonly expectedTotalVolume: number;
  readonly totalVolume: number;
}

/** Rows of one contract. */
export interface TapeColumns {
  readonly rows: number;
  /** Whole microseconds since 1970, never falling from row to row. */
  readonly tsUs: Float64Array;
  /** Price of the trade in whole ticks; in a row that is no trade the last one (0 before the first). */
  readonly priceTicks: Int32Array;
  /** Whole lots that were traded; 0 in a row that only changes the book. */
  readonly qty: Int32Array;
  /** The side that crossed the spread: 1 the buyer, -1 the seller, 0 neither or not known (auctions). */
  readonly side: Int8Array;
  /** The book after the row; null where the source had none. */
  readonly book: BookColumns | null;
  /** Whole lots of each bar, where rows are the path of bars. */
  readonly bars: { readonly volume: Float64Array } | null;
  /** Rows are quotes, not trades: each counts as one lot at a price between bid and ask, and orders meet its book alone. */
  readonly isQuotes: boolean;
}

/** Best level first: `bidPrice[0][row]`. A level that is not there has quantity 0 and price 0. */
export interface BookColumns {
  readonly depth: number;
  readonly bidPrice: readonly Int32Array[];
  readonly bidQty: readonly Int32Array[];
  readonly askPrice: readonly Int32Array[];
  readonly askQty: readonly Int32Array[];
}
