/** Orders over several days of a market with hours, worked out by hand: hourly bars, two a day. */
import { describe, expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { minutes } from '../../../src/domain/units.ts';
import { type Bar, type BarTrader, barPlan, bracket, breakout, flat, playBars, ticks } from './bar-run.ts';

const HOUR = minutes(60);
const HOURS = ", timeZone: UTC, hours: [{ phase: continuous, from: '09:00', to: '11:00' }]";
const REMEMBERED = 'memory: run';

/** Wednesday to Friday and Monday. */
const DAYS = ['2024-01-03', '2024-01-04', '2024-01-05', '2024-01-08'];

const hourBars = (bars: readonly Bar[]): string =>
  `time,open,high,low,close,volume\n${bars
    .map((bar, i) => `${DAYS[Math.floor(i / 2)]}T${i % 2 === 0 ? '09' : '10'}:00:00Z,${bar.join(',')},100\n`)
    .join('')}`;

interface Case {
  readonly name: string;
  readonly bars: readonly Bar[];
  readonly market?: string;
  readonly more?: string;
  readonly orders: Readonly<Record<number, (trader: BarTrader) => void>>;
  readonly expected: readonly string[];
}

const buyAt95 = (timeInForce?: 'day' | 'gtc') => (trader: BarTrader) => {
  const lasting = timeInForce === undefined ? {} : { timeInForce };
  return void trader.buy({ qty: 1, price: ticks(95), reason: 'cheap', ...lasting });
};

/** A hundred for three days, and 94 at the last hour. */
const CHEAP_AT_LAST = [flat(100), flat(100), flat(100), flat(100), flat(100), [100, 100, 94, 95] as Bar];

const CASES: readonly Case[] = [
  {
    name: 'a day order ends with its day',
    bars: CHEAP_AT_LAST,
    more: REMEMBERED,
    orders: { 1: buyAt95() },
    expected: [],
  },
  {
    name: 'good till canceled: it rests on the third day too',
    bars: CHEAP_AT_LAST,
    more: REMEMBERED,
    orders: { 1: buyAt95('gtc') },
    expected: ['2024-01-05 10:40:00 buy 1 at 95 bar_path'],
  },
  {
    name: 'a market that opens beyond it fills it at the open, over a weekend too',
    bars: [...CHEAP_AT_LAST.slice(0, 5), flat(100), flat(90), flat(90)],
    more: REMEMBERED,
    orders: { 1: buyAt95('gtc') },
    expected: ['2024-01-08 09:00:00 buy 1 at 90 bar_open'],
  },
  {
    name: 'canceled on the second day, it is gone on the third',
    bars: CHEAP_AT_LAST,
    more: REMEMBERED,
    orders: {
      1: buyAt95('gtc'),
      3: (trader) => trader.workingOrders().forEach(({ clientOrderId }) => trader.cancel(clientOrderId)),
    },
    expected: [],
  },
  {
    name: 'a stop that waits over the night',
    bars: [flat(100), flat(100), [100, 106, 100, 105], flat(105)],
    more: REMEMBERED,
    orders: {
      1: (trader) => trader.submit({ ...breakout(103), timeInForce: 'gtc' }),
    },
    expected: ['2024-01-04 09:40:00 buy 1 at 103 bar_stop'],
  },
  {
    name: 'exits of a bracket last like the bracket: the stop-loss of Wednesday sells on Friday',
    bars: [flat(100), flat(100), flat(101), flat(101), flat(90), flat(90)],
    more: REMEMBERED,
    orders: { 1: (trader) => trader.submit(bracket([95, 120], { timeInForce: 'gtc' })) },
    expected: ['2024-01-03 10:00:00 buy 1 at 100 bar_open', '2024-01-05 09:00:00 sell 1 at 90 bar_gap'],
  },
  {
    name: 'exits of a bracket for the day end with it',
    bars: [flat(100), flat(100), flat(101), flat(101), flat(90), flat(90)],
    more: REMEMBERED,
    orders: { 1: (trader) => trader.submit(bracket([95, 120], { timeInForce: 'day' })) },
    expected: ['2024-01-03 10:00:00 buy 1 at 100 bar_open'],
  },
  {
    name: 'denied where strategies begin again each day: nobody would know the order in the morning',
    bars: CHEAP_AT_LAST,
    more: 'memory: day',
    orders: { 1: buyAt95('gtc') },
    expected: ['2024-01-03 10:00:00 denied time_in_force'],
  },
  {
    name: 'where trading never stops every order lasts, and one for the day is denied',
    bars: CHEAP_AT_LAST,
    market: '',
    orders: {
      1: (trader) => {
        buyAt95('gtc')(trader);
        buyAt95()(trader);
        buyAt95('day')(trader);
      },
    },
    expected: [
      '2024-01-03 10:00:00 denied time_in_force',
      '2024-01-05 10:40:00 buy 1 at 95 bar_path',
      '2024-01-05 10:40:00 buy 1 at 95 bar_path',
    ],
  },
];

describe('how long an order lasts', () => {
  test.each(CASES)('$name', async ({ bars, market = HOURS, more = '', orders, expected }) => {
    const run = { bars: hourBars(bars), market, file: ', every: 1h', more };
    expect(await playBars(run, HOUR, (trader, bar) => orders[bar]?.(trader), 'day')).toEqual(expected);
  });
});

test.each([
  { file: 'nothing', more: '', buys: 1, memory: 'run: strategies remember the days before' },
  {
    file: 'memory: day',
    more: 'memory: day',
    buys: 3,
    memory: 'day: strategies begin again each morning, as under the daemon',
  },
])(
  'a strategy that buys once, in a market with hours of a file that says $file',
  async ({ more, buys, memory }) => {
    const plan = await barPlan({
      bars: hourBars(Array.from({ length: 6 }, () => flat(100))),
      market: HOURS,
      file: ', every: 1h',
      more,
      connect(trades, trader) {
        let isDone = false;
        trades.trades$.subscribe(() => {
          if (!isDone) trader.buy({ qty: 1, price: ticks(100), reason: 'once' });
          isDone = true;
        });
      },
    });
    const { strategies, models } = runBacktest(plan);
    expect(strategies[0]!.fills.length).toBe(buys);
    expect(models).toContainEqual(['memory', memory]);
  },
);

/** The entry is decided at one midnight and fills at the next open: the exits belong to an order of the day before. */
test.each(['next_open', 'ohlc', 'close'])(
  'exits of a bracket on bars of a day are ours and heard of with their bar: %s',
  async (fill) => {
    const heard: string[] = [];
    const days = [flat(100), flat(100), flat(110), [110, 125, 105, 115] as Bar, flat(115)];
    const plan = await barPlan({
      bars: `time,open,high,low,close,volume\n${days.map((bar, i) => `2024-01-0${i + 1},${bar.join(',')},100\n`).join('')}`,
      file: ', every: 1d',
      more: `models: { fill: ${fill} }`,
      connect(ticks, trader) {
        let bar = 0;
        ticks.orders$.subscribe(({ side, lastFilledQty }) => {
          if (lastFilledQty > 0) heard.push(`${side} ${lastFilledQty}`);
        });
        ticks.bars({ every: minutes(1_440) }).subscribe(() => {
          bar += 1;
          heard.push(`bar ${bar}, holding ${trader.position().qty}`);
          if (bar === 1) trader.submit(bracket([95, 120]));
        });
      },
    });
    const { notices } = runBacktest(plan);
    expect(notices.map(({ code }) => code)).not.toContain('trigger_adopted');
    expect(heard).toEqual([
      'bar 1, holding 0',
      'buy 1',
      'bar 2, holding 1',
      'bar 3, holding 1',
      'sell 1',
      'bar 4, holding 0',
      'bar 5, holding 0',
    ]);
  },
);

/** The limit is sent on the close of a day of the account, which is the moment at which the next one begins. */
test('updates at midnight find the position as it is', async () => {
  const heard: string[] = [];
  const days = [flat(100), flat(100), flat(100), flat(100)];
  const plan = await barPlan({
    bars: `time,open,high,low,close,volume\n${days.map((bar, i) => `2024-01-0${i + 1},${bar.join(',')},100\n`).join('')}`,
    file: ', every: 1d',
    connect(ticks, trader) {
      let bar = 0;
      ticks.orders$.subscribe(({ side, status }) =>
        heard.push(`${side} ${status}, holding ${trader.position().qty}`),
      );
      ticks.bars({ every: minutes(1_440) }).subscribe(({ close }) => {
        bar += 1;
        if (bar === 1) trader.buy({ qty: 3, price: 'market', reason: 'in' });
        if (bar === 2) trader.sell({ qty: 3, price: trader.plus(close, 20), reason: 'dear' });
      });
    },
  });
  runBacktest(plan);
  expect(heard).toEqual(['buy accepted, holding 0', 'buy filled, holding 3', 'sell accepted, holding 3']);
});
