import { z } from 'zod';
import type { CashBalance, LoanPackages, StockHolding } from '../../domain/broker-order.ts';
import { notParsed, type Parsed, parsed } from '../../domain/parsed.ts';
import { type Money, type Qty, qty } from '../../domain/units.ts';
import {
  cancelStockAnswer,
  cashBalanceAnswer,
  type cashRow,
  loanPackagesAnswer,
  stockAssetsAnswer,
} from '../answers/money-answers.ts';
import type { DriftCounter } from '../drift.ts';
import { isRecord } from '../json.ts';
import {
  codeText,
  listIn,
  looseMoney,
  looseNumber,
  looseText,
  neededMoney,
  neededNumber,
  noteTextRows,
  parseWith,
} from './lenient.ts';
import {
  ACCOUNT_NO,
  bodyRequest,
  decodeAccountPath,
  pathWith,
  queryRequest,
  type RawRequest,
  type WireRequest,
} from './operation.ts';
/**
 * GET /aion/v1/accounts/{accountNo}/se: shares of a sub-account. The contract says `assets[]`, the live service `stock[]`: both
 * are written, either is read (contract, 2.8 and 4.6; notes, section 5).
 */

const STOCKS_PATH = `/aion/v1/accounts/${ACCOUNT_NO}/se`;

/** Shares of one stock as the simulator knows them; VND a share. */
export interface StockRow {
  readonly symbol: string;
  readonly qty: Qty;
  readonly availableQty: Qty;
  readonly averagePrice: Money;
  readonly lastPrice: Money;
}

const count = looseNumber.refine(
  (value) => value === undefined || (Number.isSafeInteger(value) && value >= 0),
  'a whole number, zero or more',
);

const asset = z.looseObject({
  symbol: codeText,
  quantity: count,
  avgPrice: looseMoney,
  marketValue: looseMoney,
});
const stock = z.looseObject({
  symbol: codeText,
  totalQtty: count,
  availableTrading: count,
  costPrice: looseMoney,
  currentPrice: looseMoney,
});

const ASSET_NUMBERS = ['quantity', 'avgPrice', 'marketValue'];
const STOCK_NUMBERS = ['totalQtty', 'availableTrading', 'costPrice', 'currentPrice'];

export const stockAssets = {
  name: 'stock-assets',
  asks: null,
  answers: stockAssetsAnswer,
  method: 'GET',
  path: STOCKS_PATH,
  pathOf: (accountNo: string): string => pathWith(STOCKS_PATH, accountNo),
  encodeRequest: (): WireRequest => queryRequest({}),
  /** The account. */
  decodeRequest: decodeAccountPath,
  encodeResponse: (rows: readonly StockRow[]): z.output<typeof stockAssetsAnswer> => ({
    assets: rows.map((row) => ({
      symbol: row.symbol,
      quantity: row.qty,
      avgPrice: row.averagePrice,
      marketValue: row.lastPrice * row.qty,
    })),
    stock: rows.map((row) => ({
      symbol: row.symbol,
      availableTrading: row.availableQty,
      totalQtty: row.qty,
      costPrice: row.averagePrice,
      currentPrice: row.lastPrice,
    })),
  }),
  decodeResponse: (json: unknown, drift: DriftCounter): Parsed<readonly StockHolding[]> => {
    const answer = isRecord(json) ? json : {};
    const { assets, stock: live } = answer;
    if (!Array.isArray(assets) && !Array.isArray(live)) {
      return notParsed('stock-assets.assets', 'a list', assets ?? live);
    }
    const shares = readRows(Array.isArray(live) ? live : [], stock, 'stock', STOCK_NUMBERS, drift);
    if (!shares.ok) return shares;
    if (!Array.isArray(assets)) {
      drift.count('stock-assets', 'stock for assets');
      return wholeRows(shares.value.map(fromStock));
    }
    const rows = readRows(assets, asset, 'assets', ASSET_NUMBERS, drift);
    if (!rows.ok) return rows;
    return wholeRows(
      rows.value.map((row) => ({
        symbol: row.symbol,
        qty: row.quantity,
        availableQty: shares.value.find(({ symbol }) => symbol === row.symbol)?.availableTrading,
        averagePrice: row.avgPrice,
        marketValue: row.marketValue,
      })),
    );
  },
} as const;

interface ReadHolding {
  readonly symbol: string;
  readonly qty: number | undefined;
  readonly availableQty: number | undefined;
  readonly averagePrice: Money | undefined;
  readonly marketValue: Money | undefined;
}

const fromStock = (row: z.output<typeof stock>): ReadHolding => {
  const { symbol, totalQtty, availableTrading, costPrice, currentPrice } = row;
  const value = totalQtty === undefined || currentPrice === undefined ? undefined : totalQtty * currentPrice;
  return {
    symbol,
    qty: totalQtty,
    availableQty: availableTrading,
    averagePrice: costPrice,
    marketValue: looseMoney.safeParse(value).data,
  };
};

