/** The models by which a run decides what would have been filled: names and settings. Their assumptions are in the README. */
/**
 * Who was ahead of a resting order. `queue`: what stood at its price when it joined. `touch`: nobody, a trade at its price
 * fills it. `through`: everybody, only a trade beyond its price fills it.
 */
export type QueueModel = 'queue' | 'touch' | 'through';

/**
 * Where the quantity stood that left a level without being traded. `behind`: all of it behind us. `ahead`: all of it in front.
 * `proportional`: on both sides, as much as stands there.
 */
export type CancelModel = 'behind' | 'proportional' | 'ahead';

export interface TickFillModel {
  readonly on: 'ticks';
  readonly queue: QueueModel;
  readonly cancels: CancelModel;
  /** Ticks by which an order that takes is filled worse than what was shown, never beyond its limit. */
  readonly slippageTicks: number;
}

/**
 * What a bar is taken for. `next_open`: an order is looked at from the next bar on; a market order gets its open. `close`: as
 * `next_open`, but a market order gets the close of the bar it was decided on. `ohlc`: prices run from the open over both
 * extremes to the close, and orders are looked at on the way, also those that an earlier stretch of the same bar brought about.
 */
export type BarModel = 'next_open' | 'close' | 'ohlc';

/** The extreme that comes first: the nearer one to the open, always the high, always the low, or the one that is worse for what is held. */
export type BarPath = 'nearest' | 'high_first' | 'low_first' | 'worst_first';

export interface BarFillModel {
  readonly on: 'bars';
  readonly bar: BarModel;
  readonly path: BarPath;
  readonly slippageTicks: number;
  /** Parts of 10,000 of a bar's volume that our orders may be filled from; 0 is no limit. */
  readonly volumeBps: number;
}

export type FillModel = TickFillModel | BarFillModel;
