/** The price board, the contract list and the profile. */
import { describe, expect, it } from 'vitest';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { contractList, derivatives } from '../../../src/wire/rest/market-reads.ts';
import { profile } from '../../../src/wire/rest/profile.ts';
import { ACCOUNT, QUOTE_ROW, SUB_ACCOUNT } from '../support/broker-facts.ts';
import { CountedDrift } from '../support/counted-drift.ts';
import { goldenAnswer } from '../support/golden.ts';
import { specOf } from '../support/listed-contracts.ts';

const readBoard = (rows: unknown, drift = new CountedDrift()) =>
  derivatives.decodeResponse({ data: rows }, specOf, drift);
const readList = (json: unknown, drift = new CountedDrift()) => contractList.decodeResponse(json, drift);

describe('the price board', () => {
  const GOLDEN = goldenAnswer('derivatives');
  const [GOLDEN_ROW = {}] = GOLDEN['data'] as readonly object[];
  const QUOTE = {
    orderCode: 'VN30F2511',
    ceiling: 13_910,
    floor: 12_090,
    reference: 130_012,
    lastPrice: 12_990,
    expiry: '2025-11-20',
  };
  it('is asked for without parameters, written with the keys of contract and notes, and read', () => {
    const drift = new CountedDrift();
    expect(derivatives.encodeRequest()).toStrictEqual({ query: {}, body: undefined });
    expect(derivatives.encodeResponse([QUOTE_ROW])).toStrictEqual(GOLDEN);
    expect(derivatives.decodeResponse(GOLDEN, specOf, drift)).toStrictEqual({ ok: true, value: [QUOTE] });
    expect(drift.seen).toEqual([]);
  });

  it('says 0 of a contract that has not traded', () => {
    const quiet = { ...QUOTE_ROW, lastPrice: null, day: null, bids: [], asks: [] };
    expect(derivatives.encodeResponse([quiet])).toMatchObject({
      data: [{ matchPrice: 0, change: 0, changePercent: 0, open: 0, avg: 0, bidPrice01: 0, offerQtty01: 0 }],
    });
    expect(readBoard((derivatives.encodeResponse([quiet]) as { data: unknown }).data)).toMatchObject({
      value: [{ lastPrice: null, ceiling: 13_910 }],
    });
  });

  it.each([
    ['texts for numbers', { ceilPrice: '1391', refPrice: '1300.12' }, {}],
    [
      'most fields left out, as at night',
      { ceilPrice: undefined, matchPrice: null },
      { ceiling: null, lastPrice: null },
    ],
    [
      'zeros',
      { floorPrice: 0, refPrice: 0, matchPrice: '' },
      { floor: null, reference: null, lastPrice: null },
    ],
    ['a price off the grid', { ceilPrice: 1391.05 }, { ceiling: null }],
    ['a price of no sense', { floorPrice: 'x', refPrice: {} }, { floor: null, reference: null }],
    ['endless prices', { ceilPrice: 1e300, refPrice: 1e300 }, { ceiling: null, reference: null }],
    ['prices that cannot be', { ceilPrice: 1e8, refPrice: 1e8 }, { ceiling: null, reference: null }],
    ['a date that means never', { expiryDate: '31/12/9999' }, { expiry: null }],
    ['a date of no sense', { expiryDate: '31/02/2025' }, { expiry: null }],
    ['a date of another month than that of its code', { expiryDate: '16/10/2025' }, { expiry: null }],
    ['a date of another form', { expiryDate: '2025-11-20' }, {}],
  ])('is read with %s', (_what, fields, differs) => {
    expect(readBoard([{ ...GOLDEN_ROW, ...fields }])).toStrictEqual({
      ok: true,
      value: [{ ...QUOTE, ...differs }],
    });
  });

  it('counts what it tolerates', () => {
    const drift = new CountedDrift();
    readBoard(
      [
        { ...GOLDEN_ROW, ceilPrice: 1391.05, refPrice: '1300.12', expiryDate: '31/12/9999' },
        null,
        { symbol: '' },
        { symbol: 'VN30F2511', expiryDate: '16/10/2025' },
      ],
      drift,
    );
    expect(drift.seen).toEqual([
      'derivatives.refPrice: text for a number',
      'derivatives.expiryDate: no date',
      'derivatives.ceilPrice: off the tick grid',
      'derivatives.data: a row without a symbol',
      'derivatives.data: a row without a symbol',
      'derivatives.expiryDate: another month than that of its code',
    ]);
  });

  it('leaves out what is not traded here', () => {
    expect(readBoard([{ ...GOLDEN_ROW, symbol: 'VN30F9999' }, GOLDEN_ROW])).toStrictEqual({
      ok: true,
      value: [QUOTE],
    });
  });

  it.each([[undefined], [null], [{}], ['text']])('is not read from %j', (rows) => {
    expect(readBoard(rows).ok).toBe(false);
  });
});

