/** Futures contracts as one series: a published table, and properties. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, type TradingDay, tradingDay } from '../../src/domain/civil-date.ts';
import { type ContractDays, continuousDays } from '../../src/recording/continuous-days.ts';

/** Quarters of a cent, so that prices are whole. */
const bar = (day: string, price: number, volume = 100) => ({
  day: tradingDay(day),
  open: 4 * price,
  high: 4 * price,
  low: 4 * price,
  close: 4 * price,
  volume,
});

const contract = (
  symbol: string,
  ...days: readonly (readonly [day: string, price: number, volume?: number])[]
) => ({
  symbol,
  days: days.map(([day, price, volume]) => bar(day, price, volume)),
});

/**
 * Soybeans in table 18.1 of J. Schwager, A Complete Guide to the Futures Market: contract, price, and price with the cumulative
 * adjustment. Closes of the next contract on the day before a roll follow from the spreads of the table: 85, 86.25, 312.50, 45.50.
 */
const SOYBEANS = [
  ['2012-06-27', 'SN12', 1_471, 1_471],
  ['2012-06-28', 'SN12', 1_466, 1_466],
  ['2012-06-29', 'SN12', 1_512.75, 1_512.75],
  ['2012-07-02', 'SX12', 1_438, 1_523],
  ['2012-07-03', 'SX12', 1_474.75, 1_559.75],
  ['2012-10-30', 'SX12', 1_533.75, 1_618.75],
  ['2012-10-31', 'SX12', 1_547, 1_632],
  ['2012-11-01', 'SN13', 1_474, 1_645.25],
  ['2012-11-02', 'SN13', 1_454, 1_625.25],
  ['2013-06-27', 'SN13', 1_548.5, 1_719.75],
  ['2013-06-28', 'SN13', 1_564.5, 1_735.75],
  ['2013-07-01', 'SX13', 1_243.25, 1_727],
  ['2013-07-02', 'SX13', 1_242.5, 1_726.25],
  ['2013-10-30', 'SX13', 1_287.5, 1_771.25],
  ['2013-10-31', 'SX13', 1_280.25, 1_764],
  ['2013-11-01', 'SN14', 1_224.5, 1_753.75],
] as const;
const NEXT_CLOSES = [
  ['SX12', '2012-06-29', 1_512.75 - 85],
  ['SN13', '2012-10-31', 1_547 - 86.25],
  ['SX13', '2013-06-28', 1_564.5 - 312.5],
  ['SN14', '2013-10-31', 1_280.25 - 45.5],
] as const;

test("Schwager's soybeans, to the quarter of a cent", () => {
  const contracts = ['SN12', 'SX12', 'SN13', 'SX13', 'SN14'].map((symbol) =>
    contract(
      symbol,
      ...NEXT_CLOSES.filter(([name]) => name === symbol).map(([, day, price]) => [day, price] as const),
      ...SOYBEANS.filter(([, name]) => name === symbol).map(([day, , price]) => [day, price] as const),
    ),
  );
  const { days, rolls } = continuousDays(contracts, { by: 'expiry', daysBefore: 0 }, 'difference');
  expect(days.map(({ symbol }) => symbol)).toEqual(SOYBEANS.map(([, symbol]) => symbol));
  expect(rolls.map(({ closeFrom, closeTo }) => (closeFrom - closeTo) / 4)).toEqual([85, 86.25, 312.5, 45.5]);
  // The table shows prices of the first contract; 529.25 bring them to those of the last.
  expect(days.map(({ close }) => close / 4 + 529.25)).toEqual(SOYBEANS.map(([, , , price]) => price));
});

