/** The stock side: shares, cash, loan packages, and the cancel of stock orders. */
import { describe, expect, it } from 'vitest';
import { qty } from '../../../src/domain/units.ts';
import {
  cancelStockOrders,
  cashBalance,
  loanPackages,
  stockAssets,
} from '../../../src/wire/rest/securities.ts';
import { CASH_ROW, STOCK_ROW } from '../support/condition-facts.ts';
import { CountedDrift } from '../support/counted-drift.ts';
import { goldenAnswer } from '../support/golden.ts';

describe('stock assets', () => {
  const GOLDEN = goldenAnswer('stock-assets');
  const HELD = {
    symbol: 'FPT',
    qty: 300,
    availableQty: 200,
    averagePrice: 101_500,
    marketValue: 30_600_000,
  };
  const [ASSET = {}] = GOLDEN['assets'] as readonly object[];
  const [STOCK = {}] = GOLDEN['stock'] as readonly object[];

  it('are written in both forms, and read', () => {
    const drift = new CountedDrift();
    expect(stockAssets.encodeResponse([STOCK_ROW])).toStrictEqual(GOLDEN);
    expect(stockAssets.decodeResponse(GOLDEN, drift)).toStrictEqual({ ok: true, value: [HELD] });
    expect(drift.seen).toEqual([]);
  });

  it.each([
    ["the contract's form alone", { assets: [ASSET] }, { availableQty: null }, []],
    ['the live form alone', { stock: [STOCK] }, {}, ['stock-assets: stock for assets']],
    [
      'texts for numbers',
      { assets: [{ ...ASSET, quantity: '300' }], stock: [] },
      { availableQty: null },
      ['stock-assets.quantity: text for a number'],
    ],
    [
      'no price',
      { assets: [{ symbol: 'FPT', quantity: 300 }] },
      { availableQty: null, averagePrice: null, marketValue: null },
      [],
    ],
    [
      'the live form without a price',
      { stock: [{ symbol: 'FPT', totalQtty: 300 }] },
      { availableQty: null, averagePrice: null, marketValue: null },
      ['stock-assets: stock for assets'],
    ],
  ])('are read in %s', (_what, json, differs, drifts) => {
    const drift = new CountedDrift();
    expect(stockAssets.decodeResponse(json, drift)).toStrictEqual({
      ok: true,
      value: [{ ...HELD, ...differs }],
    });
    expect(drift.seen).toEqual(drifts);
  });

  it.each([
    ['no list', {}],
    ['null', null],
    ['a row without its number of shares', { assets: [{ ...ASSET, quantity: null }] }],
    ['half a share', { assets: [{ ...ASSET, quantity: 0.5 }] }],
    ['less than nothing', { stock: [{ ...STOCK, totalQtty: -1 }] }],
    ['no symbol', { stock: [{ ...STOCK, symbol: '' }], assets: [] }],
  ])('are no answer with %s', (_what, json) => {
    expect(stockAssets.decodeResponse(json, new CountedDrift())).toMatchObject({ ok: false });
  });
});

describe('the cash balance', () => {
  const GOLDEN = goldenAnswer('cash-balance');
  const [ROW = {}] = GOLDEN['data'] as readonly object[];
  const CASH = {
    accountNo: '0001234567',
    cash: 230_745_319,
    balance: 230_745_319,
    withdrawable: 200_000_000,
    buying: 10_000_000,
    blocked: 20_745_319,
    purchasingPower: 210_000_000,
  };

  it('is written with every key that clients decode, and read', () => {
    const drift = new CountedDrift();
    expect(cashBalance.encodeResponse([CASH_ROW])).toStrictEqual(GOLDEN);
    expect(cashBalance.decodeResponse(GOLDEN, drift)).toStrictEqual({ ok: true, value: [CASH] });
    expect(drift.seen).toEqual([]);
  });

  it.each([
    ['scientific texts', { cashBalance: '2.30745319E8' }, {}],
    ['figures left out', { pp0: null, blockAmount: undefined }, { purchasingPower: null, blocked: null }],
    ['figures of no sense', { avlWithdraw: 'x', buyingAmount: {} }, { withdrawable: null, buying: null }],
  ])('is read with %s', (_what, fields, differs) => {
    expect(cashBalance.decodeResponse({ data: [{ ...ROW, ...fields }] }, new CountedDrift())).toStrictEqual({
      ok: true,
      value: [{ ...CASH, ...differs }],
    });
  });

  it('counts texts for numbers', () => {
    const drift = new CountedDrift();
    cashBalance.decodeResponse({ data: [{ ...ROW, pp0: '1' }] }, drift);
    expect(drift.seen).toEqual(['cash-balance.pp0: text for a number']);
  });

  it.each([[{}], [{ data: [{ ...ROW, cashBalance: null }] }], [{ data: [{ ...ROW, accountNo: '' }] }]])(
    'is no answer in %o',
    (json) => {
      expect(cashBalance.decodeResponse(json, new CountedDrift())).toMatchObject({ ok: false });
    },
  );
});

