/** PUT /akhlys/v1/accounts/{accountNo}/cancel-orders: normal stock orders (contract, 2.10 and 4.6; notes, section 5). */
import { cancelStockAnswer } from '../answers/money-answers.ts';
import { z } from 'zod';
import { type Parsed, parsed } from '../../domain/parsed.ts';
import { ACCOUNT_NO, decodeAccountPath, pathWith } from './account-path.ts';
import { codeText, parseWith } from './lenient.ts';
import { bodyRequest, type RawRequest, type WireRequest } from './request.ts';

const PATH = `/akhlys/v1/accounts/${ACCOUNT_NO}/cancel-orders`;

export const STOCK_CANCELED = '0';

export interface CancelStockAsked {
  readonly accountNo: string;
  readonly orderIds: readonly string[];
}

/** One older client sends the ids bare. */
const item = z.union([codeText, z.looseObject({ orderID: codeText }).transform(({ orderID }) => orderID)]);
const body = z
  .looseObject({ ordersList: z.array(item).min(1, 'at least one order') })
  .transform(({ ordersList }) => ordersList);

export interface StockCancelResult {
  readonly orderId: string;
  /** `0` when it was taken. */
  readonly error: string;
  readonly message: string;
}

export interface StockCancelAnswer {
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
  path: PATH,
  pathOf: (accountNo: string): string => pathWith(PATH, accountNo),
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
