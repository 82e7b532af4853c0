import { describe, expect, it } from 'vitest';
import { money } from '../../../src/domain/units.ts';
import { inDayBook, decodeStatus, encodeStatus } from '../../../src/wire/rest/in-day-book.ts';
import { IN_DAY_ROW, ORDER } from '../support/broker-facts.ts';
import { CountedDrift } from '../support/counted-drift.ts';
import { goldenAnswer } from '../support/golden.ts';
import { specOf } from '../support/listed-contracts.ts';
import type { BrokerOrderStatus } from '../../../src/domain/broker-order.ts';

const GOLDEN = goldenAnswer('in-day');
const [GOLDEN_ROW = {}] = GOLDEN['data'] as readonly Record<string, unknown>[];

/** The first row of a book whose one row differs from the golden one in these fields. */
const readRow = (fields: object, drift = new CountedDrift()) => {
  const book = { ...GOLDEN, data: [{ ...GOLDEN_ROW, ...fields }] };
  const read = inDayBook.decodeResponse(JSON.parse(JSON.stringify(book)), specOf, drift);
  if (!read.ok) throw new Error(read.issues[0].path);
  return read.value.orders[0] ?? read.value.unreadable[0]?.path;
};

describe('the documents’ book', () => {
  it('is written as the contract shows it, with the keys of the notes', () => {
    expect(inDayBook.encodeResponse([IN_DAY_ROW])).toStrictEqual(GOLDEN);
  });

  it('is read', () => {
    const drift = new CountedDrift();
    expect(inDayBook.decodeResponse(GOLDEN, specOf, drift)).toStrictEqual({
      ok: true,
      value: { orders: [ORDER], unreadable: [], foreign: 0 },
    });
    expect(drift.seen).toEqual([]);
  });
});

describe('a row is read', () => {
  it.each([
    ['ids as numbers', { orderNo: 17, pk_orderNo: 7_625_320 }, {}],
    ['no key', { pk_orderNo: '' }, { orderKey: null }],
    ['refID for refId', { refId: '', refID: 'H.1' }, { refId: 'H.1' }],
    ['flags as numbers', { isCancel: 1, isAmend: 1 }, { canCancel: true, canModify: true }],
    ['flags of 0', { isCancel: 0, isAmend: '0' }, { canCancel: false, canModify: false }],
    [
      'no flags: an exit may be tried',
      { isCancel: null, isAmend: undefined },
      { canCancel: true, canModify: false },
    ],
    ['a market order', { showPrice: 'MTL' }, { limitPrice: null }],
    ['an auction order', { showPrice: 'ATC' }, { limitPrice: null }],
    ['no price', { showPrice: '' }, { limitPrice: null }],
    ['a price of 0', { showPrice: 0 }, { limitPrice: null }],
    ['a scientific price', { showPrice: '1.1987E3' }, {}],
    ['a short side', { side: 'S' }, { side: 'sell' }],
    ['a child of a condition', { source: 'SYS' }, { source: 'system' }],
    ['a forced close', { orderType: 'F', source: 'SYS' }, { source: 'forced' }],
    ['a source nobody knows', { source: 'constructor' }, { source: 'unstated' }],
    ['letters nobody knows', { status: 'ZZ', quote: 'Q' }, { status: 'unrecognized', statusText: 'ZZ/Q' }],
    ['a reason', { info: 'no money' }, { reason: 'no money' }],
  ])('with %s', (_what, fields, differs) => {
    expect(readRow(fields)).toMatchObject({
      ...ORDER,
      filledValue: expect.anything() as unknown,
      ...differs,
    });
  });

  it.each([
    [{ orderNo: '' }, 'orderNo'],
    [{ side: 'L' }, 'side'],
    [{ symbol: 'VN30F9999' }, 'symbol'],
    [{ volume: 'many' }, 'volume'],
    [{ volume: -1 }, 'volume'],
    [{ volume: 1.5 }, 'volume'],
    // The engine's sums of money would not hold it.
    [{ volume: 5_001 }, 'volume'],
    [{ showPrice: '10000000000' }, 'showPrice'],
    [{ matchVolume: 5_001 }, 'matchVolume'],
    [{ matchVolume: 0.5 }, 'matchVolume'],
    [{ matchVolume: 'x' }, 'matchVolume'],
    // The letters say that something is matched.
    [{ matchVolume: '' }, 'matchVolume'],
    [{ matchVolume: undefined, status: 'PMWX' }, 'matchVolume'],
    [{ showPrice: '1198.75' }, 'showPrice'],
    [{ showPrice: '-1' }, 'showPrice'],
    [{ showPrice: 'market' }, 'showPrice'],
    [{ status: {} }, 'status'],
  ])('not at all with %j', (fields, key) => {
    expect(readRow(fields)).toBe(`in-day.data[0].${key}`);
  });

  it('with nothing for the matched volume while the letters say that nothing is', () => {
    const drift = new CountedDrift();
    expect(readRow({ matchVolume: null, status: 'P', quote: 'Y' }, drift)).toMatchObject({
      filledQty: 0,
      filledValue: null,
      status: 'resting',
    });
    expect(drift.seen).toEqual(['in-day.matchVolume: nothing for a number']);
  });

  it('next to others that are not', () => {
    const book = { ...GOLDEN, data: [null, GOLDEN_ROW, 'row', { ...GOLDEN_ROW, side: '?' }] };
    const read = inDayBook.decodeResponse(book, specOf, new CountedDrift());
    expect(read.ok && [read.value.orders.length, read.value.unreadable.length]).toEqual([1, 3]);
  });
});