describe('the contract list', () => {
  const GOLDEN = goldenAnswer('contracts');
  const LISTED = [
    { code: 'VN30F2511', expiry: '2025-11-20' },
    { code: '41I1FC000', expiry: '2025-12-18' },
  ];
  const CODES = LISTED.map(({ code }) => ({ code, expiry: null }));
  it('is written in our shape, and read', () => {
    const drift = new CountedDrift();
    const contracts = LISTED.map(({ code, expiry }, i) => ({
      code,
      expiry: tradingDay(expiry),
      frontMonth: i === 0,
    }));
    expect(contractList.encodeRequest()).toStrictEqual({ query: {}, body: undefined });
    expect(contractList.encodeResponse(contracts)).toStrictEqual(GOLDEN);
    expect(readList(GOLDEN, drift)).toStrictEqual({ ok: true, value: LISTED });
    expect(drift.seen).toEqual([]);
  });

  it.each([
    ['a bare list', GOLDEN['data'], LISTED],
    ['codes', ['VN30F2511', ' 41I1FC000 '], CODES],
    ['codes under data', { data: ['VN30F2511', '41I1FC000'] }, CODES],
    ['code', { data: [{ code: 'VN30F2511' }, { code: '41I1FC000', symbol: '' }] }, CODES],
    [
      'contractCode',
      { data: [{ contractCode: 'VN30F2511' }, { contractCode: '41I1FC000', code: null }] },
      CODES,
    ],
    [
      'odd fields',
      {
        data: [
          { symbol: 'VN30F2511', expiryDate: {} },
          { symbol: '41I1FC000', code: [] },
        ],
      },
      CODES,
    ],
    ['no entry', { data: [] }, []],
  ])('is read from %s', (_what, json, listed) => {
    expect(readList(json)).toStrictEqual({ ok: true, value: listed });
  });

  it('counts a bare list and an entry without a code', () => {
    const drift = new CountedDrift();
    expect(readList([{}, 'A'], drift)).toEqual({ ok: true, value: [{ code: 'A', expiry: null }] });
    expect(drift.seen).toEqual(['contracts: a bare list', 'contracts.data: an entry without a code']);
  });

  it.each([[null], [undefined], [{}], [{ data: null }], [[5]], ['VN30F2511']])(
    'is not read from %j',
    (json) => {
      expect(readList(json).ok).toBe(false);
    },
  );
});

describe('the profile', () => {
  const GOLDEN = goldenAnswer('profile');
  const ROW = {
    custodyCode: ACCOUNT,
    name: 'Nguyen Van A',
    subAccounts: [
      { accountNo: ACCOUNT, accountType: 'NORMAL', isActive: true, isDefault: true },
      { accountNo: SUB_ACCOUNT, accountType: 'DERIVATIVE', isActive: false, isDefault: false },
    ],
  } as const;
  const READ = ROW.subAccounts.map((account) => ({
    ...account,
    name: 'Nguyen Van A',
    typeName: account.accountType === 'NORMAL' ? 'Normal account' : 'Derivative account',
    bankCode: null,
  }));

  it('is written with all blocks or those asked for, and read', () => {
    expect(profile.encodeResponse(ROW, ['basicInfo', 'bankSubAccounts'])).toStrictEqual(GOLDEN);
    expect(profile.encodeResponse(ROW, ['basicInfo'])).toStrictEqual({ basicInfo: GOLDEN['basicInfo'] });
    expect(profile.encodeResponse(ROW, [])).toStrictEqual({});
    expect(profile.decodeResponse(GOLDEN)).toStrictEqual({ ok: true, value: READ });
  });

  it('leaves out sub-accounts of a type nobody knows', () => {
    const bankSubAccounts = [
      { accountNo: 'x', accountType: 'GOLD' },
      null,
      ...(GOLDEN['bankSubAccounts'] as []),
    ];
    expect(profile.decodeResponse({ bankSubAccounts })).toStrictEqual({ ok: true, value: READ });
  });

  it('may name the bank', () => {
    const [first = {}] = GOLDEN['bankSubAccounts'] as readonly object[];
    const named = { bankSubAccounts: [{ ...first, bankCode: 'TCB', accountName: null }] };
    expect(profile.decodeResponse(named)).toMatchObject({ value: [{ bankCode: 'TCB', name: '' }] });
  });

  it('needs its blocks', () => {
    expect(profile.decodeRequest({ params: {}, query: {}, body: undefined }).ok).toBe(false);
    expect(profile.decodeResponse({ basicInfo: {} }).ok).toBe(false);
  });
});
