/** Whole runs of backtesting.py on generated bars: its trades and its table of statistics, by the names that they have here. */
import type { BacktestResult } from '../../../src/research/backtest-result.ts';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { performanceMetrics, runStatistics } from '../../../src/research/statistics/run-statistics.ts';
import type { Side } from '../../../src/domain/order.ts';
import { minutes, priceTicks } from '../../../src/domain/units.ts';
import { barPlan } from './bar-run.ts';

interface Golden {
  readonly bars: readonly (readonly [day: string, open: number, high: number, low: number, close: number])[];
  readonly runs: Readonly<
    Record<
      string,
      {
        readonly statistics: Readonly<Record<string, number | string | null>>;
        readonly trades: readonly (readonly [
          size: number,
          entry: number,
          exit: number,
          entered: string,
          exited: string,
        ])[];
      }
    >
  >;
}

const { bars, runs } = JSON.parse(
  readFileSync(new URL('../../golden/backtesting.py/runs.json', import.meta.url), 'utf8'),
) as Golden;

type Connect = Parameters<typeof barPlan>[0]['connect'];
type Trader = Parameters<Connect>[1];
type Act = (trader: Trader, closes: readonly number[], turn: -1 | 0 | 1) => void;

const DAY = minutes(1_440);
const [FAST, SLOW] = [5, 15];

/** Calls `act` at the end of each bar from the first that the slow mean has; `turn` is the side on which the fast one crossed. */
const onBars =
  (act: Act): Connect =>
  (ticks, trader) => {
    const closes: number[] = [];
    const mean = (end: number, n: number): number =>
      closes.slice(end - n, end).reduce((sum, each) => sum + each, 0) / n;
    const gap = (end: number): number => mean(end, FAST) - mean(end, SLOW);
    ticks.bars({ every: DAY }).subscribe(({ close }) => {
      const bar = closes.push(close);
      if (bar <= SLOW) return;
      const [was, is] = [gap(bar - 1), gap(bar)];
      act(trader, closes, was < 0 && is > 0 ? 1 : was > 0 && is < 0 ? -1 : 0);
    });
  };

const trade = (trader: Trader, qty: number): void => {
  const side: Side = qty > 0 ? 'buy' : 'sell';
  trader.submit({ kind: 'market', side, qty: Math.abs(qty), reason: 'test' });
};

/** All equity at the open: the first fill there shows its price, and a second order brings the rest. */
const allEquity =
  (rate: number): Connect =>
  (ticks, trader) => {
    let cash = 1_000_000;
    let wanted = 0;
    ticks.orders$.subscribe((update) => {
      if (update.lastFilledQty === 0) return;
      const price = trader.fillPrice(update);
      const sign = update.side === 'buy' ? 1 : -1;
      cash -= update.lastFilledQty * price * (sign + rate);
      if (wanted === 0) return;
      const { qty } = trader.position();
      const unit = price * (1 + rate);
      trade(trader, wanted * Math.floor((cash + qty * price) / unit) - qty);
      wanted = 0;
    });
    onBars((_trader, _closes, turn) => {
      if (turn === 0) return;
      wanted = turn;
      // Out of what is held; from flat one share asks for the price.
      trade(trader, 0 - trader.position().qty || turn);
    })(ticks, trader);
  };

const near = (close: number, factor: number) => priceTicks(Math.round(close * factor));

const bracket = onBars((trader, closes, turn) => {
  if (turn === 0 || trader.position().qty !== 0) return;
  const close = closes.at(-1) ?? 0;
  trader.submit({
    kind: 'bracket',
    side: turn > 0 ? 'buy' : 'sell',
    qty: 50,
    price: 'market',
    stopLoss: near(close, 1 - turn * 0.03),
    takeProfit: near(close, 1 + turn * 0.05),
    reason: 'test',
  });
});

