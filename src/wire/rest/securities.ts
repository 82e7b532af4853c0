/** The securities side of a sub-account: shares, cash, loan packages, and the cancel of stock orders (contract, 4.6). */
import { z } from 'zod';
import type { CashBalance, LoanPackages, StockHolding } from '../../domain/broker-order.ts';
import { notParsed, type ParseResult, parsed, isRecord, type JsonRecord } from '../../domain/parsed.ts';
import { type Money, type Qty, qty } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import {
  codeText,
  looseMoney,
  looseNumber,
  looseText,
  neededMoney,
  neededNumber,
  parseWith,
} from './lenient.ts';
import {
  bodyOf,
  field,
  flag,
  get,
  json,
  type WireMessage,
  message,
  NO_QUERY,
  number,
  put,
  type RawRequest,
  text,
  vnd,
  whole,
} from './wire-message.ts';

const account = z.object({ accountNo: codeText }).transform(({ accountNo }) => accountNo);

const decodeAccountPath = (raw: RawRequest): ParseResult<string> => parseWith(account, raw.params, 'path');

/** Path of an operation that names the account: `/.../:accountNo/...`. */
const pathIn =
  (path: string) =>
  (accountNo: string): string =>
    path.replace(':accountNo', () => encodeURIComponent(accountNo));

const accountGet = <Name extends string>(name: Name, path: string) => ({
  ...get(name, path),
  ...NO_QUERY,
  pathOf: pathIn(path),
  decodeRequest: decodeAccountPath,
});

/** Shares of one stock as the simulator knows them; VND a share. */
export interface StockRow {
  readonly symbol: string;
  readonly qty: Qty;
  readonly availableQty: Qty;
  readonly averagePrice: Money;
  readonly lastPrice: Money;
}

const shares = looseNumber.refine(
  (value) => value === undefined || (Number.isSafeInteger(value) && value >= 0),
  'a whole number, zero or more',
);

const asset = message<StockRow>()({
  symbol: field(text, ({ symbol }) => symbol, codeText),
  quantity: field(whole, (row) => row.qty, shares),
  avgPrice: field(vnd, (row) => row.averagePrice, looseMoney),
  marketValue: field(vnd, (row) => row.lastPrice * row.qty, looseMoney),
});

const stock = message<StockRow>()({
  symbol: field(text, ({ symbol }) => symbol, codeText),
  availableTrading: field(whole, (row) => row.availableQty, shares),
  totalQtty: field(whole, (row) => row.qty, shares),
  costPrice: field(vnd, (row) => row.averagePrice, looseMoney),
  currentPrice: field(vnd, (row) => row.lastPrice, looseMoney),
});

const STOCKS = 'stock-assets';

/** Shares. The contract says `assets[]`, the live service `stock[]`: both are written, either is read (notes, 5). */
export const stockAssets = {
  ...accountGet(STOCKS, '/aion/v1/accounts/:accountNo/se'),
  encodeResponse: (rows: readonly StockRow[]): JsonRecord => ({
    assets: rows.map(asset.encode),
    stock: rows.map(stock.encode),
  }),
  decodeResponse: (raw: unknown, drift: DriftCounter): ParseResult<readonly StockHolding[]> => {
    const { assets, stock: live } = isRecord(raw) ? raw : {};
    if (!Array.isArray(assets) && !Array.isArray(live)) {
      return notParsed(`${STOCKS}.assets`, 'a list', assets ?? live);
    }
    const stocks = readRows(stock, Array.isArray(live) ? live : [], 'stock', drift);
    if (!stocks.ok) return stocks;
    if (!Array.isArray(assets)) {
      drift.count(STOCKS, 'stock for assets');
      return wholeRows(stocks.value.map(fromStock));
    }
    const rows = readRows(asset, assets, 'assets', drift);
    if (!rows.ok) return rows;
    return wholeRows(
      rows.value.map((row) => ({
        symbol: row.symbol,
        qty: row.quantity,
        availableQty: stocks.value.find(({ symbol }) => symbol === row.symbol)?.availableTrading,
        averagePrice: row.avgPrice,
        marketValue: row.marketValue,
      })),
    );
  },
} as const;

function fromStock(row: z.output<typeof stock.reader>) {
  const { symbol, totalQtty, availableTrading, costPrice, currentPrice } = row;
  const value = totalQtty === undefined || currentPrice === undefined ? undefined : totalQtty * currentPrice;
  return {
    symbol,
    qty: totalQtty,
    availableQty: availableTrading,
    averagePrice: costPrice,
    marketValue: looseMoney.safeParse(value).data,
  };
}

