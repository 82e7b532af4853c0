/** The stock side of a sub-account: shares, cash, loan packages, and the cancel of waiting orders. */
import { accountId } from '../../domain/ids.ts';
import { money, qty } from '../../domain/units.ts';
import type { ParseResult } from '../../domain/parsed.ts';
import {
  cancelStockOrders,
  cashBalance,
  type CashRow,
  loanPackages,
  STOCK_CANCELED,
  stockAssets,
} from '../../wire/rest/securities.ts';
import type { SubAccount, SubAccounts } from '../accounts/sub-accounts.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import {
  badRequest,
  failedWith,
  type RestHandler,
  type Handlers,
  NO_ACCOUNT,
  ok,
  refuse,
  type RestAnswer,
  type RestRequest,
  unreadable,
} from './handler.ts';

const CANNOT_BE_CANCELED = -6014;

export function stockHandlers(
  subAccounts: SubAccounts,
  brokerage: Brokerage,
): Pick<Handlers, 'stock-assets' | 'cancel-stock-orders' | 'cash-balance' | 'loan-packages'> {
  return {
    'stock-assets': assetsHandler(subAccounts),
    'cancel-stock-orders': cancelHandler(subAccounts),
    'cash-balance': balanceHandler(subAccounts, brokerage),
    'loan-packages': packagesHandler(subAccounts),
  };
}

/** Runs `run` for a sub-account of the customer's own; there is no envelope that could refuse another's. */
function ofOwn(
  subAccounts: SubAccounts,
  request: RestRequest,
  asked: ParseResult<string>,
  run: (account: SubAccount) => RestAnswer,
): RestAnswer {
  if (!asked.ok) return badRequest(asked.issues);
  const account = subAccounts.named(request.customer?.custodyCode ?? '', asked.value);
  // Not 401 or 403: the token is good, there is just no such account for it.
  return account === undefined ? failedWith(404, 'There is no such account') : run(account);
}

const assetsHandler =
  (subAccounts: SubAccounts): RestHandler =>
  (request) =>
    ofOwn(subAccounts, request, stockAssets.decodeRequest(request), ({ accountNo }) =>
      ok(
        stockAssets.encodeResponse(
          subAccounts.stocks(accountNo).map((row) => ({
            symbol: row.symbol,
            qty: qty(row.qty),
            availableQty: qty(row.available),
            averagePrice: money(row.averagePrice),
            lastPrice: money(row.marketPrice),
          })),
        ),
      ),
    );

const cancelHandler =
  (subAccounts: SubAccounts): RestHandler =>
  (request) => {
    const asked = cancelStockOrders.decodeRequest(request);
    if (!asked.ok) return unreadable(cancelStockOrders, asked.issues);
    const { accountNo, orderIds } = asked.value;
    const account = subAccounts.named(request.customer?.custodyCode ?? '', accountNo);
    if (account?.isActive !== true) return refuse(cancelStockOrders, NO_ACCOUNT);
    const { unknown } = subAccounts.cancelStockOrders(accountNo, orderIds);
    if (unknown !== null) {
      return refuse(cancelStockOrders, {
        code: CANNOT_BE_CANCELED,
        text: `Order ${unknown} cannot be cancelled`,
      });
    }
    return ok(
      cancelStockOrders.encodeResponse(
        orderIds.map((orderId) => ({ orderId, error: STOCK_CANCELED, message: 'Success' })),
      ),
    );
  };

const balanceHandler =
  (subAccounts: SubAccounts, brokerage: Brokerage): RestHandler =>
  (request) =>
    ofOwn(subAccounts, request, cashBalance.decodeRequest(request), (account) =>
      ok(cashBalance.encodeResponse([cashRowOf(subAccounts, brokerage, account)])),
    );

function cashRowOf(subAccounts: SubAccounts, brokerage: Brokerage, account: SubAccount): CashRow {
  const { accountNo, custodyCode, holder, type } = account;
  const head = { accountNo, custodyCode, name: holder };
  if (type === 'DERIVATIVE') {
    const figures = brokerage.account(accountId(custodyCode));
    const cash = figures?.cash ?? money(0);
    const withdrawable = figures?.withdrawable ?? money(0);
    return {
      ...head,
      cash,
      openingCash: money(subAccounts.openingCash(accountNo, brokerage.today(), cash)),
      withdrawable,
      buying: money(0),
      blocked: money(Math.max(0, cash - withdrawable)),
      purchasingPower: money(0),
    };
  }
  const { cash, blocked, available } = subAccounts.cash(accountNo) ?? { cash: 0, blocked: 0, available: 0 };
  return {
    ...head,
    cash: money(cash),
    openingCash: money(subAccounts.openingCash(accountNo, brokerage.today(), cash)),
    withdrawable: money(available),
    buying: money(blocked),
    blocked: money(blocked),
    purchasingPower: money(available),
  };
}

const packagesHandler =
  (subAccounts: SubAccounts): RestHandler =>
  (request) =>
    ofOwn(subAccounts, request, loanPackages.decodeRequest(request), ({ type, packages }) =>
      type === 'MARGIN'
        ? ok(loanPackages.encodeResponse(packages))
        : failedWith(404, 'This is no margin account'),
    );
