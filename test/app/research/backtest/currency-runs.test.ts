/** Contracts of several currencies in one account, worked out by hand. */
import { describe, expect, test } from 'vitest';
import { loadBacktest } from '../../../../src/app/research/backtest/load-backtest.ts';
import { resultCsv } from '../../../../src/app/research/backtest/result-files.ts';
import { resultTables } from '../../../../src/backtest/report/report-figures.ts';
import type { BacktestResult } from '../../../../src/backtest/backtest-result.ts';
import { runBacktest } from '../../../../src/backtest/run/run-backtest.ts';
import { runStatistics } from '../../../../src/backtest/statistics/run-statistics.ts';
import { formatProblem } from '../../../../src/config/problem.ts';
import { minutes } from '../../../../src/domain/units.ts';
import { barFile, barPlan } from './bar-run.ts';

type Order = readonly [side: 'buy' | 'sell', qty: number];

const minuteBars = (prices: readonly number[], from = 0): string =>
  `time,open,high,low,close,volume\n${prices
    .map(
      (price, i) =>
        `2024-01-03T00:${String(from + i).padStart(2, '0')}:00Z,${price},${price},${price},${price},1000\n`,
    )
    .join('')}`;

const rateRows = (rows: readonly (readonly [minute: number, rate: number])[]): string =>
  rows.map(([minute, rate]) => `2024-01-03T00:${String(minute).padStart(2, '0')}:00Z,${rate}\n`).join('');

interface Minutes {
  readonly prices: readonly number[];
  /** Sent at the end of its minute; the next one's open fills it. */
  readonly orders: Readonly<Record<number, Order>>;
  /** Further keys of X, and further contracts. */
  readonly contract?: string;
  /** Further keys of the file of X, and further files. */
  readonly file?: string;
  readonly market?: string;
  /** Further keys of the data. */
  readonly data?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly more?: string;
}

async function played({ prices, orders, file = '', ...run }: Minutes): Promise<BacktestResult> {
  let minute = 0;
  const plan = await barPlan({
    ...run,
    bars: minuteBars(prices),
    file: `, every: 1m${file}`,
    connect(ticks, trader) {
      ticks.bars({ every: minutes(1) }).subscribe(() => {
        const [side, qty] = orders[minute] ?? [];
        minute += 1;
        if (side !== undefined) trader[side]({ qty: qty ?? 0, price: 'market', reason: 'test' });
      });
    },
  });
  return runBacktest(plan);
}

/** `equity cash margin buying-power` at each full minute at which it differs from the one before, in the currency of the account. */
function funds({ equity, funds: { cash, marginUsed, buyingPower }, moneyScale }: BacktestResult) {
  const rows = Array.from(equity.values, (value, i) =>
    [value, cash[i]!, marginUsed[i]!, buyingPower[i]!].map((each) => each / moneyScale).join(' '),
  );
  return rows.filter((row, i) => row !== rows[i - 1]);
}

const tradesOf = ({ strategies, moneyScale }: BacktestResult) =>
  strategies.flatMap(({ trades }) =>
    [...trades].map(({ ownProfit, grossProfit, fee, netProfit }) =>
      [ownProfit, grossProfit, fee, netProfit].map((each) => each / moneyScale).join(' '),
    ),
  );

/** An account in USD, the contract in EUR. */
const EUR = ', currency: EUR';
const RATES = ', rates: { EURUSD: rates.csv }';
/** 1.10 until 00:04, then 1.20, from 00:05 on 1.25. */
const MOVING = {
  'rates.csv': `time,rate\n${rateRows([
    [0, 1.1],
    [4, 1.2],
    [5, 1.25],
  ])}`,
};

