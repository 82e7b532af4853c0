/** Markets with hours, zones, holidays and currencies of their own in one run, worked out by hand. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { loadBacktest } from '../../../../src/app/research/backtest/load-backtest.ts';
import { planBacktest } from '../../../../src/app/research/backtest/plan-backtest.ts';
import type { BacktestResult } from '../../../../src/backtest/backtest-result.ts';
import { positionSamples } from '../../../../src/backtest/report/report-pictures.ts';
import { runBacktest } from '../../../../src/backtest/run/run-backtest.ts';
import { formatProblem } from '../../../../src/config/problem.ts';
import { strategyIndex } from '../../../../src/domain/units.ts';
import { defineStrategy } from '../../../../src/strategy/index.ts';

/** In July clocks in New York are four hours behind UTC. */
const NEW_YORK = `  - timeZone: America/New_York
    hours: [{ phase: continuous, from: '09:30', to: '11:00' }]
    closures: [2024-07-04]
    contracts: { NY: { tick: 0.01 } }
`;
const TOKYO = `  - { currency: JPY, timeZone: Asia/Tokyo, closures: [2024-07-05], costs: { marginPercent: 10, perContract: 10 },
      hours: [{ phase: continuous, from: '09:00', to: '10:00' }, { phase: break, from: '10:00', to: '10:30' }, { phase: continuous, from: '10:30', to: '11:00' }],
      contracts: { TK: { tick: 1, pointValue: 100 } } }
`;
const COIN = '  - { contracts: { COIN: { tick: 0.01, lot: 0.001 } } }\n';

interface SeveralMarkets {
  readonly markets: string;
  /** Text of CSV files by name of the contract. */
  readonly bars: Readonly<Record<string, string>>;
  readonly every?: string;
  readonly more?: string;
  readonly data?: string;
  readonly files?: Readonly<Record<string, string>>;
}

function writeRun({
  markets,
  bars,
  every = '30m',
  more = '',
  data = '',
  files = {},
}: SeveralMarkets): string {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-markets-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const all = {
    ...files,
    ...Object.fromEntries(Object.entries(bars).map(([name, text]) => [`${name}.csv`, text])),
  };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(dir, name), text);
  const legs = JSON.stringify(Object.keys(bars));
  writeFileSync(
    join(dir, 'legs.mjs'),
    `import { defineStrategy } from 'tickwright/strategy';
import { z } from 'zod';
export default defineStrategy({ name: 'legs', summary: 'of a test', legs: ${legs}, params: z.object({}), connect() {} });
`,
  );
  const path = join(dir, 'run.yaml');
  const named = Object.keys(bars).map((name) => `{ file: ${name}.csv, symbol: ${name}, every: ${every} }`);
  writeFileSync(
    path,
    `market:
${markets}capital: 10000
state: ${dir}
data: { bars: [${named.join(', ')}]${data} }
strategies: [{ id: one, strategy: ./legs.mjs, symbols: [${Object.keys(bars).join(', ')}], overnight: true }]
${more}`,
  );
  return path;
}

const time = (us: number): string => new Date(us / 1_000).toISOString().slice(5, 16).replace('T', ' ');

interface Seen {
  /** `time symbol close` of each bar, as it was delivered. */
  readonly bars: readonly string[];
  /** `time symbol side qty at price` of each fill. */
  readonly fills: readonly string[];
  readonly run: BacktestResult;
}

/** `orders`: market orders by the bar at whose end they are sent. */
async function play(
  run: SeveralMarkets,
  orders: Readonly<Record<string, readonly [symbol: string, side: 'buy' | 'sell', qty: number]>> = {},
): Promise<Seen> {
  const loaded = await loadBacktest(writeRun(run));
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join('\n'));
  const [first = '', ...others] = Object.keys(run.bars);
  const bars: string[] = [];
  const definition = defineStrategy({
    name: 'one',
    summary: 'of a test',
    params: z.object({}),
    legs: [first, ...others],
    connect(ticks, trader) {
      for (const symbol of [first, ...others])
        ticks
          .leg(symbol)
          .bars()
          .subscribe(({ endUs, close }) => {
            const line = `${time(endUs)} ${symbol} ${close}`;
            bars.push(line);
            const [leg, side, qty] = orders[line] ?? [];
            if (leg !== undefined && side !== undefined)
              trader.leg(leg)[side]({ qty: qty ?? 0, price: 'market', reason: 'test' });
          });
    },
  });
  const plan = planBacktest(loaded.backtest);
  const result = runBacktest({
    ...plan,
    strategies: [{ index: strategyIndex(0), id: 'one', definition, params: {} }],
  });
  const [one] = result.strategies;
  expect([one!.fault, one!.denialCount]).toEqual([null, 0]);
  const fills = [...one!.fills].map(
    ({ tsUs, instrument, side, qty, priceTicks }) =>
      `${time(tsUs)} ${result.instruments[instrument]!.symbol} ${side} ${qty} at ${priceTicks}`,
  );
  return { bars, fills, run: result };
}

