import { ATR, EMA, SMA } from 'trading-signals';
import { expect, expectTypeOf, test } from 'vitest';
import { type Bar, indicate, lookBack } from '../../src/strategy/index.ts';
import { startStrategy } from './start-strategy.ts';

const PRICES = [13_000, 13_010, 13_030, 13_020, 13_050];

test('indicators begin when all are warm, and know each item since the first', () => {
  const seen: (readonly number[])[] = [];
  const trader = startStrategy((ticks) =>
    ticks.trades$
      .pipe(indicate({ two: () => new SMA(2), three: () => new SMA(3) }, ({ price }) => price))
      .subscribe(({ item, two, three }) => {
        expectTypeOf(two).toEqualTypeOf<number>();
        seen.push([item.price, two, three]);
      }),
  );
  for (const price of PRICES) trader.trade(price);
  expect(trader.faults).toEqual([]);
  expect(seen).toEqual(
    [2, 3, 4].map((at) => {
      const [a = 0, b = 0, c = 0] = PRICES.slice(at - 2, at + 1);
      return [c, (b + c) / 2, (a + b + c) / 3];
    }),
  );
});

test('an indicator may take whole bars, and another the values of the first', () => {
  const seen: number[] = [];
  const trader = startStrategy((ticks) =>
    ticks
      .bars({ everyTicks: 1 })
      .pipe(
        indicate({ range: () => new ATR(2) }, (bar: Bar) => bar),
        indicate({ mean: () => new EMA(2) }, ({ range }) => range),
      )
      .subscribe(({ item, mean }) => seen.push(item.item.close, mean)),
  );
  for (const price of PRICES) trader.trade(price);
  expect(trader.faults).toEqual([]);
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.at(-2)).toBe(13_050);
});

test('each subscription has indicators of its own', () => {
  const seen: number[] = [];
  const trader = startStrategy((ticks) => {
    const means$ = ticks.trades$.pipe(indicate({ mean: () => new SMA(2) }, ({ price }) => price));
    for (let i = 0; i < 2; i += 1) means$.subscribe(({ mean }) => seen.push(mean));
  });
  for (const price of PRICES.slice(0, 2)) trader.trade(price);
  expect(seen).toEqual([13_005, 13_005]);
});

test('each item comes with those before it, once there are as many', () => {
  const seen: string[] = [];
  const trader = startStrategy((ticks) =>
    ticks.trades$
      .pipe(lookBack(2))
      .subscribe(({ item, before }) =>
        seen.push(`${before.map(({ price }) => price).join(' ')} then ${item.price}`),
      ),
  );
  for (const price of PRICES.slice(0, 4)) trader.trade(price);
  expect(seen).toEqual(['13000 13010 then 13030', '13010 13030 then 13020']);
});

test('nothing is looked back on with a count of zero, and other counts are refused', () => {
  const seen: number[] = [];
  const trader = startStrategy((ticks) =>
    ticks.trades$.pipe(lookBack(0)).subscribe(({ before }) => seen.push(before.length)),
  );
  for (const price of PRICES) trader.trade(price);
  expect(seen).toEqual(PRICES.map(() => 0));
  for (const count of [-1, 1.5, Number.NaN, Infinity])
    expect(() => lookBack(count)).toThrow(/^lookBack: expected a whole number of items/);
});