describe('a contract in another currency than that of the account', () => {
  /**
   * 100 bought at 100 EUR with 10 % margin: 1,000 EUR, 1,100 USD. At 105 EUR 500 EUR are open, 550 USD, and margin is 1,155. At 1.20 they
   * are 600 and 1,260. Sold at 104 EUR and 1.20: 400 EUR are 480 USD, and stay so at 1.25.
   */
  test('what is margined: profit is converted when it is realised, open profit at the rate of the moment', async () => {
    const run = await played({
      prices: [100, 100, 105, 105, 104, 104],
      orders: { 0: ['buy', 100], 3: ['sell', 100] },
      contract: EUR,
      market: ', costs: { marginPercent: 10 }',
      data: RATES,
      files: MOVING,
    });
    expect(funds(run)).toEqual([
      '10000 10000 0 10000',
      '10000 10000 1100 8900',
      '10550 10000 1155 9395',
      '10600 10000 1260 9340',
      '10480 10480 0 10480',
    ]);
    expect(tradesOf(run)).toEqual(['400 480 0 480']);
    const [trade] = run.strategies[0]!.trades;
    expect(trade!.entryWorth / run.moneyScale).toBe(11_000);
  });

  /**
   * 40 bought at 100 EUR and 1.10 take 4,400 of the cash. At 105 they are worth 4,200 EUR, 4,620 USD, and 5,040 at 1.20: the rate moves
   * all that is invested. Sold at 104 EUR and 1.20 they bring 4,992.
   */
  test('what is paid in full: each fill is converted', async () => {
    const run = await played({
      prices: [100, 100, 105, 105, 104, 104],
      orders: { 0: ['buy', 40], 3: ['sell', 40] },
      contract: EUR,
      data: RATES,
      files: MOVING,
    });
    expect(funds(run)).toEqual([
      '10000 10000 0 10000',
      '10000 5600 4400 5600',
      '10220 5600 4620 5600',
      '10640 5600 5040 5600',
      '10592 10592 0 10592',
    ]);
    expect(tradesOf(run)).toEqual(['160 592 0 592']);
  });

  /** 40 sold short at 100 EUR and 1.10 bring 4,400; bought back at 104 EUR and 1.20 they cost 4,992. */
  test('what is sold short and paid in full', async () => {
    const run = await played({
      prices: [100, 100, 105, 105, 104, 104],
      orders: { 0: ['sell', 40], 3: ['buy', 40] },
      contract: EUR,
      data: RATES,
      files: MOVING,
    });
    expect(funds(run).at(1)).toBe('10000 14400 4400 5600');
    expect(tradesOf(run)).toEqual(['-160 -592 0 -592']);
  });

  /** 100 x 0.25 EUR are 27.50 USD at 1.10 and 30 at 1.20; 0.01 % of 10,000 and 10,400 EUR are 1 and 1.04 EUR: 1.10 and 1.248. */
  test('fees are charged in the currency of the contract and converted at the fill', async () => {
    const run = await played({
      prices: [100, 100, 105, 105, 104, 104],
      orders: { 0: ['buy', 100], 3: ['sell', 100] },
      contract: EUR,
      market:
        ', costs: { marginPercent: 10, perContract: 0.25, valuePercent: 0.01, rounding: { per: fill } }',
      data: RATES,
      files: MOVING,
    });
    const [one] = run.strategies;
    expect([...one!.fills].map(({ fee, rate }) => [fee / run.moneyScale, rate])).toEqual([
      [26, 1.1],
      [26.04, 1.2],
    ]);
    expect(tradesOf(run)).toEqual(['400 480 59.848 420.152']);
    expect(runStatistics(run).netProfit / run.moneyScale).toBe(420.152);
    expect(runStatistics(run).costs.fees / run.moneyScale).toBe(59.848);
    // 10,000 EUR at 1.10 and 10,400 at 1.20.
    expect(runStatistics(run).turnover).toBeCloseTo((11_000 + 12_480) / 10_000, 12);
  });

  /** The contract EURUSD trades at 1.10, then at 1.20 from 00:04 on. */
  test('a contract of the run tells its rate', async () => {
    const run = await played({
      prices: [100, 100, 105, 105, 104, 104],
      orders: { 0: ['buy', 100], 3: ['sell', 100] },
      contract: `${EUR} }, EURUSD: { tick: 0.00001`,
      market: ', costs: { marginPercent: 10 }',
      file: ' }, { file: eurusd.csv, symbol: EURUSD, every: 1m',
      files: { 'eurusd.csv': minuteBars([1.1, 1.1, 1.1, 1.1, 1.2, 1.25]) },
    });
    expect(tradesOf(run)).toEqual(['400 480 0 480']);
  });

  /** A profit of 400 in the currency of the contract. */
  test.each([
    ['a constant', 'GBP', 'GBPUSD: 1.25', 500],
    ['the other way round', 'JPY', 'USDJPY: 160', 2.5],
    ['over a third currency', 'GBP', 'EURGBP: 0.8, EURUSD: 1.2', 600],
    ['a coin', 'BTC', 'BTCUSDT: 50000, USDTUSD: 0.9', 18_000_000],
  ])('rates: %s', async (_name, currency, rates, profit) => {
    const run = await played({
      prices: [100, 100, 105, 105, 104, 104],
      orders: { 0: ['buy', 100], 3: ['sell', 100] },
      contract: `, currency: ${currency}, margin: { initial: 0.0001 }`,
      data: `, rates: { ${rates} }`,
    });
    expect(tradesOf(run)).toEqual([`400 ${profit} 0 ${profit}`]);
  });

  /** A third of 400 yen and a third of a fee: whole money, half and more up. */
  test('amounts are rounded to the smallest digit of money', async () => {
    const run = await played({
      prices: [100, 100, 105, 105, 104, 104],
      orders: { 0: ['buy', 100], 3: ['sell', 100] },
      contract: ', currency: JPY, margin: { initial: 1 }',
      data: ', rates: { USDJPY: 150 }',
    });
    expect(tradesOf(run)).toEqual(['400 2.6667 0 2.6667']);
  });

  test('a rate of one changes nothing', async () => {
    const minutesOf: Minutes = {
      prices: [100, 103, 99, 107, 101, 96, 104, 104],
      orders: { 0: ['buy', 40], 2: ['sell', 70], 4: ['buy', 10], 5: ['buy', 30] },
      market: ', costs: { valuePercent: 0.013, maintenancePercent: 10, marginPercent: 50 }',
    };
    const [own, other] = [
      await played(minutesOf),
      await played({ ...minutesOf, contract: EUR, data: ', rates: { EURUSD: 1 }' }),
    ];
    expect(other.equity.values.length).toBeGreaterThan(0);
    expect(other.equity).toEqual(own.equity);
    expect(other.funds).toEqual(own.funds);
    expect([...other.strategies[0]!.trades]).toEqual([...own.strategies[0]!.trades]);
  });

  /**
   * 1,000 bought at 100 EUR with 5 % margin: 5,500 USD. At 95 EUR 5,000 are lost, 5,500 USD; 4,500 are left of 10,000, and 2 % of
   * 95,000 EUR are 2,090 USD. At 1.60 the loss is 8,000, 2,000 are left, and 3,040 are needed.
   */
  test('a rate alone brings a position below maintenance margin', async () => {
    const run = await played({
      prices: [100, 100, 95, 95, 95, 95],
      orders: { 0: ['buy', 1_000] },
      contract: EUR,
      market: ', costs: { marginPercent: 5, maintenancePercent: 2 }',
      data: RATES,
      files: {
        'rates.csv': rateRows([
          [0, 1.1],
          [4, 1.6],
        ]),
      },
    });
    const [one] = run.strategies;
    const forced = [...one!.fills].filter(({ cause }) => cause === 'forced');
    // 95 EUR at 1.60 and 2 % are 3.04 a contract: 658 keep 2,000.32, 657 keep 1,997.28.
    expect(forced.map(({ side, qty, tsUs }) => [side, qty, new Date(tsUs / 1_000).toISOString()])).toEqual([
      ['sell', 343, '2024-01-03T00:04:00.000Z'],
    ]);
  });
});

