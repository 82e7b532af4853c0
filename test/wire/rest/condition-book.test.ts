/** The book of orders that wait for a price. */
import { describe, expect, it } from 'vitest';
import { conditionBook } from '../../../src/wire/rest/condition-book.ts';
import { CONDITION, CONDITION_ROW } from '../support/condition-facts.ts';
import { CountedDrift } from '../support/counted-drift.ts';
import { goldenAnswer } from '../support/golden.ts';
import { specOf } from '../support/listed-contracts.ts';

describe('the conditional book', () => {
  const GOLDEN = goldenAnswer('conditions');
  const [ROW = {}] = GOLDEN['data'] as readonly object[];
  const read = (rows: unknown, drift = new CountedDrift()) =>
    conditionBook.decodeResponse({ ...GOLDEN, data: rows }, specOf, drift);

  it('is written with the keys of contract and notes, and read', () => {
    const drift = new CountedDrift();
    expect(conditionBook.encodeResponse([CONDITION_ROW])).toStrictEqual(GOLDEN);
    expect(conditionBook.decodeResponse(GOLDEN, specOf, drift)).toStrictEqual({
      ok: true,
      value: { orders: [CONDITION], unreadable: [], foreign: 0 },
    });
    expect(drift.seen).toEqual([]);
  });

  it.each([
    ['texts for numbers', { showPrice: '1195', volume: '2', soPrice: '1196.5' }, {}],
    ['numbers for texts', { orderNo: 3, pk_orderNo: 7_625_321, status: 1 }, {}],
    ['the key under its other name', { pk_orderNo: undefined, pkOrderNo: 7_625_321 }, {}],
    ['no price', { showPrice: 'MTL (1195)' }, { limitPrice: null }],
    ['no trigger', { soPrice: 0 }, { triggerPrice: null }],
    ['one child as a number', { details: 18 }, { children: ['18'] }],
    ['children as a list', { details: ['18', 19] }, {}],
    ['no children', { details: null }, { children: [] }],
    ['a status nobody knows', { status: '7' }, { status: 'unrecognized', statusText: '7' }],
    ['the letter of a place', { status: 'P' }, { status: 'pending', statusText: 'P' }],
    // A stop or one half of a bracket: nobody knows.
    ['a kind nobody knows', { notes: null }, { kind: 'unrecognized' }],
    ['a kind in other letters', { notes: ' stop ORDER ' }, {}],
    ['a trailing stop by its words', { notes: 'Trailing stop' }, { kind: 'trailing_stop' }],
    ['an arbitrage by its code', { notes: '', orderType: 'ABI' }, { kind: 'arbitrage', triggerWhen: null }],
    ['the code that was sent', { orderType: ' sol ' }, { triggerWhen: 'at_or_above' }],
    ['no code', { orderType: null }, { triggerWhen: null }],
    ['a last day as a number', { exp_time: 20_251_117 }, { lastDay: '2025-11-17' }],
    ['a trailing stop', { orderType: 'TSO' }, { kind: 'trailing_stop', triggerWhen: null }],
  ])('is read with %s', (_what, fields, differs) => {
    expect(read([{ ...ROW, ...fields }])).toStrictEqual({
      ok: true,
      value: { orders: [{ ...CONDITION, ...differs }], unreadable: [], foreign: 0 },
    });
  });

  it.each([
    ['no key', { pk_orderNo: null }, 'conditions.data[0].pk_orderNo'],
    ['no side', { side: 'L' }, 'conditions.data[0].side'],
    ['no quantity', { volume: 0 }, 'conditions.data[0].volume'],
    ['a quantity that cannot be', { volume: 5_001 }, 'conditions.data[0].volume'],
    ['a trigger that cannot be', { soPrice: 1e10 }, 'conditions.data[0].soPrice'],
    ['a contract nobody knows', { symbol: 'X' }, 'conditions.data[0].symbol'],
    ['a trigger off the grid', { soPrice: 1196.55 }, 'conditions.data[0].soPrice'],
    ['a price of no sense', { showPrice: 'x' }, 'conditions.data[0].showPrice'],
  ])('keeps a row with %s apart: it may be any order', (_what, fields, path) => {
    expect(read([{ ...ROW, ...fields }, ROW])).toMatchObject({
      ok: true,
      value: { orders: [CONDITION], unreadable: [{ path }], foreign: 0 },
    });
  });

  it('counts what it tolerates', () => {
    const drift = new CountedDrift();
    read([{ ...ROW, soPrice: '1196.5', showPrice: 'MTL', status: '9', notes: '' }], drift);
    expect(drift.seen).toEqual([
      'conditions.showPrice: text for a number',
      'conditions.soPrice: text for a number',
      'conditions.showPrice: no number',
      'conditions.notes: a kind nobody knows',
      'conditions.status: a status nobody knows',
    ]);
  });

  it('is no answer without a list', () => {
    expect(read({})).toMatchObject({ ok: false, issues: [{ path: 'conditions.data' }] });
  });
});