const waiting = onBars((trader, closes) => {
  const bar = closes.length - 1;
  const close = closes.at(-1) ?? 0;
  if (bar % 20 === 0) trader.buy({ qty: 40, price: near(close, 0.985), reason: 'test' });
  else if (bar % 10 === 0)
    trader.submit({
      kind: 'stop',
      side: 'buy',
      qty: 30,
      price: 'market',
      trigger: near(close, 1.015),
      reason: 'test',
    });
  else if (bar % 10 === 5) {
    for (const { clientOrderId } of trader.workingOrders()) trader.cancel(clientOrderId);
    const { qty } = trader.position();
    if (qty !== 0) trade(trader, 0 - qty);
  }
});

const HEAD = 'Date,Open,High,Low,Close,Volume\n';
const text = HEAD + bars.map((row) => `${row.join(',')},1000000\n`).join('');

async function played(connect: Connect, costs: string): Promise<BacktestResult> {
  const plan = await barPlan({
    bars: text,
    file: ', every: 1d',
    market: `, costs: { ${costs} }`,
    more: `models: { fill: ohlc }\nstatistics: { returnsFrom: first_close }`,
    connect,
  });
  const result = runBacktest(plan);
  expect(result.strategies[0]!.stopped).toBeNull();
  return result;
}

const day = (us: number): string => new Date(us / 1_000).toISOString().slice(0, 10);

const percent = (value: number | undefined): number => (value ?? Number.NaN) * 100;

/** Durations are rounded up to whole days there. */
function tableOf(result: BacktestResult): Readonly<Record<string, number | undefined>> {
  const found = runStatistics(result);
  const { metrics } = performanceMetrics(result, found);
  const { trades } = found;
  return {
    'Equity Final [$]': found.netProfit / result.moneyScale + 10_000,
    'Return [%]': percent(found.totalReturn),
    'Return (Ann.) [%]': percent(found.annualReturn),
    'Calmar Ratio': found.calmar,
    'Max. Drawdown [%]': percent(metrics.get('maxDrawdown')),
    'Avg. Drawdown [%]': percent(metrics.get('averageDrawdown')),
    'Max. Drawdown Duration': metrics.get('longestDrawdownDays'),
    'Avg. Drawdown Duration': Math.ceil(metrics.get('averageDrawdownDays') ?? Number.NaN),
    '# Trades': trades.count,
    'Win Rate [%]': percent(trades.winRate),
    'Best Trade [%]': percent(metrics.get('bestTrade')),
    'Worst Trade [%]': percent(metrics.get('worstTrade')),
    'Max. Trade Duration': metrics.get('longestTradeDays'),
    'Avg. Trade Duration': Math.ceil(metrics.get('averageTradeDays') ?? Number.NaN),
    'Expectancy [%]': percent(metrics.get('averageTrade')),
    SQN: trades.sqn,
    'Kelly Criterion': metrics.get('kelly'),
  };
}

test.each([
  ['allEquity', allEquity(0), ''],
  ['allEquityWithCosts', allEquity(0.002), 'valuePercent: 0.2'],
  ['bracket', bracket, ''],
  ['waiting', waiting, 'valuePercent: 0.1, perOrder: 5'],
])('backtesting.py: %s', async (name, connect, costs) => {
  const golden = runs[name]!;
  const result = await played(connect, costs);
  const { strategies, moneyScale } = result;
  const price = (value: number, qty: number): number => Number((value / moneyScale / qty).toFixed(6));
  const closed = [...strategies[0]!.trades].filter(({ isOpen }) => !isOpen);
  expect(
    closed.map(({ direction, qty, entryValue, exitValue, entryUs, exitUs }) => [
      direction === 'long' ? qty : -qty,
      price(entryValue, qty),
      price(exitValue, qty),
      day(entryUs),
      day(exitUs),
    ]),
  ).toEqual(golden.trades);
  const differing = Object.entries(tableOf(result)).filter(([key, value]) => {
    if (key.endsWith('Trade Duration') && name !== 'allEquity') return false;
    const expected = golden.statistics[key];
    assertNumber(expected);
    return !(Math.abs((value ?? Number.NaN) - expected) <= 1e-10 * Math.max(1, Math.abs(expected)));
  });
  expect(differing.map(([key, value]) => [key, value, golden.statistics[key]])).toEqual([]);
});

function assertNumber(value: unknown): asserts value is number {
  expect(value).toBeTypeOf('number');
}
