import { describe, expect, it } from 'vitest';
import { runStatistics } from '../../../src/research/statistics/run-statistics.ts';
import { createReport } from '../../../src/research/report/create-report.ts';
import { orderCode } from '../../../src/domain/ids.ts';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { SAMPLE_RESULT } from '../sample-result.ts';

const report = createReport(SAMPLE_RESULT, 'a run');
const { run } = report;
const { drawn } = run;

describe('Monte Carlo on the trades of a run', () => {
  it('fans out from the capital to what its table says, the same each time', () => {
    const [again, reordered] = drawn.fans;
    expect(drawn.fans).toEqual(createReport(SAMPLE_RESULT, 'again').run.drawn.fans);
    for (const { x, bands } of drawn.fans) {
      expect(x).toEqual([0, 1, 2, 3]);
      expect(bands.map(([name]) => name)).toEqual(['5 %', '25 %', '50 %', '75 %', '95 %']);
      for (const [, values] of bands) expect(values[0]).toBe(1_000_000);
    }
    const ends = again?.bands.map(([, values]) => (values.at(-1) ?? 0) - 1_000_000);
    const [table] = report.tables;
    expect(table?.rows[0]).toEqual(['net profit, bootstrap', ...ends!]);
    expect(new Set(reordered?.bands.map(([, values]) => values.at(-1)))).toEqual(new Set([990_000]));
  });

  it('draws nothing from fewer than two trades', () => {
    const [strategy] = SAMPLE_RESULT.strategies;
    const one = [strategy!.trades.at(0)!];
    const few = createReport({ ...SAMPLE_RESULT, strategies: [{ ...strategy!, trades: one }] }, 'few');
    expect([few.run.drawn.fans, few.tables.filter(({ title }) => title === 'Monte Carlo')]).toEqual([[], []]);
  });
});

