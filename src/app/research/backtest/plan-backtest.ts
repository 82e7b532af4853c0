/** Makes of what a file says a run: the same file, data and overrides always make the same one. */
import { createHash } from 'node:crypto';
import type { BacktestPlan } from '../../../backtest/backtest-plan.ts';
import type { FillModel, Latency } from '../../../backtest/fill/fill-models.ts';
import type { TradingDay } from '../../../domain/civil-date.ts';
import {
  type DurationUs,
  durationUs,
  money,
  strategyIndex,
  US_PER_DAY,
  US_PER_MINUTE,
} from '../../../domain/units.ts';
import type { TickRows } from '../../../recording/columns/tick-columns.ts';
import type { StrategyInstance } from '../../../strategy/index.ts';
import { createBacktestDays } from './backtest-days.ts';
import { isOnBars, memoryOf } from './backtest-rules.ts';
import type { BacktestFile } from './backtest-schema.ts';
import { engineSettings } from './engine-settings.ts';
import type { Backtest } from './load-backtest.ts';
import { rowReader } from './read-rows.ts';
import type { SourceDay } from './source-days.ts';

export interface PlanOverrides {
  /** By id of the strategy: parameters beside those of the file. */
  readonly params?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Some of the days of the file. */
  readonly days?: readonly TradingDay[];
  readonly seed?: number;
  /** Columns from elsewhere than their files: from memory that threads share. */
  readonly readRows?: (source: SourceDay) => TickRows;
}

export function planBacktest(backtest: Backtest, overrides: PlanOverrides = {}): BacktestPlan {
  const { read, market, sources } = backtest;
  const { params = {}, days = sources.days, seed = read.seed, readRows = rowReader(backtest) } = overrides;
  const strategies = backtest.strategies.map((each, place): StrategyInstance => {
    const { id, definition } = each;
    const over = params[id];
    return {
      index: strategyIndex(place),
      id,
      definition,
      params: over === undefined ? each.params : parsedParams(each, over),
    };
  });
  const plan = {
    calendar: market.calendar,
    costs: market.costs,
    settings: engineSettings(backtest),
    capital: money(Math.round(read.capital * market.moneyScale)),
    currency: market.currency,
    moneyScale: market.moneyScale,
    fill: fillModel(read),
    latency: { order: latencyOf(backtest, 'order'), report: latencyOf(backtest, 'report') },
    seed,
    memory: memoryOf(read, market),
    warmUpDays: Math.min(read.warmUpDays, days.length),
    sampleEvery: read.sampleEvery ?? barLength(backtest),
    forceCloseBps: forceCloseBps(backtest),
    resume: read.resume,
  };
  const data = createBacktestDays({
    market,
    sources: { ...sources, days },
    symbols: backtest.strategies.flatMap(({ symbols }) => symbols),
    references: read.data.references,
    readRows,
  });
  return { ...plan, configDigest: digestOf(plan, backtest, strategies), data, strategies };
}

function parsedParams(
  { id, definition, params }: Backtest['strategies'][number],
  over: Readonly<Record<string, unknown>>,
): StrategyInstance['params'] {
  const read = definition.parseParams({ ...params, ...over });
  if (read.ok) return read.value;
  const wrong = read.issues.map(
    ({ path, expected, received }) => `${path}: expected ${expected}, was ${received}`,
  );
  throw new Error(`parameters of ${id}: ${wrong.join('; ')}`);
}

function digestOf(
  plan: object,
  { strategies, market }: Backtest,
  instances: readonly StrategyInstance[],
): string {
  const named = strategies.map(({ strategy, definition }, i) => [
    strategy,
    definition.name,
    instances[i]?.id,
    instances[i]?.params,
  ]);
  const text = JSON.stringify([plan, named, market.contracts], (_key, value: unknown) =>
    value instanceof Set ? [...value] : value,
  );
  return createHash('sha256').update(text).digest('hex');
}

function fillModel(read: BacktestFile): FillModel {
  const { models } = read;
  const { fill, slippageTicks, cancels, path, volumePercent } = models;
  if (!isOnBars(read)) {
    const queue = fill === 'touch' || fill === 'through' ? fill : 'queue';
    return { on: 'ticks', queue, cancels, slippageTicks };
  }
  const bar = fill === 'close' || fill === 'ohlc' ? fill : 'next_open';
  return { on: 'bars', bar, path, slippageTicks, volumeBps: Math.round(volumePercent * 100) };
}

function latencyOf({ read, latencies }: Backtest, kind: 'order' | 'report'): Latency {
  const { min = durationUs(0), max, mean, measured } = read.models.latency[kind];
  if (measured !== undefined) {
    const found = latencies.get(measured);
    const spans = (kind === 'order' ? found?.calls : found?.reports) ?? [];
    return { kind: 'measured', spans: spans.map(durationUs), source: `the journal in ${measured}` };
  }
  if (max !== undefined) return { kind: 'uniform', min, max };
  if (mean !== undefined) return { kind: 'exponential', min, mean: durationUs(mean) };
  return { kind: 'constant', span: min };
}

const barLength = ({ sources }: Backtest): DurationUs =>
  durationUs(
    Math.max(US_PER_MINUTE, ...sources.all.map(({ bars }) => Math.min(bars?.everyUs ?? 0, US_PER_DAY))),
  );

/** Brokers of the Vietnamese futures close everything when the margin takes all of the collateral. */
const FULL_USE_PERCENT = 100;

function forceCloseBps({ read, market }: Backtest): number | null {
  const percent = read.forceClosePercent ?? (market.kind === 'own' ? undefined : FULL_USE_PERCENT);
  return percent === undefined ? null : Math.round(percent * 100);
}
