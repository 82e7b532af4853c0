/** Backtests on bars, worked out by hand. */
import { expect, test } from 'vitest';
import { planBacktest } from '../../../src/research/spec/plan-backtest.ts';
import { cutOff, DecisionLog, firstDifference } from '../../../src/research/backtest/verify-backtest.ts';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { runStatistics } from '../../../src/research/statistics/run-statistics.ts';
import type { BarSpec } from '../../../src/domain/bars.ts';
import { days, hours, minutes, priceTicks, seconds } from '../../../src/domain/units.ts';
import { PositionWorker } from '../../../src/strategy/index.ts';
import { barFile, barPlan } from './bar-run.ts';
import { loadedBacktest } from '../../support/backtest-plan.ts';

const HEAD = 'time,open,high,low,close,volume\n';

const buysOnce =
  (qty: number): Parameters<typeof barPlan>[0]['connect'] =>
  (ticks, trader) => {
    let isDone = false;
    ticks.trades$.subscribe(() => {
      if (!isDone) trader.buy({ qty, price: priceTicks(20_000), reason: 'hold' });
      isDone = true;
    });
  };

test('where trading never stops each day ends with its own last bar, Friday and the last day too', async () => {
  // Four-hour bars of six days, Wednesday to Monday; each closes one above the one before: 100, 101, ...
  const bars = Array.from({ length: 36 }, (_, i) => {
    const at = new Date(Date.UTC(2024, 0, 3) + i * 4 * 3_600_000).toISOString().replace('.000Z', 'Z');
    return `${at},${100 + i},${100 + i},${100 + i},${100 + i},10\n`;
  });
  const plan = await barPlan({
    bars: HEAD + bars.join(''),
    file: ', every: 4h',
    connect: buysOnce(10),
  });
  const result = runBacktest(plan);
  const { daily, dailyReturns, totalReturn, netProfit, basis } = runStatistics(result);
  // Ten bought at the open of the second bar, 101.
  const closes = [5, 11, 17, 23, 29, 35].map((bar) => 10_000 + 10 * (100 + bar - 101));
  expect(daily.map(({ equity }) => equity / result.moneyScale)).toEqual(closes);
  expect(daily.map(({ day }) => day)).toEqual([3, 4, 5, 6, 7, 8].map((day) => `2024-01-0${day}`));
  expect(dailyReturns[0]).toBeCloseTo(40 / 10_000, 12);
  expect(totalReturn).toBeCloseTo(netProfit / result.moneyScale / 10_000, 12);
  expect(basis.periodsPerYear).toBe(365);
});

test('bars of a day are worth their closes in every zone: equity, and how deep it fell', async () => {
  const closes = [100, 104, 102, 98, 99, 107, 103, 106];
  const bars = closes.map(
    (close, i) =>
      `2024-01-${String(i + 1).padStart(2, '0')},${close},${close + 9},${close - 9},${close},10\n`,
  );
  for (const zone of ['UTC', 'America/New_York', 'Asia/Tokyo']) {
    const market = `, timeZone: ${zone}`;
    const connect = buysOnce(10);
    const plan = await barPlan({ bars: HEAD + bars.join(''), file: ', every: 1d', market, connect });
    const result = runBacktest(plan);
    const equity = new Set([...result.equity.values].map((each) => each / result.moneyScale));
    // Ten bought at the second open, 104.
    expect([...equity], zone).toEqual([10_000, 9_980, 9_940, 9_950, 10_030, 9_990, 10_020]);
    expect(runStatistics(result).drawdowns.deepest?.depth, zone).toBe(60 * result.moneyScale);
  }
});

