import { expect, it } from 'vitest';
import type { BookLevel } from '../../../src/domain/ticks.ts';
import { instrumentIndex, priceTicks, qty, seq, tsUs } from '../../../src/domain/units.ts';
import { MergedBook } from '../../../src/engine/market/market.ts';

const level = (price: number, contracts: number): BookLevel => ({
  price: priceTicks(price),
  qty: qty(contracts),
});

const merge = (book: MergedBook, side: 'bid' | 'ask', levels: (BookLevel | null | undefined)[]) =>
  book.merge({
    kind: 'book_update',
    seq: seq(1),
    tsUs: tsUs(1),
    instrument: instrumentIndex(0),
    side,
    levels,
  });

it('keeps a level that a frame leaves out, and empties one that is null or zero', () => {
  const book = new MergedBook();
  merge(book, 'bid', [level(100, 1), level(99, 2), level(98, 3)]);
  expect(merge(book, 'bid', [level(101, 5), undefined, null]).bids).toEqual([level(101, 5), level(99, 2)]);
  expect(merge(book, 'bid', [undefined, level(99, 0)]).bids).toEqual([level(101, 5)]);
});

it('keeps the half of a level that a frame leaves out', () => {
  const book = new MergedBook();
  merge(book, 'bid', [level(100, 1)]);
  const half = (update: { level: number; price?: number; qty?: number }) =>
    book.merge({
      kind: 'book_update',
      seq: seq(2),
      tsUs: tsUs(2),
      instrument: instrumentIndex(0),
      side: 'bid',
      levels: [],
      halves: [
        {
          level: update.level,
          price: update.price === undefined ? undefined : priceTicks(update.price),
          qty: update.qty === undefined ? undefined : qty(update.qty),
        },
      ],
    }).bids;
  expect(half({ level: 0, qty: 4 })).toEqual([level(100, 4)]);
  expect(half({ level: 0, price: 101 })).toEqual([level(101, 4)]);
  expect(half({ level: 1, price: 99 }), 'nothing rested there').toEqual([level(101, 4)]);
  expect(half({ level: 0, qty: 0 })).toEqual([]);
});

it('keeps the other side, and says when both cross', () => {
  const book = new MergedBook();
  merge(book, 'bid', [level(100, 1)]);
  expect(merge(book, 'ask', [level(101, 1)])).toMatchObject({ bids: [level(100, 1)], crossed: false });
  expect(merge(book, 'bid', [level(101, 1)])).toMatchObject({ asks: [level(101, 1)], crossed: true });
});

it('does not merge over a disconnect', () => {
  const book = new MergedBook();
  merge(book, 'bid', [level(100, 1), level(99, 2)]);
  book.empty();
  expect(book.last).toBeUndefined();
  expect(merge(book, 'bid', [level(90, 1)])).toMatchObject({ bids: [level(90, 1)], asks: [] });
});

it('23: is unknown after a disconnect until both best levels were seen, and shows no level in place of one before it', () => {
  const book = new MergedBook();
  merge(book, 'bid', [level(100, 1), level(99, 2)]);
  expect(book.isAwaited, 'nothing was there before').toBe(false);
  merge(book, 'ask', [level(101, 1)]);
  expect(book.last?.bids).toEqual([level(100, 1), level(99, 2)]);
  book.empty();
  expect(merge(book, 'bid', [undefined, level(98, 2)]).bids).toEqual([]);
  merge(book, 'ask', [level(101, 1)]);
  expect(book.last).toBeUndefined();
  book.empty();
  merge(book, 'ask', [level(101, 1)]);
  merge(book, 'bid', [undefined, level(98, 2)]);
  expect(book.isAwaited, 'after a second disconnect too').toBe(true);
  merge(book, 'bid', [level(99, 4)]);
  expect(book.isAwaited).toBe(false);
  expect(book.last?.bids).toEqual([level(99, 4), level(98, 2)]);
});
