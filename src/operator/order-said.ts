/** What entries about orders say. */
import { OPERATOR_INDEX } from '../domain/units.ts';
import { formatDenial } from '../engine/ports/denial.ts';
import type { JournalEntry } from '../engine/ports/journal-entry.ts';
import { conditionText } from './condition-said.ts';
import { formatNumber, formatSigned } from '../text/numbers.ts';
import type { Naming } from './naming.ts';
import { because, said, type Said } from './said.ts';
import { shortId } from './short-id.ts';

type Of<K extends JournalEntry['kind']> = Extract<JournalEntry, { readonly kind: K }>;

export function placeSaid({ order }: Of<'place'>, naming: Naming): Said {
  const contract = naming.contract(order.instrument);
  const waits = 'condition' in order ? conditionText(order.condition, contract) : '';
  const what = `${order.side} ${order.qty} ${contract.code} at ${contract.points(order.limitPrice)}${waits}`;
  return said('placed', 'cyan', `${shortId(order.clientOrderId)} ${what} (${order.purpose})`);
}

export function modifySaid({ modify }: Of<'modify'>, naming: Naming): Said {
  const { code, points } = naming.contract(modify.orderCode);
  const to =
    'triggerPrice' in modify
      ? `to the trigger ${points(modify.triggerPrice)}`
      : `to ${modify.qty} ${code} at ${points(modify.limitPrice)}`;
  return said('change', 'cyan', `${shortId(modify.clientOrderId)} no. ${modify.orderNo} ${to}`);
}

export function cancelSaid({ cancel, isLost }: Of<'cancel'>): Said {
  const lost = isLost ? ': the process was killed before it was sent' : '';
  return said(
    'cancel',
    isLost ? 'yellow' : 'cyan',
    `${shortId(cancel.clientOrderId)} no. ${cancel.orderNo} ${cancel.orderCode}${lost}`,
  );
}

export function deniedSaid({ clientOrderId, denial }: Of<'denied'>): Said {
  // A denial knows no contract, so its prices are the raw ones.
  const unit = 'price' in denial ? ' (prices in ticks)' : '';
  return said('denied', 'yellow', `${shortId(clientOrderId)} ${formatDenial(denial)}${unit}`);
}

/** The answer to a place is told by the order's status; changes and cancels may fail without any status moving. */
export function outcomeSaid({ clientOrderId, call, outcome }: Of<'outcome'>): Said | null {
  if (call === 'place') return null;
  const id = shortId(clientOrderId);
  const what = call === 'modify' ? 'change' : 'cancel';
  switch (outcome.status) {
    case 'accepted':
      return null;
    case 'rejected':
      return said('refused', 'red', `${id} ${what} rejected by the broker: ${outcome.code} ${outcome.text}`);
    case 'unknown':
      return said(
        'unknown',
        'yellow',
        `${id} ${what} has no answer: ${outcome.reason}; looked up in the book`,
      );
    case 'not_sent':
      break;
  }
  return said('not sent', 'yellow', `${id} ${what} was not sent: ${outcome.reason}`);
}

/** Steps that another entry of the same moment has told already: the call itself, or the fill. */
const TOLD_ALREADY: ReadonlySet<string> = new Set(['modify_sent', 'cancel_sent', 'part_filled']);

const BACK_AGAIN: ReadonlySet<string> = new Set([
  'modify_rejected',
  'modify_not_sent',
  'modify_lost',
  'cancel_rejected',
  'cancel_not_sent',
  'cancel_lost',
]);

export function statusSaid(entry: Of<'order_status'>): Said | null {
  const { event, to, detail } = entry;
  if (TOLD_ALREADY.has(event)) return null;
  const id = numbered(entry);
  if (event === 'modify_confirmed') return said('changed', 'green', `${id} as asked`);
  if (BACK_AGAIN.has(event)) {
    const call = event.startsWith('modify') ? 'change' : 'cancel';
    return said(
      'stands',
      'yellow',
      `${id} is ${spaced(to)} again, the ${call} came to nothing${because(detail)}`,
    );
  }
  return reached(entry, id);
}

