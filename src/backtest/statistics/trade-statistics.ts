/** Statistics of closed trades. A trade is one round trip, its profit net of fees and tax in the account's currency. */
import { mean, sampleDeviation } from './moments.ts';

export interface TradeStatistics {
  readonly count: number;
  readonly wins: number;
  readonly losses: number;
  /** wins / count; a trade of exactly zero is neither won nor lost and counts in `count` alone. */
  readonly winRate: number | undefined;
  /** Sum of gains / sum of losses; undefined without a loss. */
  readonly profitFactor: number | undefined;
  /** Mean net profit of a trade: winRate x averageWin - lossRate x averageLoss. */
  readonly expectancy: number | undefined;
  readonly averageWin: number | undefined;
  /** A positive number. */
  readonly averageLoss: number | undefined;
  readonly largestWin: number;
  /** A positive number. */
  readonly largestLoss: number;
  /** System quality number: sqrt(n) x mean / sample deviation (Van Tharp, "Definitive Guide to Position Sizing", 2008). */
  readonly sqn: number | undefined;
  readonly winsInARowMax: number;
  readonly lossesInARowMax: number;
}

export function tradeStatistics(profits: readonly number[]): TradeStatistics {
  const gains = profits.filter((profit) => profit > 0);
  const losses = profits.filter((profit) => profit < 0).map((profit) => -profit);
  const lost = total(losses);
  return {
    count: profits.length,
    wins: gains.length,
    losses: losses.length,
    winRate: profits.length === 0 ? undefined : gains.length / profits.length,
    profitFactor: lost === 0 ? undefined : total(gains) / lost,
    expectancy: mean(profits),
    averageWin: mean(gains),
    averageLoss: mean(losses),
    largestWin: gains.reduce((most, gain) => Math.max(most, gain), 0),
    largestLoss: losses.reduce((most, loss) => Math.max(most, loss), 0),
    sqn: systemQuality(profits),
    winsInARowMax: longestRun(profits, 1),
    lossesInARowMax: longestRun(profits, -1),
  };
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function systemQuality(profits: readonly number[]): number | undefined {
  const average = mean(profits);
  const deviation = sampleDeviation(profits);
  if (average === undefined || deviation === undefined || deviation === 0) return undefined;
  return (Math.sqrt(profits.length) * average) / deviation;
}

function longestRun(profits: readonly number[], sign: 1 | -1): number {
  let longest = 0;
  let run = 0;
  for (const profit of profits) {
    run = Math.sign(profit) === sign ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