/**
 * Bodie, Kane and Marcus, Essentials of Investments, chapter "International Diversification": 10,000 USD buy shares at 40 GBP and 2 USD a
 * GBP, and the year ends with one of three prices at one of three rates. The same chapter earns 10 % on bills in pounds and loses 1 %
 * in dollars, because the pound falls from 2.00 to 1.80.
 */
test.each([
  [35, 1.8, -21.25],
  [35, 2, -12.5],
  [35, 2.2, -3.75],
  [40, 1.8, -10],
  [40, 2, 0],
  [40, 2.2, 10],
  [45, 1.8, 1.25],
  [45, 2, 12.5],
  [45, 2.2, 23.75],
  [44, 1.8, -1],
])('a share of 40 GBP that ends at %d GBP and %d USD a pound brings %d %%', async (price, rate, percent) => {
  const run = await played({
    prices: [40, 40, 40, price, price],
    orders: { 0: ['buy', 125] },
    contract: ', currency: GBP',
    data: ', rates: { GBPUSD: rates.csv }',
    files: {
      'rates.csv': rateRows([
        [0, 2],
        [3, rate],
      ]),
    },
  });
  const [one] = run.strategies;
  expect([...one!.fills].map(({ qty }) => qty)).toEqual([125]);
  expect(runStatistics(run).totalReturn! * 100).toBeCloseTo(percent, 12);
});

const fundsAt = async (rates: string) =>
  funds(
    await played({
      prices: [100, 100, 105, 105, 104, 104],
      orders: { 0: ['buy', 40], 3: ['sell', 40] },
      contract: EUR,
      data: RATES,
      files: { 'rates.csv': rates },
    }),
  );

