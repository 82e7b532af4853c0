/**
 * Which of our orders without a number a row of the book is. By `refId` where the book has it; else by contract, side, price
 * and quantity among rows that nobody owns yet (rulings, 8).
 */
import type { BrokerOrder } from '../../domain/broker-order.ts';
import type { OurOrder } from './our-order.ts';

export interface Matched {
  readonly pairs: readonly { readonly order: OurOrder; readonly row: BrokerOrder }[];
  /** Rows that are not ours. */
  readonly foreign: readonly BrokerOrder[];
  /** Rows that may turn out to be an order whose answer is still on its way: looked at again with the next walk. */
  readonly held: readonly BrokerOrder[];
  /** More rows than orders fit: somebody else placed the very same. */
  readonly ambiguous: readonly OurOrder[];
}

/** `rows` are those that no order owns by number or `refId`; `orders` those without a number that are not final. */
export function matchRows(
  rows: readonly BrokerOrder[],
  orders: readonly OurOrder[],
  bookHasRefIds: boolean,
): Matched {
  if (bookHasRefIds || orders.length === 0) return { pairs: [], foreign: rows, held: [], ambiguous: [] };
  const pairs: { order: OurOrder; row: BrokerOrder }[] = [];
  const foreign: BrokerOrder[] = [];
  const held: BrokerOrder[] = [];
  const ambiguous: OurOrder[] = [];
  for (const [, group] of groupByTerms(rows)) {
    const [first] = group;
    const alike = first === undefined ? [] : orders.filter((order) => isAlike(order, first));
    if (alike.some(({ status }) => status === 'submitting')) {
      held.push(...group);
      continue;
    }
    const inOrder = group.toSorted((a, b) => byNumber(a.orderNo, b.orderNo));
    inOrder.forEach((row, place) => {
      const order = alike[place];
      if (order === undefined) foreign.push(row);
      else pairs.push({ order, row });
    });
    if (alike.length > 0 && group.length > alike.length) ambiguous.push(...alike);
  }
  return { pairs, foreign, held, ambiguous };
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

const isAlike = (order: OurOrder, row: BrokerOrder): boolean =>
  order.orderCode === row.orderCode &&
  order.side === row.side &&
  order.qty === row.qty &&
  order.limitPrice === row.limitPrice;

/** Numbers count up through the day; shorter is earlier. */
function byNumber(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : Number(a > b);
}
