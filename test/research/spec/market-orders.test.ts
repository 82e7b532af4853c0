/** Market orders on bars, worked out by hand: open, high, low, close, volume of each bar. */
import { describe, expect, test } from 'vitest';
import { minutes } from '../../../src/domain/units.ts';
import { type Bar, type BarTrader, bracket, breakout, flat, playBars, ticks } from './bar-run.ts';

const HEAD = 'time,open,high,low,close,volume\n';
const MINUTE = minutes(1);

const minuteBars = (bars: readonly Bar[]): string =>
  HEAD +
  bars
    .map(([open, high, low, close, volume = 100], i) => {
      const at = `2024-01-03T10:${String(i).padStart(2, '0')}:00Z`;
      return `${at},${open},${high},${low},${close},${volume}\n`;
    })
    .join('');

interface Case {
  readonly name: string;
  readonly bars: readonly Bar[];
  readonly market?: string;
  readonly more?: string;
  /** After the bar of that number. */
  readonly orders: Readonly<Record<number, (trader: BarTrader) => void>>;
  readonly expected: readonly string[];
}

const TOO_MUCH: Case['orders'] = {
  1: (trader) => trader.buy({ qty: 90, price: 'market', reason: 'in' }),
  2: (trader) => trader.buy({ qty: 11, price: 'market', reason: 'more' }),
};