describe('the report of a run', () => {
  it('says what was run, and warns', () => {
    expect(report.subtitle).toBe(
      'one on VN30F1M, 2026-03-04 to 2026-03-05, 2 sessions, times of Asia/Ho_Chi_Minh',
    );
    expect(report.warnings).toEqual(['the tape has a gap']);
    expect(report.headlines.map(([name, text]) => `${name}: ${text}`)).toEqual([
      'Net profit, VND: -10,000',
      'Return: -1.00 %',
      'Buy and hold: +0.05 %',
      'CAGR: –',
      'Sharpe ratio: –',
      'Deepest drawdown: -20.00 %',
      'Trades: 3',
      'Win rate: 33.33 %',
      'Profit factor: 0.95',
      'Fees and tax: 21,250',
    ]);
  });

  it('of one contract shows buy and hold without being asked, of two it does not', () => {
    const [one] = SAMPLE_RESULT.instruments;
    const two = createReport(
      { ...SAMPLE_RESULT, instruments: [one!, { ...one!, symbol: orderCode('Y') }] },
      'two',
    );
    expect(two.headlines.map(([name]) => name)).not.toContain('Buy and hold');
  });

  it('counts notes that repeat, and those beyond the first three of a kind', () => {
    const texts = ['gap 1', 'gap 2', 'gap 1', 'gap 3', 'gap 1', 'gap 4', 'gap 5'];
    const notices = texts.map((text) => ({ tsUs: null, code: 'gap', text }));
    expect(createReport({ ...SAMPLE_RESULT, notices }, 'gaps').warnings).toEqual([
      'gap 1 (3 times)',
      'gap 2',
      'gap 3',
      'and 2 more of this kind',
    ]);
  });

  it('warns of a ratio that so few days make by chance', () => {
    const statistics = runStatistics(SAMPLE_RESULT);
    const warningsOf = (sharpe: number) =>
      createReport(SAMPLE_RESULT, 'few', { found: { ...statistics, sharpe } }).warnings.join();
    expect(warningsOf(2)).toMatch(
      /^a Sharpe ratio of 2.00 from \d days? may be chance: it is 0.\d standard errors/,
    );
    expect([warningsOf(0.5), warningsOf(40)]).toEqual(['the tape has a gap', 'the tape has a gap']);
  });

  it('draws equity, prices once they are known, and each fill', () => {
    expect(drawn.account.equity).toEqual([1_000_000, 1_200_000, 1_100_000, 960_000, 990_000]);
    expect(drawn.prices[0]?.candles).toMatchObject([
      { open: 1_900.5, high: 1_902, low: 1_899.5, close: 1_900 },
      { open: 1_899, high: 1_901.5, low: 1_898, close: 1_901 },
    ]);
    expect(drawn.prices[0]?.lines).toEqual([{ name: 'one fast', values: [1_900.03, 1_900.51] }]);
    expect(drawn.prices[0]?.marks).toMatchObject([
      { side: 'buy', effect: 'entry', price: 1_900.1 },
      { side: 'sell', effect: 'exit' },
    ]);
    expect(drawn.account.cash).toEqual([1_000_000, 1_000_000, 1_100_000, 1_100_000, 990_000]);
    expect(drawn.account.marginUsed).toEqual([0, 170_000, 0, 170_000, 0]);
    expect(drawn.account.buyingPower).toEqual([800_000, 630_000, 880_000, 570_000, 792_000]);
    expect(drawn.histogram?.counts.reduce((sum, count) => sum + count, 0)).toBe(3);
  });
});

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe('the report of a run, added up', () => {
  it('comes to the same profit by days, months, trades and costs', () => {
    const net = (SAMPLE_RESULT.equity.values.at(-1) ?? 0) - SAMPLE_RESULT.capital;
    expect(sum(drawn.daily.profit)).toBe(net);
    expect(sum(drawn.trades.map(({ profit }) => profit))).toBe(net);
    expect(run.costs.net).toBe(net);
    const { gross, charges } = run.costs;
    expect(gross - sum(charges.map(([, amount]) => amount))).toBe(net);
    const compounded = run.years.reduce((worth, { total }) => worth * (1 + total / 100), 1) - 1;
    expect(compounded).toBeCloseTo(net / SAMPLE_RESULT.capital, 12);
  });

  it('leaves out months without a day, and has no returns once nothing is left', () => {
    const days = ['2024-12-30', '2025-01-02', '2025-03-03'].map(tradingDay);
    const yearsOf = (...equity: readonly number[]) =>
      createReport(
        { ...SAMPLE_RESULT, days, dayEquity: Float64Array.from(equity), dayEndUs: Float64Array.of(0, 0, 0) },
        'a run',
      ).run.years;
    const [before, after] = yearsOf(1_100_000, 990_000, 1_980_000);
    expect(before).toMatchObject({ year: '2024', total: expect.closeTo(10, 9) });
    expect(before?.months[11]).toBeCloseTo(10, 9);
    expect(after?.months.slice(0, 4)).toEqual([expect.closeTo(-10, 9), null, expect.closeTo(100, 9), null]);
    expect(after?.total).toBeCloseTo(80, 9);
    expect(yearsOf(0, 1, 2)).toEqual([]);
  });
});

it('says what is held at the end, in units: it is in the net profit and in no trade', () => {
  const [strategy] = SAMPLE_RESULT.strategies;
  const [instrument] = SAMPLE_RESULT.instruments;
  const last = { ...strategy!.trades.at(-1)!, direction: 'short', qty: 90, isOpen: true } as const;
  const strategies = [{ ...strategy!, trades: [...strategy!.trades, last] }];
  const spec = { ...instrument!.spec, lotSize: 0.001 };
  const held = createReport(
    { ...SAMPLE_RESULT, strategies, instruments: [{ ...instrument!, spec }] },
    'held',
  );
  expect(held.warnings[0]).toMatch(
    /^held at the end: \w+ short 0\.09 \w+ at [+-][\d,]+ VND; that is in the net profit, and counts among no trades$/,
  );
  expect(held.run.drawn.account.positionUnit).toBe(`units of ${instrument!.symbol}`);
});
