/**
 * Splits and dividends on daily bars, worked out by hand, and as zipline's tests of performance tracking publish them (Apache 2.0): flat
 * prices of 10, 100 shares bought for 1,000 of a capital of 10,000, a dividend of 10.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { BacktestResult } from '../../../../src/backtest/backtest-result.ts';
import { reportOf } from '../../../../src/backtest/report/report-of.ts';
import { runStatistics } from '../../../../src/backtest/statistics/run-statistics.ts';
import { loadBacktest } from '../../../../src/app/research/backtest/load-backtest.ts';
import { resultCsv } from '../../../../src/app/research/backtest/result-files.ts';
import { type ActionTaken, backAdjusted } from '../../../../src/strategy/index.ts';
import { runBacktest } from '../../../../src/backtest/run/run-backtest.ts';
import { formatProblem } from '../../../../src/config/problem.ts';
import { minutes, priceTicks } from '../../../../src/domain/units.ts';
import { barFile, barPlan } from './bar-run.ts';

/** From a Wednesday on. */
const DAYS = [
  '2024-01-03',
  '2024-01-04',
  '2024-01-05',
  '2024-01-08',
  '2024-01-09',
  '2024-01-10',
  '2024-01-11',
  '2024-01-12',
];

type Trader = Parameters<Parameters<typeof barPlan>[0]['connect']>[1];

interface Daily {
  /** One bar a day: open, high, low and close, or one price for all of them. */
  readonly prices: readonly (number | readonly number[])[];
  /** Rows behind the header; `$3` is the third day, from 0. */
  readonly actions: readonly string[];
  /** Further keys of `data.actions`. */
  readonly rules?: string;
  /** At the end of the day with this number. */
  readonly does: Readonly<Record<number, (trader: Trader) => void>>;
  readonly every?: '1h';
  readonly market?: string;
  readonly contract?: string;
  readonly data?: string;
  readonly more?: string;
  readonly onAction?: (trader: Trader, taken: ActionTaken) => void;
  readonly onOrder?: (trader: Trader) => void;
  readonly watch?: (trader: Trader, day: number) => void;
}

async function played(daily: Daily): Promise<BacktestResult> {
  const { prices, actions, rules = '', does, data = '', every = '1d', ...run } = daily;
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-actions-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'actions.csv');
  const rows = actions.map((row) => row.replaceAll(/\$(\d)/g, (_all, day: string) => DAYS[Number(day)]!));
  writeFileSync(file, `symbol,ex_date,kind,value,pay_date\n${rows.join('\n')}\n`);
  const bars = prices.map((price, i) => {
    const four = typeof price === 'number' ? [price, price, price, price] : price;
    const time =
      every === '1d' ? DAYS[i]! : `${DAYS[Math.floor(i / 2)]!}T${i % 2 === 0 ? '09' : '10'}:00:00Z`;
    return `${time},${four.join()},100000\n`;
  });
  let day = -1;
  const plan = await barPlan({
    bars: `time,open,high,low,close,volume\n${bars.join('')}`,
    file: `, every: ${every}`,
    data: `, actions: { file: ${file}${rules} }${data}`,
    ...run,
    connect(ticks, trader) {
      ticks.actions$.subscribe((taken) => daily.onAction?.(trader, taken));
      ticks.orders$.subscribe(() => daily.onOrder?.(trader));
      ticks.bars({ every: minutes(every === '1d' ? 1_440 : 60) }).subscribe(() => {
        day += 1;
        does[day]?.(trader);
        daily.watch?.(trader, day);
      });
    },
  });
  return runBacktest(plan);
}

const at = (points: number) => priceTicks(Math.round(100 * points));
const buy = (qty: number) => (trader: Trader) => void trader.buy({ qty, price: 'market', reason: 'test' });
const sell = (qty: number) => (trader: Trader) => void trader.sell({ qty, price: 'market', reason: 'test' });

/** At the end of each day, in the currency. */
const equityOf = ({ dayEquity, moneyScale }: BacktestResult): readonly number[] =>
  Array.from(dayEquity, (value) => value / moneyScale);

/** After the fill of the day or before the next one: the last sample of each day. */
const cashOf = ({ dayEndUs, equity, funds, moneyScale }: BacktestResult): readonly number[] =>
  Array.from(dayEndUs, (end) => funds.cash[equity.tsUs.lastIndexOf(end)]! / moneyScale);

