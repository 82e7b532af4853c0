/**
 * Result of a backtest, as plain data: statistics, reports and sweeps read this and nothing else. All money is whole units, `moneyScale` of
 * them in one unit of the currency; all times are market time; all prices are ticks of their contract.
 */
import type { runBacktest } from './run/run-backtest.ts';

export type BacktestResult = Readonly<ReturnType<typeof runBacktest>>;
export type StrategyResult = Readonly<BacktestResult['strategies'][number]>;
export type ResultInstrument = Readonly<BacktestResult['instruments'][number]>;

export type { Drawdowns, Samples } from './run/sample-table.ts';
export type { BacktestDenial, BacktestFill, BacktestTrade, CostsByKind } from './run/strategy-ledger.ts';
