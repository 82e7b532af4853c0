/** How a sweep judges: figures and rank of a trial, walk-forward windows, and the worth of a best that was picked from many. */
import { assert } from '../../domain/assert.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { formatCount } from '../../text/numbers.ts';
import {
  excessPerDeviation,
  kurtosis,
  mean,
  quotient,
  type RatioBasis,
  sharpeRatio,
  skewness,
  standardDeviation,
  totalReturn,
} from '../statistics/return-ratios.ts';
import type { BacktestResult } from '../backtest-result.ts';
import { runStatistics } from '../statistics/run-statistics.ts';

/** Null where a formula has no value. Money is in the currency. */
export type TrialFigures = ReturnType<typeof trialFigures>;

export function trialFigures(result: BacktestResult) {
  const found = runStatistics(result);
  const { trades, drawdowns } = found;
  const { moneyScale } = result;
  const stopped = result.strategies.find(({ stopped: why }) => why !== null);
  return {
    netProfit: found.netProfit / moneyScale,
    totalReturn: found.totalReturn ?? null,
    sharpe: found.sharpe ?? null,
    sortino: found.sortino ?? null,
    calmar: found.calmar ?? null,
    profitFactor: trades.profitFactor ?? null,
    sqn: trades.sqn ?? null,
    expectancy: quotient(trades.expectancy, moneyScale) ?? null,
    winRate: trades.winRate ?? null,
    /** Money, zero or more. */
    drawdownMax: (drawdowns.deepest?.depth ?? 0) / moneyScale,
    drawdownFraction: drawdowns.fractionMax,
    trades: trades.count,
    orders: result.counts.orders,
    costs: found.costs.total / moneyScale,
    exposure: found.exposure ?? null,
    /** One a day after the warm-up. */
    dailyReturns: found.dailyReturns,
    /** Why a strategy no longer ran at the end, or null. */
    stopped: stopped === undefined ? null : `${stopped.id}: ${stopped.stopped ?? ''}`,
    journalHash: result.journalHash,
  };
}

/** The figures that rank trials, with their words for headings. */
const OBJECTIVE_FIGURES = {
  sharpe: ['sharpe', 'Sharpe ratio'],
  sortino: ['sortino', 'Sortino ratio'],
  calmar: ['calmar', 'Calmar ratio'],
  net_profit: ['netProfit', 'net profit'],
  profit_factor: ['profitFactor', 'profit factor'],
  sqn: ['sqn', 'SQN'],
  expectancy: ['expectancy', 'expectancy'],
} as const satisfies Readonly<Record<string, readonly [keyof TrialFigures, words: string]>>;

export type Objective = keyof typeof OBJECTIVE_FIGURES;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a literal
export const OBJECTIVES = Object.keys(OBJECTIVE_FIGURES) as readonly Objective[];

export const objectiveWords = (objective: Objective): string => OBJECTIVE_FIGURES[objective][1];

export interface Ranking {
  readonly objective: Objective;
  /** Runs with fewer closed trades say too little to be picked. */
  readonly tradesMin: number;
}

export const objectiveOf = (figures: TrialFigures, objective: Objective): number | null =>
  figures[OBJECTIVE_FIGURES[objective][0]];

/** Places of the trials that can be picked, best first, none in which a strategy was stopped; of equal ones the earlier, so that the order is one and the same always. */
export function rankedPlaces(
  figures: readonly TrialFigures[],
  { objective, tradesMin }: Ranking,
): readonly number[] {
  const scores = figures.map((each) =>
    each.trades < tradesMin || each.stopped !== null ? null : objectiveOf(each, objective),
  );
  return scores
    .flatMap((score, index) => (score === null ? [] : [{ score, index }]))
    .toSorted((a, b) => b.score - a.score || a.index - b.index)
    .map(({ index }) => index);
}

// Walk-forward windows: parameters are chosen on the in-sample days and tried on the out-of-sample days after them, which no
// choice has seen (Pardo, "The Evaluation and Optimization of Trading Strategies", 2008, chapter 11).

export interface WalkedWindow {
  readonly window: Window;
  /** Place of the chosen trial; null when none could be picked in sample, and nothing was traded out of it. */
  readonly trial: number | null;
  readonly inSample: TrialFigures | null;
  readonly outOfSample: TrialFigures | null;
}

export type WalkForwardResult = ReturnType<typeof walkForwardFound>;

