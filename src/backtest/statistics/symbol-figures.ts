/** Profit of each contract, in its own currency and in that of the account. */
import type { BacktestResult } from '../backtest-result.ts';

export interface SymbolFigures {
  readonly symbol: string;
  readonly currency: string;
  readonly trades: number;
  /** Before costs, in `currency`. */
  readonly ownProfit: number;
  /** Before costs and after, in the currency of the account. */
  readonly grossProfit: number;
  readonly netProfit: number;
}

/** Trades that are still open count as the report shows them. */
export function symbolFigures({
  instruments,
  strategies,
  currency: own,
}: BacktestResult): readonly SymbolFigures[] {
  const trades = strategies.flatMap((strategy) => [...strategy.trades]);
  return instruments.map(({ symbol, spec: { currency = own } }, place) => {
    let [count, ownProfit, grossProfit, netProfit] = [0, 0, 0, 0];
    for (const trade of trades) {
      if (trade.instrument !== place) continue;
      count += 1;
      ownProfit += trade.ownProfit;
      grossProfit += trade.grossProfit;
      netProfit += trade.netProfit;
    }
    return { symbol, currency, trades: count, ownProfit, grossProfit, netProfit };
  });
}
