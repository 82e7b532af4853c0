/** A position in a contract on its last day is paid out at the settlement price. */
import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { priceTicks, US_PER_DAY } from '../../../src/domain/units.ts';
import { ON_BARS, planOf, tapesOf, type TestTape, strategyOf } from '../../support/backtest-plan.ts';
import { parseScript } from '../fill/rig-script.ts';

/** Buys two at the first trade. */
const buysOnce = strategyOf('buys-once', (ticks, trader) => {
  let isDone = false;
  ticks.trades$.subscribe(() => {
    if (!isDone) trader.buy({ qty: 2, price: priceTicks(1_005), reason: 'test' });
    isDone = true;
  });
});

/** Fills and profit of a run over the third Thursday of March that holds its position to the end. */
function lastDay(script: string): { readonly fills: readonly string[]; readonly profit: number } {
  const { rows } = parseScript(script, 'high');
  for (let row = 0; row < rows.rows; row += 1) rows.tsUs[row]! += 15 * US_PER_DAY;
  const data = tapesOf([{ code: 'VN30F2603', day: '2026-03-19', rows, reference: 10_000 }]);
  const plan = planOf(data, [buysOnce]);
  const strategies = plan.settings.strategies.map((each) => ({ ...each, onExpiry: 'hold' as const }));
  const result = runBacktest({ ...plan, settings: { ...plan.settings, strategies } });
  const fills = [...result.strategies[0]!.fills].map(
    ({ side, qty, priceTicks: price, clause, cause, fee, tax }) =>
      `${side} ${qty} at ${price}, ${clause}, ${cause}: ${fee}, ${tax}`,
  );
  return { fills, profit: result.equity.values.at(-1)! - result.capital };
}

/**
 * Two bought at 1,001: 20,020,000 VND, fees 2 x 5,250, tax 0.1 % x 17 % / 2 of it: 1,701.7, so 1,702. Paid out at 990: 19,800,000,
 * tax 1,683, no fee. In all 220,000 lost, and 10,500 + 1,702 + 1,683 charged.
 */
test('an expired contract is paid out at its closing cross, with tax and without a fee', () => {
  const { fills, profit } = lastDay(`
    09:01:00 trade 1000 x 5 sold
    09:02:00 trade 1001 x 5 bought
    14:45:00 trade 990 x 5 -`);
  expect(fills).toEqual([
    'buy 2 at 1001, shown, order: 10500, 1702',
    'sell 2 at 990, settlement, settled: 0, 1683',
  ]);
  expect(profit).toBe(-220_000 - 10_500 - 1_702 - 1_683);
});

/** The day averages 996.667 ticks, 9,967 hundredths of a point: paid out at 996.7 ticks, 19,934,000 VND, tax 1,694.39. */
test('an expired contract without a closing cross is paid out at the average of its few trades', () => {
  const { fills, profit } = lastDay(`
    09:01:00 trade 1000 x 5 sold
    09:02:00 trade 1001 x 5 bought
    14:29:00 trade 989 x 5 sold`);
  expect(fills).toEqual([
    'buy 2 at 1001, shown, order: 10500, 1702',
    'sell 2 at 997, settlement, settled: 0, 1694',
  ]);
  expect(profit).toBe(-86_000 - 10_500 - 1_702 - 1_694);
});

/** Bids far below until canceled. */
const rests = strategyOf('rests', (ticks, trader) => {
  let isDone = false;
  ticks.trades$.subscribe(() => {
    const price = priceTicks(950);
    if (!isDone) trader.buy({ qty: 1, price, reason: 'test', timeInForce: 'gtc' });
    isDone = true;
  });
});

/** One bar on a day of March. */
function barTape(code: string, day: number): TestTape {
  const { rows } = parseScript('09:01:00 bar 1000 1001 999 1000 x 9', 'high');
  for (let row = 0; row < rows.rows; row += 1) rows.tsUs[row]! += (day - 4) * US_PER_DAY;
  return { code, day: `2026-03-${day}`, rows };
}

/** Its strategy stops with the contract after the close, when nothing can be canceled: the cancel comes on the day after. */
test('an order that outlives its contract rests in no market', () => {
  const plan = planOf(tapesOf([barTape('VN30F2603', 19), barTape('VN30F2604', 20)]), [rests], {
    symbols: ['VN30F2603'],
    memory: 'run',
    fill: ON_BARS,
  });
  const risk = { ...plan.settings.risk, auctionEntries: true };
  const outcomes: string[] = [];
  runBacktest(
    { ...plan, settings: { ...plan.settings, risk, gtcOrders: true } },
    {
      onEntry: (entry) =>
        void (entry.kind === 'outcome' && outcomes.push(`${entry.call} ${entry.outcome.status}`)),
    },
  );
  expect(outcomes).toEqual(['place accepted', 'cancel accepted']);
});
