/** What one owner's open orders do for its position: protect or could enlarge it. Engine and kill path ask the same function. */
import { type Side, signOf, type TriggerWhen } from './order.ts';

/**
 * `stop`: closes at a price worse than the market's, waiting or at work since it triggered. `take_profit`: waits for a better price.
 * `exit`: any other order. `entry`: opens a position wherever its side points, as an order with exits of its own does.
 */
export type CoverRole = 'stop' | 'take_profit' | 'exit' | 'entry';

export interface CoverOrder {
  readonly side: Side;
  /** Contracts that may still fill; zero or more. */
  readonly qty: number;
  readonly role: CoverRole;
  /** Orders of one group exclude each other, as the halves of a bracket do; null for an order of its own. */
  readonly group: string | null;
  /** A stop that the engine keeps: it shrinks with the position, and no exit has to go because of it. */
  readonly isProtective?: boolean;
}

export interface Cover<Order> {
  /** Contracts that stops would close; it may be more than is held. */
  readonly stopQty: number;
  /** Contracts that take-profits would close: they protect nothing. */
  readonly takeProfitQty: number;
  /** Contracts held that no stop would close. */
  readonly nakedQty: number;
  /**
   * The orders that can enlarge the position, if any of the others fills too: all on its own side, and on the other side those that do not
   * fit whole into its remainder. Stops fit in first, older ones before younger ones.
   */
  readonly increasing: ReadonlySet<Order>;
  /**
   * Orders larger than the remainder that count as closing all the same, such as a stop for 3 over a position of 2: no other order covers
   * that remainder, and a position without a stop is worse than the excess.
   */
  readonly oversized: ReadonlySet<Order>;
  /** Contracts by which the orders that are not `increasing` exceed the position. */
  readonly excess: number;
}

/** Role of an order that waits for a price; null where the side of the market is not known. */
export function waitingRole(side: Side, triggerWhen: TriggerWhen | null): 'stop' | 'take_profit' | 'exit' {
  if (triggerWhen === null) return 'exit';
  return triggerWhen === (side === 'sell' ? 'at_or_below' : 'at_or_above') ? 'stop' : 'take_profit';
}

/** Role of the order that a waiting order has sent; null where its trigger direction is unknown. */
export const sentRole = (side: Side, triggerWhen: TriggerWhen | null): 'stop' | 'exit' =>
  waitingRole(side, triggerWhen) === 'take_profit' ? 'exit' : 'stop';

/** `held`: above zero for a long position. Orders come oldest first. */
export function cover<Order>(
  held: number,
  orders: readonly Order[],
  viewOf: (order: Order) => CoverOrder,
): Cover<Order> {
  const increasing = new Set<Order>();
  const closing: ClosingOrder<Order>[] = [];
  for (const order of orders) {
    const view = viewOf(order);
    if (held === 0 || view.role === 'entry' || signOf(view.side) === Math.sign(held)) increasing.add(order);
    else closing.push({ order, view });
  }
  const stops = closing.filter(({ view }) => view.role === 'stop');
  const forStops = new Remainder<Order>(Math.abs(held));
  const tooLarge = stops.filter((each) => !forStops.tryTake(each, false));
  // The one with the least excess stays.
  for (const each of tooLarge.toSorted((a, b) => a.view.qty - b.view.qty))
    if (!forStops.tryTake(each, true)) increasing.add(each.order);
  // Exits share the position with these stops, and not with protective ones, which shrink as they fill.
  const forExits = new Remainder<Order>(Math.abs(held));
  const ownStops = stops.filter(({ order, view }) => view.isProtective !== true && !increasing.has(order));
  for (const each of ownStops.filter(({ order }) => !forStops.oversized.has(order)))
    forExits.tryTake(each, false);
  for (const each of ownStops.filter(({ order }) => forStops.oversized.has(order)))
    forExits.tryTake(each, true);
  for (const each of closing)
    if (each.view.role !== 'stop' && !forExits.tryTake(each, false)) increasing.add(each.order);
  const stopQty = qtyOf(stops);
  const staying = closing.filter(({ order }) => !increasing.has(order));
  return {
    stopQty,
    takeProfitQty: qtyOf(closing.filter(({ view }) => view.role === 'take_profit')),
    nakedQty: Math.max(0, Math.abs(held) - stopQty),
    increasing,
    oversized: new Set([...forStops.oversized, ...forExits.oversized]),
    excess: Math.max(0, qtyOf(staying) - Math.abs(held)),
  };
}

/** An order on the other side of the position. */
interface ClosingOrder<Order> {
  readonly order: Order;
  readonly view: CoverOrder;
}

/** Remainder of a position while orders are taken out of it. */
class Remainder<Order> {
  readonly oversized = new Set<Order>();
  readonly #taken = new Map<string, number>();
  readonly #oversizedGroups = new Set<string>();
  #left: number;

  constructor(held: number) {
    this.#left = held;
  }

  tryTake({ order, view: { group, qty } }: ClosingOrder<Order>, mayExceed: boolean): boolean {
    const shared = group === null ? 0 : (this.#taken.get(group) ?? 0);
    const needed = Math.max(0, qty - shared);
    const over = Math.max(0, needed - this.#left);
    if (over > 0 && !(mayExceed && this.#left > 0)) return false;
    this.#left = Math.max(0, this.#left - needed);
    if (over > 0 || (group !== null && this.#oversizedGroups.has(group))) {
      this.oversized.add(order);
      if (group !== null) this.#oversizedGroups.add(group);
    }
    if (group !== null) this.#taken.set(group, Math.max(shared, qty));
    return true;
  }
}

/** Orders of one group count once. */
function qtyOf(closing: readonly ClosingOrder<unknown>[]): number {
  const groups = new Map<string, number>();
  let total = 0;
  for (const { view } of closing) {
    const { group, qty } = view;
    const counted = group === null ? 0 : (groups.get(group) ?? 0);
    total += Math.max(0, qty - counted);
    if (group !== null) groups.set(group, Math.max(counted, qty));
  }
  return total;
}