test.each([
  { volumes: 'equal', of: () => 5 },
  { volumes: 'growing', of: (i: number) => 5 + 7 * i },
])(
  'no bar is lost or called a gap after one that reaches over midnight: $volumes volumes',
  async ({ of }) => {
    const bars = Array.from({ length: 8 }, (_, i) => {
      const at = new Date(Date.UTC(2024, 0, 3, 22 + 4 * i)).toISOString();
      return `${at},${100 + i},${100 + i},${100 + i},${100 + i},${of(i)}\n`;
    });
    const seen: unknown[] = [];
    const connect: Parameters<typeof barPlan>[0]['connect'] = (ticks) => {
      ticks.bars().subscribe(({ close, volume, complete }) => seen.push([close, volume, complete]));
      ticks.gaps$.subscribe((gap) => seen.push(gap));
    };
    runBacktest(await barPlan({ bars: HEAD + bars.join(''), file: ', every: 4h', connect }));
    expect(seen).toEqual(bars.map((_, i) => [10_000 + 100 * i, of(i), true]));
  },
);

test('equity at or below zero is reported, once, with its time', async () => {
  const bars = [100, 100, 80, 90, 70].map(
    (price, i) => `2024-01-03T00:0${i}:00Z,${price},${price},${price},${price},10\n`,
  );
  const lost = async (qty: number): Promise<readonly string[]> => {
    const plan = await barPlan({
      bars: HEAD + bars.join(''),
      file: ', every: 1m',
      market: ', costs: { marginPercent: 5 }',
      connect: buysOnce(qty),
    });
    return runBacktest(plan)
      .notices.filter(({ code }) => code === 'capital_lost')
      .map(({ tsUs }) => new Date((tsUs ?? 0) / 1_000).toISOString());
  };
  // 500 bought at 100: 20 points lower the capital of 10,000 is gone.
  expect(await lost(500)).toEqual(['2024-01-03T00:03:00.000Z']);
  expect(await lost(300)).toEqual([]);
});

test('a loss before the first sample of equity is a drawdown: the capital is the first peak', async () => {
  const prices = [100, 100, 90, 90];
  const bars = prices.map((p, i) => `2024-01-03T09:3${i}:00Z,${p},${p},${p},${p},10\n`);
  const plan = await barPlan({
    bars: HEAD + bars.join(''),
    file: ', every: 1m',
    market: ", hours: [{ phase: continuous, from: '09:30', to: '16:00' }]",
    more: 'sampleEvery: 24h',
    connect: buysOnce(20),
  });
  const result = runBacktest(plan);
  const { drawdowns, netProfit } = runStatistics(result);
  // Twenty bought at 100 are worth ten points less each.
  expect(netProfit).toBe(-200 * result.moneyScale);
  expect(drawdowns).toMatchObject({ deepest: { depth: 200 * result.moneyScale }, fractionMax: 0.02 });
});

const MINUTES = (prices: readonly (readonly number[])[], volume = 10): string =>
  HEAD + prices.map((bar, i) => `2024-01-03T00:0${i}:00Z,${bar.join(',')},${volume}\n`).join('');

const clock = (us: number): string => new Date(us / 1_000).toISOString().slice(11, 19);

test.each(['next_open', 'close', 'ohlc'])(
  'on bars a strategy sees nothing of a bar before its end: %s',
  async (fill) => {
    const seen: string[] = [];
    const plan = await barPlan({
      bars: MINUTES([
        [100, 103, 99, 102],
        [102, 104, 98, 99],
      ]),
      file: ', every: 1m',
      more: `models: { fill: ${fill} }`,
      connect(ticks) {
        ticks.trades$.subscribe(({ tsUs, price, qty }) => seen.push(`${clock(tsUs)} ${qty} at ${price}`));
        ticks.books$.subscribe(() => seen.push('a book'));
        ticks
          .bars({ every: minutes(1) })
          .subscribe(({ startUs, endUs, open, high, low, close, volume }) =>
            seen.push(`${clock(startUs)} to ${clock(endUs)}: ${open} ${high} ${low} ${close} x ${volume}`),
          );
      },
    });
    expect(runBacktest(plan).strategies[0]!.stopped).toBeNull();
    expect(seen).toEqual([
      '00:00:59 10 at 10200',
      '00:00:00 to 00:01:00: 10000 10300 9900 10200 x 10',
      '00:01:59 10 at 9900',
      '00:01:00 to 00:02:00: 10200 10400 9800 9900 x 10',
    ]);
  },
);

