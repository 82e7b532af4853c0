import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/backtest/run/run-backtest.ts';
import { emaCross } from '../../../strategies/ema-cross/ema-cross.ts';
import { fileTape, planOf, SAMPLE, tapesOf } from '../../support/backtest-plan.ts';

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
