import { describe, expect, it } from 'vitest';
import { money, signedQty } from '../../../src/domain/units.ts';
import { openPositions } from '../../../src/wire/rest/open-positions.ts';
import { POSITION_ROW, SUB_ACCOUNT } from '../support/broker-facts.ts';
import { CountedDrift } from '../support/counted-drift.ts';
import { goldenAnswer } from '../support/golden.ts';

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
