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
    const trades = ladder
      .cross(103, 10)
      .map(({ resting, seller, qty, price }) => `${resting.tag}x${seller?.tag} ${qty}@${price}`);
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