/** `before > after: cash` of each action. */
const actionsOf = ({ actions, moneyScale }: BacktestResult): readonly string[] =>
  actions.map(
    ({ qtyBefore, qtyAfter, cash, isOwed }) =>
      `${qtyBefore} > ${qtyAfter}: ${cash / moneyScale}${isOwed ? ' owed' : ''}`,
  );

const dividend = (exDay: number, payDay: number) => [`X,$${exDay},dividend,10.00,$${payDay}`];

describe('zipline', () => {
  const flat = [10, 10, 10, 10, 10, 10, 10];
  const PAID = ', dividends: pay_date';

  test.each([
    [
      'a long position receives a dividend',
      { 0: buy(100) },
      [2, 3],
      [0, 0, 0, 0.1, 0.1, 0.1, 0.1],
      [10_000, 9_000, 9_000, 10_000, 10_000, 10_000, 10_000],
    ],
    [
      'bought on the ex-date',
      { 1: buy(100) },
      [2, 3],
      [0, 0, 0, 0, 0, 0, 0],
      [10_000, 10_000, 9_000, 9_000, 9_000, 9_000, 9_000],
    ],
    [
      'sold before the pay date',
      { 0: buy(100), 2: sell(100) },
      [2, 4],
      [0, 0, 0, 0, 0.1, 0.1, 0.1],
      [10_000, 9_000, 9_000, 10_000, 11_000, 11_000, 11_000],
    ],
    [
      'bought and sold before the ex-date',
      { 1: buy(100), 2: sell(100) },
      [5, 6],
      [0, 0, 0, 0, 0, 0, 0],
      [10_000, 10_000, 9_000, 10_000, 10_000, 10_000, 10_000],
    ],
    [
      'a short position pays it',
      { 1: sell(100) },
      [3, 4],
      [0, 0, 0, 0, -0.1, -0.1, -0.1],
      [10_000, 10_000, 11_000, 11_000, 10_000, 10_000, 10_000],
    ],
    [
      'without a position',
      {},
      [2, 3],
      [0, 0, 0, 0, 0, 0, 0],
      [10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000],
    ],
    [
      'the run ends before the pay date',
      { 0: buy(100) },
      [5, 7],
      [0, 0, 0, 0, 0, 0, 0],
      [10_000, 9_000, 9_000, 9_000, 9_000, 9_000, 9_000],
    ],
  ] as const)('%s', async (_name, does, [exDay, payDay], returns, cash) => {
    const run = await played({ prices: flat, does, actions: dividend(exDay, payDay), rules: PAID });
    expect(equityOf(run).map((value) => value / 10_000 - 1)).toEqual(
      returns.map((each) => expect.closeTo(each, 12)),
    );
    expect(cashOf(run)).toEqual(cash);
  });

  /** 100 bought at 20, three old shares for a new one: 33 at 60, and 20 in cash for a third of a share. */
  test('a long position through a split, with cash for the fraction', async () => {
    const run = await played({ prices: [20, 20, 60], does: { 0: buy(100) }, actions: ['X,$2,split,1:3'] });
    const [one] = run.strategies;
    expect([...one!.trades].map(({ qty, entryValue }) => [qty, entryValue / run.moneyScale])).toEqual([
      [33, 2_000],
    ]);
    expect(actionsOf(run)).toEqual(['100 > 33: 20']);
    expect(cashOf(run)).toEqual([10_000, 8_000, 8_020]);
    expect(equityOf(run)).toEqual([10_000, 10_000, 10_000]);
  });
});

/** `day side qty at price` of each fill; the day counts from 0. */
const fillsOf = ({ strategies }: BacktestResult): readonly string[] =>
  [...strategies[0]!.fills].map(
    ({ tsUs, side, qty, priceTicks: price }) =>
      `${DAYS.indexOf(new Date(tsUs / 1_000).toISOString().slice(0, 10))} ${side} ${qty} at ${price / 100}`,
  );

const warned = ({ notices }: BacktestResult) => notices.map(({ code }) => code);

const bracket = (trader: Trader) =>
  void trader.submit({
    kind: 'bracket',
    side: 'buy',
    qty: 100,
    price: at(90),
    stopLoss: at(80),
    takeProfit: at(120),
    reason: 'test',
  });