test('rates as a spreadsheet writes them: with a byte order mark, quotes and no header', async () => {
  const rows = MOVING['rates.csv'].split('\n').slice(1);
  const quoted = rows.map((row) => row.replaceAll(/[^,]+/g, '"$&"')).join('\r\n');
  expect(await fundsAt(`\uFEFF${quoted}`)).toEqual(await fundsAt(MOVING['rates.csv']));
});

describe('files of a report', () => {
  test('amounts of a fill are in the currency of its contract, trades in that of the account', async () => {
    const run = await played({
      prices: [100, 100, 105, 105, 104, 104],
      orders: { 0: ['buy', 100], 3: ['sell', 100] },
      contract: EUR,
      market: ', costs: { marginPercent: 10, perContract: 0.25 }',
      data: RATES,
      files: MOVING,
    });
    const found = runStatistics(run);
    const files = resultCsv(run, found, 'Z');
    const rows = (file: string, ...columns: readonly string[]) => {
      const [head = '', ...lines] = (files[file] ?? '').trimEnd().split('\n');
      const names = head.split(',');
      return lines.map((line) => columns.map((name) => line.split(',')[names.indexOf(name)]).join(' '));
    };
    expect(rows('fills.csv', 'price', 'value', 'fee', 'currency', 'rate')).toEqual([
      '100.00 10000.0000 25.0000 EUR 1.1',
      '104.00 10400.0000 25.0000 EUR 1.2',
    ]);
    const trade = [
      'entry_price',
      'exit_price',
      'own_gross_profit',
      'currency',
      'gross_profit',
      'fee',
      'net_profit',
    ];
    expect(rows('trades.csv', ...trade)).toEqual([
      '100.000000 104.000000 400.0000 EUR 480.0000 57.5000 422.5000',
    ]);
    expect(resultTables(run, found).find(({ title }) => title === 'By symbol')?.rows).toEqual([
      ['X', 'EUR', 400, 480, 422.5, 1],
    ]);
  });

  test('one currency is not named in each row', async () => {
    const run = await played({ prices: [100, 100, 105], orders: { 0: ['buy', 1] } });
    const found = runStatistics(run);
    expect(resultCsv(run, found, 'Z')['fills.csv']).not.toContain('currency');
    expect(resultTables(run, found).map(({ title }) => title)).not.toContain('By symbol');
  });
});

describe('a rate is known before it is used', () => {
  const DAYS = ['2024-01-03', '2024-01-04', '2024-01-05', '2024-01-08'];
  const dayBars = `time,open,high,low,close,volume\n${DAYS.map((day) => `${day},100,100,100,100,1000\n`).join('')}`;

  /** Decided on the close of the 3rd, bought at the open of the 4th: at the rate of the 3rd, not at that of the 4th. */
  test('a date without a time is the end of that day', async () => {
    let bar = 0;
    const plan = await barPlan({
      bars: dayBars,
      file: ', every: 1d',
      contract: EUR,
      data: RATES,
      files: { 'rates.csv': 'date,rate\n2024-01-03,1.1\n2024-01-04,1.2\n2024-01-05,1.3\n2024-01-08,1.4\n' },
      connect(ticks, trader) {
        ticks.bars().subscribe(() => {
          bar += 1;
          if (bar === 1) trader.buy({ qty: 10, price: 'market', reason: 'test' });
          if (bar === 3) trader.sell({ qty: 10, price: 'market', reason: 'test' });
        });
      },
    });
    const [one] = runBacktest(plan).strategies;
    expect([...one!.fills].map(({ rate }) => rate)).toEqual([1.1, 1.3]);
  });

  test.each([
    ['a rate of each day', '2024-01-02,1.1\n2024-01-03,1.2\n2024-01-12,1.3\n', []],
    [
      'a file that ends early',
      '2024-01-02,1.1\n',
      ['EURUSD has no new rate for 14 days: that of 2024-01-03 counts on'],
    ],
    ['one number for the whole run', null, []],
  ])('old rates are told: %s', async (_name, csv, texts) => {
    const days = Array.from({ length: 14 }, (_, i) => `2024-01-${String(3 + i).padStart(2, '0')}`);
    const plan = await barPlan({
      bars: `time,open,high,low,close,volume\n${days.map((day) => `${day},100,100,100,100,1000\n`).join('')}`,
      file: ', every: 1d',
      contract: EUR,
      data: csv === null ? ', rates: { EURUSD: 1.1 }' : RATES,
      files: csv === null ? {} : { 'rates.csv': csv },
      connect: () => undefined,
    });
    const { notices } = runBacktest(plan);
    expect(notices.filter(({ text }) => text.includes('rate')).map(({ text }) => text)).toEqual(texts);
  });

  /** Rates differ from 00:04 on. */
  test('nothing before depends on a later rate', async () => {
    const [one, other] = await Promise.all(
      [1.2, 0.5].map((later) =>
        played({
          prices: [100, 100, 105, 105, 104, 104],
          orders: { 0: ['buy', 40], 2: ['sell', 10] },
          contract: EUR,
          data: RATES,
          files: {
            'rates.csv': rateRows([
              [0, 1.1],
              [4, later],
            ]),
          },
        }),
      ),
    );
    const cutUs = Date.UTC(2024, 0, 3, 0, 4) * 1_000;
    const before = ({ equity }: BacktestResult) =>
      equity.values.slice(
        0,
        equity.tsUs.findIndex((at) => at >= cutUs),
      );
    expect(before(one!).length).toBeGreaterThan(3);
    expect(before(one!)).toEqual(before(other!));
    expect(one!.equity.values).not.toEqual(other!.equity.values);
  });
});

