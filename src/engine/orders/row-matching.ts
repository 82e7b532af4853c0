/**
 * Which of our orders a row of a book is, when neither number nor key says so (rulings, 8). The in-day book has our `refId`, or
 * a row is known by contract, side, price and quantity among rows that nobody owns yet. The trigger book has no name of ours: a
 * row is known by its terms among rows that are new since the order was sent.
 */
import type { BrokerOrder, BrokerTriggerOrder } from '../../domain/broker-order.ts';
import type { ManagedOrder } from './managed-order.ts';

export interface Matched<Row> {
  readonly pairs: readonly { readonly order: ManagedOrder; readonly row: Row }[];
  /** Rows of other owners, without those that may yet turn out to be an order whose answer is under way. */
  readonly foreign: readonly Row[];
  /** More rows than orders fit: somebody else placed the very same. */
  readonly ambiguous: readonly ManagedOrder[];
}

export interface MatchedTriggers extends Matched<BrokerTriggerOrder> {
  /** A row of the scan is one of these or another owner's: it shows no absence of them. */
  readonly held: readonly ManagedOrder[];
}

/** `rows` are those that no order owns by number or `refId`; `orders` those without a number that are not final. */
export function matchOrders(
  rows: readonly BrokerOrder[],
  orders: readonly ManagedOrder[],
  bookHasRefIds: boolean,
): Matched<BrokerOrder> {
  if (bookHasRefIds || orders.length === 0) return { pairs: [], foreign: rows, ambiguous: [] };
  const pairs: { order: ManagedOrder; row: BrokerOrder }[] = [];
  const foreign: BrokerOrder[] = [];
  const ambiguous: ManagedOrder[] = [];
  for (const [, group] of groupByTerms(rows)) {
    const [first] = group;
    const alike = first === undefined ? [] : orders.filter((order) => isAlike(order, first));
    if (alike.some(({ status }) => status === 'submitted')) continue;
    const inOrder = group.toSorted((a, b) => byNumber(a.orderNo, b.orderNo));
    inOrder.forEach((row, place) => {
      const order = alike[place];
      if (order === undefined) foreign.push(row);
      else pairs.push({ order, row });
    });
    if (alike.length > 0 && group.length > alike.length) ambiguous.push(...alike);
  }
  return { pairs, foreign, ambiguous };
}

function groupByTerms(rows: readonly BrokerOrder[]): Map<string, BrokerOrder[]> {
  const groups = new Map<string, BrokerOrder[]>();
  for (const row of rows) {
    const key = `${row.orderCode}|${row.side}|${row.qty}|${row.limitPrice}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

export const isAlike = (
  order: ManagedOrder,
  row: Pick<BrokerOrder, 'orderCode' | 'side' | 'qty' | 'limitPrice'>,
): boolean =>
  order.orderCode === row.orderCode &&
  order.side === row.side &&
  order.qty === row.qty &&
  order.limitPrice === row.limitPrice;

/** Numbers count up through the day; shorter is earlier. */
function byNumber(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : Number(a > b);
}

/**
 * Whether a row with the number of an order is that order: the broker's day may begin before ours, and its numbers with it. Keys do
 * not begin anew, nor do references; an order that a stop sent may bear the stop's.
 */
export function isSameOrder(order: ManagedOrder, row: BrokerOrder): boolean {
  if (order.orderCode !== row.orderCode || order.side !== row.side) return false;
  const isKeyKnown = order.orderKey !== null && row.orderKey !== null;
  if (isKeyKnown && order.orderKey === row.orderKey) return true;
  const isPlaced = order.refId === order.clientOrderId;
  if (isPlaced && row.refId !== null) return row.refId === order.refId;
  if (isKeyKnown || (row.refId !== null && row.refId !== order.refId)) return false;
  // Only an order that works can be changed by somebody else.
  const isPriceSame = row.limitPrice === null || row.limitPrice === order.limitPrice;
  return !order.isFinal || (row.qty === order.qty && isPriceSame);
}

/**
 * Two candidates for one order need a person: none is bound. A row that was there before some of them were sent is one of the others.
 * Where orders of several owners have the same terms and the book shows too few rows, these wait until enough scans lack the rest. Rows
 * alike differ in nothing: they go to orders that somebody wants before those that are to be canceled, so that no cancel of an order
 * that may never have arrived takes what another owner relies on.
 */
export function matchTriggers(
  rows: readonly BrokerTriggerOrder[],
  orders: readonly ManagedOrder[],
  isNewFor: (row: BrokerTriggerOrder, order: ManagedOrder) => boolean,
): MatchedTriggers {
  if (orders.length === 0) return { pairs: [], foreign: rows, ambiguous: [], held: [] };
  const pairs: { order: ManagedOrder; row: BrokerTriggerOrder }[] = [];
  const ambiguous: ManagedOrder[] = [];
  const held: ManagedOrder[] = [];
  const taken = new Set<BrokerTriggerOrder>();
  const seen = new Set<ManagedOrder>();
  for (const order of orders) {
    if (seen.has(order)) continue;
    const alike = orders
      .filter((other) => isSameWish(order, other))
      .toSorted((a, b) => Number(isAbsent(a)) - Number(isAbsent(b)));
    for (const each of alike) seen.add(each);
    const ableOf = (row: BrokerTriggerOrder) => alike.filter((each) => isNewFor(row, each));
    const found = rows
      .filter((row) => isWish(order, row) && ableOf(row).length > 0)
      .toSorted((a, b) => ableOf(a).length - ableOf(b).length);
    // The pending answer will name it.
    const isOpen = alike.some(({ status }) => status === 'submitted');
    if (!isOpen && found.some((row, place) => ableOf(row).length <= place)) {
      ambiguous.push(...alike);
      continue;
    }
    const isShort = found.length < alike.filter((each) => !isAbsent(each)).length;
    const given = new Set<ManagedOrder>();
    for (const row of found) {
      taken.add(row);
      const able = ableOf(row).filter((each) => !given.has(each));
      const [owner] = isShort ? able.toSorted((a, b) => lastness(a) - lastness(b)) : able;
      if (isOpen || owner === undefined) continue;
      given.add(owner);
      const isEarly = isShort && able.some((each) => !isAbsent(each) && each.strategy !== owner.strategy);
      if (isEarly) held.push(owner);
      else pairs.push({ order: owner, row });
    }
  }
  return { pairs, foreign: rows.filter((row) => !taken.has(row)), ambiguous, held };
}

/** Those that are wanted come first, and those that count as absent last. */
const lastness = (order: ManagedOrder): number => (isAbsent(order) ? 2 : Number(isToGo(order)));

const isToGo = ({ isUnwanted, isWithdrawn }: ManagedOrder): boolean => isUnwanted || isWithdrawn;

function isWish(order: ManagedOrder, row: BrokerTriggerOrder): boolean {
  const isSameKind = row.kind === order.triggerKind || row.kind === 'unrecognized';
  const limitPrice = row.limitPrice ?? order.limitPrice;
  if (!isSameKind || !isAlike(order, { ...row, limitPrice })) return false;
  // A trailing stop may have begun to follow; an arbitrage order has no trigger.
  return order.triggerKind !== 'stop' || row.triggerPrice === order.triggerPrice;
}

const isAbsent = ({ status }: ManagedOrder): boolean => status === 'presumed_absent';

const isSameWish = (one: ManagedOrder, other: ManagedOrder): boolean =>
  isAlike(one, other) &&
  one.triggerKind === other.triggerKind &&
  (one.triggerKind !== 'stop' || one.triggerPrice === other.triggerPrice);
