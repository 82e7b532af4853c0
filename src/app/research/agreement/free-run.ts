/** Runs the backtest on the prices of a recorded session with the latencies measured in it. */
import type { BacktestData, BacktestPlan } from '../../../backtest/backtest-plan.ts';
import { DEFAULT_STATISTICS } from '../../../backtest/statistics/statistics-settings.ts';
import { runBacktest } from '../../../backtest/run/run-backtest.ts';
import type { Config } from '../../../config/config.ts';
import { money, seconds, strategyIndex } from '../../../domain/units.ts';
import type { JournaledInput } from '../../../journal/compact-input.ts';
import type { NamedEntry } from '../../../journal/fold-session.ts';
import type { DefinitionOf } from '../../host/strategy-files/own-strategies.ts';
import { DEFAULT_MARGIN_RULES } from '../../../venue/account/margin.ts';
import {
  type MeasuredLatencies,
  measuredLatency,
  type SessionOrder,
  sessionOrders,
} from '../recorded/session-orders.ts';

export interface FreeRun {
  readonly orders: number;
  /** Orders of both, paired by strategy, contract, side, quantity and price. */
  readonly same: number;
}

export function freeRun(
  config: Config,
  definitionOf: DefinitionOf,
  data: BacktestData,
  inputs: readonly JournaledInput[],
  paper: readonly SessionOrder[],
  measured: MeasuredLatencies,
): FreeRun {
  const entries: NamedEntry[] = [];
  runBacktest(planOf(config, definitionOf, data, capitalOf(inputs), measured), {
    onEntry: (entry) => {
      const strategyName = entry.strategy === null ? null : (config.strategies[entry.strategy]?.id ?? null);
      entries.push({ entry, strategyName });
    },
  });
  const orders = [...sessionOrders(entries).values()];
  return { orders: orders.length, same: matchOrders(paper, orders).length };
}

/** Net asset value at the start of the session. */
function capitalOf(inputs: readonly JournaledInput[]): number {
  for (const input of inputs) if (input.kind === 'account_snapshot') return input.account.netAssetValue;
  return 0;
}

function planOf(
  { engine: settings, calendar, costs, strategies }: Config,
  definitionOf: DefinitionOf,
  data: BacktestData,
  capital: number,
  { calls, reports }: MeasuredLatencies,
): BacktestPlan {
  return {
    configDigest: '',
    data,
    calendar,
    costs,
    settings,
    strategies: strategies.map((each, place) => ({
      ...each,
      index: strategyIndex(place),
      definition: definitionOf(each.strategy),
    })),
    capital: money(capital),
    currency: 'VND',
    moneyScale: 1,
    fill: { on: 'ticks', queue: 'queue', cancels: 'behind', slippageTicks: 0 },
    latency: { order: measuredLatency(calls), report: measuredLatency(reports) },
    seed: 1,
    memory: 'day',
    warmUpDays: 0,
    sampleEvery: seconds(60),
    margin: DEFAULT_MARGIN_RULES,
    isMarginRuleOn: true,
    resume: 'each_day',
    statistics: DEFAULT_STATISTICS,
  };
}

interface OrderPair {
  readonly paper: SessionOrder;
  readonly backtest: SessionOrder;
}

/**
 * Pairs the orders of two runs, strategy by strategy, by the longest common sequence: one order more or less does not make all that
 * follow differ. Two orders are equal when contract, side, quantity and price are.
 */
export function matchOrders(
  paper: readonly SessionOrder[],
  backtest: readonly SessionOrder[],
): readonly OrderPair[] {
  const strategies = [...new Set(paper.map(({ strategy }) => strategy))];
  return strategies.flatMap((wanted) => {
    const isIts = ({ strategy }: SessionOrder): boolean => strategy === wanted;
    return longestCommon(paper.filter(isIts), backtest.filter(isIts));
  });
}

const isSame = (a: SessionOrder, b: SessionOrder): boolean =>
  a.contract === b.contract && a.side === b.side && a.qty === b.qty && a.limitPrice === b.limitPrice;

/** Equal orders further apart in time were decided on different events. */
const APART_US_MAX = 60_000_000;

/** Dynamic programming over the lengths of common tails. */
function longestCommon(paper: readonly SessionOrder[], backtest: readonly SessionOrder[]): OrderPair[] {
  const width = backtest.length + 1;
  const lengths = new Uint32Array((paper.length + 1) * width);
  const pairAt = (i: number, j: number): OrderPair | undefined => {
    const [a, b] = [paper[i], backtest[j]];
    if (a === undefined || b === undefined || !isSame(a, b)) return undefined;
    return Math.abs(a.decidedUs - b.decidedUs) <= APART_US_MAX ? { paper: a, backtest: b } : undefined;
  };
  const lengthAt = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = paper.length - 1; i >= 0; i -= 1) {
    for (let j = backtest.length - 1; j >= 0; j -= 1) {
      const skipped = Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
      const taken = pairAt(i, j) === undefined ? 0 : lengthAt(i + 1, j + 1) + 1;
      lengths[i * width + j] = Math.max(skipped, taken);
    }
  }
  const pairs: OrderPair[] = [];
  let [i, j] = [0, 0];
  while (i < paper.length && j < backtest.length) {
    const pair = pairAt(i, j);
    if (pair !== undefined && lengthAt(i, j) === lengthAt(i + 1, j + 1) + 1) {
      pairs.push(pair);
      i += 1;
      j += 1;
    } else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}
