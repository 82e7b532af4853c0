/** What is said of orders that wait at the broker for a price, or for another order's fill. */
import type { Trigger } from '../domain/order.ts';
import type { JournalEntry } from '../engine/ports/journal-entry.ts';
import type { ContractNaming, Naming } from './naming.ts';
import { said, type Said } from './said.ts';
import { shortId } from './short-id.ts';

type Of<K extends JournalEntry['kind']> = Extract<JournalEntry, { readonly kind: K }>;

const REACHES = { at_or_above: 'rises to', at_or_below: 'falls to' } as const;

/** Behind what is placed: `, when the price falls to 1299.0`. */
export function conditionText(condition: Trigger, { points }: ContractNaming): string {
  switch (condition.kind) {
    case 'stop':
      return `, when the price ${REACHES[condition.triggerWhen]} ${points(condition.triggerPrice)}`;
    case 'trailing_stop':
      return `, trailing by ${condition.trailingOffset} ticks from ${points(condition.activationPrice)} on`;
    case 'bracket':
      return `, stop-loss ${points(condition.stopLossPrice)}, take-profit ${points(condition.takeProfitPrice)}`;
    case 'arbitrage':
      return `, when our orders in ${condition.legCode} fill`;
  }
}

export function conditionKnownSaid(entry: Of<'order_waiting'>, naming: Naming): Said {
  const { clientOrderId, parent, row } = entry;
  const { points } = naming.contract(row.orderCode);
  const trigger = row.triggerPrice === null ? '' : `, trigger ${points(row.triggerPrice)}`;
  const whose = parent === null ? '' : ` of ${shortId(parent)}`;
  const what = `${row.kind.replace('_', ' ')}${whose}: ${row.side} ${row.qty} ${row.orderCode}${trigger}`;
  return said('waits', 'green', `${shortId(clientOrderId)} conditional no. ${row.orderNo} ${what}`);
}
