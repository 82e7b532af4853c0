import { describe, expect, it } from 'vitest';
import { Ladder } from '../../../src/venue/exchange/ladder.ts';

/** Trades of the last match as `tag qty@price`. */
function trades({ fills }: Ladder): string[] {
  return Array.from(
    { length: fills.count },
    (_, i) => `${fills.restingTag[i]} ${fills.qty[i]}@${fills.price[i]}`,
  );
}

function ladderWithAsks(): Ladder {
  const ladder = new Ladder(100, 120);
  ladder.rest('sell', 111, 5, 1);
  ladder.rest('sell', 110, 2, 2);
  ladder.rest('sell', 110, 3, 3);
  return ladder;
}

describe('Ladder', () => {
  it.each([
    ['one level, in order of time', 110, 4, 0, ['2 2@110', '3 2@110']],
    ['through two levels, each at its own price', 115, 8, 0, ['2 2@110', '3 3@110', '1 3@111']],
    ['no further than its limit', 110, 9, 4, ['2 2@110', '3 3@110']],
    ['not at all below the best', 109, 9, 9, []],
    ['everything and no more', 120, 20, 10, ['2 2@110', '3 3@110', '1 5@111']],
  ] as const)('takes %s', (_, limit, qty, left, expected) => {
    const ladder = ladderWithAsks();
    expect(ladder.take('buy', limit, qty)).toBe(left);
    expect(trades(ladder)).toEqual(expected);
  });

  it('sells to the best bid first', () => {
    const ladder = new Ladder(100, 120);
    ladder.rest('buy', 105, 1, 1);
    ladder.rest('buy', 107, 1, 2);
    expect(ladder.take('sell', 100, 2)).toBe(0);
    expect(trades(ladder)).toEqual(['2 1@107', '1 1@105']);
    expect(ladder.best('buy')).toBeUndefined();
  });

  it('keeps the place of an order that is decreased and gives up that of one that is put back', () => {
    const ladder = new Ladder(100, 120);
    const first = ladder.rest('sell', 110, 5, 1);
    ladder.rest('sell', 110, 5, 2);
    ladder.decrease(first, 2);
    expect(ladder.qtyAt('sell', 110)).toBe(7);
    ladder.take('buy', 110, 1);
    expect(trades(ladder)).toEqual(['1 1@110']);
    ladder.rest('sell', 110, ladder.cancel(first), 1);
    ladder.take('buy', 110, 6);
    expect(trades(ladder)).toEqual(['2 5@110', '1 1@110']);
  });

  it('shows the best levels and finds the next one when the best is gone', () => {
    const ladder = ladderWithAsks();
    expect(ladder.levels('sell', 3)).toEqual([
      { price: 110, qty: 5 },
      { price: 111, qty: 5 },
    ]);
    ladder.take('buy', 110, 5);
    expect(ladder.best('sell')).toBe(111);
    expect(ladder.restingOrders).toBe(1);
    ladder.clear();
    expect(ladder.levels('sell', 3)).toEqual([]);
  });

  it('grows beyond its first capacity and reuses what was freed', () => {
    const ladder = new Ladder(0, 10);
    const handles = Array.from({ length: 5000 }, (_, i) => ladder.rest('buy', 5, 1, i));
    for (const handle of handles.slice(0, 4000)) ladder.cancel(handle);
    expect(ladder.qtyAt('buy', 5)).toBe(1000);
    ladder.take('sell', 5, 1);
    expect(ladder.fills.restingTag[0]).toBe(4000);
  });

  it('refuses a handle that names nothing', () => {
    const ladder = new Ladder(0, 10);
    const handle = ladder.rest('buy', 5, 1, 1);
    ladder.cancel(handle);
    expect(() => ladder.cancel(handle)).toThrow('Invariant');
    expect(() => ladder.rest('buy', 11, 1, 1)).toThrow('Invariant');
  });
});