describe('splits', () => {
  /** 100 at 90 are 9,000 of 10,000; 4 for 1 makes 400 at 22.50, worth 25 each on the ex-date. */
  test('positions and prices of before are split, in both directions', async () => {
    const up = await played({
      prices: [90, 90, 25, 25],
      does: { 0: buy(100), 2: sell(400) },
      actions: ['X,$2,split,4:1'],
    });
    expect(fillsOf(up)).toEqual(['1 buy 100 at 90', '3 sell 400 at 25']);
    expect(equityOf(up)).toEqual([10_000, 10_000, 11_000, 11_000]);
    expect(
      [...up.strategies[0]!.trades].map(({ qty, netProfit }) => [qty, netProfit / up.moneyScale]),
    ).toEqual([[400, 1_000]]);
    expect(warned(up)).toEqual([]);

    const short = await played({
      prices: [90, 90, 25, 25],
      does: { 0: sell(101), 2: buy(50) },
      actions: ['X,$2,split,1:2'],
    });
    // 50 and a half were 101; the half is bought back at 180, and 50 more at 25.
    expect(actionsOf(short)).toEqual(['-101 > -50: -90']);
    expect(fillsOf(short)).toEqual(['1 sell 101 at 90', '3 buy 50 at 25']);
    expect(equityOf(short).at(-1)).toBe(10_000 + 101 * 90 - 90 - 50 * 25);
  });

  test('a position smaller than one new share is paid out', async () => {
    const run = await played({
      prices: [10, 10, 100, 100],
      does: { 0: buy(7) },
      actions: ['X,$2,split,1:10'],
    });
    expect(actionsOf(run)).toEqual(['7 > 0: 70']);
    const trades = [...run.strategies[0]!.trades].map(({ qty, isOpen, netProfit }) => [
      qty,
      isOpen,
      netProfit,
    ]);
    expect(trades).toEqual([[7, false, 0]]);
    expect(cashOf(run).at(-1)).toBe(10_000);
  });

  /** Long 100 at 90 and a stop at 80: after 4 for 1 it is 400 at 20, and the bar down to 19 reaches it. */
  test.each([
    ['adjust', ['1 buy 100 at 90', '3 sell 400 at 20']],
    ['splits', ['1 buy 100 at 90', '3 sell 400 at 20']],
    ['cancel', ['1 buy 100 at 90']],
  ])('orders that wait, %s', async (orders, fills) => {
    const run = await played({
      prices: [90, 90, 25, [25, 25, 19, 19]],
      more: 'models: { fill: ohlc }',
      does: {
        0: buy(100),
        1: (trader) => {
          trader.submit({
            kind: 'stop',
            side: 'sell',
            qty: 100,
            trigger: at(80),
            price: at(1),
            reason: 'test',
          });
          trader.sell({ qty: 100, price: at(200), reason: 'test' });
        },
      },
      actions: ['X,$2,split,4:1'],
      rules: `, orders: ${orders}`,
    });
    expect(fillsOf(run)).toEqual(fills);
    expect(warned(run)).toEqual([]);
  });

  test('an order decided before the ex-date is for old shares, also on its way', async () => {
    for (const latency of ['0s', '50ms']) {
      const run = await played({
        prices: [100, 100, 25, 25],
        does: { 1: buy(10) },
        actions: ['X,$2,split,4:1'],
        more: `models: { latency: { order: ${latency}, report: ${latency} } }`,
      });
      expect(fillsOf(run), latency).toEqual(['2 buy 40 at 25']);
      expect(warned(run)).toEqual([]);
    }
  });

  /** Exits of a bracket: 100 at 90 with a stop-loss 10 below and a take-profit 30 above. */
  test('exits of a bracket protect the whole new position', async () => {
    const run = await played({
      prices: [90, 90, 25, [25, 31, 25, 31], 31],
      more: 'models: { fill: ohlc }',
      does: { 0: bracket },
      actions: ['X,$2,split,4:1'],
    });
    expect(fillsOf(run)).toEqual(['1 buy 100 at 90', '3 sell 400 at 30']);
  });

  /** 100 at 25 become 25; at 25 they would have lost 1,875 since the reference price of 100. */
  test('a loss limit does not take a split for a loss', async () => {
    const run = await played({
      prices: [25, 25, 100, 100],
      does: { 0: buy(100), 2: buy(1) },
      actions: ['X,$2,split,1:4'],
      more: 'risk: { dailyLossMax: 500 }',
    });
    expect(fillsOf(run)).toEqual(['1 buy 100 at 25', '3 buy 1 at 100']);
  });

  test('the ex-date may lie on a day without data', async () => {
    const run = await played({
      prices: [90, 90, 90, 30],
      does: { 0: buy(10) },
      actions: ['X,2024-01-07,split,3:1'],
    });
    expect(actionsOf(run)).toEqual(['10 > 30: 0']);
    expect(equityOf(run)).toEqual([10_000, 10_000, 10_000, 10_000]);
  });
});

