/** Whole runs of backtrader on generated bars with drawn orders: its fills, its account, its analyzers. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { runStatistics } from '../../../src/research/statistics/run-statistics.ts';
import { minutes } from '../../../src/domain/units.ts';
import { barPlan } from './bar-run.ts';

type Order = readonly [
  side: 'buy' | 'sell',
  kind: 'market' | 'limit' | 'stop' | 'stop_limit',
  qty: number,
  limit: number | null,
  trigger: number | null,
];

interface Run {
  readonly seed: number;
  /** By bar; null cancels what waits. */
  readonly orders: readonly (readonly [bar: number, order: Order | null])[];
  readonly fills: readonly (readonly [day: string, side: 'buy' | 'sell', qty: number, price: number])[];
  readonly value: number;
  readonly sqn: number;
  readonly trades: number;
  /** In percent. */
  readonly maxDrawdown: number;
  readonly maxMoneyDown: number;
  readonly sharpe: number;
}

const golden = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../golden/${name}.json`, import.meta.url), 'utf8'));

const { bars } = golden('backtesting.py/runs') as {
  readonly bars: readonly (readonly (string | number)[])[];
};
const text = `Date,Open,High,Low,Close,Volume\n${bars.map((row) => `${row.join(',')},1000000\n`).join('')}`;

const CAPITAL = 1_000_000;
const day = (us: number): string => new Date(us / 1_000).toISOString().slice(0, 10);

test.each(golden('backtrader/runs') as readonly Run[])('backtrader: orders of seed $seed', async (run) => {
  const orders = new Map(run.orders);
  const plan = await barPlan({
    bars: text,
    file: ', every: 1d',
    capital: CAPITAL,
    market: ', costs: { valuePercent: 0.1, marginPercent: 10 }',
    more: 'statistics: { deviation: population, periodsPerYear: 252 }',
    connect(ticks, trader) {
      let bar = -1;
      ticks.bars({ every: minutes(1_440) }).subscribe(() => {
        bar += 1;
        const order = orders.get(bar);
        if (order === undefined) return;
        if (order === null)
          return trader.workingOrders().forEach(({ clientOrderId }) => trader.cancel(clientOrderId));
        const [side, , qty, limit, trigger] = order;
        const price = limit === null ? 'market' : trader.ticks(limit);
        const head = { side, qty, price, reason: 'drawn' } as const;
        if (trigger === null) trader.submit(side, head);
        else trader.submit({ ...head, kind: 'stop', trigger: trader.ticks(trigger), reduceOnly: false });
      });
    },
  });
  const result = runBacktest(plan);
  const { strategies, moneyScale } = result;
  const [own] = strategies;
  expect(own!.stopped).toBeNull();
  const fills = [...own!.fills].map(({ tsUs, side, qty, priceTicks }) =>
    [day(tsUs), side, qty, priceTicks / 100].join(' '),
  );
  const theirs = run.fills.map((fill) => fill.join(' '));
  expect(fills.toSorted()).toEqual(theirs.toSorted());
  const found = runStatistics(result);
  expect(found.netProfit / moneyScale + CAPITAL).toBeCloseTo(run.value, 8);
  expect(found.drawdowns.fractionMax * 100).toBeCloseTo(run.maxDrawdown, 10);
  expect((found.drawdowns.deepest?.depth ?? 0) / moneyScale).toBeCloseTo(run.maxMoneyDown, 8);
  expect(found.sharpe).toBeCloseTo(run.sharpe, 10);
  expect(found.trades.count).toBe(run.trades);
  // Fewer than two trades have no quality here, and 0 there.
  expect(found.trades.sqn ?? 0).toBeCloseTo(run.sqn, 10);
});

interface BracketRun extends Pick<Run, 'seed' | 'fills' | 'value'> {
  /** By bar; stop and target are parts of the close. */
  readonly script: readonly (readonly [
    bar: number,
    entry: readonly [side: 'buy' | 'sell', qty: number, stop: number, target: number],
  ])[];
}

/** There the exits of a bracket wait for the bar after its fill. */
test.each(golden('backtrader/brackets') as readonly BracketRun[])(
  'backtrader: brackets of seed $seed',
  async ({ script, fills: theirs, value }) => {
    const entries = new Map(script);
    const plan = await barPlan({
      bars: text,
      file: ', every: 1d',
      capital: CAPITAL,
      market: ', costs: { valuePercent: 0.1, marginPercent: 10 }',
      more: 'models: { path: worst_first, exitsFrom: next_bar }',
      connect(ticks, trader) {
        let bar = -1;
        ticks.bars().subscribe(({ close }) => {
          bar += 1;
          const entry = entries.get(bar);
          if (entry === undefined || trader.position().qty !== 0 || trader.workingOrders().length > 0) return;
          const [side, qty, stop, target] = entry;
          const sign = side === 'buy' ? 1 : -1;
          trader.submit({
            kind: 'bracket',
            side,
            qty,
            price: 'market',
            stopLoss: trader.nearest(close * (1 - sign * stop)),
            takeProfit: trader.nearest(close * (1 + sign * target)),
            reason: 'drawn',
          });
        });
      },
    });
    const result = runBacktest(plan);
    const [own] = result.strategies;
    expect([own!.stopped, own!.denialCount]).toEqual([null, 0]);
    const fills = [...own!.fills].map(({ tsUs, side, qty, priceTicks }) => [
      day(tsUs),
      side,
      qty,
      priceTicks / 100,
    ]);
    expect(fills).toEqual(theirs);
    expect(runStatistics(result).netProfit / result.moneyScale + CAPITAL).toBeCloseTo(value, 8);
  },
);
