/** Trades as parts of what they cost to enter: their returns, and the time they took. */
import type { BacktestFill, BacktestResult, BacktestTrade } from '../backtest-result.ts';
import { mean } from './moments.ts';
import { quotient } from './return-ratios.ts';

export interface TradeReturns {
  /** Net profit / value of the entries. */
  readonly best: number | undefined;
  readonly worst: number | undefined;
  readonly average: number | undefined;
  /** (1 + r1)(1 + r2)..., the root of it - 1; undefined where a trade lost all. */
  readonly geometric: number | undefined;
  /** Sum of the returns above zero / sum of those below. */
  readonly profitFactor: number | undefined;
  /** Microseconds from the first fill to the last. */
  readonly longestUs: number | undefined;
  readonly averageUs: number | undefined;
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

export function tradeReturns(trades: readonly BacktestTrade[]): TradeReturns {
  const returns = trades.map(({ netProfit, entryValue }) => netProfit / entryValue);
  const spans = trades.map(({ entryUs, exitUs }) => exitUs - entryUs);
  const isTraded = trades.length > 0;
  return {
    best: isTraded ? returns.reduce((best, value) => Math.max(best, value), -Infinity) : undefined,
    worst: isTraded ? returns.reduce((worst, value) => Math.min(worst, value), Infinity) : undefined,
    average: mean(returns),
    geometric: geometricMean(returns),
    profitFactor: quotient(
      sumOf(returns.filter((value) => value > 0)),
      -sumOf(returns.filter((value) => value < 0)),
    ),
    longestUs: isTraded ? spans.reduce((longest, span) => Math.max(longest, span), 0) : undefined,
    averageUs: mean(spans),
  };
}

/** exp(mean(log(1 + r))) - 1. */
export function geometricMean(returns: readonly number[]): number | undefined {
  const logs = returns.map((value) => Math.log1p(value));
  const average = mean(logs);
  return average === undefined || !Number.isFinite(average) ? undefined : Math.expm1(average);
}

/** Part of the days that began with a position or had a fill. */
export function heldDays({ strategies, dayEndUs, warmUpDays }: BacktestResult): number | undefined {
  const ends = dayEndUs.subarray(warmUpDays);
  const isHeld = new Uint8Array(ends.length);
  for (const { fills } of strategies) {
    const rows = [...fills];
    const positions = new Map<number, number>();
    let next = 0;
    ends.forEach((endUs, day) => {
      if ([...positions.values()].some((position) => position !== 0)) isHeld[day] = 1;
      for (let fill = rows[next]; fill !== undefined && isUntil(fill, endUs); fill = rows[(next += 1)]) {
        positions.set(fill.instrument, fill.positionAfter);
        isHeld[day] = 1;
      }
    });
  }
  return quotient(
    isHeld.reduce((sum, each) => sum + each, 0),
    ends.length,
  );
}

/** A fill at the close comes at the end of its bar, which may be that of the day. */
const isUntil = ({ tsUs, clause }: BacktestFill, endUs: number): boolean =>
  tsUs < endUs || (tsUs === endUs && (clause === 'bar_close' || clause === 'settlement'));
