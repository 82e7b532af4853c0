import { describe, expect, it } from 'vitest';
import { Ladder } from '../../../src/venue/exchange/ladder.ts';

describe('Ladder', () => {
  it('refuses an order that is gone, and a price outside of the band', () => {
    const ladder = new Ladder(0, 10);
    const order = ladder.rest('buy', 5, 1, 1);
    ladder.cancel(order);
    expect(() => ladder.cancel(order)).toThrow('Invariant');
    expect(() => ladder.rest('buy', 11, 1, 1)).toThrow('Invariant');
  });
});
