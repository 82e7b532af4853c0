import { expect, test } from 'vitest';
import { createReport } from '../../../src/research/report/create-report.ts';
import type { BacktestPlan } from '../../../src/research/backtest-plan.ts';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import type { ClientOrderId } from '../../../src/domain/ids.ts';
import { priceTicks, seconds } from '../../../src/domain/units.ts';
import { emaCross } from '../../../strategies/ema-cross/ema-cross.ts';
import { fileTape, planOf, SAMPLE, tapesOf, strategyOf } from '../../support/backtest-plan.ts';

const ema = () => ({ id: 'ema', definition: emaCross, params: { barSeconds: 60, fast: 9, slow: 21 } });
const data = tapesOf([fileTape(SAMPLE)]);

test('the sample day runs from the first print to the last, and its figures agree with each other', () => {
  const result = runBacktest(planOf(data, [ema()]));
  const [one] = result.strategies;
  expect(result.counts.rows).toBe(data.rows);
  expect(one!.fills.length).toBeGreaterThan(10);
  expect(one!.stopped).toBeNull();
  expect(result.notices).toEqual([]);
  const net = [...one!.trades].reduce((sum, { netProfit }) => sum + netProfit, 0);
  expect(result.equity.values.at(-1)).toBe(result.capital + net);
  expect(one!.profit.values.at(-1)).toBe(net);
  const charged = [...one!.fills].reduce((sum, { fee, tax }) => sum + fee + tax, 0);
  const { exchangeFee, clearingFee, brokerFee, valueFee, tax } = one!.costs;
  expect(exchangeFee + clearingFee + brokerFee + valueFee + tax).toBe(charged);
});

test('the same plan gives the same result, to the last number of its journal', () => {
  const [first, second] = [runBacktest(planOf(data, [ema()])), runBacktest(planOf(data, [ema()]))];
  expect(second.journalHash).toBe(first.journalHash);
  expect(second.equity).toEqual(first.equity);
  expect([...second.strategies[0]!.trades]).toEqual([...first.strategies[0]!.trades]);
});

test('a result of before still has its journal: a denial, a change and a stop are hashed as they were', () => {
  const strategy = strategyOf('three', (ticks, trader) => {
    let trade = 0;
    let id: ClientOrderId;
    ticks.trades$.subscribe(({ price }) => {
      const near = (ticksAway: number) => priceTicks(price + ticksAway);
      trade += 1;
      if (trade === 100) trader.buy({ qty: 501, price, reason: 'denied' });
      if (trade === 101) id = trader.buy({ qty: 1, price: near(-30), reason: 'rests' });
      if (trade === 110) trader.modify(id, { price: near(-20) });
      const stop = { kind: 'stop', trigger: near(20), price: near(30), reason: 'waits' } as const;
      if (trade === 120) trader.submit({ ...stop, side: 'buy', qty: 1 });
    });
  });
  const kinds = new Set<string>();
  const plan = planOf(data, [strategy]);
  const { journalHash } = runBacktest(plan, { onEntry: ({ kind }) => void kinds.add(kind) });
  expect([...kinds]).toEqual(expect.arrayContaining(['denied', 'modify', 'order_waiting']));
  expect(journalHash).toBe('796fac6b1b7769ba729ab768d62bfba12af29a34399cd371edfb80a373cf511d');
});

test('orders and positions are not polled: the venue in process reports each change of them', () => {
  const plan = planOf(data, [ema()]);
  const often: BacktestPlan['settings']['poll'] = {
    ...plan.settings.poll,
    bookFast: seconds(1),
    bookSlow: seconds(1),
    positions: seconds(1),
  };
  const [seldom, polled] = [plan, { ...plan, settings: { ...plan.settings, poll: often } }].map((each) =>
    runBacktest(each),
  );
  expect(polled!.counts).toEqual(seldom!.counts);
  expect(polled!.journalHash).toBe(seldom!.journalHash);
});

