/** The backtest left alone with the prices of a recorded session and the latencies that it measured. */
import type { BacktestData, BacktestPlan } from '../../../backtest/backtest-plan.ts';
import { runBacktest } from '../../../backtest/run/run-backtest.ts';
import type { Config } from '../../../config/config.ts';
import { money, seconds, strategyIndex } from '../../../domain/units.ts';
import type { JournaledInput } from '../../../journal/compact-input.ts';
import { definitionOf } from '../../host/catalog.ts';
import { matchOrders } from './match-orders.ts';
import { type MeasuredLatencies, measuredLatency } from './measure-latencies.ts';
import { type OrderFact, OrderFacts } from './order-facts.ts';

export interface FreeRun {
  readonly orders: number;
  /** Of the session and of the run, one for one: strategy, contract, side, quantity and price. */
  readonly same: number;
}

export function freeRun(
  config: Config,
  data: BacktestData,
  inputs: readonly JournaledInput[],
  paper: readonly OrderFact[],
  measured: MeasuredLatencies,
): FreeRun {
  const found = new OrderFacts();
  runBacktest(planOf(config, data, capitalOf(inputs), measured), {
    onEntry: (entry) => {
      const strategyName = entry.strategy === null ? null : (config.strategies[entry.strategy]?.id ?? null);
      found.add({ entry, strategyName });
    },
  });
  return { orders: found.orders.length, same: matchOrders(paper, found.orders).length };
}

/** What the account was worth when the session began. */
function capitalOf(inputs: readonly JournaledInput[]): number {
  for (const input of inputs) if (input.kind === 'account_snapshot') return input.account.netAssetValue;
  return 0;
}

function planOf(
  { engine: settings, calendar, costs, strategies }: Config,
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
    strategies: strategies.map(({ id, strategy, params }, i) => ({
      index: strategyIndex(i),
      id,
      definition: definitionOf(strategy),
      params,
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
    forceCloseBps: null,
    resume: 'each_day',
  };
}
