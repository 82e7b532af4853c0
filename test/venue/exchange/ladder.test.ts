import { describe, expect, it } from 'vitest';
import { Ladder } from '../../../src/venue/exchange/ladder.ts';

describe('Ladder', () => {
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
