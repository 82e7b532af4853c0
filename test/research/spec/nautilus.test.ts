/** Whole runs of NautilusTrader on generated bars with drawn orders: its fills, its fees, its account, its figures of trades. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { runStatistics } from '../../../src/research/statistics/run-statistics.ts';
import { barPlan } from './bar-run.ts';

type Entry = readonly [
  side: 'buy' | 'sell',
  kind: 'market' | 'limit' | 'stop' | 'bracket' | 'bracket_limit',
  qty: number,
  away: number,
  stop: number,
  target: number,
];

interface Run {
  readonly seed: number;
  readonly isAdaptive: boolean;
  /** By bar; null ends what is there. */
  readonly orders: readonly (readonly [bar: number, entry: Entry | null])[];
  readonly fills: readonly (readonly [day: string, side: string, qty: number, price: number, fee: number])[];
  readonly balance: number;
  readonly stats: Readonly<Record<string, number>>;
}

const golden = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../golden/${name}.json`, import.meta.url), 'utf8'));

const { bars } = golden('backtesting.py/runs') as {
  readonly bars: readonly (readonly [string, number, number, number, number])[];
};
/** Each bar opens at the close before. */
const rows = bars.map(([day, open, high, low, close], i) => {
  const from = bars[i - 1]?.[4] ?? open;
  return `${[day, from, Math.max(from, high), Math.min(from, low), close].join(',')},1000000\n`;
});

const CAPITAL = 1_000_000;
const COSTS = 'makerPercent: 0.02, takerPercent: 0.05, rounding: { per: fill, mode: half_even }';

test.each(golden('nautilus/runs') as readonly Run[])(
  'NautilusTrader: orders of seed $seed, adaptive: $isAdaptive',
  async (run) => {
    const orders = new Map(run.orders);
    const plan = await barPlan({
      bars: `Date,Open,High,Low,Close,Volume\n${rows.join('')}`,
      file: ', every: 1d',
      capital: CAPITAL,
      market: `, costs: { ${COSTS}, marginPercent: 10 }`,
      more: `models: { fill: close, path: ${run.isAdaptive ? 'nearest' : 'high_first'} }`,
      connect(ticks, trader) {
        let bar = -1;
        ticks.bars().subscribe(({ close }) => {
          bar += 1;
          const entry = orders.get(bar);
          if (entry === undefined) return;
          const { qty: held } = trader.position();
          const working = trader.workingOrders();
          if (working.length > 0 && (held === 0 || entry === null))
            return working.forEach(({ clientOrderId }) => trader.cancel(clientOrderId));
          if (held !== 0 && working.length === 0) {
            trader.submit(held > 0 ? 'sell' : 'buy', { qty: Math.abs(held), price: 'market', reason: 'out' });
            return;
          }
          if (entry === null || working.length > 0) return;
          const [side, kind, qty, away, stop, target] = entry;
          const sign = side === 'buy' ? 1 : -1;
          const head = { side, qty, price: 'market', reason: 'drawn' } as const;
          const from = kind === 'limit' || kind === 'bracket_limit' ? close * (1 - sign * away) : close;
          if (kind === 'market') trader.submit({ ...head, kind });
          if (kind === 'limit') trader.submit({ ...head, kind, price: trader.nearest(from) });
          const trigger = trader.nearest(close * (1 + sign * away));
          if (kind === 'stop') trader.submit({ ...head, kind, trigger, reduceOnly: false });
          if (kind === 'bracket' || kind === 'bracket_limit')
            trader.submit({
              ...head,
              kind: 'bracket',
              price: kind === 'bracket' ? 'market' : trader.nearest(from),
              stopLoss: trader.nearest(from * (1 - sign * stop)),
              takeProfit: trader.nearest(from * (1 + sign * target)),
            });
        });
      },
    });
    const result = runBacktest(plan);
    const { strategies, moneyScale } = result;
    const [own] = strategies;
    expect(own!.stopped).toBeNull();
    const fills = [...own!.fills].map(({ tsUs, clause, side, qty, priceTicks, fee }) => {
      const ended = clause === 'bar_close' ? 1 : 0;
      const day = new Date(tsUs / 1_000 - ended).toISOString().slice(0, 10);
      return [day, side, qty, priceTicks / 100, fee / moneyScale];
    });
    expect(fills).toEqual(run.fills);
    const { netProfit, trades } = runStatistics(result);
    expect(netProfit / moneyScale + CAPITAL).toBe(run.balance);
    const found = {
      Expectancy: trades.expectancy! / moneyScale,
      'Win Rate': trades.winRate,
      'Max Winner': trades.largestWin / moneyScale,
      'Avg Winner': trades.averageWin! / moneyScale,
      'Max Loser': -trades.largestLoss / moneyScale,
      'Avg Loser': -trades.averageLoss! / moneyScale,
    };
    for (const [name, value] of Object.entries(found)) expect(value, name).toBeCloseTo(run.stats[name]!, 10);
  },
);