function readRows<F>(
  row: WireMessage<StockRow, F>,
  rows: readonly unknown[],
  key: string,
  drift: DriftCounter,
): ParseResult<z.output<WireMessage<StockRow, F>['reader']>[]> {
  for (const raw of rows) row.noteTexts(drift, STOCKS, raw);
  return parseWith(z.array(row.reader), rows, `${STOCKS}.${key}`);
}

/** A row must name its number of shares; the rest is for display. */
function wholeRows(rows: readonly ReturnType<typeof fromStock>[]): ParseResult<readonly StockHolding[]> {
  const holdings: StockHolding[] = [];
  for (const { symbol, qty: held, availableQty, averagePrice, marketValue } of rows) {
    if (held === undefined) return notParsed(`${STOCKS}.${symbol}`, 'how many shares', held);
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

const CASH_OBJECT = 'cashInvestments';
const optionalMoney = looseMoney.catch(undefined);
/** Clients in use fail without these (notes, 5): 0 where no figure applies. */
const zero = field(vnd, () => 0);

const cashRow = message<CashRow>()({
  object: field(text, () => CASH_OBJECT),
  accountNo: field(text, (row) => row.accountNo, codeText),
  custodyID: field(text, (row) => row.custodyCode),
  fullName: field(text, ({ name }) => name),
  cashBalance: field(vnd, ({ cash }) => cash, neededMoney),
  balance: field(vnd, ({ cash }) => cash, optionalMoney),
  bodBalance: field(vnd, (row) => row.openingCash),
  avlWithdraw: field(vnd, (row) => row.withdrawable, optionalMoney),
  buyingAmount: field(vnd, ({ buying }) => buying, optionalMoney),
  blockAmount: field(vnd, ({ blocked }) => blocked, optionalMoney),
  pp0: field(vnd, (row) => row.purchasingPower, optionalMoney),
  pp0forBF: zero,
  bankAvlBalance: zero,
  bankAvlBalanceBF: zero,
  bankBlockAmount: zero,
  avlAdvanceAmount: zero,
  cashDevident: zero,
  secureAmtPO: zero,
  bondBlockAmount: zero,
  mBlockAmount: zero,
  fundBlockAmount: zero,
  avalBondBlockAmount: zero,
  depoFee: zero,
  bCashDividend: zero,
  sCashDividend: zero,
  dsecured: zero,
  adused: zero,
  mrused: zero,
  iaInfos: field(json<readonly JsonRecord[]>(), () => [{ partner: '', available: 0, hold: 0 }]),
});

const cashAnswer = message<readonly CashRow[]>()({
  object: field(text, () => CASH_OBJECT),
  totalCount: field(whole, (rows) => rows.length),
  pageSize: field(whole, (rows) => rows.length),
  pageIndex: field(whole, () => 1),
  data: field(json<readonly JsonRecord[]>(), (rows) => rows.map(cashRow.encode), z.array(cashRow.reader)),
});

/** Cash of a sub-account (notes, 5). */
export const cashBalance = {
  ...accountGet('cash-balance', '/aion/v1/accounts/:accountNo/cashInvestments'),
  encodeResponse: cashAnswer.encode,
  decodeResponse: (raw: unknown, drift: DriftCounter): ParseResult<readonly CashBalance[]> => {
    const read = parseWith(cashAnswer.reader, raw, 'cash-balance');
    if (!read.ok) return read;
    for (const row of listIn(raw, 'data')) cashRow.noteTexts(drift, 'cash-balance', row);
    return parsed(
      read.value.data.map((row) => ({
        accountNo: row.accountNo,
        cash: row.cashBalance,
        balance: row.balance ?? null,
        withdrawable: row.avlWithdraw ?? null,
        buying: row.buyingAmount ?? null,
        blocked: row.blockAmount ?? null,
        purchasingPower: row.pp0 ?? null,
      })),
    );
  },
} as const;

const packageRow = message<LoanPackages['packages'][number]>()({
  id: field(number, ({ id }) => id, neededNumber),
  name: field(text, ({ name }) => name, looseText),
  code: field(text, ({ code }) => code, looseText),
  subscriptionFee: field(vnd, (row) => row.subscriptionFee ?? 0, looseMoney),
  status: field(text, ({ status }) => status, looseText),
});

const tieredRow = message<LoanPackages['tiered'][number]>()({
  id: field(number, ({ id }) => id, neededNumber),
  name: field(text, ({ name }) => name, looseText),
  firstRate: field(number, (row) => row.firstRate ?? 0, looseNumber),
  status: field(text, ({ status }) => status, looseText),
});

const tplus = message<LoanPackages>()({
  data: field(
    json<readonly JsonRecord[]>(),
    ({ tiered }) => tiered.map(tieredRow.encode),
    z.array(tieredRow.reader).nullish(),
  ),
});

/** An account without packages has empty lists, or none. */
const packagesAnswer = message<LoanPackages>()({
  marginSureViews: field(
    json<readonly JsonRecord[]>(),
    ({ packages }) => packages.map(packageRow.encode),
    z.array(packageRow.reader).nullish(),
  ),
  tplus: field(json<JsonRecord>(), tplus.encode, tplus.reader.nullish()),
});

const LOANS = 'loan-packages';

/** Supplementary loan packages of a margin account. */
export const loanPackages = {
  ...accountGet(LOANS, '/campaign-management/v1/margin/subscription/:accountNo/addons/detail'),
  encodeResponse: packagesAnswer.encode,
  decodeResponse: (raw: unknown, drift: DriftCounter): ParseResult<LoanPackages> => {
    const read = parseWith(packagesAnswer.reader, raw, LOANS);
    if (!read.ok) return read;
    for (const row of listIn(raw, 'marginSureViews')) packageRow.noteTexts(drift, LOANS, row);
    const tiers = isRecord(raw) ? raw['tplus'] : undefined;
    for (const row of listIn(tiers, 'data')) tieredRow.noteTexts(drift, `${LOANS}.tplus`, row);
    const { marginSureViews: packages, tplus: tiered } = read.value;
    if (!Array.isArray(packages)) drift.count(`${LOANS}.marginSureViews`, 'no list');
    if (!Array.isArray(tiered?.data)) drift.count(`${LOANS}.tplus`, 'no list');
    return parsed({
      packages: (packages ?? []).map((row) => ({ ...row, subscriptionFee: row.subscriptionFee ?? null })),
      tiered: (tiered?.data ?? []).map((row) => ({ ...row, firstRate: row.firstRate ?? null })),
    });
  },
} as const;

/** The list under a key of an answer, as it came; empty when there is none. */
function listIn(raw: unknown, key: string): readonly unknown[] {
  const value = isRecord(raw) ? raw[key] : undefined;
  return Array.isArray(value) ? value : [];
}

/** One older client sends the ids bare. */
const orderId = z.union([codeText, z.object({ orderID: codeText }).transform(({ orderID }) => orderID)]);

const cancelForm = message<readonly string[]>()({
  ordersList: field(
    json<readonly { readonly orderID: string }[]>(),
    (orderIds) => orderIds.map((orderID) => ({ orderID })),
    z.array(orderId).min(1, 'at least one order'),
  ),
});
const cancelBody = bodyOf(cancelForm, cancelForm.reader);

const CANCELS = '/akhlys/v1/accounts/:accountNo/cancel-orders';

export const STOCK_CANCELED = '0';

interface StockCancelResult {
  readonly orderId: string;
  /** `0` when it was taken. */
  readonly error: string;
  readonly message: string;
}

const canceledOrder = message<StockCancelResult>()({
  orderID: field(text, (result) => result.orderId),
  // Older clients read these three, the last one spelled so.
  deleted: field(flag, ({ error }) => (error === STOCK_CANCELED ? '1' : '0')),
  errorCode: field(text, ({ error }) => error),
  errorMesage: field(text, (result) => result.message),
  error: field(text, ({ error }) => error),
  message: field(text, (result) => result.message),
});

interface StockCancelAnswer {
  readonly error: string;
  readonly message: string;
  readonly results: readonly StockCancelResult[];
}

const cancelAnswer = message<StockCancelAnswer>()({
  error: field(text, ({ error }) => error),
  message: field(text, (answer) => answer.message),
  object: field(text, () => 'list'),
  totalCount: field(whole, ({ results }) => results.length),
  pageSize: field(whole, ({ results }) => results.length),
  pageIndex: field(whole, () => 1),
  // Not in the contract, for older clients.
  data: field(
    json<readonly { readonly object: string; readonly details: readonly JsonRecord[] }[]>(),
    ({ results }) =>
      results.length === 0 ? [] : [{ object: 'cancelOrder', details: results.map(canceledOrder.encode) }],
  ),
});

/** Normal stock orders (notes, 5). */
export const cancelStockOrders = {
  ...put('cancel-stock-orders', CANCELS),
  pathOf: pathIn(CANCELS),
  ...cancelBody,
  decodeRequest: (raw: RawRequest) => {
    const accountNo = decodeAccountPath(raw);
    if (!accountNo.ok) return accountNo;
    const body = cancelBody.decodeRequest(raw);
    return body.ok ? parsed({ accountNo: accountNo.value, orderIds: body.value.ordersList }) : body;
  },
  encodeResponse: (results: readonly StockCancelResult[]): JsonRecord =>
    cancelAnswer.encode({ error: STOCK_CANCELED, message: 'Success', results }),
  encodeRefusal: (code: number, reason: string): JsonRecord =>
    cancelAnswer.encode({ error: String(code), message: reason, results: [] }),
} as const;
