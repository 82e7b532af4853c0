/**
 * Why an order was filled as it was: each fill names the clause of the model that says so. Where paper and backtest differ, the
 * clause is what one compares; the README of this folder has them in full.
 */

/** `taker` met what stood there, `maker` was met while it waited, `auction` shared in an uncross. */
export type Liquidity = 'taker' | 'maker' | 'auction';

export const FILL_CLAUSES = [
  'shown',
  'shown_later',
  'beside_taker',
  'queue_reached',
  'traded_through',
  'uncross',
  'bar_open',
  'bar_close',
  'bar_gap',
  'bar_path',
  'bar_now',
  'bar_stop',
  'settlement',
] as const;

export type FillClause = (typeof FILL_CLAUSES)[number];

const LIQUIDITIES: Readonly<Record<FillClause, Liquidity>> = {
  shown: 'taker',
  shown_later: 'taker',
  beside_taker: 'taker',
  queue_reached: 'maker',
  traded_through: 'maker',
  uncross: 'auction',
  bar_open: 'taker',
  bar_close: 'taker',
  bar_gap: 'taker',
  bar_path: 'maker',
  bar_now: 'taker',
  bar_stop: 'taker',
  settlement: 'taker',
};

export const liquidityOf = (clause: FillClause): Liquidity => LIQUIDITIES[clause];

const WORDS: Readonly<Record<FillClause, string>> = {
  shown: 'met what the book showed when it arrived',
  shown_later: 'still wanted to take, and the book showed more',
  beside_taker: 'still wanted to take, and others took at this price: within what they took',
  queue_reached: 'waited, and what was traded at its price reached its place in the queue',
  traded_through: 'waited, and the market traded beyond its price: filled at its own',
  uncross: 'was carried into the auction with a better limit than the price of its uncross',
  bar_open: 'was there before the bar, and got its open',
  bar_close: 'was decided on the bar, and got its close',
  bar_gap: 'was there before the bar, which opened beyond its price: filled at the open',
  bar_path: 'the path through the bar reached its price: filled at its own',
  bar_now: 'came on the way through the bar, and got the price that the path had come to',
  bar_stop: 'the path through the bar reached its trigger: filled there',
  settlement: 'the contract was paid out at its last price',
};

export const clauseText = (clause: FillClause): string => WORDS[clause];