describe('loan packages', () => {
  const GOLDEN = goldenAnswer('loan-packages');
  const LOANS = {
    packages: [{ id: 11, name: 'Margin Plus', code: 'MPLUS', subscriptionFee: 50_000, status: 'ACTIVE' }],
    tiered: [{ id: 21, name: 'T+5', firstRate: 6.8, status: 'REGISTERED' }],
  };

  it('are written and read', () => {
    const drift = new CountedDrift();
    const read = loanPackages.decodeResponse(GOLDEN, drift);
    expect(read).toStrictEqual({ ok: true, value: LOANS });
    expect(drift.seen).toEqual([]);
    expect(read.ok && loanPackages.encodeResponse(read.value)).toStrictEqual(GOLDEN);
  });

  it('of an account without any are none, and counted', () => {
    const drift = new CountedDrift();
    expect(loanPackages.decodeResponse({ tplus: { data: null } }, drift)).toStrictEqual({
      ok: true,
      value: { packages: [], tiered: [] },
    });
    expect(drift.seen).toEqual(['loan-packages.marginSureViews: no list', 'loan-packages.tplus: no list']);
  });

  it('may lack a fee or a rate', () => {
    const drift = new CountedDrift();
    const json = { marginSureViews: [{ id: '11', subscriptionFee: null }], tplus: { data: [{ id: 21 }] } };
    expect(loanPackages.decodeResponse(json, drift)).toMatchObject({
      value: { packages: [{ id: 11, name: '', subscriptionFee: null }], tiered: [{ firstRate: null }] },
    });
    expect(drift.seen).toEqual(['loan-packages.id: text for a number']);
  });

  it.each([[null], [[]], [{ marginSureViews: [{}] }], [{ tplus: { data: [{ id: 'x' }] } }]])(
    'are no answer in %o',
    (json) => {
      expect(loanPackages.decodeResponse(json, new CountedDrift())).toMatchObject({ ok: false });
    },
  );

  it('without figures are written as 0', () => {
    const bare = { id: 1, name: '', code: '', status: '' };
    const answer = loanPackages.encodeResponse({
      packages: [{ ...bare, subscriptionFee: null }],
      tiered: [{ id: 1, name: '', status: '', firstRate: null }],
    });
    expect(answer).toMatchObject({
      marginSureViews: [{ subscriptionFee: 0 }],
      tplus: { data: [{ firstRate: 0 }] },
    });
  });
});

describe('the cancel of stock orders', () => {
  it('is answered in the form of the contract, with a row an order next to it', () => {
    const [taken, refused] = [
      { orderId: '8000123', error: '0', message: '' },
      { orderId: '8000124', error: '-6014', message: 'Cannot be cancelled' },
    ];
    expect(cancelStockOrders.encodeResponse([taken, refused])).toStrictEqual(
      goldenAnswer('cancel-stock-orders'),
    );
    expect(cancelStockOrders.encodeRefusal(-6001, 'Account not found')).toStrictEqual({
      error: '-6001',
      message: 'Account not found',
      object: 'list',
      totalCount: 0,
      pageSize: 0,
      pageIndex: 1,
      data: [],
    });
  });
});

it('an available quantity above the holding is shown as it is said', () => {
  const row = { ...STOCK_ROW, availableQty: qty(400) };
  const drift = new CountedDrift();
  expect(stockAssets.decodeResponse(stockAssets.encodeResponse([row]), drift)).toMatchObject({
    value: [{ availableQty: 400 }],
  });
});
