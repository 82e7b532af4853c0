/** Backtests on bars or quotes of a market of their own: a file of data, and a strategy written in the test. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { planBacktest } from '../../../src/research/spec/plan-backtest.ts';
import type { BacktestPlan } from '../../../src/research/backtest-plan.ts';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { defineStrategy, type StrategyInstance } from '../../../src/strategy/index.ts';
import { type DurationUs, priceTicks, strategyIndex } from '../../../src/domain/units.ts';
import { loadedBacktest } from '../../support/backtest-plan.ts';
import { tempDir } from '../../support/temp-dir.ts';

type Connect = Parameters<typeof defineStrategy>[0]['connect'];

interface BarRun {
  /** Text of `bars.csv`, of the contract X with a tick of 0.01. */
  readonly bars: string;
  /** What the text is. */
  readonly kind?: 'bars' | 'quotes' | 'prints';
  /** 10,000 and a hundredth when absent. */
  readonly capital?: number;
  readonly tick?: number;
  /** Further keys of the contract. */
  readonly contract?: string;
  /** Further keys of the market; trading never stops when absent. */
  readonly market?: string;
  /** Further keys of the file of bars. */
  readonly file?: string;
  /** Further keys of the section `data`. */
  readonly data?: string;
  /** Of ema-cross, which `connect` replaces. */
  readonly params?: string;
  /** True when absent. */
  readonly overnight?: boolean;
  /** Further sections of the backtest. */
  readonly more?: string;
  readonly connect: Connect;
}

/** Writes the bars and the file of a backtest; gives the path of the file. */
export function barFile({
  bars,
  kind = 'bars',
  capital = 10_000,
  tick = 0.01,
  contract = '',
  market = '',
  file = '',
  data = '',
  params = '{}',
  overnight = true,
  more = '',
}: Omit<BarRun, 'connect'>): string {
  const dir = tempDir();
  writeFileSync(join(dir, 'bars.csv'), bars);
  const path = join(dir, 'run.yaml');
  const text = `state: ${dir}
capital: ${capital}
market: { contracts: { X: { tick: ${tick}${contract} } }${market} }
data: { ${kind}: [{ file: bars.csv, symbol: X${file} }]${data} }
strategies: [{ id: one, strategy: ema-cross, symbols: [X], overnight: ${overnight}, params: ${params} }]
${more}`;
  writeFileSync(path, text);
  return path;
}

export async function barPlan({ connect, ...run }: BarRun): Promise<BacktestPlan> {
  const path = barFile(run);
  const backtest = await loadedBacktest(path);
  const definition = defineStrategy({
    name: 'one',
    summary: 'of a test',
    params: z.object({}),
    legs: ['X'],
    connect,
  });
  const strategies: readonly StrategyInstance[] = [
    { index: strategyIndex(0), id: 'one', definition, params: {} },
  ];
  return { ...planBacktest(backtest), strategies };
}

export type BarTrader = Parameters<Connect>[1];
/** In points. */
export type Bar = readonly [open: number, high: number, low: number, close: number, volume?: number];

export const flat = (price: number): Bar => [price, price, price, price];
export const ticks = (points: number) => priceTicks(Math.round(points * 100));

/** One at the market, with exits below and above. */
export const bracket = (
  [stopLoss, takeProfit]: readonly [number, number],
  more: { readonly qty?: number; readonly timeInForce?: 'day' | 'gtc' } = {},
) =>
  ({
    kind: 'bracket',
    side: 'buy',
    qty: 1,
    price: 'market',
    stopLoss: ticks(stopLoss),
    takeProfit: ticks(takeProfit),
    reason: 'in',
    ...more,
  }) as const;

/** One at the market, once it has risen so far. */
export const breakout = (trigger: number) =>
  ({
    kind: 'stop',
    side: 'buy',
    qty: 1,
    price: 'market',
    trigger: ticks(trigger),
    reason: 'breakout',
  }) as const;

/** Lets `act` trade at the end of each bar, the first one is 1; every fill in points, every refusal, by time. */
export async function playBars(
  run: Omit<BarRun, 'connect'>,
  every: DurationUs,
  act: (trader: BarTrader, bar: number) => void,
  shown: 'time' | 'day' = 'time',
): Promise<readonly string[]> {
  const textOf = (us: number): string =>
    new Date(us / 1_000)
      .toISOString()
      .slice(shown === 'day' ? 0 : 11, 19)
      .replace('T', ' ');
  let bar = 0;
  const plan = await barPlan({
    ...run,
    connect(ticks, trader) {
      ticks.bars({ every }).subscribe(() => {
        bar += 1;
        act(trader, bar);
      });
    },
  });
  const { strategies } = runBacktest(plan);
  const [one] = strategies;
  const fills = [...one!.fills].map(({ tsUs, side, qty, priceTicks, clause }) => ({
    tsUs,
    line: `${textOf(tsUs)} ${side} ${qty} at ${priceTicks / 100} ${clause}`,
  }));
  const denials = one!.denials.map(({ tsUs, by, code }) => ({ tsUs, line: `${textOf(tsUs)} ${by} ${code}` }));
  const stopped = one!.stopped === null ? [] : [`stopped: ${JSON.stringify(one!.stopped)}`];
  return [...fills, ...denials]
    .toSorted((a, b) => a.tsUs - b.tsUs)
    .map(({ line }) => line)
    .concat(stopped);
}
