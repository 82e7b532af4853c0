/** What a halt may cancel: orders that can enlarge a position. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { increasingOrders, type OpenOrderEffect } from '../../src/domain/order-effect.ts';

type Named = OpenOrderEffect & { readonly name: string };

const order = (name: string, more: Partial<OpenOrderEffect> = {}): Named => ({
  name,
  side: 'sell',
  qty: 1,
  isStop: false,
  isEntry: false,
  group: null,
  ...more,
});

const increasing = (held: number, ...orders: readonly Named[]): readonly string[] =>
  [...increasingOrders(held, orders, (each) => each)].map(({ name }) => name).toSorted();

it('of a flat owner is each order', () => {
  expect(increasing(0, order('a'), order('b', { isStop: true }), order('c', { side: 'buy' }))).toEqual([
    'a',
    'b',
    'c',
  ]);
});

it('keeps what protects a position, and not what is on its side', () => {
  expect(increasing(2, order('stop', { isStop: true, qty: 2 }), order('more', { side: 'buy' }))).toEqual([
    'more',
  ]);
  expect(increasing(-2, order('stop', { isStop: true, qty: 2, side: 'buy' }), order('more'))).toEqual([
    'more',
  ]);
});

it('keeps the stop before another exit, and no more exits than there is to close', () => {
  const [target, stop] = [order('target', { qty: 2 }), order('stop', { isStop: true, qty: 2 })];
  expect(increasing(2, target, stop)).toEqual(['target']);
  expect(increasing(2, order('one'), order('two'), order('three'))).toEqual(['three']);
  expect(increasing(2, order('too large', { qty: 3 }), order('fits'))).toEqual(['too large']);
});

it('keeps a stop that is too large where nothing else covers the position, and of several the smallest', () => {
  const [three, five, two] = [3, 5, 2].map((qty) => order(`stop ${qty}`, { isStop: true, qty }));
  expect(increasing(2, three!)).toEqual([]);
  expect(increasing(2, five!, three!)).toEqual(['stop 5']);
  expect(increasing(2, three!, two!), 'one that fits covers all').toEqual(['stop 3']);
  expect(increasing(4, two!, three!, order('target', { qty: 1 }))).toEqual(['target']);
  const halves = ['low', 'high'].map((name) => order(name, { isStop: true, qty: 3, group: 'g' }));
  expect(increasing(2, ...halves), 'halves of one bracket').toEqual([]);
});

it('counts halves of a bracket once, and never keeps an order that brings exits of its own', () => {
  const [low, high] = ['low', 'high'].map((name) => order(name, { isStop: true, qty: 2, group: 'g' }));
  expect(increasing(2, low!, high!)).toEqual([]);
  expect(increasing(2, order('bracket', { isEntry: true }))).toEqual(['bracket']);
});

it('never leaves orders that can turn a position round or enlarge it, one stop apart', () => {
  const any = fc.record({
    side: fc.constantFrom('buy' as const, 'sell' as const),
    qty: fc.integer({ min: 0, max: 4 }),
    isStop: fc.boolean(),
    isEntry: fc.constant(false),
    group: fc.constantFrom(null, 'g', 'h'),
  });
  fc.assert(
    fc.property(fc.integer({ min: -5, max: 5 }), fc.array(any, { maxLength: 8 }), (held, effects) => {
      const orders = effects.map((effect, place) => ({ ...effect, name: String(place) }));
      const taken = increasingOrders(held, orders, (each) => each);
      const kept = orders.filter((each) => !taken.has(each));
      const groups = new Map<string, number>();
      for (const { name, group, qty } of kept) {
        const key = group ?? name;
        groups.set(key, Math.max(groups.get(key) ?? 0, qty));
      }
      const sizes = [...groups.values()].toSorted((a, b) => b - a);
      const worst = sizes.reduce((sum, qty) => sum + qty, 0);
      const [largest = 0] = sizes;
      expect(kept.every(({ side }) => (side === 'sell') === held > 0)).toBe(true);
      // More only by the one stop that is too large, without which something would be naked.
      const isExact = worst <= Math.abs(held);
      expect(isExact || worst - largest < Math.abs(held), 'one stop too large').toBe(true);
      const stops = orders.filter(
        ({ side, isStop }) => isStop && held !== 0 && (side === 'sell') === held > 0,
      );
      const most = stops.reduce((sum, { qty }) => Math.max(sum, qty), 0);
      expect(worst, 'covered').toBeGreaterThanOrEqual(Math.min(most, Math.abs(held)));
    }),
  );
});
