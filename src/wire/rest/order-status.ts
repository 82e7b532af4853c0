/** The letters of a normal order's life, in one table for both directions (notes, section 3). */
import type { BrokerOrderStatus } from '../../domain/broker-order.ts';

export interface StatusLetters {
  readonly status: string;
  readonly quote: string;
}

const LETTERS: Readonly<Record<Exclude<BrokerOrderStatus, 'unrecognized'>, StatusLetters>> = {
  queued: { status: 'P', quote: 'G' },
  resting: { status: 'P', quote: 'Y' },
  modify_pending: { status: 'PC', quote: 'G' },
  modified: { status: 'PC', quote: 'Y' },
  cancel_pending: { status: 'PW', quote: '' },
  canceled: { status: 'PWX', quote: '' },
  matched: { status: 'PM', quote: '' },
  matched_cancel_pending: { status: 'PMW', quote: 'G' },
  matched_canceled: { status: 'PMWX', quote: 'Y' },
};

export function encodeStatus(status: BrokerOrderStatus): StatusLetters {
  return status === 'unrecognized' ? { status: '?', quote: '' } : LETTERS[status];
}

/** Letters that tell the state alone; `quote` tells P and PC apart and may be missing. */
const BY_STATUS: Readonly<Record<string, BrokerOrderStatus>> = {
  P: 'resting',
  PC: 'modify_pending',
  PW: 'cancel_pending',
  PWX: 'canceled',
  PM: 'matched',
  PMW: 'matched_cancel_pending',
  PMWX: 'matched_canceled',
  // Changed and matched, in either order.
  PMC: 'matched',
  PCM: 'matched',
};

export function decodeStatus(status: string, quote: string): BrokerOrderStatus {
  const letters = status.trim().toUpperCase();
  const mark = quote.trim().toUpperCase();
  if (letters === 'P' && mark === 'G') return 'queued';
  if (letters === 'PC' && mark === 'Y') return 'modified';
  const known = BY_STATUS[letters];
  if (known !== undefined) return known;
  if (letters.length > 1 && letters.endsWith('X'))
    return letters.includes('M') ? 'matched_canceled' : 'canceled';
  return 'unrecognized';
}
