/** The ladder against a naive book: an array of orders, sorted again for every question. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { priceHundredths } from '../../src/domain/units.ts';
import { Ladder, type LadderOrder } from '../../src/venue/exchange/ladder.ts';
import { uncross } from '../../src/venue/exchange/ladder-book.ts';

type Side = 'buy' | 'sell';
interface NaiveOrder {
  readonly side: Side;
  readonly price: number;
  readonly tag: number;
  qty: number;
  time: number;
}

const FLOOR = 90;
/** Three words of levels: empty stretches are passed by. */
const CEILING = 165;

class NaiveBook {
  orders: NaiveOrder[] = [];
  #time = 0;

  queue(side: Side): NaiveOrder[] {
    const better = (a: NaiveOrder, b: NaiveOrder): number =>
      side === 'buy' ? b.price - a.price : a.price - b.price;
    return this.orders
      .filter((order) => order.side === side)
      .toSorted((a, b) => better(a, b) || a.time - b.time);
  }

  add(side: Side, price: number, qty: number, tag: number): void {
    this.#time += 1;
    this.orders.push({ side, price, qty, tag, time: this.#time });
  }

  take(side: Side, limit: number, qty: number): { left: number; trades: string[] } {
    let left = qty;
    const trades: string[] = [];
    for (const order of this.queue(side === 'buy' ? 'sell' : 'buy')) {
      const meets = side === 'buy' ? order.price <= limit : order.price >= limit;
      if (!meets || left === 0) break;
      const traded = Math.min(left, order.qty);
      order.qty -= traded;
      left -= traded;
      trades.push(`${order.tag} ${traded}@${order.price} left ${order.qty}`);
    }
    this.orders = this.orders.filter((order) => order.qty > 0);
    return { left, trades };
  }

  levels(side: Side): { price: number; qty: number }[] {
    const levels: { price: number; qty: number }[] = [];
    for (const { price, qty } of this.queue(side)) {
      const last = levels.at(-1);
      if (last?.price === price) last.qty += qty;
      else levels.push({ price, qty });
    }
    return levels.slice(0, 3);
  }
}

type Action =
  | { readonly kind: 'enter'; readonly side: Side; readonly price: number; readonly size: number }
  | { readonly kind: 'cancel'; readonly pick: number }
  | { readonly kind: 'replace'; readonly pick: number; readonly price: number; readonly size: number }
  | { readonly kind: 'decrease'; readonly pick: number; readonly size: number };

/** Both books; each step says what the ladder did and what the naive book did. */
class Pair {
  readonly ladder = new Ladder(FLOOR, CEILING);
  readonly naive = new NaiveBook();
  readonly #resting = new Map<number, LadderOrder>();

  step(action: Action, tag: number): [done: unknown, expected: unknown] {
    if (action.kind === 'enter') return this.#enter(action, tag);
    const target = this.naive.orders[action.pick % Math.max(1, this.naive.orders.length)];
    if (target === undefined) return [null, null];
    const resting = this.#resting.get(target.tag)!;
    const before = target.qty;
    if (action.kind === 'cancel' || (action.kind === 'decrease' && action.size >= before)) {
      this.naive.orders = this.naive.orders.filter((order) => order !== target);
      const { leavesQty } = resting;
      this.ladder.cancel(resting);
      return [leavesQty, before];
    }
    if (action.kind === 'replace') {
      // As a change that loses its place: out, and in again at the end of its queue.
      this.ladder.cancel(resting);
      this.naive.orders = this.naive.orders.filter((order) => order !== target);
      return this.#enter(
        { kind: 'enter', side: target.side, price: action.price, size: action.size },
        target.tag,
      );
    }
    this.ladder.decrease(resting, action.size);
    target.qty = action.size;
    return [resting.leavesQty, action.size];
  }

  /** Everybody on one side, best first, in the order they will trade. */
  queue(which: Side): string[] {
    const prices = Array.from({ length: CEILING - FLOOR + 1 }, (_, i) => FLOOR + i);
    return (which === 'buy' ? prices.toReversed() : prices).flatMap((at) =>
      this.ladder.ordersAt(which, at).map(({ tag, leavesQty, price: of }) => `${tag} ${leavesQty}@${of}`),
    );
  }

  naiveQueue(which: Side): string[] {
    return this.naive.queue(which).map(({ tag, qty, price }) => `${tag} ${qty}@${price}`);
  }

  #enter(
    { side: which, price: limit, size: qty }: Action & { kind: 'enter' },
    tag: number,
  ): [unknown, unknown] {
    const expected = this.naive.take(which, limit, qty);
    const fills = this.ladder.take(which, limit, qty);
    const left = fills.reduce((rest, fill) => rest - fill.qty, qty);
    const trades = fills.map(
      (fill) => `${fill.resting.tag} ${fill.qty}@${fill.price} left ${fill.resting.leavesQty}`,
    );
    if (expected.left > 0) {
      this.naive.add(which, limit, expected.left, tag);
      this.#resting.set(tag, this.ladder.rest(which, limit, expected.left, tag));
    }
    return [{ left, trades }, expected];
  }
}