const csv = (rows: readonly (readonly [time: string, price: number])[]): string =>
  `time,open,high,low,close,volume\n${rows.map(([at, price]) => `${at},${price},${price},${price},${price},1000\n`).join('')}`;

const NY_BARS = csv([
  ['2024-07-03 09:00', 98],
  ['2024-07-03 09:30', 100],
  ['2024-07-03 10:30', 101],
  ['2024-07-03 11:00', 99],
  ['2024-07-04 09:30', 55],
  ['2024-07-05 09:30', 102],
  ['2024-07-05 10:30', 103],
]);
const TK_BARS = csv([
  ['2024-07-03 09:30', 2_000],
  ['2024-07-03 10:00', 1_111],
  ['2024-07-03 10:30', 2_010],
  ['2024-07-04 09:00', 2_020],
  ['2024-07-05 09:00', 1_222],
]);
const COIN_BARS = csv([
  ['2024-07-03T00:00Z', 50_000],
  ['2024-07-04T14:00Z', 51_000],
  ['2024-07-05T23:30Z', 52_000],
]);

const days = (first: number): string =>
  csv(['2024-07-03', '2024-07-04', '2024-07-05', '2024-07-08'].map((day, i) => [day, first + i]));

describe('markets with hours of their own', () => {
  /** New York trades 13:30 to 15:00 UTC, not on the 4th; Tokyo 00:00 to 02:00 with a break, not on the 5th; coins always. */
  test('bars come at their moments, in the hours and on the days of their market', async () => {
    const { bars, run } = await play({
      markets: NEW_YORK + TOKYO + COIN,
      bars: { NY: NY_BARS, TK: TK_BARS, COIN: COIN_BARS },
      data: ', rates: { USDJPY: 160 }',
    });
    expect(bars).toEqual([
      '07-03 00:30 COIN 5000000',
      '07-03 01:00 TK 2000',
      '07-03 02:00 TK 2010',
      '07-03 14:00 NY 10000',
      '07-03 15:00 NY 10100',
      '07-04 00:30 TK 2020',
      '07-04 14:30 COIN 5100000',
      '07-05 14:00 NY 10200',
      '07-05 15:00 NY 10300',
      '07-06 00:00 COIN 5200000',
    ]);
    expect(run.notices.filter(({ code }) => code === 'outside_hours').map(({ text }) => text)).toEqual([
      'NY on 2024-07-03: 2 bars outside the hours of its market are left out',
      'TK on 2024-07-03: 1 bars outside the hours of its market are left out',
      'NY on 2024-07-04: 1 bars outside the hours of its market are left out',
      'TK on 2024-07-05: 1 bars outside the hours of its market are left out',
    ]);
    expect(run.days).toEqual(['2024-07-03', '2024-07-04', '2024-07-05']);
  });

  /**
   * An order waits for the next bar of its own contract, over its holidays; the close of Tokyo decides in New York.
   * 5 of TK at 2,010 and 2,020 with 100 yen a point: 5,000 yen, less 2 x 50, are 31.25 and -0.625 USD at 160. 10 of NY from 102 to 103
   * are 10.
   */
  test('orders wait for their own market, and money is one', async () => {
    const { fills, run } = await play(
      {
        markets: NEW_YORK + TOKYO,
        bars: { NY: NY_BARS, TK: TK_BARS },
        data: ', rates: { USDJPY: 160 }',
      },
      {
        '07-03 01:00 TK 2000': ['TK', 'buy', 5],
        '07-03 14:00 NY 10000': ['TK', 'sell', 5],
        '07-04 00:30 TK 2020': ['NY', 'buy', 10],
        '07-05 14:00 NY 10200': ['NY', 'sell', 10],
      },
    );
    expect(fills).toEqual([
      '07-03 01:30 TK buy 5 at 2010',
      '07-04 00:00 TK sell 5 at 2020',
      '07-05 13:30 NY buy 10 at 10200',
      '07-05 14:30 NY sell 10 at 10300',
    ]);
    const { moneyScale, capital, strategies } = run;
    const [one] = strategies;
    expect(
      [...one!.trades].map(({ ownProfit, netProfit }) => [ownProfit / moneyScale, netProfit / moneyScale]),
    ).toEqual([
      [5_000, 30.625],
      [10, 10],
    ]);
    // At midnight UTC after the 3rd, 4th and 5th: TK is at 2,010 still.
    const profits = Array.from(run.dayEquity, (equity) => (equity - capital) / moneyScale);
    expect(profits).toEqual([-0.3125, 30.625, 40.625]);
  });

  /** 09:00 in Tokyo is midnight in UTC: with an account at +09:00 the day of Tokyo is that of the account. */
  test('the day of the account ends at midnight in its own zone', async () => {
    const { run } = await play({
      markets: TOKYO + COIN,
      bars: { TK: TK_BARS, COIN: COIN_BARS },
      data: ', rates: { USDJPY: 160 }',
      more: "timeZone: '+09:00'",
    });
    expect(run.days).toEqual(['2024-07-03', '2024-07-04', '2024-07-05', '2024-07-06']);
    expect(time(run.dayEndUs[0]!)).toBe('07-03 15:00');
    expect(run.timeZone).toBe('+09:00');
  });

  /** Days that a calendar leaves out have no bar; both are bars of the same days of the account. */
  test('bars of a day are days of the account', async () => {
    const { bars, fills, run } = await play(
      {
        markets: NEW_YORK + TOKYO,
        bars: { NY: days(100), TK: days(2_000) },
        every: '1d',
        data: ', rates: { USDJPY: 160 }',
      },
      { '07-04 00:00 NY 10000': ['NY', 'buy', 1], '07-05 00:00 TK 2001': ['TK', 'buy', 1] },
    );
    expect(bars).toEqual([
      '07-04 00:00 NY 10000',
      '07-04 00:00 TK 2000',
      '07-05 00:00 TK 2001',
      '07-06 00:00 NY 10200',
      '07-09 00:00 NY 10300',
      '07-09 00:00 TK 2003',
    ]);
    expect(fills).toEqual(['07-05 00:00 NY buy 1 at 10200', '07-08 00:00 TK buy 1 at 2003']);
    expect(run.notices.filter(({ code }) => code === 'data_left_out').map(({ text }) => text)).toEqual([
      'NY on 2024-07-04: left out, the calendar has no session on that day',
      'TK on 2024-07-05: left out, the calendar has no session on that day',
    ]);
  });

  test('a market of the list may be a file beside this one', async () => {
    const { bars, run } = await play({
      markets: '  - tokyo.yaml\n  - { name: coins, contracts: { COIN: { tick: 0.01, lot: 0.001 } } }\n',
      files: {
        'tokyo.yaml': `currency: JPY\ntimeZone: Asia/Tokyo\nhours: [{ phase: continuous, from: '09:00', to: '11:00' }]\ncontracts: { TK: { tick: 1 } }\n`,
      },
      bars: { TK: TK_BARS, COIN: COIN_BARS },
      data: ', rates: { USDJPY: 160 }',
      more: 'currency: USD',
    });
    expect(bars.slice(0, 2)).toEqual(['07-03 00:30 COIN 5000000', '07-03 01:00 TK 2000']);
    expect([run.currency, run.instruments.map(({ spec }) => spec.currency)]).toEqual([
      'USD',
      ['JPY', undefined],
    ]);
  });
});

