/** The letters of a normal order's life: one table, read and written. */
import type { BrokerOrderStatus } from '../../domain/broker-order.ts';

interface StatusLetters {
  readonly status: string;
  readonly quote: string;
}

interface StatusRow extends StatusLetters {
  readonly means: BrokerOrderStatus;
  /** Whether `quote` decides: then a letter that is not in the table is no status we know. */
  readonly isDecidedByQuote: boolean;
}

const row = (
  status: string,
  quote: string,
  means: BrokerOrderStatus,
  isDecidedByQuote = false,
): StatusRow => ({
  status,
  quote,
  means,
  isDecidedByQuote,
});

/**
 * A meaning is written as in its first row. Without `quote`, which the contract does not promise, letters have the
 * meaning of their first row: P may still wait at the gateway, PC may still be confirmed.
 */
const TABLE: readonly StatusRow[] = [
  row('P', 'G', 'queued', true),
  row('P', 'Y', 'resting', true),
  row('PC', 'G', 'modify_pending', true),
  row('PC', 'Y', 'modified', true),
  row('PW', '', 'cancel_pending'),
  row('PWX', '', 'canceled'),
  row('PM', '', 'matched'),
  row('PMW', 'G', 'matched_cancel_pending'),
  row('PMWX', 'Y', 'matched_canceled'),
  // Changed and matched, in either order.
  row('PMC', '', 'matched'),
  row('PCM', '', 'matched'),
];

const NO_LETTERS: StatusLetters = { status: '?', quote: '' };

export function encodeStatus(status: BrokerOrderStatus): StatusLetters {
  const found = TABLE.find(({ means }) => means === status);
  return found === undefined ? NO_LETTERS : { status: found.status, quote: found.quote };
}

/** Letters outside the table are `unrecognized`: an alert and an unresolved order, never a guess. */
export function decodeStatus(status: string, quote: string): BrokerOrderStatus {
  const letters = status.trim().toUpperCase();
  const mark = quote.trim().toUpperCase();
  const rows = TABLE.filter((candidate) => candidate.status === letters);
  const [first] = rows;
  if (first !== undefined) {
    const exact = rows.find((candidate) => candidate.quote === mark);
    if (exact !== undefined) return exact.means;
    return first.isDecidedByQuote && mark !== '' ? 'unrecognized' : first.means;
  }
  // Any status that ends in X is cancelled.
  if (letters.endsWith('X')) return letters.includes('M') ? 'matched_canceled' : 'canceled';
  return 'unrecognized';
}
