/** Which open orders of one contract and owner can enlarge a position, and which only shrink it. */
import { type Side, signOf } from './order.ts';

/** An open order as exposure sees it. */
export interface OpenOrderEffect {
  readonly side: Side;
  /** Contracts that may still fill; zero or more. */
  readonly qty: number;
  /** A stop, whether it waits or has triggered: it is kept before other exits. */
  readonly isStop: boolean;
  /** It opens a position wherever its side points, as an order with exits of its own does. */
  readonly isEntry: boolean;
  /** Orders of one group exclude each other, as the halves of a bracket do; null for an order of its own. */
  readonly group: string | null;
}

/**
 * The orders that can enlarge the position `held`, if any of the others fills too: all on its own side, and on the other side
 * those that do not fit whole into what is left of it. Stops are kept first, so that what protects stays; one that is too
 * large stays too where nothing else covers what is left: a naked position is worse than the excess.
 */
export function increasingOrders<Order>(
  held: number,
  orders: readonly Order[],
  effectOf: (order: Order) => OpenOrderEffect,
): ReadonlySet<Order> {
  const increasing = new Set<Order>();
  const exits: { readonly order: Order; readonly effect: OpenOrderEffect }[] = [];
  for (const order of orders) {
    const effect = effectOf(order);
    if (held === 0 || effect.isEntry || signOf(effect.side) === Math.sign(held)) increasing.add(order);
    else exits.push({ order, effect });
  }
  let left = Math.abs(held);
  const kept = new Map<string, number>();
  const keep = ({ group, qty }: OpenOrderEffect, isOversized: boolean): boolean => {
    const shared = group === null ? 0 : (kept.get(group) ?? 0);
    const needed = Math.max(0, qty - shared);
    if (needed > left && !(isOversized && left > 0)) return false;
    left = Math.max(0, left - needed);
    if (group !== null) kept.set(group, Math.max(shared, qty));
    return true;
  };
  const stops = exits.filter(({ effect }) => effect.isStop);
  const tooLarge = stops.filter(({ effect }) => !keep(effect, false));
  // The one with the least excess stays, and the other half of its pair.
  for (const { order, effect } of tooLarge.toSorted((a, b) => a.effect.qty - b.effect.qty))
    if (!keep(effect, true)) increasing.add(order);
  for (const { order, effect } of exits) if (!effect.isStop && !keep(effect, false)) increasing.add(order);
  return increasing;
}
