import { describe, expect, it } from 'vitest';
import { money, signedQty } from '../../../src/domain/units.ts';
import { openPositions, closedPositions } from '../../../src/wire/rest/positions.ts';
import { POSITION_ROW, SUB_ACCOUNT } from '../support/broker-facts.ts';
import { CountedDrift } from '../support/counted-drift.ts';
import { goldenAnswer } from '../support/golden.ts';
import { CLOSED_ROW } from '../support/condition-facts.ts';

const GOLDEN = goldenAnswer('open-positions');
const [GOLDEN_ROW = {}] = GOLDEN['data'] as readonly Record<string, unknown>[];
const POSITION = { orderCode: 'VN30F2511', qty: -2, lastPrice: 129_900, openProfit: 200_000 };
const read = (fields: object, drift = new CountedDrift()) =>
  openPositions.decodeResponse({ ...GOLDEN, data: [{ ...GOLDEN_ROW, ...fields }] }, drift);

it('are written as the contract shows them, with the keys of the notes, and read', () => {
  const drift = new CountedDrift();
  expect(openPositions.encodeResponse([POSITION_ROW], SUB_ACCOUNT)).toStrictEqual(GOLDEN);
  expect(openPositions.decodeResponse(GOLDEN, drift)).toStrictEqual({ ok: true, value: [POSITION] });
  expect(drift.seen).toEqual([]);
});

it('show the average of what is off the grid', () => {
  const row = { ...POSITION_ROW, qty: signedQty(3), openValue: money(390_040_000) };
  expect(openPositions.encodeResponse([row], SUB_ACCOUNT)).toMatchObject({
    data: [{ net: 3, side: 'L', avg_remain: 1300.1333 }],
  });
});

describe('are read', () => {
  it.each([
    ['texts for numbers', { net: '-2', lastPrice: '1299.0' }, {}],
    ['no side', { side: undefined }, {}],
    ['a long position', { net: 2, side: 'L' }, { qty: 2 }],
    ['nothing left', { net: 0, side: 'S' }, { qty: 0 }],
    ['no last price', { lastPrice: null }, { lastPrice: null }],
    ['a last price of 0', { lastPrice: 0 }, { lastPrice: null }],
    ['no profit', { vm_remain: undefined }, { openProfit: null }],
    ['a profit of no sense', { vm_remain: 'x' }, { openProfit: null }],
    ['an endless profit', { vm_remain: 1e300 }, { openProfit: null }],
  ])('with %s', (_what, fields, differs) => {
    expect(read(fields)).toStrictEqual({ ok: true, value: [{ ...POSITION, ...differs }] });
  });

  it('as none from an empty list', () => {
    expect(openPositions.decodeResponse({ ...GOLDEN, data: [] }, new CountedDrift())).toEqual({
      ok: true,
      value: [],
    });
  });
});

describe('are unknown, all of them,', () => {
  it.each([
    [{ net: null }, 'net'],
    [{ net: 1.5 }, 'net'],
    [{ net: 1e300 }, 'net'],
    [{ net: 50_001 }, 'net'],
    [{ symbol: '' }, 'symbol'],
    // The sign decides about money: it is not guessed.
    [{ net: 2, side: 'S' }, 'side'],
    [{ net: -2, side: 'L' }, 'side'],
  ])('with %j', (fields, key) => {
    const decoded = read(fields);
    expect(decoded.ok ? [] : decoded.issues.map(({ path }) => path)).toContain(`positions.data.0.${key}`);
  });

  it.each([[undefined], [{}], ['text']])('from data %j', (data) => {
    expect(openPositions.decodeResponse({ ...GOLDEN, data }, new CountedDrift()).ok).toBe(false);
  });

  it('after a refusal, with its code and text', () => {
    const refused = { ...GOLDEN, rc: '-6001', rs: 'Account not found', data: [] };
    expect(openPositions.decodeResponse(refused, new CountedDrift())).toEqual({
      ok: false,
      issues: [{ path: 'positions.rc', expected: 'rc 1', received: '"-6001 Account not found"' }],
    });
  });
});