const CASES: readonly Case[] = [
  {
    // Two and a half times the last price: no limit that could be thought of reaches it, a market order does.
    name: 'takes the next open, however far that is',
    bars: [flat(100), flat(250), flat(90)],
    orders: {
      1: (trader) => trader.submit({ kind: 'market', side: 'buy', qty: 10, reason: 'in' }),
      2: (trader) => trader.sell({ qty: 10, price: 'market', reason: 'out' }),
    },
    expected: ['10:01:00 buy 10 at 250 bar_open', '10:02:00 sell 10 at 90 bar_open'],
  },
  {
    // A tenth of the volume of each bar is ours: 10, 10 and the last 5, each at the open of its bar, never at a limit.
    name: 'fills in parts at the opens, as the volume allows',
    bars: [flat(100), [101, 103, 99, 102], [102, 104, 101, 103], [104, 105, 103, 104]],
    more: 'models: { volumePercent: 10 }',
    orders: { 1: (trader) => trader.buy({ qty: 25, price: 'market', reason: 'in' }) },
    expected: [
      '10:01:00 buy 10 at 101 bar_open',
      '10:02:00 buy 10 at 102 bar_gap',
      '10:03:00 buy 5 at 104 bar_gap',
    ],
  },
  {
    name: 'takes the close of the bar where closes are filled, slippage added',
    bars: [[100, 101, 99, 100.5], flat(102)],
    more: 'models: { fill: close, slippageTicks: 3 }',
    orders: { 1: (trader) => trader.sell({ qty: 1, price: 'market', reason: 'out' }) },
    expected: ['10:01:00 sell 1 at 100.47 bar_close'],
  },
  {
    // In at the open of 101. The third bar touches 98: the stop-loss sells at its trigger. The take-profit is gone by then.
    name: 'a bracket around a market order: its stop-loss is a market order too',
    bars: [flat(100), [101, 102, 100, 101], [101, 101, 97, 99], flat(110)],
    orders: { 1: (trader) => trader.submit(bracket([98, 105], { qty: 10 })) },
    expected: ['10:01:00 buy 10 at 101 bar_open', '10:02:40 sell 10 at 98 bar_stop'],
  },
  {
    // Thirteen points below the stop-loss: an order with a limit near it would have been left behind.
    name: 'a stop-loss that the market opens beyond gets the open',
    bars: [flat(100), [101, 102, 100, 101], [85, 86, 84, 85]],
    orders: { 1: (trader) => trader.submit(bracket([98, 105], { qty: 10 })) },
    expected: ['10:01:00 buy 10 at 101 bar_open', '10:02:00 sell 10 at 85 bar_gap'],
  },
  {
    name: 'a take-profit asks for its price, and gets the better open',
    bars: [flat(100), [101, 102, 100, 101], [107, 108, 106, 107]],
    orders: { 1: (trader) => trader.submit(bracket([98, 105], { qty: 10 })) },
    expected: ['10:01:00 buy 10 at 101 bar_open', '10:02:00 sell 10 at 107 bar_gap'],
  },
  {
    name: 'a bracket whose exits are not around the market is denied',
    bars: [flat(100), [101, 102, 100, 101]],
    orders: { 1: (trader) => trader.submit(bracket([101, 105], { qty: 10 })) },
    expected: ['10:01:00 denied exit_price_side'],
  },
  {
    // Touched on the way from 100 to 104 at 103, which is what it pays; the other one at the open beyond its trigger.
    name: 'a stop at the market pays its trigger, or the open beyond it',
    bars: [flat(100), [100, 104, 100, 102], [120, 121, 119, 120]],
    orders: {
      1: (trader) => {
        for (const trigger of [103, 110]) trader.submit(breakout(trigger));
      },
    },
    expected: ['10:01:40 buy 1 at 103 bar_stop', '10:02:00 buy 1 at 120 bar_gap'],
  },
  {
    // 10,000 pay for 90 at 100; 11 more are too many. An order at its limit would have been refused at once.
    name: 'needs cash for the price of the market',
    bars: [flat(100), flat(100), flat(100)],
    orders: TOO_MUCH,
    expected: ['10:01:00 buy 90 at 100 bar_open', '10:02:00 rejected -6012'],
  },
  {
    // Our own rule asks for margin too: 90 cost 9,000 of the 10,000, a market order at its limit would cost a fortune.
    name: 'our own margin rule values it at the last price',
    bars: [flat(100), flat(100), flat(100)],
    more: 'risk: { marginUsePercent: 100 }\nentryPercent: 100',
    orders: TOO_MUCH,
    expected: ['10:01:00 buy 90 at 100 bar_open', '10:02:00 denied margin'],
  },
  {
    // The limit to buy waits at 90, far below what the market pays for the sale; the stop buys at 103 and never reaches 106.
    name: 'does not trade with an order of ours that the market has not reached',
    bars: [flat(100), [101, 102, 100, 101], flat(101), [101, 104, 101, 103]],
    orders: {
      1: (trader) => {
        trader.buy({ qty: 10, price: 'market', reason: 'in' });
        trader.buy({ qty: 5, price: ticks(90), reason: 'more, far below' });
        trader.sell({ qty: 5, price: ticks(106), reason: 'out, far above' });
      },
      2: (trader) => {
        trader.sell({ qty: 10, price: 'market', reason: 'out' });
        trader.submit(breakout(103));
      },
    },
    expected: [
      '10:01:00 buy 10 at 101 bar_open',
      '10:02:00 sell 10 at 101 bar_open',
      '10:03:40 buy 1 at 103 bar_stop',
    ],
  },
  {
    // At the last price of 101 the sale would meet the purchase that waits there.
    name: 'does not trade with an order of ours at the price of the market',
    bars: [flat(100), [101, 102, 100, 101], flat(103)],
    more: 'risk: { selfTradePrevention: true }',
    orders: {
      2: (trader) => {
        trader.buy({ qty: 5, price: ticks(101), reason: 'in' });
        trader.sell({ qty: 1, price: 'market', reason: 'in' });
      },
    },
    expected: ['10:02:00 denied own_cross'],
  },
  {
    name: 'orders of ours may meet each other where no rule of the file keeps them apart',
    bars: [flat(100), [101, 102, 100, 101], [101, 103, 100, 101]],
    orders: {
      1: (trader) => {
        trader.buy({ qty: 5, price: ticks(100), reason: 'in' });
        trader.sell({ qty: 5, price: ticks(100), reason: 'out' });
      },
    },
    expected: ['10:01:00 sell 5 at 101 bar_open', '10:01:20 buy 5 at 100 bar_path'],
  },
  {
    name: 'a collar looks at limits, not at market orders',
    bars: [flat(100), flat(101)],
    more: 'risk: { collarPercent: 5 }',
    orders: {
      1: (trader) => {
        trader.buy({ qty: 1, price: 'market', reason: 'in' });
        trader.buy({ qty: 1, price: ticks(106), reason: 'too far' });
      },
    },
    expected: ['10:01:00 buy 1 at 101 bar_open', '10:01:00 denied price_outside_collar'],
  },
  {
    name: 'a band of the day bounds limits, not market orders',
    bars: [flat(100), flat(101)],
    market: ', bandPercent: 10',
    orders: {
      1: (trader) => {
        trader.buy({ qty: 1, price: 'market', reason: 'in' });
        trader.buy({ qty: 1, price: ticks(111), reason: 'too far' });
      },
    },
    expected: ['10:01:00 buy 1 at 101 bar_open', '10:01:00 denied price_outside_band'],
  },
];

describe('a market order', () => {
  test.each(CASES)('$name', async ({ bars, market = '', more = '', orders, expected }) => {
    const run = { bars: minuteBars(bars), contract: market, file: ', every: 1m', more };
    expect(await playBars(run, MINUTE, (trader, bar) => orders[bar]?.(trader))).toEqual(expected);
  });

  test('where the exchange takes none it is a limit order at the edge of the collar', async () => {
    const run = {
      bars: minuteBars([flat(100), [106, 106, 104, 106], flat(106)]),
      market: ', marketOrders: false',
      file: ', every: 1m',
      more: 'risk: { collarPercent: 5 }',
    };
    // The market opens above 105, which is the furthest that may be paid; its low touches it.
    const fills = await playBars(run, MINUTE, (trader, bar) => {
      if (bar === 1) trader.buy({ qty: 1, price: 'market', reason: 'in' });
    });
    expect(fills).toEqual(['10:01:40 buy 1 at 105 bar_path']);
  });
});