/** Two bars a day between 09:00 and 11:00; the first sample of a day is of its opening. */
test.each(['day', 'run'])(
  'a market with hours is worth the same before its first trade, memory: %s',
  async (memory) => {
    const hours = ", hours: [{ phase: continuous, from: '09:00', to: '11:00' }]";
    const run = await played({
      market: hours,
      every: '1h',
      prices: [90, 90, 30, 30, 29, 29],
      does: { 0: buy(100) },
      actions: ['X,$1,split,3:1', 'X,$2,dividend,1'],
      more: `memory: ${memory}`,
    });
    expect([...new Set(Array.from(run.equity.values, (value) => value / run.moneyScale))]).toEqual([10_000]);
    expect(actionsOf(run)).toEqual(['100 > 300: 0', '300 > 300: 300']);
    expect(warned(run)).toEqual([]);
  },
);

test('a market order of many shares is filled on the morning of an ex-date', async () => {
  const run = await played({
    prices: [0.1, 0.1, 0.05, 0.05],
    does: { 1: buy(90_000) },
    actions: ['X,$2,dividend,0.01'],
    market: ', costs: { valuePercent: 0.1 }',
  });
  expect(cashOf(run).at(-1)).toBe(10_000 - 4_500 - 4.5);
});

describe('dividends', () => {
  /** 0.24 on 100 shares; the price falls by 1 on the ex-date and comes back. */
  test.each([
    ['buy', buy(100), 24, [10_000, 10_000, 9_924, 10_024]],
    ['sell', sell(100), -24, [10_000, 10_000, 10_076, 9_976]],
  ] as const)('are counted on the ex-date: %s', async (_side, order, cash, equity) => {
    const run = await played({
      prices: [50, 50, 49, 50],
      does: { 0: order },
      actions: ['X,$2,dividend,0.24,$3', 'Y,$2,dividend,0.5,$3'],
    });
    expect(actionsOf(run)).toEqual([`${Math.sign(cash) * 100} > ${Math.sign(cash) * 100}: ${cash}`]);
    expect(equityOf(run)).toEqual(equity);
    expect(run.strategies[0]!.costs.dividends / run.moneyScale).toBe(-cash);
    const [trade] = run.strategies[0]!.trades;
    expect([trade!.carry, trade!.netProfit].map((each) => each / run.moneyScale)).toEqual([-cash, cash]);
  });

  /** A buy limit at 44.99 and a sell stop at 44.10 fall by 0.235, to the tick below; a sell limit at 55 and a buy stop stay (FINRA rule 5330). */
  test.each([
    ['adjust', '44.75 43.86 55 56'],
    ['splits', '44.99 44.1 55 56'],
  ])('lower the orders that wait below the market: %s', async (orders, expected) => {
    const prices: string[] = [];
    await played({
      prices: [50, 50, 49.76, 49.76],
      does: {
        0: buy(10),
        1: (trader) => {
          trader.buy({ qty: 1, price: at(44.99), reason: 'test' });
          const stop = { kind: 'stop', qty: 1, reason: 'test' } as const;
          trader.submit({ ...stop, side: 'sell', trigger: at(44.1), price: at(1) });
          trader.sell({ qty: 1, price: at(55), reason: 'test' });
          trader.submit({ ...stop, side: 'buy', trigger: at(56), price: at(100) });
        },
      },
      actions: ['X,$2,dividend,0.2350'],
      rules: `, orders: ${orders}`,
      watch: (trader, day) => {
        if (day !== 2) return;
        for (const { triggerPrice, limitPrice } of trader.workingOrders())
          prices.push(String((triggerPrice ?? limitPrice) / 100));
      },
    });
    expect(prices.join(' ')).toBe(expected);
  });
});