/** The parts out of sample, one after the other, are the result that a trader would have had. */
export function walkForwardFound(windows: readonly WalkedWindow[], basis: RatioBasis) {
  const outside = windows.flatMap(({ outOfSample }) => outOfSample ?? []);
  const returns = windows.flatMap(
    ({ window, outOfSample }) => outOfSample?.dailyReturns ?? window.outOfSample.map(() => 0),
  );
  const chosen = windows.flatMap(({ inSample }) => inSample ?? []);
  const inside = chosen.flatMap(({ dailyReturns }) => dailyReturns);
  const [meanOutside, meanInside] = [mean(returns) ?? 0, mean(inside) ?? 0];
  const isLost = outside.some(hasLostAll);
  return {
    windows,
    /** Money, summed over the windows: each restarts with the capital. */
    netProfit: outside.reduce((sum, { netProfit }) => sum + netProfit, 0),
    /** Over the days out of sample, one after the other; null, as the next, where a window lost its capital. */
    sharpe: isLost ? null : (sharpeRatio(returns, basis) ?? null),
    totalReturn: isLost ? null : totalReturn(returns),
    /** Windows that earned money out of sample. */
    profitable: outside.filter(({ netProfit }) => netProfit > 0).length,
    /** Mean daily return out of sample / in sample (Pardo, 2008, chapter 11): near 1 it holds. Null where the choice lost in sample. */
    efficiency: meanInside > 0 && !isLost && !chosen.some(hasLostAll) ? meanOutside / meanInside : null,
    trades: outside.reduce((sum, { trades }) => sum + trades, 0),
  };
}

/** Equity at zero or below has no returns: its days would pass for days that never were. */
const hasLostAll = ({ drawdownFraction }: TrialFigures): boolean => drawdownFraction >= 1;

export interface Window {
  readonly inSample: readonly TradingDay[];
  readonly outOfSample: readonly TradingDay[];
  /** Days before `outOfSample` for strategies to warm up; they are the last of `inSample`. */
  readonly warmUp: readonly TradingDay[];
}

type Days = Readonly<Record<'inSample' | 'outOfSample', number>>;

/**
 * Each window moves on by `outOfSample`, so that the parts out of sample neither overlap nor leave a day out. In-sample parts that are not
 * anchored keep their length and move. The last window may have fewer days out of sample; too few days for one make none.
 */
export function walkForwardWindows(
  days: readonly TradingDay[],
  { inSample, outOfSample, anchored }: Days & { readonly anchored: boolean },
  warmUpDays: number,
): readonly Window[] {
  assert(inSample >= 1 && outOfSample >= 1, 'both parts of a window have a day');
  assert(warmUpDays <= inSample, 'a warm-up lies in sample');
  const windows: Window[] = [];
  for (let at = inSample; at < days.length; at += outOfSample) {
    windows.push({
      inSample: days.slice(anchored ? 0 : at - inSample, at),
      outOfSample: days.slice(at, at + outOfSample),
      warmUp: days.slice(at - warmUpDays, at),
    });
  }
  return windows;
}

// The worth of a best result that was picked from many. Bailey and López de Prado, "The Deflated Sharpe Ratio: Correcting for
// Selection Bias, Backtest Overfitting and Non-Normality", Journal of Portfolio Management 40 (5), 2014.
//
// DSR = P(Z <= (SR - SR0) sqrt(T - 1) / sqrt(1 - skew SR + (kurtosis - 1) / 4 SR^2)), where SR is the best trial's Sharpe ratio a
// day, T its days, and SR0 = sqrt(V) ((1 - g) z(1 - 1/N) + g z(1 - 1/(N e))) what the best of N trials shows by chance alone: V
// the variance of the trials' ratios, g the Euler-Mascheroni constant, z the normal quantile. Trials that resemble each other
// count as fewer in the paper; here each counts as one, which errs on the careful side.

type ExcessBasis = Pick<RatioBasis, 'riskFree' | 'deviation'>;

type SelectionBias = NonNullable<ReturnType<typeof selectionBias>>;

/** Below it the best of a sweep cannot be distinguished from luck at the usual level. */
const DEFLATED_MIN = 0.95;

/** Undefined where the best trial has no Sharpe ratio: fewer than two days, or days that are all alike. */
export function selectionBias(
  best: readonly number[],
  trials: readonly (readonly number[])[],
  basis: ExcessBasis,
) {
  const sample = sharpeSample(best, basis);
  if (sample === undefined) return undefined;
  // Trials end in any order, and sums of the same numbers in another order differ in the last digit.
  const ratios = trials
    .flatMap((returns) => sharpeSample(returns, basis)?.sharpe ?? [])
    .toSorted((a, b) => a - b);
  const expectedMax = expectedSharpeMax(trials.length, standardDeviation(ratios) ?? 0);
  const probabilistic = probabilisticSharpe(sample, 0);
  const deflated = probabilisticSharpe(sample, expectedMax);
  if (probabilistic === undefined || deflated === undefined) return undefined;
  return {
    /** All that were tried, also those that never traded. */
    trials: trials.length,
    /** Those that have no Sharpe ratio: too few days, or days that are all but alike. */
    leftOut: trials.length - ratios.length,
    /** Returns of the best trial that this is computed from. */
    days: sample.periods,
    /** A day; annual figures are these times the root of the sessions of a year. */
    sharpe: sample.sharpe,
    expectedMax,
    /** Probability that the true ratio is above zero, if there had been one trial. */
    probabilistic,
    /** The probability, given the number of trials. */
    deflated,
  };
}

