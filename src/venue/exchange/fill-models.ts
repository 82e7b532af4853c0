/** Fill models by name, and the clauses of fills. The README of this folder states their assumptions. */

import type { Side } from '../../domain/order.ts';

/** Orders ahead of a resting one. `queue`: those at its price when it joined. `touch`: none. `through`: all, until a trade goes beyond. */
export type QueueModel = 'queue' | 'touch' | 'through';

/** Where quantity that left a level without a trade was: `behind` us, `ahead` of us, or `proportional`: on both sides by what rests. */
export type CancelModel = 'behind' | 'proportional' | 'ahead';

export interface TickFillModel {
  readonly on: 'ticks';
  readonly queue: QueueModel;
  readonly cancels: CancelModel;
  readonly slippageTicks: number;
  readonly slippagePpm?: number;
}

/** An order that takes is filled worse than the shown price, never beyond its limit: by ticks and by parts of 10^6 of the price. */
export type Slippage = Pick<TickFillModel, 'slippageTicks' | 'slippagePpm'>;

export const MILLION = 1_000_000;
export const PPM_PER_PERCENT = MILLION / 100;

/** `impact` is a further part of the price; the sum of both parts is rounded to a whole tick, half a tick against the order. */
export function slippedPrice(
  { slippageTicks, slippagePpm = 0 }: Slippage,
  { side, price: limit }: { readonly side: Side; readonly price: number },
  price: number,
  impact = 0,
): number {
  const worse = slippageTicks + Math.round(price * (slippagePpm / MILLION + impact));
  return side === 'buy' ? Math.min(limit, price + worse) : Math.max(limit, price - worse);
}

/**
 * How orders meet a bar. `next_open`: an order is matched from the next bar on; a market order gets its open. `close`: as `next_open`, but
 * a market order gets the close of the bar it was decided on. `ohlc`: prices run from the open over both extremes to the close; orders that
 * came before the first extreme, and those of fills or triggers in the same bar, are matched on the way.
 */
type BarModel = 'next_open' | 'close' | 'ohlc';

/** The extreme that comes first: the nearer one to the open, always the high, always the low, or the one that is worse for the position. */
export type BarPath = 'nearest' | 'high_first' | 'low_first' | 'worst_first';

/** A trailing stop that fires inside a bar fills at its trigger or the open beyond, at the close if worse, or at the next open. */
type TrailingStopRule = 'stop' | 'worse_of_stop_and_close' | 'next_open';

/** Orders that slip: all that take, or only the part of them that opens or enlarges the position. */
type SlippageOn = 'takers' | 'entries';

/** The worst price of an order that slips: its limit, or the extreme of the bar as well. */
type SlippageUpTo = 'limit' | 'bar';

/** When the exits of a bracket are first matched: on the way through the bar that fills it, or in the bar after. */
type ExitsFrom = 'fill' | 'next_bar';

export interface BarFillModel {
  readonly on: 'bars';
  readonly bar: BarModel;
  readonly path: BarPath;
  readonly slippageTicks: number;
  readonly slippagePpm?: number;
  /** `takers` when absent. */
  readonly slippageOn?: SlippageOn;
  /** `limit` when absent. */
  readonly slippageUpTo?: SlippageUpTo;
  /** Part of the price, of 10^6, by which an order as large as a bar's volume moves it; a smaller one by the square of its share. */
  readonly impactPpm?: number;
  readonly trailingStop: TrailingStopRule;
  /** `fill` when absent. */
  readonly exitsFrom?: ExitsFrom;
  /** Parts of 10,000 of a bar's volume that our orders may be filled from; 0 is no limit. */
  readonly volumeBps: number;
}

export type FillModel = TickFillModel | BarFillModel;

/** `taker` met the resting book, `maker` waited, `auction` shared in an uncross. */
export type Liquidity = 'taker' | 'maker' | 'auction';

/** Each fill names the clause of the model that filled it. */
const CLAUSES = {
  shown: ['taker', 'met what the book showed when it arrived'],
  shown_later: ['taker', 'still wanted to take, and the book showed more'],
  same_side_trade: ['taker', 'still wanted to take, and others took at this price: within what they took'],
  queue_reached: ['maker', 'waited, and what was traded at its price reached its place in the queue'],
  traded_through: ['maker', 'waited, and the market traded beyond its price: filled at its own'],
  quote_reached: ['maker', 'waited, and the quote of the other side reached its price: filled at its own'],
  uncross: ['auction', 'was carried into the auction with a better limit than the price of its uncross'],
  bar_open: ['taker', 'was there before the bar, and got its open'],
  bar_close: ['taker', 'was decided on the bar, or came during it, and got its close'],
  bar_gap: ['taker', 'was there before the bar, which opened beyond its price: filled at the open'],
  bar_path: ['maker', 'the path through the bar reached its price: filled at its own'],
  bar_now: ['taker', 'came at the beginning of the bar, and got its open'],
  bar_stop: [
    'taker',
    'the path through the bar reached its trigger: filled there, or at the close where a trailing stop gets the worse of both',
  ],
  settlement: ['taker', 'the contract was paid out at its last price'],
} as const satisfies Readonly<Record<string, readonly [Liquidity, words: string]>>;

export type FillClause = keyof typeof CLAUSES;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a literal
export const FILL_CLAUSES = Object.keys(CLAUSES) as readonly FillClause[];

export const liquidityOf = (clause: FillClause): Liquidity => CLAUSES[clause][0];

export const clauseText = (clause: FillClause): string => CLAUSES[clause][1];
