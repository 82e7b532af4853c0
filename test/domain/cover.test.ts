/** What protects a position, and what a halt may cancel: orders that can enlarge one. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cover, type CoverOrder, type CoverRole, waitingRole } from '../../src/domain/cover.ts';

type Named = CoverOrder & { readonly name: string };

const order = (name: string, more: Partial<CoverOrder> = {}): Named => ({
  name,
  side: 'sell',
  qty: 1,
  role: 'exit',
  group: null,
  ...more,
});
const stop = (name: string, qty = 1, more: Partial<CoverOrder> = {}): Named =>
  order(name, { role: 'stop', qty, ...more });
const target = (name: string, qty = 1, more: Partial<CoverOrder> = {}): Named =>
  order(name, { role: 'take_profit', qty, ...more });

const covers = (held: number, ...orders: readonly Named[]) => cover(held, orders, (each) => each);
const increasing = (held: number, ...orders: readonly Named[]): readonly string[] =>
  [...covers(held, ...orders).increasing].map(({ name }) => name).toSorted();

describe('what protects a position', () => {
  const halves = [stop('low', 2, { group: 'g' }), target('high', 2, { group: 'g' })];
  it.each<[string, number, readonly Named[], readonly [number, number, number]]>([
    ['nothing', 2, [], [0, 0, 2]],
    ['no position, nothing to protect', 0, [stop('a', 2)], [0, 0, 0]],
    ['two stops of one are two', 2, [stop('a'), stop('b')], [2, 0, 0]],
    ['a take-profit is no stop', 2, [target('a', 2)], [0, 2, 2]],
    ['an exit at a limit is none', 2, [order('a', { qty: 2 })], [0, 0, 2]],
    ['one stop for a part', 3, [stop('a'), target('b', 3)], [1, 3, 2]],
    ['both halves of a bracket', 2, halves, [2, 2, 0]],
    ['a stop on its own side opens more', 2, [stop('a', 2, { side: 'buy' })], [0, 0, 2]],
    ['a short position', -2, [stop('a', 1, { side: 'buy' }), stop('b', 2)], [1, 0, 1]],
    ['a stop that is too large', 1, [stop('a', 3)], [3, 0, 0]],
  ])('%s', (_, held, orders, [stopQty, takeProfitQty, nakedQty]) => {
    expect(covers(held, ...orders)).toMatchObject({ stopQty, takeProfitQty, nakedQty });
  });

  it.each([
    ['sell', 'at_or_below', 'stop'],
    ['sell', 'at_or_above', 'take_profit'],
    ['buy', 'at_or_above', 'stop'],
    ['buy', 'at_or_below', 'take_profit'],
    ['buy', null, 'exit'],
  ] as const)('a %s that waits for %s is: %s', (side, when, role) => {
    expect(waitingRole(side, when)).toBe(role);
  });
});

describe('what can enlarge a position', () => {
  it('of a flat owner is each order', () => {
    expect(increasing(0, order('a'), stop('b'), order('c', { side: 'buy' }))).toEqual(['a', 'b', 'c']);
  });

  it('is what lies on its side, and nothing that protects it', () => {
    expect(increasing(2, stop('stop', 2), order('more', { side: 'buy' }))).toEqual(['more']);
    expect(increasing(-2, stop('stop', 2, { side: 'buy' }), order('more'))).toEqual(['more']);
  });

  it.each([
    ['an exit', order('older', { qty: 2 })],
    ['a take-profit', target('older', 2)],
  ])('is %s before it is a younger stop', (_, older) => {
    expect(increasing(2, older, stop('stop', 2))).toEqual(['older']);
  });

  it('is every exit that there is nothing left to close for', () => {
    expect(increasing(2, order('one'), order('two'), order('three'))).toEqual(['three']);
    expect(increasing(2, order('too large', { qty: 3 }), order('fits'))).toEqual(['too large']);
  });

  it('is not a stop that is too large where nothing else covers the position: of several, the smallest stays', () => {
    const [three, five, two] = [3, 5, 2].map((qty) => stop(`stop ${qty}`, qty));
    expect(increasing(2, three!)).toEqual([]);
    expect(covers(2, three!)).toMatchObject({ oversized: new Set([three]), excess: 1 });
    expect(increasing(2, five!, three!)).toEqual(['stop 5']);
    expect(increasing(2, three!, two!), 'one that fits covers all').toEqual(['stop 3']);
    expect(increasing(4, two!, three!, order('target', { qty: 1 }))).toEqual(['target']);
    const halves = [stop('low', 3, { group: 'g' }), target('high', 3, { group: 'g' })];
    expect(increasing(2, ...halves), 'halves of one bracket').toEqual([]);
    expect(covers(2, ...halves)).toMatchObject({ oversized: new Set(halves), excess: 1 });
    expect(increasing(2, target('too large', 3)), 'it covers nothing').toEqual(['too large']);
  });

  it('is no exit because of a stop that the engine keeps, which shrinks with the position', () => {
    const kept = stop('kept', 2, { isProtective: true });
    const exit = order('exit', { qty: 2 });
    expect(covers(2, kept, exit)).toMatchObject({ increasing: new Set(), oversized: new Set(), excess: 2 });
    const half = stop('half', 1, { isProtective: true });
    expect(increasing(2, half, stop('own', 1), exit), 'but of one of its own').toEqual(['exit']);
    expect(increasing(0, kept, exit)).toEqual(['exit', 'kept']);
  });

  it('counts halves of a bracket once, and never spares an order that brings exits of its own', () => {
    expect(increasing(2, stop('low', 2, { group: 'g' }), target('high', 2, { group: 'g' }))).toEqual([]);
    expect(increasing(2, order('bracket', { role: 'entry' }))).toEqual(['bracket']);
  });
});

const ROLES: readonly CoverRole[] = ['stop', 'take_profit', 'exit'];

it('never leaves orders that can turn a position round or enlarge it, one stop apart', () => {
  const any = fc.record({
    side: fc.constantFrom('buy' as const, 'sell' as const),
    qty: fc.integer({ min: 0, max: 4 }),
    role: fc.constantFrom(...ROLES),
    group: fc.constantFrom(null, 'g', 'h'),
  });
  fc.assert(
    fc.property(fc.integer({ min: -5, max: 5 }), fc.array(any, { maxLength: 8 }), (held, views) => {
      const orders = views.map((view, place) => ({ ...view, name: String(place) }));
      const taken = covers(held, ...orders);
      const kept = orders.filter((each) => !taken.increasing.has(each));
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
      expect(taken.excess).toBe(Math.max(0, worst - Math.abs(held)));
      expect(taken.excess === 0 || worst - largest < Math.abs(held), 'one stop too large').toBe(true);
      const stops = orders.filter(
        ({ side, role }) => role === 'stop' && held !== 0 && (side === 'sell') === held > 0,
      );
      const most = stops.reduce((sum, { qty }) => Math.max(sum, qty), 0);
      expect(worst, 'covered').toBeGreaterThanOrEqual(Math.min(most, Math.abs(held)));
    }),
  );
});
