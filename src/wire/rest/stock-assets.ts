/**
 * GET /aion/v1/accounts/{accountNo}/se: shares of a sub-account. The contract says `assets[]`, the live service `stock[]`: both
 * are written, either is read (contract, 2.8 and 4.6; notes, section 5).
 */
import { stockAssetsAnswer } from '../answers/money-answers.ts';
import { z } from 'zod';
import type { StockHolding } from '../../domain/broker-order.ts';
import { notParsed, type Parsed, parsed } from '../../domain/parsed.ts';
import { type Money, type Qty, qty } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import { isRecord } from '../json.ts';
import { ACCOUNT_NO, decodeAccountPath, pathWith } from './account-path.ts';
import { codeText, looseMoney, looseNumber, noteTextRows, parseWith } from './lenient.ts';
import { queryRequest, type WireRequest } from './request.ts';

const PATH = `/aion/v1/accounts/${ACCOUNT_NO}/se`;

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
  path: PATH,
  pathOf: (accountNo: string): string => pathWith(PATH, accountNo),
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