test('a fill on the path through a bar is reported when the bar is complete, one at its open at once', async () => {
  const heard: string[] = [];
  const plan = await barPlan({
    bars: MINUTES([
      [100, 101, 99, 100],
      [100, 103, 98, 99],
      [99, 99, 99, 99],
    ]),
    file: ', every: 1m',
    more: 'models: { fill: ohlc, path: low_first }',
    connect(ticks, trader) {
      ticks.bars({ every: minutes(1) }).subscribe(() => {
        if (trader.workingOrders().length > 0 || trader.position().qty !== 0) return;
        trader.buy({ qty: 1, price: priceTicks(9_850), reason: 'below' });
        trader.sell({ qty: 2, price: priceTicks(10_200), reason: 'above' });
        trader.buy({ qty: 3, price: priceTicks(10_150), reason: 'at once' });
      });
      ticks.orders$.subscribe(({ side, lastFilledQty }) => {
        if (lastFilledQty > 0) heard.push(`${clock(trader.time())} ${side} ${lastFilledQty}`);
      });
    },
  });
  const fills = [...runBacktest(plan).strategies[0]!.fills];
  expect(fills.map(({ tsUs, side, qty }) => `${clock(tsUs)} ${side} ${qty}`)).toEqual([
    '00:01:00 buy 3',
    '00:01:20 buy 1',
    '00:01:40 sell 2',
  ]);
  expect(heard).toEqual(['00:01:00 buy 3', '00:01:59 buy 1', '00:01:59 sell 2']);
});

const closesOf = async (
  run: Omit<Parameters<typeof barPlan>[0], 'connect'>,
  spec?: BarSpec,
): Promise<{ readonly closes: readonly string[]; readonly stopped: string | null }> => {
  const closes: string[] = [];
  const plan = await barPlan({
    ...run,
    connect(ticks, trader) {
      ticks
        .bars(spec)
        .subscribe(({ open, close }) => closes.push(`${clock(trader.time())} ${open} ${close}`));
    },
  });
  const { notices } = runBacktest(plan);
  return { closes, stopped: notices.find(({ code }) => code === 'strategy_fault')?.text ?? null };
};

/** Hours of an exchange that opens at half past nine. */
const HALF_PAST = `${HEAD}2024-01-03 09:30,99,101,99,100.5,10
2024-01-03 10:30,100.5,101,99,100.6,10
2024-01-03 14:30,100.6,101,99,100.7,10
2024-01-03 15:30,100.7,101,99,100.8,10
`;
const US = ", timeZone: America/New_York, hours: [{ phase: continuous, from: '09:30', to: '16:00' }]";

test.each([{ every: hours(1) }, undefined])(
  'bars off the grid of the clock are delivered as they are, the last of a session with its end: %j',
  async (spec) => {
    const { closes, stopped } = await closesOf({ bars: HALF_PAST, market: US, file: ', every: 1h' }, spec);
    expect(stopped).toBeNull();
    // Half past nine in New York is 14:30 of UTC.
    expect(closes).toEqual([
      '15:30:00 9900 10050',
      '16:30:00 10050 10060',
      '20:30:00 10060 10070',
      '21:00:00 10070 10080',
    ]);
  },
);

test('bars of the data are joined on the grid, by time and by volume', async () => {
  const bars = MINUTES([
    [100, 101, 99, 100],
    [101, 103, 98, 99],
    [102, 103, 98, 98],
    [103, 103, 97, 97],
  ]);
  const joined = await closesOf({ bars, file: ', every: 1m' }, { every: minutes(2) });
  expect(joined).toEqual({ closes: ['00:02:00 10000 9900', '00:04:00 10200 9700'], stopped: null });
  const full = await closesOf({ bars, file: ', every: 1m' }, { everyVolume: 30 });
  expect(full).toEqual({ closes: ['00:02:59 10000 9800', '00:00:00 10300 9700'], stopped: null });
});