describe('the money of the fills', () => {
  it.each([
    ['value and average that agree', { matchValue: '239730000', matchPriceBQ: '1198.6500' }, 239_730_000],
    ['the value alone', { matchPriceBQ: '' }, 239_730_000],
    ['the average alone', { matchValue: '' }, 239_730_000],
    ['a value in another unit', { matchValue: '2397.3' }, 239_730_000],
    ['a value that contradicts the average', { matchValue: '239900000' }, 239_730_000],
    ['a value in scientific notation', { matchValue: '2.3973E8', matchPriceBQ: null }, 239_730_000],
    ['neither', { matchValue: '', matchPriceBQ: '' }, null],
    ['a value without a partner', { showPrice: 'MTL', matchPriceBQ: '' }, null],
    ['an average far from the limit price', { matchValue: '', matchPriceBQ: '119.8' }, null],
    ['a value far from the limit price', { matchValue: '23970000', matchPriceBQ: '' }, null],
    ['figures of no sense', { matchValue: 'x', matchPriceBQ: {} }, null],
    ['endless figures', { matchValue: 1e300, matchPriceBQ: 1e300 }, null],
    ['an endless average of a market order', { showPrice: 'MTL', matchValue: '', matchPriceBQ: 1e300 }, null],
  ])('from %s', (_what, fields, value) => {
    const filledValue = value === null ? null : { value: money(value), quality: 'average' };
    expect(readRow(fields)).toMatchObject({ filledQty: 2, filledValue });
  });
});

describe('a book is not read', () => {
  it.each([
    ['a refusal', { rc: '-6001', rs: 'Account not found' }],
    ['no list', { data: undefined }],
    ['no result code', { rc: undefined }],
  ])('from %s', (_what, fields) => {
    expect(inDayBook.decodeResponse({ ...GOLDEN, ...fields }, specOf, new CountedDrift()).ok).toBe(false);
  });

  it('but null is an empty one, and counted', () => {
    const drift = new CountedDrift();
    const read = inDayBook.decodeResponse({ ...GOLDEN, data: null }, specOf, drift);
    expect(read).toEqual({ ok: true, value: { orders: [], unreadable: [], foreign: 0 } });
    expect(drift.seen).toEqual(['in-day.data: null for a list']);
  });
});

const readWithOther = (fields: object) => {
  const drift = new CountedDrift();
  const rows = { ...GOLDEN, data: [GOLDEN_ROW, { ...GOLDEN_ROW, orderNo: '99', ...fields }] };
  return { read: inDayBook.decodeResponse(rows, specOf, drift), drift };
};

describe('a row of a contract that is not configured', () => {
  it('is not ours: counted, and the book stays evidence', () => {
    const { read: book, drift } = readWithOther({ symbol: 'GB05F2609', refId: '' });
    expect(book).toMatchObject({ value: { orders: [ORDER], unreadable: [], foreign: 1 } });
    expect(drift.seen).toHaveLength(1);
  });

  it('may be ours when its id looks like one of ours, or its code like none', () => {
    for (const fields of [{ symbol: 'GB05F2609', refId: 'H.12345600001000001' }, { symbol: '?' }])
      expect(readWithOther(fields).read).toMatchObject({ value: { foreign: 0, unreadable: [{}] } });
  });
});

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