function readRows<T extends z.ZodType>(
  rows: readonly unknown[],
  schema: T,
  key: string,
  numbers: readonly string[],
  drift: DriftCounter,
): Parsed<z.output<T>[]> {
  noteTextRows(drift, 'stock-assets', rows, numbers);
  return parseWith(z.array(schema), rows, `stock-assets.${key}`);
}

/** How many shares there are must be said; the rest is to look at. */
function wholeRows(rows: readonly ReadHolding[]): Parsed<readonly StockHolding[]> {
  const holdings: StockHolding[] = [];
  for (const { symbol, qty: held, availableQty, averagePrice, marketValue } of rows) {
    if (held === undefined) return notParsed(`stock-assets.${symbol}`, 'how many shares', held);
    holdings.push({
      symbol,
      qty: qty(held),
      availableQty: availableQty === undefined ? null : qty(availableQty),
      averagePrice: averagePrice ?? null,
      marketValue: marketValue ?? null,
    });
  }
  return parsed(holdings);
}

/** GET /aion/v1/accounts/{accountNo}/cashInvestments: cash of a sub-account (contract, 4.6; the shape from the notes, section 5). */

const CASH_PATH = `/aion/v1/accounts/${ACCOUNT_NO}/cashInvestments`;
const OBJECT = 'cashInvestments';

/** Cash as the simulator knows it; whole VND. */
export interface CashRow {
  readonly accountNo: string;
  readonly custodyCode: string;
  readonly name: string;
  readonly cash: Money;
  /** At the beginning of the day. */
  readonly openingCash: Money;
  readonly withdrawable: Money;
  /** Held for stock that was bought and not yet settled. */
  readonly buying: Money;
  readonly blocked: Money;
  readonly purchasingPower: Money;
}

/** Clients in use fail without these (notes, section 5): 0 where nothing is meant. */
const ZEROS = {
  pp0forBF: 0,
  bankAvlBalance: 0,
  bankAvlBalanceBF: 0,
  bankBlockAmount: 0,
  avlAdvanceAmount: 0,
  cashDevident: 0,
  secureAmtPO: 0,
  bondBlockAmount: 0,
  mBlockAmount: 0,
  fundBlockAmount: 0,
  avalBondBlockAmount: 0,
  depoFee: 0,
  bCashDividend: 0,
  sCashDividend: 0,
  dsecured: 0,
  adused: 0,
  mrused: 0,
} as const;

const encodeRow = (cashFields: CashRow): z.output<typeof cashRow> => ({
  object: OBJECT,
  accountNo: cashFields.accountNo,
  custodyID: cashFields.custodyCode,
  fullName: cashFields.name,
  cashBalance: cashFields.cash,
  balance: cashFields.cash,
  bodBalance: cashFields.openingCash,
  avlWithdraw: cashFields.withdrawable,
  buyingAmount: cashFields.buying,
  blockAmount: cashFields.blocked,
  pp0: cashFields.purchasingPower,
  ...ZEROS,
  iaInfos: [{ partner: '', available: 0, hold: 0 }],
});

const cashFields = z.looseObject({
  accountNo: codeText,
  cashBalance: neededMoney,
  balance: looseMoney.catch(undefined),
  avlWithdraw: looseMoney.catch(undefined),
  buyingAmount: looseMoney.catch(undefined),
  blockAmount: looseMoney.catch(undefined),
  pp0: looseMoney.catch(undefined),
});
const cashResponse = z.looseObject({ data: z.array(cashFields) });
const CASH_NUMBERS = ['cashBalance', 'balance', 'avlWithdraw', 'buyingAmount', 'blockAmount', 'pp0'];

export const cashBalance = {
  name: 'cash-balance',
  asks: null,
  answers: cashBalanceAnswer,
  method: 'GET',
  path: CASH_PATH,
  pathOf: (accountNo: string): string => pathWith(CASH_PATH, accountNo),
  encodeRequest: (): WireRequest => queryRequest({}),
  /** The account. */
  decodeRequest: decodeAccountPath,
  encodeResponse: (rows: readonly CashRow[]): z.output<typeof cashBalanceAnswer> => ({
    object: OBJECT,
    totalCount: rows.length,
    pageSize: rows.length,
    pageIndex: 1,
    data: rows.map(encodeRow),
  }),
  decodeResponse: (json: unknown, drift: DriftCounter): Parsed<readonly CashBalance[]> => {
    const read = parseWith(cashResponse, json, 'cash-balance');
    if (!read.ok) return read;
    noteTextRows(drift, 'cash-balance', listIn(json, 'data'), CASH_NUMBERS);
    return parsed(
      read.value.data.map((fields) => ({
        accountNo: fields.accountNo,
        cash: fields.cashBalance,
        balance: fields.balance ?? null,
        withdrawable: fields.avlWithdraw ?? null,
        buying: fields.buyingAmount ?? null,
        blocked: fields.blockAmount ?? null,
        purchasingPower: fields.pp0 ?? null,
      })),
    );
  },
} as const;

/** GET /campaign-management/v1/margin/subscription/{accountNo}/addons/detail (contract, 2.9 and 4.6). */