function reached({ event, to, detail, clientOrderId }: Of<'order_status'>, id: string): Said | null {
  switch (to) {
    case 'submitting':
    case 'pending_modify':
    case 'pending_cancel':
      return null;
    case 'accepted':
      return said('accepted', 'green', `${id}${howFound(event)}${because(detail)}`);
    case 'pending_trigger':
      return said(
        'waits',
        'green',
        `${id} at the broker, for its trigger${howFound(event)}${because(detail)}`,
      );
    case 'triggering':
      return said('triggers', 'yellow', `${id} the broker sends its order${because(detail)}`);
    case 'triggered':
      return said('triggered', 'green', `${id} what it sent is an order of its own${because(detail)}`);
    case 'partially_filled':
      return said('working', 'green', `${id} partly filled${howFound(event)}${because(detail)}`);
    case 'filled':
      return said('complete', 'green', `${id} wholly filled`);
    case 'canceled':
      return said('canceled', 'plain', `${id}${because(detail)}`);
    case 'rejected':
      return said('rejected', 'red', `${id} by the broker${because(detail)}`);
    case 'denied':
      return said('denied', 'yellow', `${id}${because(detail)}`);
    case 'not_sent':
      return said('not sent', 'yellow', `${id}${howFound(event)}${because(detail)}`);
    case 'unknown':
      // The whole id: a person may have to name it to resolve the order.
      return said(
        'unknown',
        'yellow',
        `${id} (${clientOrderId}) no answer${because(detail)}; being looked up`,
      );
    case 'presumed_absent':
      return said(
        'absent',
        'red',
        `${id} (${clientOrderId}) not in the book${because(detail)}; still counted`,
      );
    case 'expired':
      return said('expired', 'plain', `${id} with the day${because(detail)}`);
    case 'expired_unproven':
      break;
  }
  const unproven = `${id} (${clientOrderId}) the day ended before it was proven${because(detail)}`;
  return said('unproven', 'red', unproven);
}

function howFound(event: string): string {
  if (event === 'seen_working') return ' (seen in the book)';
  return event.startsWith('resolved_') ? ' (resolved by the operator)' : '';
}

export function fillSaid(entry: Of<'fill'>, naming: Naming): Said {
  const { code, average } = naming.contract(entry.instrument);
  const sure = entry.quality === 'exact' ? '' : ` (${entry.quality})`;
  const what = `${entry.side} ${entry.qty} ${code} at ${average(entry.value, entry.qty)}${sure}`;
  const cost = `fee ${formatNumber(entry.fee)}, tax ${formatNumber(entry.tax)}`;
  return said('filled', 'green', `${numbered(entry)} ${what}, ${entry.cumQty} in all, ${cost}`);
}

export function correctionSaid(entry: Of<'fill_correction'>, naming: Naming): Said {
  const { code } = naming.contract(entry.instrument);
  const change = `value ${formatSigned(entry.value)}, tax ${formatSigned(entry.tax)}`;
  const now = `now ${formatNumber(entry.cumValue)} (${entry.quality})`;
  return said('corrected', 'plain', `${numbered(entry)} ${entry.side} ${code} ${change}, ${now}`);
}

export function adoptedSaid(entry: Of<'order_adopted'>, naming: Naming): Said {
  const { clientOrderId, order, strategy, parent } = entry;
  const { points } = naming.contract(order.orderCode);
  const price = order.limitPrice === null ? 'without a price' : `at ${points(order.limitPrice)}`;
  const what = `${order.side} ${order.qty} ${order.orderCode} ${price}, ${order.filledQty} filled`;
  if (parent !== undefined) {
    const from = `${shortId(clientOrderId)} no. ${order.orderNo} ${what}`;
    return said('triggered', 'cyan', `${from}: sent by ${shortId(parent)}`);
  }
  const isOurs = strategy !== null && strategy !== OPERATOR_INDEX;
  const foreign = order.source === 'forced' ? 'placed by the broker to close' : 'not placed by us';
  const by = isOurs ? 'placed when no row could be written' : foreign;
  return said('adopted', 'yellow', `${shortId(clientOrderId)} no. ${order.orderNo} ${what}: ${by}`);
}

const numbered = (entry: { readonly clientOrderId: string; readonly orderNo: string | null }): string =>
  shortId(entry.clientOrderId) + (entry.orderNo === null ? '' : ` no. ${entry.orderNo}`);

const spaced = (word: string): string => word.replaceAll('_', ' ');