const CLOSED_ANSWER = goldenAnswer('closed-positions');
const [TOTAL = {}, ROW = {}] = CLOSED_ANSWER['data'] as readonly object[];
const SUMS = { fee: 10_500, tax: 21_800, closedProfit: 300_000, openProfit: -100_000 };
const CLOSED = {
  orderCode: 'VN30F2511',
  side: 'buy',
  closedQty: 3,
  totalQty: 4,
  averageOpen: 130_033,
  averageClose: 130_133,
  ...SUMS,
  time: '10:20:30',
};
const readClosed = (rows: unknown, drift = new CountedDrift()) =>
  closedPositions.decodeResponse({ ...CLOSED_ANSWER, data: rows }, drift);

describe('closed positions', () => {
  it('are written with a total before the first page, and read', () => {
    const drift = new CountedDrift();
    expect(closedPositions.encodeResponse([CLOSED_ROW], [CLOSED_ROW])).toStrictEqual(CLOSED_ANSWER);
    expect(closedPositions.decodeResponse(CLOSED_ANSWER, drift)).toStrictEqual({
      ok: true,
      value: { total: SUMS, positions: [CLOSED] },
    });
    expect(drift.seen).toEqual([]);
  });

  it('of a later page have no total', () => {
    expect(closedPositions.encodeResponse([CLOSED_ROW], null).data).toStrictEqual([ROW]);
    expect(readClosed([ROW])).toMatchObject({ value: { total: null, positions: [CLOSED] } });
  });

  it('of nothing sum up to nothing', () => {
    expect(closedPositions.encodeResponse([], []).data).toMatchObject([
      { symbol: 'TOTAL', closePosition: 0, closeVM: 0, closePC: 0 },
    ]);
  });

  it('sum up over all pages', () => {
    const other = { ...CLOSED_ROW, closedProfit: money(-50_000), fee: money(500) };
    expect(closedPositions.encodeResponse([CLOSED_ROW], [CLOSED_ROW, other]).data).toMatchObject([
      { symbol: 'TOTAL', fee: 11_000, closeVM: 250_000, closePC: 0.03 },
      { symbol: 'VN30F2511' },
    ]);
  });

  it.each([
    ['texts for numbers', { fee: '1.05E4', closeVM: '300000' }, {}],
    ['no averages', { openPrice: null, closePrice: 0 }, { averageOpen: null, averageClose: null }],
    ['no counts', { closePosition: 0 }, { closedQty: null, totalQty: null }],
    ['counts of no sense', { closePosition: '1/x' }, { closedQty: null, totalQty: null }],
    ['no costs', { fee: null, tax: '' }, { fee: 0, tax: 0 }],
    ['no time', { time: undefined }, { time: '' }],
  ])('are read with %s', (_what, fields, differs) => {
    expect(readClosed([TOTAL, { ...ROW, ...fields }])).toStrictEqual({
      ok: true,
      value: { total: SUMS, positions: [{ ...CLOSED, ...differs }] },
    });
  });

  it('count what they tolerate', () => {
    const drift = new CountedDrift();
    readClosed([TOTAL, { ...ROW, tax: '', closePosition: 0 }], drift);
    expect(drift.seen).toEqual([
      'closed-positions.tax: empty text for a number',
      'closed-positions.closePosition: not closed / total',
      'closed-positions.tax: missing',
    ]);
  });

  it.each([
    ['a row without its profit', [{ ...ROW, closeVM: null }]],
    ['a total without its profit', [{ ...TOTAL, closeVM: null }]],
    ['a side nobody knows', [{ ...ROW, side: 'L' }]],
    ['no symbol', [{ ...ROW, symbol: '' }]],
    ['no list', {}],
  ])('are no answer with %s', (_what, rows) => {
    expect(readClosed(rows)).toMatchObject({ ok: false });
  });
});