const PERCENT = 100;

export function selectionWarning(bias: SelectionBias | undefined, trials: number): string {
  const picked = `the best of ${formatCount(trials, 'trial')}`;
  if (bias === undefined)
    return `This is ${picked}. Its days are too few for a Sharpe ratio: skill and luck look the same here.`;
  const { deflated, sharpe, expectedMax, days, leftOut } = bias;
  const without =
    leftOut === 0
      ? ''
      : ` ${formatCount(leftOut, 'trial')} without a Sharpe ratio (days that are all but alike) left out.`;
  const numbers = `by chance alone the best would show a daily Sharpe ratio of ${expectedMax.toFixed(3)}, it shows ${sharpe.toFixed(3)} over ${days} days`;
  const verdict =
    deflated >= DEFLATED_MIN
      ? 'It is higher than so many tries explain.'
      : 'It may be luck: do not trade it for this figure alone.';
  return `This is ${picked}: ${numbers}. Deflated Sharpe ratio ${(deflated * PERCENT).toFixed(1)} % (probability that its true ratio is above that).${without} ${verdict}`;
}

const EULER_MASCHERONI = 0.577_215_664_901_532_9;

/** Expected highest ratio of this many independent tries whose true ratio is zero: the SR0 above, `deviation` its sqrt(V). */
export function expectedSharpeMax(trials: number, deviation: number): number {
  if (trials < 2) return 0;
  return (
    deviation *
    ((1 - EULER_MASCHERONI) * normalQuantile(1 - 1 / trials) +
      EULER_MASCHERONI * normalQuantile(1 - 1 / (trials * Math.E)))
  );
}

type SharpeSample = NonNullable<ReturnType<typeof sharpeSample>>;

/** P(Z <= (sr - benchmark) sqrt(n - 1) / sqrt(1 - skew sr + (kurtosis - 1) / 4 sr^2)): the true ratio is above `benchmark`. */
export function probabilisticSharpe(sample: SharpeSample, benchmark: number): number | undefined {
  const { sharpe } = sample;
  const variance = 1 - sample.skewness * sharpe + ((sample.kurtosis - 1) / 4) * sharpe ** 2;
  if (variance <= 0) return undefined;
  return normalProbability(((sharpe - benchmark) * Math.sqrt(sample.periods - 1)) / Math.sqrt(variance));
}

/** Undefined for fewer than two returns, or returns that are all but alike. */
export function sharpeSample(returns: readonly number[], { riskFree, deviation }: ExcessBasis) {
  const excess = returns.map((value) => value - riskFree);
  const sharpe = excessPerDeviation(excess, deviation);
  const skew = skewness(returns);
  const tails = kurtosis(returns);
  if (sharpe === undefined || skew === undefined || tails === undefined) return undefined;
  return { sharpe, periods: returns.length, skewness: skew, kurtosis: tails };
}

/** Density of the standard normal distribution. */
const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);

/** Beyond this the probability is 0 or 1 to the last digit. */
const TAIL = 38;

/**
 * P(Z <= x). The series of Marsaglia, "Evaluating the Normal Distribution" (Journal of Statistical Software 11, 2004);
 * in the tails the continued fraction of Abramowitz and Stegun, 26.2.14.
 */
export function normalProbability(x: number): number {
  if (x > TAIL) return 1;
  if (x < -TAIL) return 0;
  if (Math.abs(x) > 6) return x > 0 ? 1 - upperTail(x) : upperTail(-x);
  let term = x;
  let sum = x;
  for (let i = 3; Math.abs(term) > 1e-17 * Math.abs(sum); i += 2) {
    term *= (x * x) / i;
    sum += term;
  }
  return 0.5 + sum * density(x);
}

function upperTail(x: number): number {
  let fraction = x;
  for (let k = 60; k >= 1; k -= 1) fraction = x + k / fraction;
  return density(x) / fraction;
}

/** The x with P(Z <= x) = `probability`, by bisection on the monotone probability. Throws outside 0 < p < 1. */
export function normalQuantile(probability: number): number {
  assert(probability > 0 && probability < 1, 'a probability lies between 0 and 1');
  let low = -TAIL;
  let high = TAIL;
  for (let i = 0; i < 200 && low < high; i += 1) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (normalProbability(middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