describe('what is refused before the run', () => {
  async function problems(run: Omit<Parameters<typeof barFile>[0], 'bars'>): Promise<readonly string[]> {
    const path = barFile({ bars: minuteBars([100, 100, 100]), file: ', every: 1m', ...run });
    const loaded = await loadBacktest(path);
    return loaded.ok ? [] : loaded.problems.map((each) => formatProblem(each).replaceAll(path, 'run.yaml'));
  }

  test.each([
    ['no rate', { contract: EUR }, ['a rate from EUR to USD', 'data.rates.EURUSD']],
    [
      'no rate for the market',
      { market: ', currency: JPY', more: 'currency: USD' },
      ['a rate from JPY to USD'],
    ],
    [
      'a rate that comes too late',
      { contract: EUR, data: RATES, files: { 'rates.csv': rateRows([[2, 1.1]]) } },
      ['X trades from 2024-01-03 00:01', 'the rate is known from 2024-01-03 00:02'],
    ],
    [
      'bars as rates',
      { contract: EUR, data: RATES, files: { 'rates.csv': minuteBars([1.1, 1.1]) } },
      ['a file of rates', 'two columns'],
    ],
    [
      'a decimal comma in the first row',
      { contract: EUR, data: RATES, files: { 'rates.csv': '2024-01-02;1,1\n2024-01-03;1,2\n' } },
      ['rates.csv:1: 2024-01-02;1,1'],
    ],
    [
      'two rates of one moment',
      { contract: EUR, data: RATES, files: { 'rates.csv': '2024-01-02,1.1\n2024-01-02,1.2\n' } },
      ['rates.csv:2', 'not later than the row before'],
    ],
    [
      'a rate of zero',
      { contract: EUR, data: RATES, files: { 'rates.csv': '2024-01-02,0\n' } },
      ['a rate of 0'],
    ],
    [
      'a fee in a currency of its own',
      { contract: `${EUR}, costs: { perContract: 1, currency: CHF }`, data: ', rates: { EURUSD: 1.1 }' },
      ['costs', 'currency'],
    ],
    [
      'a rate of two names',
      { contract: EUR, data: ', rates: { EURUSD: 1.1, USDEUR: 0.8 }' },
      ['data.rates.USDEUR', 'one rate between two currencies', 'EURUSD'],
    ],
    [
      'a rate of one name, written in two ways',
      { contract: EUR, data: ', rates: { EUR/USD: 1.1, EURUSD: 1.2 }' },
      ['data.rates.EURUSD', 'one rate between two currencies', 'EUR/USD'],
    ],
    [
      'a pair whose name tells of another currency than that of its market',
      { contract: ' }, USDJPY: { tick: 0.01' },
      ['market.contracts.USDJPY', 'a currency', 'currency: JPY'],
    ],
    [
      'a loss limit over several currencies',
      { contract: EUR, data: ', rates: { EURUSD: 1.1 }', more: 'risk: { dailyLossMax: 500 }' },
      ['dailyLossMax', 'USD and EUR'],
    ],
  ])('%s', async (_name, run, texts) => {
    const found = await problems(run);
    expect(found).toHaveLength(1);
    for (const text of texts) expect(found[0]).toContain(text);
  });
});
