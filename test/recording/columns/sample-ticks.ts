/** Ticks for tests. */
import fc from 'fast-check';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import {
  allocateRows,
  type TickMeta,
  type TickRows,
  type TickTotals,
} from '../../../src/recording/columns/tick-file.ts';

export const DAY = tradingDay('2026-03-04');
export const START_US = 1_772_589_600_000_000;

export interface TestTick {
  readonly afterUs: number;
  readonly price: number;
  readonly qty: number;
  readonly side: number;
}

export const tickArbitrary: fc.Arbitrary<TestTick> = fc.record({
  afterUs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3_600_000_000 })),
  price: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  qty: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 2 ** 31 - 1 })),
  side: fc.constantFrom(-1, 0, 1),
});

export function rowsOf(ticks: readonly TestTick[], depth = 0): TickRows {
  const rows = allocateRows(depth, ticks.length);
  let at = START_US;
  for (const [i, tick] of ticks.entries()) {
    at += tick.afterUs;
    rows.tsUs[i] = at;
    rows.priceTicks[i] = tick.price;
    rows.qty[i] = tick.qty;
    rows.side[i] = tick.side;
    for (let level = 0; level < depth; level += 1) {
      rows.book!.bidPrice[level]![i] = tick.price - 1 - level;
      rows.book!.bidQty[level]![i] = tick.qty % (level + 2);
      rows.book!.askPrice[level]![i] = tick.price + 1 + level;
      rows.book!.askQty[level]![i] = (tick.qty + i) % (level + 2);
    }
  }
  return rows;
}

export const describe =
  (facts: Partial<TickMeta> = {}) =>
  (totals: TickTotals): TickMeta => ({
    kind: 'ticks',
    version: 1,
    symbol: 'VN30F2603',
    day: DAY,
    tickSize: '0.1',
    lotSize: '1',
    utcOffsetMinutes: 420,
    sides: 'source',
    depth: 0,
    gaps: [],
    badRows: 0,
    source: 'a test',
    ...facts,
    ...totals,
  });

/** As plain numbers, to compare. */
export const plain = ({ rows, tsUs, priceTicks, qty, side, book }: TickRows): unknown => ({
  rows,
  tsUs: [...tsUs],
  priceTicks: [...priceTicks],
  qty: [...qty],
  side: [...side],
  book:
    book &&
    [book.bidPrice, book.bidQty, book.askPrice, book.askQty].map((levels) =>
      levels.map((level) => [...level]),
    ),
});
