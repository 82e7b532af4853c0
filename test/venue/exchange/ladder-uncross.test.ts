import { describe, expect, it } from 'vitest';
import { priceHundredths } from '../../../src/domain/units.ts';
import { Ladder } from '../../../src/venue/exchange/ladder.ts';
import { levelsAfter, uncross } from '../../../src/venue/exchange/ladder-book.ts';

type Order = readonly [price: number, qty: number];

function ladderOf(buys: readonly Order[], sells: readonly Order[]): Ladder {
  const ladder = new Ladder(90, 120);
  for (const [i, [price, qty]] of buys.entries()) ladder.rest('buy', price, qty, i + 1);
  for (const [i, [price, qty]] of sells.entries()) ladder.rest('sell', price, qty, 100 + i + 1);
  return ladder;
}

describe('uncross', () => {
  // Anchor in hundredths; a tick is 10 hundredths.
  it.each([
    ['nothing when the sides do not meet', [[100, 5]], [[101, 5]], 1000, undefined],
    ['nothing when one side is empty', [[100, 5]], [], 1000, undefined],
    // 104: min(10, 12) = 10; 105: min(4, 12); 103: min(10, 5).
    [
      'the price of most volume',
      [
        [105, 4],
        [104, 6],
      ],
      [
        [102, 5],
        [104, 7],
      ],
      1200,
      { price: 104, volume: 10 },
    ],
    // 101 to 104 all trade 5; the anchor is 102.3 ticks: 102 is 0.3 away, 103 is 0.7.
    ['nearest to the anchor', [[104, 5]], [[101, 5]], 1023, { price: 102, volume: 5 }],
    [
      'the end of the range nearest to an anchor outside',
      [[104, 5]],
      [[101, 5]],
      1150,
      { price: 104, volume: 5 },
    ],
    // 102 and 103 are both 0.5 away, with equal surplus: the higher one.
    ['the higher of two equally near', [[104, 5]], [[101, 5]], 1025, { price: 103, volume: 5 }],
    // 102: demand 5, supply 5; 103: demand 5, supply 8. Equal volume and distance: the smaller surplus.
    [
      'the smaller surplus before the higher price',
      [[103, 5]],
      [
        [102, 5],
        [103, 3],
      ],
      1025,
      { price: 102, volume: 5 },
    ],
  ] as const)('finds %s', (_, buys, sells, anchor, expected) => {
    expect(uncross(ladderOf(buys, sells), priceHundredths(anchor), 10)).toEqual(expected);
  });

  it('fills by price, then time, at one price, and leaves the rest', () => {
    const ladder = ladderOf(
      [
        [103, 4],
        [105, 3],
        [103, 5],
      ],
      [
        [100, 6],
        [102, 4],
      ],
    );
    const cross = uncross(ladder, priceHundredths(1030), 10);
    expect(cross).toEqual({ price: 103, volume: 10 });
    ladder.cross(103, 10);
    const { fills } = ladder;
    const trades = Array.from(
      { length: fills.count },
      (_, i) => `${fills.restingTag[i]}x${fills.sellerTag[i]} ${fills.qty[i]}@${fills.price[i]}`,
    );
    // Buyer 2 is first by price, then 1 and 3 by time; seller 101 before 102.
    expect(trades).toEqual(['2x101 3@103', '1x101 3@103', '1x102 1@103', '3x102 3@103']);
    expect(ladder.levels('buy', 3)).toEqual([{ price: 103, qty: 2 }]);
    expect(ladder.best('sell')).toBeUndefined();
  });

  it('shows what will be left, not the book', () => {
    const ladder = ladderOf(
      [
        [105, 3],
        [103, 9],
        [101, 2],
        [100, 1],
      ],
      [
        [100, 10],
        [106, 4],
      ],
    );
    expect(uncross(ladder, priceHundredths(1030), 10)?.volume).toBe(10);
    expect(levelsAfter(ladder, 'buy', 10, 3)).toEqual([
      { price: 103, qty: 2 },
      { price: 101, qty: 2 },
      { price: 100, qty: 1 },
    ]);
    expect(levelsAfter(ladder, 'sell', 10, 3)).toEqual([{ price: 106, qty: 4 }]);
  });
});