test.each([
  [{ every: seconds(30) }, 'the data are bars of 1h, bars of 30s cannot be made of them'],
  [
    { every: minutes(90) },
    'the data are bars of 1h, bars of 90m cannot be made of them: expected that length',
  ],
  [{ every: minutes(120) }, 'bars of 2h cannot be made of them: they do not lie on its grid from midnight'],
  [{ everyTicks: 10 }, 'the data are bars of 1h: they have no single trades to count'],
])('bars that cannot be made of the data stop the strategy: %j', async (spec, problem) => {
  const { closes, stopped } = await closesOf({ bars: HALF_PAST, market: US, file: ', every: 1h' }, spec);
  expect(closes).toEqual([]);
  expect(stopped).toContain(problem);
});

test('bars are cut between two of them, and an honest strategy decides the same before the cut', async () => {
  const prices = Array.from({ length: 50 }, (_, i) => 100 + ((i * 37) % 11));
  const lines = prices.map(
    (price, i) =>
      `2024-01-03T00:${String(i).padStart(2, '0')}:00Z,${price},${price + 2},${price - 2},${price + (i % 3) - 1},10\n`,
  );
  const plan = await barPlan({
    bars: HEAD + lines.join(''),
    file: ', every: 1m',
    more: 'models: { fill: ohlc, path: worst_first }',
    connect(ticks, trader) {
      ticks.bars({ every: minutes(1) }).subscribe(({ close }) => {
        for (const { clientOrderId } of trader.workingOrders()) trader.cancel(clientOrderId);
        const side = close % 200 === 0 ? 'sell' : 'buy';
        const price = priceTicks(side === 'buy' ? close - 100 : close + 100);
        trader.submit(side, { qty: 1, price, reason: `after ${close}` });
      });
    },
  });
  const whole = new DecisionLog(1);
  runBacktest(plan, whole);
  for (const part of [0, 0.333, 0.41, 0.5, 0.667, 0.99]) {
    const { data, cutUs } = cutOff(plan.data, part);
    const cut = new DecisionLog(1);
    runBacktest({ ...plan, data }, cut);
    expect(firstDifference(whole.decisions[0]!, cut.decisions[0]!, cutUs)).toBeNull();
    expect(cut.decisions[0]!.length).toBeGreaterThanOrEqual(Math.floor(50 * part) - 1);
  }
});

/** Orders at the end of each minute, at prices far through the market of 100 points; what was filled and what was refused. */
async function marketLike(
  orders: readonly (readonly [side: 'buy' | 'sell', qty: number, points: number])[],
  more = '',
): Promise<readonly string[]> {
  let next = 0;
  const plan = await barPlan({
    bars: MINUTES(orders.map(() => [100, 100, 100, 100]).concat([[100, 100, 100, 100]])),
    file: ', every: 1m',
    more,
    connect(ticks, trader) {
      ticks.bars({ every: minutes(1) }).subscribe(() => {
        const [side, qty, points] = orders[next] ?? [];
        next += 1;
        if (side !== undefined)
          trader.submit(side, { qty: qty ?? 0, price: priceTicks(100 * (points ?? 0)), reason: 'test' });
      });
    },
  });
  const [one] = runBacktest(plan).strategies;
  const fills = [...one!.fills].map(({ tsUs, side, qty, positionAfter }) => [
    tsUs,
    `${side} ${qty}: ${positionAfter}`,
  ]);
  const denials = one!.denials.map(({ tsUs, by, code }) => [tsUs, `${by} ${code}`]);
  return [...fills, ...denials].toSorted(([a], [b]) => Number(a) - Number(b)).map(([, text]) => String(text));
}

