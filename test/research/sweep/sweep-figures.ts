import type { TrialFigures } from '../../../src/research/sweep/judgement.ts';

/** A trial of no account, except for what a test says. */
export const figuresOf = (over: Partial<TrialFigures> = {}): TrialFigures => ({
  netProfit: 0,
  totalReturn: 0,
  sharpe: null,
  sortino: null,
  calmar: null,
  profitFactor: null,
  sqn: null,
  expectancy: null,
  winRate: null,
  drawdownMax: 0,
  drawdownFraction: 0,
  trades: 1,
  orders: 2,
  costs: 0,
  exposure: 0,
  dailyReturns: [],
  stopped: null,
  journalHash: 'e'.repeat(64),
  ...over,
});
