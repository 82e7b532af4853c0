/** Orders that wait at the broker, asked for by a strategy, through engine and risk guard to the venue in process. */
import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import type { ClientOrderId } from '../../../src/domain/ids.ts';
import { priceTicks, US_PER_DAY } from '../../../src/domain/units.ts';
import { type Trader, seconds } from '../../../src/strategy/index.ts';
import { parseScript } from '../fill/rig-script.ts';
import { planOf, tapesOf, strategyOf } from '../../support/backtest-plan.ts';

type Book = Trader<Record<string, never>, 'contract'>;

/** Does one thing at each of the first trades, and writes down what it hears of its orders. */
function scripted(steps: readonly ((trader: Book) => ClientOrderId | void)[], heard: string[]) {
  const strategy = strategyOf('scripted', (ticks, trader) => {
    let trade = 0;
    ticks.trades$.subscribe(() => {
      steps[trade]?.(trader);
      trade += 1;
    });
    ticks.orders$.subscribe(({ side, qty, status, parent, lastFilledQty }) => {
      const by = parent === undefined ? '' : 'child ';
      heard.push(`${by}${side} ${qty} ${status}${lastFilledQty > 0 ? ` +${lastFilledQty}` : ''}`);
    });
  });
  return strategy;
}

function play(script: string, steps: Parameters<typeof scripted>[0]) {
  const heard: string[] = [];
  const { rows } = parseScript(script, 'high');
  const data = tapesOf([{ code: 'VN30F2603', day: '2026-03-04', rows, reference: 10_000 }]);
  const result = runBacktest(planOf(data, [scripted(steps, heard)]));
  const [one] = result.strategies;
  const fills = [...one!.fills].map(
    ({ side, qty, priceTicks: price, clause, positionAfter }) =>
      `${side} ${qty} at ${price} ${clause}, holds ${positionAfter}`,
  );
  return {
    heard,
    fills,
    denials: one!.denials.map(({ text }) => text),
    notices: result.notices,
    stopped: one!.stopped,
  };
}

type Steps = Parameters<typeof scripted>[0];
let mine: ClientOrderId;
const at = (price: number) => priceTicks(price);
const sell = (qty: number) => ({ side: 'sell', qty, reason }) as const;
const reason = 'test';

const CASES = [
  {
    name: 'a stop: triggered by the tape, its order filled and booked to the strategy',
    script: `
      09:01:00 trade 1000 x 5 sold
      09:02:00 trade 1000 x 5 bought
      09:03:00 trade 996 x 5 sold
      09:04:00 trade 995 x 2 sold
      14:45:00 trade 990 x 5 -`,
    steps: [
      (trader) => trader.buy({ qty: 3, price: at(1_005), reason }),
      (trader) =>
        trader.submit({ ...sell(3), kind: 'stop', trigger: at(995), price: at(990), reduceOnly: true }),
    ],
    fills: ['buy 3 at 1001 shown, holds 3', 'sell 3 at 995 shown, holds 0'],
  },
  {
    name: 'a bracket: its exits belong to it, and the take-profit closes what it opened',
    script: `
      09:01:00 trade 1000 x 5 sold
      09:02:00 trade 1002 x 5 bought
      09:03:00 trade 1004 x 5 bought
      09:04:00 trade 1005 x 5 bought
      14:45:00 trade 990 x 5 -`,
    steps: [
      (trader) =>
        trader.submit({
          ...sell(2),
          kind: 'bracket',
          side: 'buy',
          price: at(1_001),
          stopLoss: at(990),
          takeProfit: at(1_004),
        }),
    ],
    fills: ['buy 2 at 1001 shown, holds 2', 'sell 2 at 1004 traded_through, holds 0'],
  },
  {
    name: 'a trailing stop: follows the tape, and closes',
    script: `
      09:01:00 trade 1000 x 5 sold
      09:01:30 trade 1001 x 5 bought
      09:02:00 trade 1005 x 5 bought
      09:03:00 trade 1008 x 5 bought
      09:04:00 trade 1004 x 5 sold
      14:45:00 trade 990 x 5 -`,
    steps: [
      (trader) => trader.buy({ qty: 2, price: at(1_005), reason }),
      (trader) => {
        trader.submit({
          ...sell(2),
          kind: 'trailing_stop',
          activation: at(1_005),
          offset: 4,
          price: at(990),
        });
      },
    ],
    fills: ['buy 2 at 1001 shown, holds 2', 'sell 2 at 1004 shown, holds 0'],
  },
  {
    name: 'a stop that is moved, and one that is taken back',
    script: `
      09:01:00 trade 1000 x 5 sold
      09:02:00 trade 1000 x 5 sold
      09:03:00 trade 994 x 5 sold
      09:04:00 trade 991 x 5 sold
      14:45:00 trade 990 x 5 -`,
    steps: [
      (trader) => void (mine = trader.submit({ ...sell(2), kind: 'stop', trigger: at(995), price: at(980) })),
      (trader) => {
        trader.modify(mine, { trigger: at(992) });
        const other = trader.submit({ ...sell(1), kind: 'stop', trigger: at(993), price: at(980) });
        trader.after(seconds(5), () => trader.cancel(other));
      },
    ],
    fills: ['sell 2 at 991 shown, holds -2'],
  },
] as const satisfies readonly { readonly steps: Steps; readonly [key: string]: unknown }[];