test('an order needs cash for the price that it will pay, not for its limit', async () => {
  // 10,000 buy 90 at 100, though not at 150; 11 more are too many; turning round needs no more than is held.
  expect(
    await marketLike([
      ['buy', 90, 150],
      ['buy', 11, 150],
      ['buy', 10, 150],
      ['sell', 200, 50],
      ['sell', 1, 50],
    ]),
  ).toEqual(['buy 90: 90', 'rejected -6012', 'buy 10: 100', 'sell 200: -100', 'rejected -6012']);
});

test('orders that wait hold cash at their own price, unless they close', async () => {
  expect(
    await marketLike([
      ['buy', 100, 60],
      ['buy', 50, 150],
      ['buy', 40, 150],
      ['sell', 40, 120],
    ]),
  ).toEqual(['rejected -6012', 'buy 40: 40']);
});

test('the ratios of a broker count at the market too, and a limit of our own at the limit of each order', async () => {
  const orders = [
    ['buy', 90, 150],
    ['buy', 75, 150],
  ] as const;
  expect(await marketLike(orders, 'entryPercent: 80')).toEqual(['rejected -6012', 'buy 75: 75']);
  expect(await marketLike(orders, 'risk: { marginUsePercent: 100 }')).toEqual([
    'denied margin',
    'denied margin',
  ]);
});

test('nobody knows the first price of the first day before it is traded, and nothing is entered until then', async () => {
  const known: string[] = [];
  const plan = await barPlan({
    bars: `${HEAD}2024-01-03 09:30,99,101,99,100,10\n2024-01-03 10:30,100,101,99,100,10\n2024-01-04 09:30,102,103,99,100,10\n`,
    market: US,
    more: 'memory: day',
    file: ', every: 1h',
    connect(ticks, trader) {
      const look = (): void => {
        known.push(`${clock(trader.time())} ${trader.band()?.reference ?? 'unknown'}`);
        trader.buy({ qty: 1, price: priceTicks(11_000), reason: 'blind' });
      };
      ticks.phases$.subscribe(({ phase }) => {
        if (phase === 'continuous') look();
      });
    },
  });
  const [one] = runBacktest(plan).strategies;
  expect(known).toEqual(['14:30:00 unknown', '14:30:00 10000']);
  // On the second day an engine that has seen no trade of it yet enters nothing either.
  expect(one!.denials.map(({ code }) => code)).toEqual(['band_unknown', 'data_stale']);
});

test('a bar that holds an auction ends with it, and one that reaches into the break with the session', async () => {
  const bars = `${HEAD}2024-01-03 08:45,99,101,99,100,10\n2024-01-03 10:45,100,101,99,101,10\n2024-01-03 14:00,101,105,99,105,10\n`;
  const hours = [
    "{ phase: opening_auction, from: '08:45', to: '09:00' }",
    "{ phase: continuous, from: '09:00', to: '11:30' }",
    "{ phase: break, from: '11:30', to: '13:00' }",
    "{ phase: continuous, from: '13:00', to: '14:30' }",
    "{ phase: closing_auction, from: '14:30', to: '14:45' }",
  ];
  const market = `, hours: [${hours.join(', ')}]`;
  const { closes, stopped } = await closesOf({ bars, market, file: ', every: 1h' }, { every: minutes(60) });
  expect(stopped).toBeNull();
  expect(closes).toEqual(['09:45:00 9900 10000', '11:30:00 10000 10100', '14:45:00 10100 10500']);
  const joined = await closesOf({ bars, market, file: ', every: 1h' }, { everyVolume: 10 });
  expect(joined.stopped).toBeNull();
  expect(joined.closes).toEqual(['09:44:59 9900 10000', '11:29:59 10000 10100', '14:44:59 10100 10500']);
});

test('a column of volumes that nobody can read is ignored when the file says so', async () => {
  const bars = [100, 101, 102].map(
    (price, i) => `2024-01-03T00:0${i}:00Z,${price},${price},${price},${price},n/a\n`,
  );
  const plan = await barPlan({
    bars: HEAD + bars.join(''),
    file: ', every: 1m, columns: { volume: none }',
    connect: buysOnce(10),
  });
  expect(runBacktest(plan).strategies[0]?.fills).toHaveLength(1);
});

