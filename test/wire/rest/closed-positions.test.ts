/** What was closed today. */
import { describe, expect, it } from 'vitest';
import { money } from '../../../src/domain/units.ts';
import { closedPositions } from '../../../src/wire/rest/closed-positions.ts';
import { CLOSED_ROW } from '../support/condition-facts.ts';
import { CountedDrift } from '../support/counted-drift.ts';
import { goldenAnswer } from '../support/golden.ts';

const GOLDEN = goldenAnswer('closed-positions');
const [TOTAL = {}, ROW = {}] = GOLDEN['data'] as readonly object[];
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
const read = (rows: unknown, drift = new CountedDrift()) =>
  closedPositions.decodeResponse({ ...GOLDEN, data: rows }, drift);

describe('closed positions', () => {
  it('are written with a total before the first page, and read', () => {
    const drift = new CountedDrift();
    expect(closedPositions.encodeResponse([CLOSED_ROW], [CLOSED_ROW])).toStrictEqual(GOLDEN);
    expect(closedPositions.decodeResponse(GOLDEN, drift)).toStrictEqual({
      ok: true,
      value: { total: SUMS, positions: [CLOSED] },
    });
    expect(drift.seen).toEqual([]);
  });

  it('of a later page have no total', () => {
    expect(closedPositions.encodeResponse([CLOSED_ROW], null).data).toStrictEqual([ROW]);
    expect(read([ROW])).toMatchObject({ value: { total: null, positions: [CLOSED] } });
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
    expect(read([TOTAL, { ...ROW, ...fields }])).toStrictEqual({
      ok: true,
      value: { total: SUMS, positions: [{ ...CLOSED, ...differs }] },
    });
  });

  it('count what they tolerate', () => {
    const drift = new CountedDrift();
    read([TOTAL, { ...ROW, tax: '', closePosition: 0 }], drift);
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
    expect(read(rows)).toMatchObject({ ok: false });
  });
});
