/** The books over a recording: a guessed one never crosses, and nobody takes more than is shown. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InferredBook, RecordedBook } from '../../../src/venue/exchange/shown-book.ts';

const print = fc.record({
  price: fc.integer({ min: 995, max: 1_005 }),
  qty: fc.integer({ min: 1, max: 30 }),
  side: fc.constantFrom<1 | 0 | -1>(1, 0, -1),
  /** After it somebody of ours takes so much at the touch. */
  take: fc.option(
    fc.tuple(fc.constantFrom('buy' as const, 'sell' as const), fc.integer({ min: 1, max: 20 })),
    { nil: null, freq: 4 },
  ),
});

test('a print is the touch of the side it hit, the other side lies beyond, and a restart changes nothing', () => {
  const play = fc.property(fc.array(print, { maxLength: 60 }), (prints) => {
    const book = new InferredBook();
    for (const { price, qty, side, take } of prints) {
      const expected = book.aggressorOf(price, side);
      expect(side).toBeOneOf([0, expected === 'buy' ? 1 : -1]);
      expect(book.trade(price, qty, side)).toBe(expected);
      expect(expected === 'buy' ? book.ask : book.bid).toBe(price);
      expect(book.bid).toBeLessThan(book.ask);
      expect(Math.min(book.bidQty, book.askQty)).toBeGreaterThanOrEqual(0);
      const [of, wanted] = take ?? (['buy', 0] as const);
      const shown = of === 'buy' ? book.askQty : book.bidQty;
      expect(book.take(of, of === 'buy' ? book.ask - 1 : book.bid + 1, wanted, () => undefined)).toBe(0);
      const taken = book.take(of, of === 'buy' ? 2_000 : 1, wanted, () => undefined);
      expect(taken).toBe(Math.min(wanted, shown));
      expect(of === 'buy' ? book.askQty : book.bidQty).toBe(shown - taken);
      expect(book.ahead('buy', book.bid)).toBe(book.bidQty);
      expect(book.ahead('sell', book.ask)).toBe(book.askQty);
      expect(book.ahead('buy', book.bid + 1)).toBe(0);
      expect(book.ahead('sell', book.ask - 1)).toBe(0);
      expect(book.ahead('buy', book.bid - 1)).toBe(book.usualQty);
    }
  });
  fc.assert(play, { numRuns: 200, seed: 1 });
});

/** Ten are guessed at first; a level that gave way after 18 makes the usual (7 x 10 + 18) / 8 = 11. */
test('the usual quantity learns an eighth of what a level gave', () => {
  const book = new InferredBook();
  book.trade(1_000, 18, 1);
  expect([book.bid, book.bidQty, book.ask, book.askQty]).toEqual([999, 10, 1_000, 10]);
  book.trade(1_001, 1, 1);
  expect([book.bid, book.bidQty, book.ask, book.askQty]).toEqual([999, 10, 1_001, 10]);
  expect(book).toMatchObject({ usualQty: 11, askPrinted: 1 });
});

test.each([
  ['at the ask', 1_001, 'buy'],
  ['above the ask', 1_005, 'buy'],
  ['at the bid', 1_000, 'sell'],
  ['below the bid', 990, 'sell'],
] as const)('nobody says who traded %s: guessed from the touch', (_, price, aggressor) => {
  const book = new InferredBook();
  book.trade(1_000, 1, -1);
  book.trade(1_001, 1, 1);
  expect(book.aggressorOf(price, 0)).toBe(aggressor);
});

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