const paramsOn = async (every: string, params: string) => {
  const bars = `${HEAD}2024-01-03,100,100,100,100,10\n`;
  const backtest = await loadedBacktest(barFile({ bars, file: `, every: ${every}`, params }));
  return planBacktest(backtest).strategies[0]?.params['barSeconds'];
};

test('a strategy without a length of bars takes that of the data, if its own does not fit', async () => {
  expect(await paramsOn('5m', '{}')).toBe(300);
  expect(await paramsOn('1d', '{}')).toBe(86_400);
  expect(await paramsOn('30s', '{}')).toBe(60);
  expect(await paramsOn('5m', '{ barSeconds: 600 }')).toBe(600);
});

test('a cancel at the midnight of two daily bars is reported', async () => {
  const bars = [3, 4, 5, 6].map((day) => `2024-01-0${day}T00:00:00Z,100,100,100,100,10\n`);
  const heard: string[] = [];
  const plan = await barPlan({
    bars: HEAD + bars.join(''),
    file: ', every: 1d',
    connect: (ticks, trader) => {
      ticks.orders$.subscribe(({ status }) => heard.push(status));
      ticks.trades$.subscribe(() => {
        const [order] = trader.workingOrders();
        if (order !== undefined) trader.cancel(order.clientOrderId);
        else if (heard.length === 0) trader.buy({ qty: 1, price: trader.ticks(90), reason: 'low' });
      });
    },
  });
  runBacktest(plan);
  expect(heard).toEqual(['accepted', 'pending_cancel', 'canceled']);
});

test('what brings a position to its target trades on bars: it turns with each daily bar', async () => {
  const closes = [100, 101, 102, 101, 102, 103];
  const bars = closes.map(
    (close, i) => `2024-01-${String(i + 3).padStart(2, '0')}T00:00:00Z,100,103,100,${close},10\n`,
  );
  const plan = await barPlan({
    bars: HEAD + bars.join(''),
    file: ', every: 1d',
    connect: (ticks, trader) => {
      const settings = { rest: seconds(4), reprice: seconds(1), slipTicks: 0 };
      const worker = new PositionWorker(ticks, trader, settings);
      let before = 0;
      ticks.trades$.subscribe(({ price }) => {
        worker.aim(price > before ? 1 : 0, 'turn');
        before = price;
      });
    },
  });
  const [played] = runBacktest(plan).strategies;
  expect([...played!.fills].map(({ side, qty }) => `${side} ${qty}`)).toEqual(['buy 1', 'sell 1', 'buy 1']);
});

async function accountPollOn(every: string): Promise<number> {
  const bars = `${HEAD}2024-01-03T00:00:00Z,100,100,100,100,10\n`;
  const { settings } = await barPlan({ bars, file: `, every: ${every}`, connect: () => undefined });
  return settings.poll.account;
}

test('the account is read no more often than bars come', async () => {
  const polls = [await accountPollOn('1m'), await accountPollOn('4h'), await accountPollOn('1d')];
  expect(polls).toEqual([hours(1), hours(4), days(1)]);
});

test('limits of money are amounts of the currency, and a limit that is not written is wide', async () => {
  const { settings, moneyScale } = await barPlan({
    bars: `${HEAD}2024-01-03T00:00:00Z,100,100,100,100,10\n`,
    file: ', every: 1h',
    more: 'risk: { dailyLossMax: 500, drawdownMax: 700, nakedSecondsMax: 5 }',
    connect: () => undefined,
  });
  expect(moneyScale).toBeGreaterThan(1);
  expect(settings.risk).toMatchObject({
    dailyLossMax: 500 * moneyScale,
    drawdownMax: 700 * moneyScale,
    nakedSecondsMax: 5,
  });
  expect(settings.risk.positionMax).toBe(1e9);
  expect(settings.strategies[0]?.risk.dailyLossMax).toBe(Number.MAX_SAFE_INTEGER);
});
