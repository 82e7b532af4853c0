/** Our own rule on margin, where the venue reports the account at the moment of the decision: each order counts once, on its way and after. */
import { expect, test } from 'vitest';
import type { BacktestPlan } from '../../../src/research/backtest-plan.ts';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { milliseconds, money, priceTicks } from '../../../src/domain/units.ts';
import type { Trader } from '../../../src/strategy/index.ts';
import { DEFAULT_MARGIN_RULES } from '../../../src/venue/account/margin.ts';
import { planOf, tapesOf, strategyOf } from '../../support/backtest-plan.ts';
import { parseScript } from '../fill/rig-script.ts';

/** Of one contract at 1,000 ticks. */
const MARGIN = 1_700_000;
const NO_TIME = { kind: 'constant', span: milliseconds(0) } as const;
const SLOW = { kind: 'constant', span: milliseconds(1_000) } as const;
const reason = 'test';
type OwnTrader = Trader<object, 'contract'>;

/** `steps` are taken one a trade, four a second. */
function denialsOf(
  contracts: number,
  steps: readonly ((trader: OwnTrader) => void)[],
  over: Partial<BacktestPlan> = {},
): readonly string[] {
  const strategy = strategyOf('steps', (ticks, trader) => {
    let place = 0;
    ticks.trades$.subscribe(() => {
      steps[place]?.(trader);
      place += 1;
    });
  });
  const { rows } = parseScript(
    `
    09:30:00 trade 1000 x 5 sold
    09:30:01 trade 1000 x 5 sold
    09:30:02 trade 1000 x 5 sold
    09:30:03 trade 1000 x 5 sold`,
    'high',
  );
  for (let row = 0; row < rows.rows; row += 1) rows.tsUs[row] = (rows.tsUs[0] ?? 0) + row * milliseconds(250);
  const data = tapesOf([{ code: 'VN30F2603', day: '2026-03-04', rows, reference: 10_000 }]);
  const plan = planOf(data, [strategy], {
    // The broker takes four fifths, and costs are less than half a contract.
    capital: money(((contracts + 0.5) * MARGIN * 10) / 8),
    margin: DEFAULT_MARGIN_RULES,
    ...over,
  });
  return runBacktest(plan).strategies.flatMap(({ denials }) => denials.map(({ code }) => code));
}

const buy =
  (qty: number, price: number) =>
  (trader: OwnTrader): void =>
    void trader.buy({ qty, price: priceTicks(price), reason });
const enlarge =
  (qty: number) =>
  (trader: OwnTrader): void =>
    trader.workingOrders().forEach(({ clientOrderId }) => trader.modify(clientOrderId, { qty }));
const rest = (): void => undefined;

const LATENCIES = {
  'the call is on its way': { order: SLOW, report: NO_TIME },
  'the answer is on its way': { order: NO_TIME, report: SLOW },
  'nothing takes time': { order: NO_TIME, report: NO_TIME },
} as const;

test.each(Object.entries(LATENCIES))('an order that rests counts once: %s', (_, latency) => {
  expect(denialsOf(2, [buy(1, 990), buy(1, 989)], { latency })).toEqual([]);
  expect(denialsOf(2, [buy(1, 990), buy(2, 989)], { latency })).toEqual(['margin']);
});

test.each(Object.entries(LATENCIES))('an order that fills counts once: %s', (_, latency) => {
  expect(denialsOf(2, [buy(1, 1_000), rest, buy(1, 989)], { latency })).toEqual([]);
  expect(denialsOf(2, [buy(1, 1_000), rest, buy(2, 989)], { latency })).toEqual(['margin']);
});

/** What takes time takes less than two trades. */
const partOf = (latency: typeof SLOW) =>
  latency === SLOW ? ({ kind: 'constant', span: milliseconds(400) } as const) : latency;
const changing = (more: number) => [buy(1, 990), rest, enlarge(2), buy(more, 989)];

test.each(Object.entries(LATENCIES))('what a change adds counts once: %s', (_, { order, report }) => {
  const latency = { order: partOf(order), report: partOf(report) };
  expect(denialsOf(3, changing(1), { latency })).toEqual([]);
  expect(denialsOf(3, changing(2), { latency })).toEqual(['margin']);
});

test('an order placed in answer to another counts the other once', () => {
  const strategy = strategyOf('chain', (ticks, trader) => {
    let sent = 0;
    const next = (): void => {
      sent += 1;
      if (sent < 4) buy(1, 990 - sent)(trader);
    };
    ticks.orders$.subscribe(({ status }) => {
      if (status === 'accepted') next();
    });
    ticks.trades$.subscribe(() => {
      if (sent === 0) next();
    });
  });
  const { rows } = parseScript('09:30:00 trade 1000 x 5 sold\n09:30:01 trade 1000 x 5 sold', 'high');
  const data = tapesOf([{ code: 'VN30F2603', day: '2026-03-04', rows, reference: 10_000 }]);
  const plan = planOf(data, [strategy], {
    capital: money((3.5 * MARGIN * 10) / 8),
    margin: DEFAULT_MARGIN_RULES,
  });
  const { strategies, counts } = runBacktest(plan);
  expect(strategies[0]?.denials).toEqual([]);
  expect(counts.orders).toBe(3);
});

test.each(['cash', null] as const)('orders that rest count where the broker has no ratios: %s', (margin) => {
  const over = { margin, capital: money(2.5 * MARGIN) };
  expect(denialsOf(2, [buy(1, 990), buy(1, 989)], over)).toEqual([]);
  expect(denialsOf(2, [buy(1, 990), rest, buy(2, 989)], over)).toEqual(['margin']);
});
