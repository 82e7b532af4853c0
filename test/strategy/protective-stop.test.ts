import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { priceTicks } from '../../src/domain/units.ts';
import { ProtectiveStop } from '../../src/strategy/position-worker.ts';

describe('a protective stop', () => {
  test.each([
    ['long', 12_970, 12_971, false],
    ['long', 12_970, 12_970, true],
    ['long', 12_970, 12_900, true],
    ['short', 13_030, 13_029, false],
    ['short', 13_030, 13_030, true],
    ['short', 13_030, 13_100, true],
  ] as const)('%s at %d, price %d: hit is %s', (side, level, price, hit) => {
    const stop = new ProtectiveStop();
    stop.protect(side, priceTicks(level));
    expect(stop.isHit(priceTicks(price))).toBe(hit);
  });

  test('is never widened, by whatever sequence of wishes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('long', 'short'),
        fc.array(fc.integer({ min: 1, max: 999 })),
        (side, levels) => {
          const stop = new ProtectiveStop();
          stop.protect(side, priceTicks(500));
          let before: number = 500;
          for (const level of levels) {
            if (level % 2 === 0) stop.tighten(priceTicks(level));
            else stop.protect(side, priceTicks(level));
            const now = stop.level ?? Number.NaN;
            expect(side === 'long' ? now >= before : now <= before).toBe(true);
            before = now;
          }
        },
      ),
    );
  });

  test('protects nothing once it is cleared, and can then protect the other side', () => {
    const stop = new ProtectiveStop();
    stop.protect('long', priceTicks(12_970));
    stop.clear();
    expect(stop.isHit(priceTicks(1))).toBe(false);
    expect(() => stop.tighten(priceTicks(1))).toThrow('only a set stop can be tightened');
    stop.protect('short', priceTicks(13_030));
    expect(stop.level).toBe(13_030);
  });
});
