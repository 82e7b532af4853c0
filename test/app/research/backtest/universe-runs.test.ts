/** Contracts that come and go in one run: expiries of daily bars, members of a universe. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { BacktestResult } from '../../../../src/backtest/backtest-result.ts';
import { runBacktest } from '../../../../src/backtest/run/run-backtest.ts';
import { minutes, priceTicks } from '../../../../src/domain/units.ts';
import { barPlan } from './bar-run.ts';

const DAYS = ['2024-01-03', '2024-01-04', '2024-01-05', '2024-01-08', '2024-01-09', '2024-01-10'];

type Trader = Parameters<Parameters<typeof barPlan>[0]['connect']>[1];

interface Universe {
  /** One price a day. */
  readonly prices: readonly number[];
  /** After the days on which X, the contract of the strategy, has a bar. */
  readonly does: Readonly<Record<number, (trader: Trader) => void>>;
  /** Of Y, which trades on all days. */
  readonly contract?: string;
  /** Text of `universe.csv`. */
  readonly members?: string;
  readonly told?: (text: string) => void;
}

/** Y is there on all days, so that the run goes on when X is gone. */
async function played({ prices, does, contract = '', members, told }: Universe): Promise<BacktestResult> {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-universe-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const rowsOf = (of: readonly number[]) =>
    of.map((price, i) => `${DAYS[i]!},${price},${price},${price},${price},1000\n`).join('');
  const head = 'time,open,high,low,close,volume\n';
  const [other, file] = [join(dir, 'other.csv'), join(dir, 'universe.csv')];
  writeFileSync(other, head + rowsOf(DAYS.map(() => 50)));
  if (members !== undefined) writeFileSync(file, members);
  let day = -1;
  const plan = await barPlan({
    bars: head + rowsOf(prices),
    file: `, every: 1d }, { file: ${other}, symbol: Y, every: 1d`,
    contract: `${contract} }, Y: { tick: 0.01`,
    ...(members !== undefined && { data: `, symbols: ${file}` }),
    connect(ticks, trader) {
      ticks.actions$.subscribe(({ action }) => told?.(`${action.kind} ${trader.position().qty}`));
      ticks.bars({ every: minutes(1_440) }).subscribe(() => {
        day += 1;
        does[day]?.(trader);
      });
    },
  });
  return runBacktest(plan);
}

const buy = (qty: number) => (trader: Trader) => void trader.buy({ qty, price: 'market', reason: 'test' });

const fillsOf = ({ strategies }: BacktestResult): readonly string[] =>
  [...strategies[0]!.fills].map(
    ({ tsUs, side, qty, priceTicks: price, cause }) =>
      `${DAYS.indexOf(new Date(tsUs / 1_000).toISOString().slice(0, 10))} ${side} ${qty} at ${price / 100} ${cause}`,
  );

const cash = ({ funds, moneyScale }: BacktestResult) => funds.cash.at(-1)! / moneyScale;

test('a contract on daily bars is settled at the last price of its last day', async () => {
  const run = await played({
    prices: [100, 100, 110],
    contract: ', expiry: 2024-01-05',
    does: {
      0: buy(10),
      1: (trader) => void trader.buy({ qty: 5, price: priceTicks(5_000), reason: 'test' }),
    },
  });
  expect(run.strategies[0]!.stopped).toBeNull();
  expect(fillsOf(run)).toEqual(['1 buy 10 at 100 order', '3 sell 10 at 110 settled']);
  expect(cash(run)).toBe(10_100);
  expect(run.funds.buyingPower.at(-1)! / run.moneyScale, 'the order that waited holds nothing').toBe(10_100);
});

/** In until Friday, and again from Wednesday on: paid out at Friday's 110, and bought again at 140. */
test('a symbol is traded while it is a member, and paid out when it leaves', async () => {
  const told: string[] = [];
  const run = await played({
    prices: [100, 100, 110, 120, 130, 140],
    members: 'symbol,from,to\nX,,2024-01-05\nX,2024-01-10,\nY,2000-01-01,\n',
    does: { 0: buy(10), 2: buy(10) },
    told: (text) => told.push(text),
  });
  expect(run.strategies[0]!.stopped).toBeNull();
  expect(fillsOf(run)).toEqual(['1 buy 10 at 100 order', '3 sell 10 at 110 settled']);
  expect(told).toEqual(['delisting 0']);
  expect(cash(run)).toBe(10_100);
  expect(run.instruments.find(({ symbol }) => symbol === 'X')!.prices.values.includes(12_000)).toBe(false);
  expect(run.instruments.find(({ symbol }) => symbol === 'X')!.prices.values.at(-1)).toBe(14_000);
});

test('a symbol that joins later has no prices before', async () => {
  const bars: number[] = [];
  const run = await played({
    prices: [100, 100, 110, 120, 130, 140],
    members: 'Y\nX,2024-01-08,2024-01-09\n',
    does: { 0: buy(10), 1: (trader) => bars.push(trader.lastTrade()!.price) },
  });
  expect(bars).toEqual([13_000]);
  expect(fillsOf(run)).toEqual(['4 buy 10 at 130 order', '5 sell 10 at 130 settled']);
});

test.each([
  ['X,2024-01-05,2024-01-03', 'universe.csv:1: X,2024-01-05,2024-01-03'],
  ['symbol,from\nX,05.01.2024', 'universe.csv:2: X,05.01.2024'],
  ['X\nZ', 'data.symbols: expected contracts of this market, was Z'],
  ['', 'has no symbols'],
  ['Y', 'a contract with data in this run (Y)'],
])('%s', async (members, message) => {
  await expect(played({ prices: [1, 1], members, does: {} })).rejects.toThrow(message);
});