const side = fc.constantFrom<Side>('buy', 'sell');
const price = fc.oneof(fc.integer({ min: FLOOR, max: CEILING }), fc.integer({ min: 118, max: 130 }));
const size = fc.integer({ min: 1, max: 20 });
const pick = fc.nat(1000);
const action = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('enter' as const), side, price, size }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('replace' as const), pick, price, size }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('decrease' as const), pick, size }) },
);

describe('ladder', () => {
  it('trades as the naive book does, in the same order, and shows the same levels', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 120, size: 'max' }), (actions) => {
        const pair = new Pair();
        for (const [tag, step] of actions.entries()) {
          const [done, expected] = pair.step(step, tag);
          expect(done).toEqual(expected);
          expect(pair.ladder.levels('buy', 3)).toEqual(pair.naive.levels('buy'));
          expect(pair.ladder.levels('sell', 3)).toEqual(pair.naive.levels('sell'));
          expect(pair.ladder.restingOrders).toBe(pair.naive.orders.length);
          for (const each of ['buy', 'sell'] as const)
            expect(pair.queue(each)).toEqual(pair.naiveQueue(each));
        }
      }),
    );
  });

  const orders = fc.array(fc.tuple(side, price, size), { maxLength: 40 });

  it('finds the cross that trying every price finds, and leaves a book that does not cross', () => {
    fc.assert(
      fc.property(orders, fc.integer({ min: 900, max: 1650 }), (entries, anchor) => {
        const ladder = new Ladder(FLOOR, CEILING);
        for (const [i, [which, at, qty]] of entries.entries()) ladder.rest(which, at, qty, i);
        const sum = (which: Side, meets: (at: number) => boolean): number =>
          entries.reduce((total, [each, at, qty]) => total + (each === which && meets(at) ? qty : 0), 0);
        const candidates = Array.from({ length: CEILING - FLOOR + 1 }, (_, i) => {
          const at = FLOOR + i;
          const [demand, supply] = [sum('buy', (p) => p >= at), sum('sell', (p) => p <= at)];
          return { price: at, volume: Math.min(demand, supply), surplus: Math.abs(demand - supply) };
        }).toSorted(
          (a, b) =>
            b.volume - a.volume ||
            Math.abs(a.price * 10 - anchor) - Math.abs(b.price * 10 - anchor) ||
            a.surplus - b.surplus ||
            b.price - a.price,
        );
        const best = candidates[0]!;
        const cross = uncross(ladder, priceHundredths(anchor), 10);
        expect(cross).toEqual(best.volume === 0 ? undefined : { price: best.price, volume: best.volume });
        if (cross === undefined) return;
        const fills = ladder.cross(cross.price, cross.volume);
        const traded = fills.reduce((total, fill) => total + fill.qty, 0);
        expect(traded).toBe(cross.volume);
        expect(ladder.best('buy') ?? FLOOR - 1).toBeLessThan(ladder.best('sell') ?? CEILING + 1);
      }),
    );
  });
});
