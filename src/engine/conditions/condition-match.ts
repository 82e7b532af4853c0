/**
 * Which of our orders a row of the conditional book is, when it has no key of ours yet (rulings, 8): the same contract, side,
 * quantity, limit and trigger, among rows that are new since the order was sent. Two candidates for one order mean a person.
 */
import type { BrokerTriggerOrder } from '../../domain/broker-order.ts';
import type { OurOrder } from '../orders/our-order.ts';

export interface MatchedConditions {
  readonly pairs: readonly { readonly order: OurOrder; readonly row: BrokerTriggerOrder }[];
  /** Rows that are not ours. */
  readonly foreign: readonly BrokerTriggerOrder[];
  /** Orders that more rows look like than were sent. */
  readonly ambiguous: readonly OurOrder[];
}

export function matchConditions(
  rows: readonly BrokerTriggerOrder[],
  nameless: readonly OurOrder[],
  isNewFor: (row: BrokerTriggerOrder, order: OurOrder) => boolean,
): MatchedConditions {
  if (nameless.length === 0) return { pairs: [], foreign: rows, ambiguous: [] };
  const pairs: { order: OurOrder; row: BrokerTriggerOrder }[] = [];
  const ambiguous: OurOrder[] = [];
  const taken = new Set<BrokerTriggerOrder>();
  const told = new Set<OurOrder>();
  for (const order of nameless) {
    if (told.has(order)) continue;
    const alike = nameless.filter((other) => isSameWish(order, other));
    for (const each of alike) told.add(each);
    const found = rows.filter((row) => isAlike(order, row) && isNewFor(row, order));
    if (found.length === 0) continue;
    // The answer is still on its way, and will say which.
    const isOpen = alike.some(({ status }) => status === 'submitting');
    if (isOpen) for (const row of found) taken.add(row);
    else if (found.length > alike.length) ambiguous.push(...alike);
    else
      found.forEach((row, place) => {
        taken.add(row);
        const owner = alike[place];
        if (owner !== undefined) pairs.push({ order: owner, row });
      });
  }
  return { pairs, foreign: rows.filter((row) => !taken.has(row)), ambiguous };
}

function isAlike(order: OurOrder, row: BrokerTriggerOrder): boolean {
  const isSameKind = row.kind === order.conditionKind || row.kind === 'unrecognized';
  const isSameOrder =
    row.orderCode === order.orderCode &&
    row.side === order.side &&
    row.qty === order.qty &&
    (row.limitPrice === null || row.limitPrice === order.limitPrice);
  if (!isSameKind || !isSameOrder) return false;
  // A trailing stop may have begun to follow; an arbitrage order has no trigger.
  return order.conditionKind !== 'stop' || row.triggerPrice === order.triggerPrice;
}

const isSameWish = (one: OurOrder, other: OurOrder): boolean =>
  one.orderCode === other.orderCode &&
  one.side === other.side &&
  one.qty === other.qty &&
  one.limitPrice === other.limitPrice &&
  one.conditionKind === other.conditionKind &&
  (one.conditionKind !== 'stop' || one.triggerPrice === other.triggerPrice);
