import { expect, test } from 'vitest';
import { RecordedBook } from '../../../src/venue/exchange/recorded-book.ts';

const rows = (...values: readonly number[]) => [Int32Array.from(values)];

test('a touch without quantity is no touch, and the same book twice is no change', () => {
  const book = new RecordedBook({
    depth: 1,
    bidPrice: rows(999, 999, 999, 998),
    bidQty: rows(5, 0, 0, 0),
    askPrice: rows(1_000, 1_000, 1_000, 1_000),
    askQty: rows(7, 7, 0, 3),
  });
  const seen = [0, 1, 2, 3].map((row) => {
    book.row(row);
    return [book.bid, book.bidChanges, book.ask, book.askChanges];
  });
  expect(seen).toEqual([
    [999, 1, 1_000, 1],
    [0, 2, 1_000, 1],
    [0, 2, 0, 2],
    [0, 2, 1_000, 3],
  ]);
});
