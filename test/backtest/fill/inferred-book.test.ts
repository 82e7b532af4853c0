/** Paper guesses the book of a tape as well: both must guess the same, or a fill would differ for no reason. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InferredBook } from '../../../src/backtest/fill/inferred-book.ts';
import { TapeTouch } from '../../../src/venue/exchange/tape-touch.ts';

const SIDES = { 1: 'buy', 0: null, [-1]: 'sell' } as const;

const print = fc.record({
  price: fc.integer({ min: 995, max: 1_005 }),
  qty: fc.integer({ min: 1, max: 30 }),
  side: fc.constantFrom<1 | 0 | -1>(1, 0, -1),
  /** After it somebody of ours takes so much at the touch. */
  take: fc.option(
    fc.tuple(fc.constantFrom('buy' as const, 'sell' as const), fc.integer({ min: 1, max: 20 })),
    {
      nil: null,
      freq: 4,
    },
  ),
});

test('the guessed book is the one that the simulated broker guesses', () => {
  const play = fc.property(fc.array(print, { maxLength: 60 }), (prints) => {
    const [ours, theirs] = [new InferredBook(), new TapeTouch()];
    for (const { price, qty, side, take } of prints) {
      const aggressor = ours.trade(price, qty, side);
      expect(aggressor).toBe(theirs.print(price, qty, SIDES[side]));
      const [of, wanted] = take ?? (['buy', 0] as const);
      const limit = of === 'buy' ? 2_000 : 1;
      let got = 0;
      ours.take(of, limit, wanted, (_at, taken) => (got += taken));
      expect(got).toBe(theirs.take(of, limit, wanted)?.qty ?? 0);
      expect([ours.bid, ours.bidQty, ours.ask, ours.askQty]).toEqual([
        theirs.bid.price ?? 0,
        theirs.bid.qty,
        theirs.ask.price ?? 0,
        theirs.ask.qty,
      ]);
      for (const own of ['buy', 'sell'] as const)
        for (const at of [994, 998, 1_000, 1_002, 1_006])
          expect(ours.ahead(own, at)).toBe(theirs.ahead(own, at));
    }
  });
  fc.assert(play, { numRuns: 200 });
});