test('a roll by volume comes the day after, and never back', () => {
  const front = contract(
    'A',
    ['2024-01-01', 10, 9],
    ['2024-01-02', 11, 5],
    ['2024-01-03', 12, 9],
    ['2024-01-04', 13, 9],
  );
  const next = contract(
    'B',
    ['2024-01-01', 20, 8],
    ['2024-01-02', 22, 6],
    ['2024-01-03', 24, 1],
    ['2024-01-05', 25, 1],
  );
  const { days, rolls } = continuousDays([front, next], { by: 'volume' }, 'ratio');
  expect(days.map(({ day, symbol, close }) => `${day} ${symbol} ${close / 4}`)).toEqual([
    '2024-01-01 A 20',
    '2024-01-02 A 22',
    '2024-01-03 B 24',
    '2024-01-05 B 25',
  ]);
  expect(rolls.map(({ day, closeFrom, closeTo }) => [day, closeFrom / 4, closeTo / 4])).toEqual([
    ['2024-01-03', 11, 22],
  ]);
  expect(continuousDays([front, next], { by: 'volume' }, 'none').days.map(({ close }) => close / 4)).toEqual([
    10, 11, 24, 25,
  ]);
});

test('so many days before the last one, and contracts without a day in common', () => {
  const front = contract('A', ['2024-01-01', 10], ['2024-01-02', 11], ['2024-01-03', 12]);
  const next = contract('B', ['2024-01-01', 20], ['2024-01-02', 22], ['2024-01-03', 24]);
  const rolled = continuousDays([front, next], { by: 'expiry', daysBefore: 1 }, 'none');
  expect(rolled.days.map(({ symbol }) => symbol)).toEqual(['A', 'A', 'B']);
  const late = contract('B', ['2024-01-04', 20]);
  expect(() => continuousDays([front, late], { by: 'volume' }, 'difference')).toThrow(
    'A and B have no day in common before 2024-01-04',
  );
});

const START = tradingDay('2024-01-01');
const drawn = fc.array(
  fc.array(fc.record({ price: fc.integer({ min: 1, max: 9_999 }), volume: fc.nat(99) }), {
    minLength: 30,
    maxLength: 30,
  }),
  {
    minLength: 2,
    maxLength: 4,
  },
);

/** Contract n lives on days 0 to 9 + 7n. */
const livesOf = (
  prices: readonly (readonly { readonly price: number; readonly volume: number }[])[],
): ContractDays[] =>
  prices.map((life, place) => ({
    symbol: String(place),
    days: life.slice(0, 10 + 7 * place).map(({ price, volume }, i) => bar(addDays(START, i), price, volume)),
  }));

const closesOf = (contracts: readonly ContractDays[]) =>
  new Map(contracts.map(({ symbol, days }) => [symbol, new Map(days.map(({ day, close }) => [day, close]))]));

test.each(['volume', 'expiry'] as const)(
  'differences are those inside each contract, across rolls too: %s',
  (by) => {
    fc.assert(
      fc.property(drawn, fc.nat(3), (prices, daysBefore) => {
        const contracts = livesOf(prices);
        const closes = closesOf(contracts);
        const { days } = continuousDays(
          contracts,
          by === 'volume' ? { by } : { by, daysBefore },
          'difference',
        );
        days.slice(1).forEach(({ day, close, symbol }, i) => {
          const before = days[i]!;
          const inside = closes.get(symbol)!.get(day)! - closes.get(symbol)!.get(before.day)!;
          expect(close - before.close).toBe(inside);
        });
        expect(days.at(-1)!.close).toBe(closes.get(days.at(-1)!.symbol)!.get(days.at(-1)!.day));
      }),
    );
  },
);

test('what comes later changes no choice of a contract', () => {
  fc.assert(
    fc.property(drawn, fc.integer({ min: 1, max: 9 }), (prices, cut) => {
      const contracts = livesOf(prices);
      const until: TradingDay = addDays(START, cut);
      const known = contracts.map(({ symbol, days }) => ({
        symbol,
        days: days.map((each) => (each.day < until ? each : { ...each, volume: 99 - each.volume, close: 1 })),
      }));
      const chosen = (of: readonly ContractDays[]) =>
        continuousDays(of, { by: 'volume' }, 'none')
          .days.filter(({ day }) => day <= until)
          .map(({ symbol }) => symbol);
      expect(chosen(known)).toEqual(chosen(contracts));
    }),
  );
});