test('strategies are told on the ex-date, when their position has changed', async () => {
  const told: unknown[] = [];
  await played({
    prices: [90, 90, 25, 25],
    does: { 0: buy(100) },
    actions: ['X,$2,split,4:1', 'X,$3,dividend,0.5'],
    onAction: (trader) => told.push([trader.position().qty, trader.lastTrade()?.price]),
  });
  expect(told).toEqual([
    [400, undefined],
    [400, undefined],
  ]);
});

/** 10 at 100 for 12.50 a share; nothing is left of a bankrupt one. Its prices may go on, as those of another share. */
describe.each([
  ['whose prices go on', [100, 100, 300, 300]],
  ['whose prices end before', [100, 100]],
])('a share %s', (_name, prices) => {
  test.each([
    ['12.50', 125],
    ['0', 0],
    ['', 1_000],
  ])('delisted at %s pays out what is held, and ends orders and prices', async (price, cash) => {
    const held: number[] = [];
    const working: number[] = [];
    const run = await played({
      prices,
      does: { 0: buy(10), 1: (trader) => void trader.buy({ qty: 1, price: at(10), reason: 'test' }) },
      onAction: (trader) => void held.push(trader.position().qty),
      onOrder: (trader) => void working.push(trader.workingOrders().length),
      watch: (_trader, day) => expect(day).toBeLessThan(2),
      actions: [`X,$2,delisting,${price}`],
    });
    expect([held, working.at(-1)]).toEqual([[0], 0]);
    expect(actionsOf(run)).toEqual([`10 > 0: ${cash}`]);
    expect(cashOf(run).at(-1)).toBe(9_000 + cash);
    expect(equityOf(run).at(-1)).toBe(9_000 + cash);
  });
});

test.each([
  ['in the days of the run', ', to: 2024-12-31', [9_000]],
  ['after them', '', [10_000]],
  ['behind their end', ', to: 2024-10-01', [10_000]],
])('a delisting months after the last price, %s', async (_name, data, last) => {
  const run = await played({
    prices: [100, 100],
    does: { 0: buy(10) },
    actions: ['X,2024-11-01,delisting,0'],
    data,
  });
  expect(equityOf(run).slice(-1)).toEqual(last);
});

describe('refused', () => {
  const still = { prices: [10, 10], does: {} };
  test.each([
    ['X,$1,split,1,5', '', 'X,2024-01-04,split,1,5'],
    ['X,$1,split,1,,5', '', '6 cells under 5 names'],
    ['', ', prices: adjusted', 'adjusted prices have the actions in them already'],
    ['X,$1,split,0', '', 'X,2024-01-04,split,0'],
    ['X,2024-13-01,split,2', '', 'X,2024-13-01,split,2'],
    ['X,$1,merger,2', '', 'X,2024-01-04,merger,2'],
    ['X,$1,dividend,-1', '', 'X,2024-01-04,dividend,-1'],
    ['X,$1,dividend,1,$0', '', 'X,2024-01-04,dividend,1,2024-01-03'],
    ['Y,$1,dividend,1', '', 'none of them'],
    ['X,$1,split,3:3', '', 'X,2024-01-04,split,3:3'],
    ['X,$1,split,1.0', '', 'X,2024-01-04,split,1.0'],
    ['X,$1,dividend,0.5\nX,$1,dividend,0.50,', '', 'the same dividend twice'],
    ['X,$1,delisting,5\nX,$1,delisting,6', '', 'the second delisting of that day'],
    ['X,$1,split,2\nX,$1,split,3', '', 'the second split of that day'],
  ])('%s%s', async (row, data, message) => {
    await expect(played({ ...still, actions: row === '' ? [] : [row], data })).rejects.toThrow(message);
  });
});

/** Weeks begin on Monday 8, 15 and 22; those of before tell nothing. */
test.each([
  ['2024-01-15', []],
  ['2024-01-13', ['data.bars', 'no action inside of a bar', 'X: dividend of 1 a share on 2024-01-13']],
  ['2024-01-03', []],
])('an action inside of a bar of a week is refused: %s', async (day, texts) => {
  const bars = ['2024-01-08', '2024-01-15', '2024-01-22'].map((week) => `${week},10,10,10,10,1000\n`);
  const path = barFile({
    bars: `time,open,high,low,close,volume\n${bars.join('')}`,
    file: ', every: 1w',
    data: ', actions: actions.csv',
    files: { 'actions.csv': `symbol,ex_date,kind,value\nX,${day},dividend,1\n` },
  });
  const loaded = await loadBacktest(path);
  const found = loaded.ok ? [] : loaded.problems.map(formatProblem);
  expect(found).toHaveLength(Math.min(1, texts.length));
  for (const text of texts) expect(found[0]).toContain(text);
});