describe('what several markets of a run do not have', () => {
  const one = '  - { contracts: { NY: { tick: 0.01 } } }\n';
  test.each([
    [
      'an auction',
      {
        markets: `  - { hours: [{ phase: opening_auction, from: '09:00', to: '09:15' }], contracts: { NY: { tick: 1 } } }\n`,
      },
      'market[0].hours[0].phase',
    ],
    ['a contract in two markets', { markets: one }, 'market[1].contracts.NY'],
    ['a price band', { markets: '  - { contracts: { NY: { tick: 1, bandPercent: 7 } } }\n' }, 'bandPercent'],
    [
      'different kinds of orders',
      { markets: '  - { marketOrders: false, contracts: { NY: { tick: 1 } } }\n' },
      'marketOrders',
    ],
    [
      'interest in two of them',
      {
        markets: '  - { costs: { interestPercentYear: 1 }, contracts: { NY: { tick: 1 } } }\n',
        other: 'COIN: { tick: 0.01, lot: 0.001 } }, costs: { interestPercentYear: 2 ',
      },
      'market[1].costs',
    ],
    [
      'summer time of the account',
      { markets: NEW_YORK, more: 'timeZone: Europe/Berlin' },
      'a zone without summer time',
    ],
    ['a night', { markets: NEW_YORK, overnight: false }, 'overnight'],
    [
      'bars over midnight',
      { markets: one.replace('NY', 'X'), bars: csv([['2024-07-03 23:45', 100]]) },
      'bars that end on the day of the account',
    ],
  ])(
    '%s',
    async (
      name,
      run: { markets: string; more?: string; other?: string; overnight?: boolean; bars?: string },
      text,
    ) => {
      const isTwice = name === 'a contract in two markets';
      const path = writeRun({
        markets: `${run.markets}  - { contracts: { ${isTwice ? 'NY: { tick: 0.01 }, ' : ''}${run.other ?? 'COIN: { tick: 0.01, lot: 0.001 }'} } }\n`,
        bars: { COIN: COIN_BARS, [run.markets.includes(' X:') ? 'X' : 'NY']: run.bars ?? NY_BARS },
        more: run.more ?? '',
      });
      if (run.overnight === false)
        writeFileSync(path, readFileSync(path, 'utf8').replace('overnight: true', 'overnight: false'));
      const loaded = await loadBacktest(path);
      const found = loaded.ok ? [] : loaded.problems.map(formatProblem);
      expect(found).toHaveLength(1);
      expect(found[0]).toContain(text);
    },
  );

  test('a zone of the account beside one market', async () => {
    const path = writeRun({ markets: COIN, bars: { COIN: COIN_BARS }, more: 'timeZone: UTC' });
    const loaded = await loadBacktest(path);
    expect(loaded.ok ? [] : loaded.problems.map(formatProblem)).toEqual([
      expect.stringContaining('timeZone'),
    ]);
  });
});