test.each(CASES)('$name', ({ script, steps, fills }) => {
  const result = play(script, steps);
  expect(result.denials).toEqual([]);
  expect(result.notices).toEqual([]);
  expect(result.stopped).toBeNull();
  expect(result.fills).toEqual(fills);
});

test('the strategy hears of each step, and whose child an order is', () => {
  const { script, steps } = CASES[0];
  expect(play(script, steps).heard).toEqual([
    'buy 3 accepted',
    'buy 3 filled +3',
    'sell 3 pending_trigger',
    'sell 3 triggering',
    'sell 3 triggered',
    'child sell 3 accepted',
    'child sell 3 filled +3',
  ]);
});

const bracket = (qty: number, price: number) => (trader: Book) =>
  trader.submit({
    kind: 'bracket',
    side: 'buy',
    qty,
    price: at(price),
    stopLoss: at(995),
    takeProfit: at(1_010),
    reason,
  });
const wait = (): void => undefined;

test('two strategies with one stop price and brackets entered again: no exit is taken for one of another order', () => {
  const { rows } = parseScript(
    `
      09:01:00 trade 1000 x 5 sold
      09:01:10 trade 1000 x 5 sold
      09:01:20 trade 1001 x 1 bought
      09:02:00 trade 1000 x 90 sold
      09:03:00 trade 995 x 90 sold
      09:03:30 trade 994 x 90 sold
      09:04:00 trade 1000 x 90 bought
      09:04:10 trade 1000 x 90 sold
      09:04:30 trade 999 x 90 sold
      09:05:00 trade 994 x 90 sold
      09:05:30 trade 993 x 90 sold
      14:45:00 trade 990 x 5 -`,
    'high',
  );
  const data = tapesOf([{ code: 'VN30F2603', day: '2026-03-04', rows, reference: 10_000 }]);
  const again: Steps = [bracket(1, 1_000), wait, wait, wait, wait, wait, bracket(1, 1_000)];
  const larger: Steps = [wait, bracket(3, 1_000), wait, wait, wait, wait, wait, bracket(2, 1_000)];
  const plan = planOf(data, [scripted(again, []), { ...scripted(larger, []), id: 'larger' }]);
  const result = runBacktest(plan);
  expect(result.notices).toEqual([]);
  const held = result.strategies.map(({ fills }) =>
    [...fills].map(({ side, qty, positionAfter }) => [side, qty, positionAfter]),
  );
  expect(held).toMatchObject([
    [
      ['buy', 1, 1],
      ['sell', 1, 0],
      ['buy', 1, 1],
      ['sell', 1, 0],
    ],
    [
      ['buy', 3, 3],
      ['sell', 3, 0],
      ['buy', 2, 2],
      ['sell', 2, 0],
    ],
  ]);
});

/** Buys after a leg that never fills, and takes it back the next day. */
const afterNothing = (heard: string[]) =>
  strategyOf(
    'after-nothing',
    (ticks, trader) => {
      const near = trader.leg('near');
      const after = trader.leg('far').contract;
      let id: ClientOrderId | null = null;
      let trade = 0;
      ticks.leg('near').trades$.subscribe(() => {
        trade += 1;
        const terms = { side: 'buy', qty: 1, price: at(1_005), timeInForce: 'gtc', reason } as const;
        id ??= near.submit({ ...terms, kind: 'arbitrage', after });
        if (trade === 3) near.cancel(id);
      });
      ticks.orders$.subscribe(({ status }) => heard.push(status));
    },
    ['near', 'far'],
  );

function twoTrades(code: string, day: number) {
  const { rows } = parseScript('09:01:00 trade 1000 x 5 sold\n09:02:00 trade 1000 x 5 sold', 'high');
  for (let row = 0; row < rows.rows; row += 1) rows.tsUs[row]! += (day - 4) * US_PER_DAY;
  return { code, day: `2026-03-0${day}`, rows };
}

test('an order that waits for its leg stays out of the market of the next day', () => {
  const data = tapesOf([4, 5].flatMap((day) => [twoTrades('VN30F2603', day), twoTrades('VN30F2604', day)]));
  const heard: string[] = [];
  const plan = planOf(data, [afterNothing(heard)], {
    symbols: ['VN30F2603', 'VN30F2604'],
    memory: 'run',
  });
  const risk = { ...plan.settings.risk, auctionEntries: true };
  const result = runBacktest({ ...plan, settings: { ...plan.settings, risk, gtcOrders: true } });
  expect([...result.strategies[0]!.fills]).toEqual([]);
  expect(heard).toEqual(['accepted', 'pending_cancel', 'canceled']);
});