const LOANS_PATH = `/campaign-management/v1/margin/subscription/${ACCOUNT_NO}/addons/detail`;

const packageRow = z.looseObject({
  id: neededNumber,
  name: looseText,
  code: looseText,
  subscriptionFee: looseMoney,
  status: looseText,
});
const tieredRow = z.looseObject({
  id: neededNumber,
  name: looseText,
  firstRate: looseNumber,
  status: looseText,
});

/** An account without packages has empty lists, or none. */
const loansResponse = z.looseObject({
  marginSureViews: z.array(packageRow).nullish(),
  tplus: z.looseObject({ data: z.array(tieredRow).nullish() }).nullish(),
});

export const loanPackages = {
  name: 'loan-packages',
  asks: null,
  answers: loanPackagesAnswer,
  method: 'GET',
  path: LOANS_PATH,
  pathOf: (accountNo: string): string => pathWith(LOANS_PATH, accountNo),
  encodeRequest: (): WireRequest => queryRequest({}),
  /** The account. */
  decodeRequest: decodeAccountPath,
  encodeResponse: ({ packages, tiered }: LoanPackages): z.output<typeof loanPackagesAnswer> => ({
    marginSureViews: packages.map(({ id, name, code, subscriptionFee, status }) => ({
      id,
      name,
      code,
      subscriptionFee: subscriptionFee ?? 0,
      status,
    })),
    tplus: {
      data: tiered.map(({ id, name, firstRate, status }) => ({
        id,
        name,
        firstRate: firstRate ?? 0,
        status,
      })),
    },
  }),
  decodeResponse: (json: unknown, drift: DriftCounter): Parsed<LoanPackages> => {
    const read = parseWith(loansResponse, json, 'loan-packages');
    if (!read.ok) return read;
    const { marginSureViews, tplus } = read.value;
    noteTextRows(drift, 'loan-packages', listIn(json, 'marginSureViews'), ['id', 'subscriptionFee']);
    noteTextRows(drift, 'loan-packages.tplus', listIn(isRecord(json) ? json['tplus'] : undefined, 'data'), [
      'id',
      'firstRate',
    ]);
    if (!Array.isArray(marginSureViews)) drift.count('loan-packages.marginSureViews', 'no list');
    if (!Array.isArray(tplus?.data)) drift.count('loan-packages.tplus', 'no list');
    return parsed({
      packages: (marginSureViews ?? []).map(({ id, name, code, subscriptionFee, status }) => ({
        id,
        name,
        code,
        subscriptionFee: subscriptionFee ?? null,
        status,
      })),
      tiered: (tplus?.data ?? []).map(({ id, name, firstRate, status }) => ({
        id,
        name,
        firstRate: firstRate ?? null,
        status,
      })),
    });
  },
} as const;

/** PUT /akhlys/v1/accounts/{accountNo}/cancel-orders: normal stock orders (contract, 2.10 and 4.6; notes, section 5). */

const CANCEL_PATH = `/akhlys/v1/accounts/${ACCOUNT_NO}/cancel-orders`;

export const STOCK_CANCELED = '0';

interface CancelStockAsked {
  readonly accountNo: string;
  readonly orderIds: readonly string[];
}

/** One older client sends the ids bare. */
const item = z.union([codeText, z.looseObject({ orderID: codeText }).transform(({ orderID }) => orderID)]);
const body = z
  .looseObject({ ordersList: z.array(item).min(1, 'at least one order') })
  .transform(({ ordersList }) => ordersList);

interface StockCancelResult {
  readonly orderId: string;
  /** `0` when it was taken. */
  readonly error: string;
  readonly message: string;
}

interface StockCancelAnswer {
  readonly error: string;
  readonly message: string;
  /** Beside the contract's form: an older client expects the rows here. */
  readonly data: readonly { readonly details: readonly object[] }[];
}

export const cancelStockOrders = {
  name: 'cancel-stock-orders',
  asks: body,
  answers: cancelStockAnswer,
  method: 'PUT',
  path: CANCEL_PATH,
  pathOf: (accountNo: string): string => pathWith(CANCEL_PATH, accountNo),
  encodeRequest: (orderIds: readonly string[]): WireRequest =>
    bodyRequest({ ordersList: orderIds.map((orderID) => ({ orderID })) }),
  decodeRequest: (raw: RawRequest): Parsed<CancelStockAsked> => {
    const accountNo = decodeAccountPath(raw);
    if (!accountNo.ok) return accountNo;
    const orderIds = parseWith(body, raw.body, 'body');
    return orderIds.ok ? parsed({ accountNo: accountNo.value, orderIds: orderIds.value }) : orderIds;
  },
  encodeResponse: (results: readonly StockCancelResult[]): StockCancelAnswer => ({
    error: STOCK_CANCELED,
    message: 'Success',
    data: [{ details: results.map(({ orderId, error, message }) => ({ orderID: orderId, error, message })) }],
  }),
  encodeRefusal: (code: number, text: string): StockCancelAnswer => ({
    error: String(code),
    message: text,
    data: [],
  }),
} as const;
