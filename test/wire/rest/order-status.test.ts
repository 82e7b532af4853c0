import { describe, expect, it } from 'vitest';
import type { BrokerOrderStatus } from '../../../src/domain/broker-order.ts';
import { decodeStatus, encodeStatus } from '../../../src/wire/rest/order-status.ts';

/** The broker's table (notes, 3). */
const BROKERS: readonly (readonly [string, string, BrokerOrderStatus])[] = [
  ['P', 'G', 'queued'],
  ['P', 'Y', 'resting'],
  ['PC', 'G', 'modify_pending'],
  ['PC', 'Y', 'modified'],
  ['PW', '', 'cancel_pending'],
  ['PWX', '', 'canceled'],
  ['PM', '', 'matched'],
  ['PMW', 'G', 'matched_cancel_pending'],
  ['PMWX', 'Y', 'matched_canceled'],
];

describe('the broker’s table', () => {
  it.each(BROKERS)('%s with "%s" is %s, in both directions', (status, quote, meaning) => {
    expect(decodeStatus(status, quote)).toBe(meaning);
    expect(encodeStatus(meaning)).toEqual({ status, quote });
  });
});

describe('what else is seen', () => {
  it.each([
    ['PMC', '', 'matched'],
    ['PCM', 'Y', 'matched'],
    ['PM', 'Y', 'matched'],
    ['PW', 'G', 'cancel_pending'],
    ['PWX', 'Y', 'canceled'],
    ['PMW', '', 'matched_cancel_pending'],
    ['PMWX', '', 'matched_canceled'],
    ['PX', '', 'canceled'],
    ['X', '', 'canceled'],
    ['PCX', 'G', 'canceled'],
    ['PMX', '', 'matched_canceled'],
    // Without the quote: the first of its letters, which waits.
    ['P', '', 'queued'],
    ['PC', '', 'modify_pending'],
    [' p ', ' y ', 'resting'],
  ])('%s with "%s" is %s', (status, quote, meaning) => {
    expect(decodeStatus(status, quote)).toBe(meaning);
  });

  it.each([
    ['P', 'Z'],
    ['PC', 'N'],
    ['', ''],
    ['', 'G'],
    ['Q', 'G'],
    ['PP', 'Y'],
    ['5', ''],
    ['constructor', ''],
    ['?', ''],
  ])('%s with "%s" is never guessed', (status, quote) => {
    expect(decodeStatus(status, quote)).toBe('unrecognized');
  });

  it('a status that we do not know is written as one that nobody knows', () => {
    const { status, quote } = encodeStatus('unrecognized');
    expect(decodeStatus(status, quote)).toBe('unrecognized');
  });
});