test('dividends stand beside fees, not among them', async () => {
  const run = await played({
    prices: [100, 100, 100, 100],
    does: { 0: buy(10) },
    actions: ['X,$2,dividend,1.50'],
    market: ', costs: { valuePercent: 0.1 }',
  });
  const { headlines } = reportOf(run, 'run', { found: runStatistics(run) });
  expect(headlines.slice(-2).map(({ name, text }) => [name, text])).toEqual([
    ['Fees and tax', '1.00'],
    ['Carry', '-15.00'],
  ]);
});

test('files and report show what happened, and what the position was', async () => {
  const run = await played({
    prices: [90, 90, 30, 30],
    does: { 0: buy(100) },
    actions: ['X,$2,split,3:1', 'X,$3,dividend,0.5,$7', 'X,$0,dividend,9'],
    rules: ', dividends: pay_date',
  });
  const found = runStatistics(run);
  expect(resultCsv(run, found, '')['actions.csv']).toBe(
    'time,strategy,symbol,ex_date,action,position_before,position_after,cash,state\n' +
      '2024-01-05T00:00:00.000,one,X,2024-01-05,split 3 for 1,100,300,0.0000,done\n' +
      '2024-01-09T00:00:00.000,one,X,2024-01-08,dividend of 0.5 a share,300,300,150.0000,owed\n',
  );
  const report = reportOf(run, 'run', { found });
  expect(report.tables.find(({ title }) => title === 'Corporate actions')?.rows.at(-1)).toEqual([
    '2024-01-08',
    'X',
    'dividend of 0.5 a share',
    'one',
    '300',
    '300',
    '150, still owed',
  ]);
  expect(report.position!.values.at(-1)).toBe(300);
  expect(equityOf(run).at(-1)).toBe(10_000);
});

test('rows of other contracts are left out with a notice', async () => {
  const rows = ['x', 'A', 'B', 'C', 'D', 'E', 'F', 'x'].map((code, i) => `${code},$${i % 3},dividend,1`);
  const run = await played({ prices: [10, 10, 10], does: {}, actions: [...rows, 'X,$1,dividend,1'] });
  expect(run.notices.map(({ text }) => text)).toEqual([
    'corporate actions of x, A, B, C, D, E and 1 more: left out, the market has no contract of that name',
  ]);
});

test('data that have the split in them already are noticed', async () => {
  const run = await played({ prices: [90, 90, 91], does: {}, actions: ['X,$2,split,3:1'] });
  expect(run.notices.map(({ code }) => code)).toEqual(['prices_look_adjusted']);
});

/** Closes 100, 102, then 3 for 1 and 34, then a dividend of 0.68 on 34 (2 %) and 33.32. */
test('a strategy keeps its prices comparable, without a look ahead', async () => {
  const seen: (readonly number[])[] = [];
  let closes: readonly number[] = [];
  await played({
    prices: [100, 102, 34, 33.32],
    does: {},
    actions: ['X,$2,split,3:1', 'X,$3,dividend,0.68'],
    onAction: (trader, taken) => (closes = backAdjusted(closes, taken, trader.contract)),
    watch: (trader) => {
      closes = [...closes, trader.lastTrade()!.price];
      seen.push(closes.map((ticks) => Math.round(ticks * 100) / 10_000));
    },
  });
  expect(seen).toEqual([[100], [100, 102], [33.3333, 34, 34], [32.6667, 33.32, 33.32, 33.32]]);
});

/** Two dollars for a euro: 101 at 20 euros are 4,040 dollars; a third of 101 is 33 and two thirds, paid at 60: 40 euros; 33 euros of dividend. */
test('shares in another currency', async () => {
  const run = await played({
    prices: [20, 20, 60, 59],
    does: { 0: buy(101) },
    contract: ', currency: EUR',
    market: ', currency: USD',
    data: ', rates: { EURUSD: 2 }',
    actions: ['X,$2,split,1:3', 'X,$3,dividend,1'],
  });
  expect(actionsOf(run)).toEqual(['101 > 33: 80', '33 > 33: 66']);
  expect(cashOf(run)).toEqual([10_000, 5_960, 6_040, 6_106]);
  expect(equityOf(run)).toEqual([10_000, 10_000, 10_000, 10_000]);
});