/** 2 of X at 100 USD are 200; 3 of Y sold at 50 EUR and 1.10 are 165 below zero; X is sold at 110. */
test('a report adds positions of several kinds by their value', async () => {
  const { run } = await play(
    {
      markets:
        '  - { contracts: { X: { tick: 1 } } }\n  - { currency: EUR, contracts: { Y: { tick: 1 } } }\n',
      bars: {
        X: csv([100, 100, 100, 100, 100, 110].map((price, i) => [`2024-07-03 0${i}:00`, price])),
        Y: csv([50, 50, 50, 50, 50, 50].map((price, i) => [`2024-07-03 0${i}:00`, price])),
      },
      every: '1h',
      more: 'currency: USD\n',
      data: ', rates: { EURUSD: 1.1 }',
    },
    {
      '07-03 01:00 X 100': ['X', 'buy', 2],
      '07-03 02:00 Y 50': ['Y', 'sell', 3],
      '07-03 05:00 X 100': ['X', 'sell', 2],
    },
  );
  const { unit, values } = positionSamples(run);
  expect(unit).toBe('USD');
  expect(
    [...values].map((value) => Math.round(value)).filter((value, i, all) => value !== all[i - 1]),
  ).toEqual([0, 200, 35, -165]);
});

const flat = (price: number) =>
  csv([0, 1, 2, 3].map((hour) => [`2024-01-02T0${hour}:00:00Z`, price] as const));

/** All of 10,000 goes from one to the other: both orders fill at the open of the next bar. */
test('an event that sells one contract at market may buy another for the money', async () => {
  const { fills } = await play(
    {
      markets: '  - { contracts: { A: { tick: 0.01 }, B: { tick: 0.01 } } }\n',
      bars: { A: flat(100), B: flat(50) },
      every: '1h',
    },
    {
      '01-02 01:00 A 10000': ['A', 'buy', 100],
      '01-02 03:00 A 10000': ['A', 'sell', 100],
      '01-02 03:00 B 5000': ['B', 'buy', 200],
    },
  );
  expect(fills).toEqual([
    '01-02 01:00 A buy 100 at 10000',
    '01-02 03:00 A sell 100 at 10000',
    '01-02 03:00 B buy 200 at 5000',
  ]);
});