test('each sample knows the first, highest and lowest trade since the one before, whatever was filled between', () => {
  const result = runBacktest(planOf(data, [ema()]));
  const [instrument] = result.instruments;
  const { prices, ranges } = instrument!;
  const { rows } = fileTape(SAMPLE);
  let row = 0;
  const seen = Array.from(prices.tsUs, (untilUs) => {
    const traded: number[] = [];
    for (; row < rows.rows && (rows.tsUs[row] ?? 0) < untilUs; row += 1)
      if ((rows.qty[row] ?? 0) > 0) traded.push(rows.priceTicks[row] ?? 0);
    return traded.length === 0 ? [0, 0, 0] : [traded[0], Math.max(...traded), Math.min(...traded)];
  });
  expect(Array.from(prices.tsUs, (_, i) => [ranges.first[i], ranges.high[i], ranges.low[i]])).toEqual(seen);
  expect(row).toBe(rows.rows);
});

test('its report comes to the figures of the rows that it is made of', () => {
  const result = runBacktest(planOf(data, [ema()]));
  const { costs: all, drawn } = createReport(result, 'sample').run;
  const net = (result.equity.values.at(-1) ?? 0) - result.capital;
  const listed = drawn.trades.reduce((sum, { profit }) => sum + profit, 0);
  expect(listed).toBe(net);
  expect(all.net).toBe(net);
  const charged = all.charges.reduce((sum, [, amount]) => sum + amount, 0);
  expect(charged).toBe(drawn.trades.reduce((sum, { costs }) => sum + costs, 0));
  expect(all.gross - charged).toBe(net);
  expect(drawn.daily.profit.reduce((sum, profit) => sum + profit, 0)).toBe(net);
  expect(drawn.account.position.at(-1)).toBe(result.strategies[0]!.fills.at(-1)!.positionAfter);
  const [prices] = drawn.prices;
  const candleOf = (seconds: number): number => prices!.candles.findLastIndex(({ time }) => time <= seconds);
  for (const { tsSeconds, price } of prices!.marks) {
    const place = candleOf(tsSeconds);
    // What takes pays the spread: a tick or two beyond the trades of its minute.
    expect(price).toBeGreaterThan((prices!.candles[place]?.low ?? 0) - 1);
    expect(price).toBeLessThan((prices!.candles[place]?.high ?? 0) + 1);
  }
});

test('what a strategy draws is one value a candle, near its prices, and the last one of its stretch', () => {
  const result = runBacktest(planOf(data, [ema()]));
  const { plots } = result.strategies[0]!;
  expect(plots.map(({ name }) => name)).toEqual(['fast', 'slow']);
  const { sampleEvery } = planOf(data, [ema()]);
  for (const { values } of plots) {
    const stretches = Array.from(values.tsUs, (at) => Math.floor(at / sampleEvery));
    expect(stretches.length).toBeGreaterThan(100);
    expect(new Set(stretches).size).toBe(stretches.length);
  }
  const [prices] = createReport(result, 'sample').run.drawn.prices;
  expect(prices!.lines.map(({ name }) => name)).toEqual(['ema fast', 'ema slow']);
  for (const { values } of prices!.lines) {
    expect(values).toHaveLength(prices!.candles.length);
    for (const value of values) {
      if (value === null) continue;
      expect(value).toBeGreaterThan(Math.min(...prices!.candles.map(({ low }) => low)));
      expect(value).toBeLessThan(Math.max(...prices!.candles.map(({ high }) => high)));
    }
  }
});

test('a strategy that draws at each trade keeps one value a stretch, the last', () => {
  const draws = strategyOf('draws', (ticks, trader) => {
    ticks.trades$.subscribe(({ price }) => trader.plot('last', price));
  });
  const result = runBacktest(planOf(data, [draws]));
  const [prices] = createReport(result, 'sample').run.drawn.prices;
  const [line] = prices!.lines;
  expect(line!.values).toEqual(prices!.candles.map(({ close }) => close));
});
