/** A handler for each operation of the contract. */
import { formatTime, type TradingDay, tradingDay } from '../../domain/civil-date.ts';
import { money, type PriceTicks, qty, tsUs } from '../../domain/units.ts';
import { contractList, derivatives } from '../../wire/rest/market-reads.ts';
import { exchangeToken, requestOtp } from '../../wire/rest/token-calls.ts';
import type { SubAccount, SubAccounts } from '../accounts/sub-accounts.ts';
import type { OtpService } from '../auth/otp-service.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import type { Readings } from '../simulator-options.ts';
import {
  accountHandler,
  answerPage,
  badRequest,
  type CustomerAccount,
  failedWith,
  type Handlers,
  NO_ACCOUNT,
  ok,
  refuse,
  type RestAnswer,
  restError,
  type RestHandler,
  type RestRequest,
  unreadable,
} from './handler.ts';
import { orderHandlers, type OrderParts, shownTrigger, triggerHandlers } from './order-handlers.ts';
import { randomBytes } from 'node:crypto';
import type { PositionFigures } from '../../venue/account/account-figures.ts';
import type { OrderReport, TriggerReport } from '../../venue/venue-event.ts';
import { accountStatus } from '../../wire/rest/account-status.ts';
import { closedPositions, openPositions, type SimulatedPosition } from '../../wire/rest/positions.ts';
import { deposit, transfer, withdraw } from '../../wire/rest/money-calls.ts';
import { profile } from '../../wire/rest/profile.ts';
import type { BrokerOrder } from '../../domain/broker-order.ts';
import { conditionBook, type ConditionBookQuery, type ConditionRow } from '../../wire/rest/condition-book.ts';
import {
  decodeStatus,
  encodeStatus,
  inDayBook,
  type InDayQuery,
  type InDayRow,
} from '../../wire/rest/in-day-book.ts';
import { formatDate } from '../../wire/rest/trade-fields.ts';
import type { ParseResult } from '../../domain/parsed.ts';
import {
  cancelStockOrders,
  cashBalance,
  type CashRow,
  loanPackages,
  STOCK_CANCELED,
  stockAssets,
} from '../../wire/rest/securities.ts';
import type { TradingCalendar } from '../../domain/calendar.ts';
import { type OrderOrigin, refusal } from '../../venue/venue-command.ts';
import { DEFAULT_RULES, type VenueRules } from '../../venue/venue-options.ts';

// The stock side of a sub-account: shares, cash, loan packages, and the cancel of waiting orders.

function stockHandlers(
  subAccounts: SubAccounts,
): Pick<Handlers, 'stock-assets' | 'cancel-stock-orders' | 'cash-balance' | 'loan-packages'> {
  /** For a sub-account of the customer's own; there is no envelope that could refuse another's. */
  const ofOwn =
    (
      operation: { decodeRequest(raw: RestRequest): ParseResult<string> },
      run: (account: SubAccount) => RestAnswer,
    ): RestHandler =>
    (request) => {
      const decoded = operation.decodeRequest(request);
      if (!decoded.ok) return badRequest(decoded.issues);
      const account = subAccounts.named(request.customer?.custodyCode ?? '', decoded.value);
      // Not 401 or 403: the token is good, there is just no such account for it.
      return account === undefined ? failedWith(404, 'There is no such account') : run(account);
    };
  return {
    'stock-assets': ofOwn(stockAssets, ({ accountNo }) =>
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
    ),
    'cancel-stock-orders': (request) => {
      const decoded = cancelStockOrders.decodeRequest(request);
      if (!decoded.ok) return unreadable(cancelStockOrders, decoded.issues);
      const { accountNo, orderIds } = decoded.value;
      const account = subAccounts.named(request.customer?.custodyCode ?? '', accountNo);
      if (account?.isActive !== true) return refuse(cancelStockOrders, NO_ACCOUNT);
      const { unknown } = subAccounts.cancelStockOrders(accountNo, orderIds);
      if (unknown !== null)
        return refuse(cancelStockOrders, refusal(-6014, `Order ${unknown} cannot be cancelled`));
      const rows = orderIds.map((orderId) => ({ orderId, error: STOCK_CANCELED, message: 'Success' }));
      return ok(cancelStockOrders.encodeResponse(rows));
    },
    'cash-balance': ofOwn(cashBalance, (account) =>
      ok(cashBalance.encodeResponse([cashRowOf(subAccounts, account)])),
    ),
    'loan-packages': ofOwn(loanPackages, ({ type, packages }) =>
      type === 'MARGIN'
        ? ok(loanPackages.encodeResponse(packages))
        : failedWith(404, 'This is no margin account'),
    ),
  };
}

function cashRowOf(subAccounts: SubAccounts, account: SubAccount): CashRow {
  const { accountNo, custodyCode, holder, type } = account;
  const { cash, blocked, available } = subAccounts.cash(account);
  const buysStock = type !== 'DERIVATIVE';
  return {
    accountNo,
    custodyCode,
    name: holder,
    cash: money(cash),
    openingCash: money(subAccounts.openingCash(account)),
    withdrawable: money(available),
    buying: money(buysStock ? blocked : 0),
    blocked: money(blocked),
    purchasingPower: money(buysStock ? available : 0),
  };
}

// The in-day book and the book of orders that wait: rows of an account in order of entry, filtered, page by page.

/** The filter's digits (contract, 4.3): an order has the kind of the order that sent it. */
const KINDS: Readonly<Record<OrderOrigin, string>> = {
  plain: '6',
  foreign: '6',
  stop: '6',
  trailing_stop: '6',
  arbitrage: '3',
  bracket: '4',
  exit: '4',
  forced: '5',
};

function inDayHandler({ brokerage, book, timeText, readings }: OrderParts): RestHandler {
  return accountHandler(inDayBook, (query, account) => {
    const rows = book
      .shown(brokerage.orders(account.accountId))
      .filter(({ order }) => isAskedFor(query, order));
    return answerPage(rows, query, (page) =>
      inDayBook.encodeResponse(
        page.map(({ order, statusText }): InDayRow => ({
          order: brokerOrderOf(order, statusText),
          filledValue: order.filledValue,
          subAccountId: account.subAccountId,
          spec: brokerage.spec,
          time: timeText(order.placedUs),
          cancelTime: order.canceledUs === null ? '' : timeText(order.canceledUs),
          isBracket: order.origin === 'bracket' || order.origin === 'exit',
        })),
        readings.inDayTypes,
      ),
    );
  });
}

function isAskedFor({ symbol, side, orderType, status, refId }: InDayQuery, order: OrderReport): boolean {
  if (symbol !== null && order.orderCode !== symbol) return false;
  if (side !== null && order.side !== side) return false;
  if (refId !== null && order.refId !== refId) return false;
  if (orderType !== '' && orderType !== KINDS[order.origin]) return false;
  if (status === 'waiting') return isWorking(order);
  return status === 'all' || order.filledQty > 0;
}

function isWorking({ status, filledQty, qty }: OrderReport): boolean {
  return filledQty < qty && status !== 'canceled' && status !== 'matched_canceled';
}

function brokerOrderOf(order: OrderReport, shownStatus: string | null): BrokerOrder {
  const status = shownStatus === null ? order.status : decodeStatus(shownStatus, '');
  const filledValue = order.filledQty === 0 ? null : { value: order.filledValue, quality: 'exact' as const };
  return { ...order, filledValue, status, statusText: encodeStatus(status).status };
}

/** Orders that wait for a trigger, and those that ended today. */
function triggerBookHandler(parts: OrderParts): RestHandler {
  return accountHandler(conditionBook, (query, account) => {
    const rows = parts.book
      .visible(
        'conditions',
        parts.brokerage.read((venue) => venue.triggers(account.accountId)),
      )
      .filter((row) => isTriggerAskedFor(query, row));
    return answerPage(rows, query, (page) =>
      conditionBook.encodeResponse(page.map((row) => triggerRowOf(row, account, parts))),
    );
  });
}

function isTriggerAskedFor({ symbol, side, status, kind }: ConditionBookQuery, row: TriggerReport): boolean {
  if (symbol !== null && row.orderCode !== symbol) return false;
  if (side !== null && row.side !== side) return false;
  if (status !== 'all' && row.status !== status) return false;
  // The filter has one word for stops of both kinds.
  return kind === 'all' || kind === (row.kind === 'trailing_stop' ? 'stop' : row.kind);
}

function triggerRowOf(row: TriggerReport, account: CustomerAccount, parts: OrderParts): ConditionRow {
  const { brokerage, timeText, triggerLife } = parts;
  const timeOf = (atUs: number | null): string => (atUs === null ? '' : timeText(atUs));
  return {
    order: { ...row, triggerPrice: shownTrigger(row), parent: row.parentOrderNo },
    subAccountId: account.subAccountId,
    spec: brokerage.spec,
    sentTime: timeText(row.placedUs),
    activeTime: timeOf(row.activatedUs),
    cancelTime: timeOf(row.canceledUs),
    validFrom: formatDate(row.day),
    validTo: formatDate(triggerLife === 'day' ? row.day : expiryOf(brokerage, row)),
  };
}

/** An order that has expired ended with its contract, today. */
const expiryOf = (brokerage: Brokerage, { orderCode, day }: TriggerReport): TradingDay =>
  brokerage.contractNamed(orderCode)?.expiry ?? day;

// Profile, money and margin, open positions, and money between sub-accounts: no move of money carries an id of the client.

function profileHandler(subAccounts: SubAccounts): RestHandler {
  return (request) => {
    const blocks = profile.decodeRequest(request);
    if (!blocks.ok) return badRequest(blocks.issues);
    const { customer } = request;
    // Not 401 or 403: the token is good, there is just no such profile for it.
    if (customer === undefined || request.params['custodyCode'] !== customer.custodyCode) {
      return failedWith(404, 'There is no such profile');
    }
    const { custodyCode, name } = customer;
    const rows = subAccounts.of(custodyCode).map(({ accountNo, type, isActive, isDefault }) => ({
      accountNo,
      accountType: type,
      isActive,
      isDefault,
    }));
    return ok(profile.encodeResponse({ custodyCode, name, subAccounts: rows }, blocks.value));
  };
}

function statusHandler(brokerage: Brokerage): RestHandler {
  return accountHandler(accountStatus, ({ fields }, { accountId }) => {
    const figures = brokerage.account(accountId);
    if (figures === undefined) return NO_ACCOUNT;
    const openProfit = brokerage.positions(accountId).reduce((sum, position) => sum + position.openProfit, 0);
    return accountStatus.encodeResponse({ ...figures, openProfit: money(openProfit) }, fields);
  });
}

function positionsHandler(brokerage: Brokerage): RestHandler {
  return accountHandler(openPositions, (_query, account) => {
    const open = brokerage.positions(account.accountId).filter(({ net }) => net !== 0);
    const exits = brokerage.read((venue) => venue.triggers(account.accountId)).filter(isWaitingExit);
    const rows = open.map((position) => rowOf(position, exits, brokerage));
    return openPositions.encodeResponse(rows, account.subAccountId);
  });
}

function closedHandler(brokerage: Brokerage, timeText: (atUs: number) => string): RestHandler {
  return accountHandler(closedPositions, (query, account) => {
    const rows = brokerage
      .read((venue) => venue.closedPositions(account.accountId))
      .filter(({ orderCode }) => query.symbol === null || orderCode === query.symbol)
      .map((row) => ({ ...row, time: timeText(row.lastClosedUs), spec: brokerage.spec }));
    return answerPage(rows, query, (page) =>
      closedPositions.encodeResponse(page, query.pageNo === 1 && rows.length > 0 ? rows : null),
    );
  });
}

const isWaitingExit = ({ kind, status }: TriggerReport): boolean => kind === 'exit' && status === 'pending';

const rowOf = (
  position: PositionFigures,
  exits: readonly TriggerReport[],
  { spec }: Brokerage,
): SimulatedPosition => ({
  ...position,
  qty: position.net,
  bought: { qty: position.boughtQty, value: position.boughtValue },
  sold: { qty: position.soldQty, value: position.soldValue },
  expiry: tradingDay(position.expiryDay),
  stopLoss: exitPrice(exits, position, 'stop_loss'),
  takeProfit: exitPrice(exits, position, 'take_profit'),
  spec,
});

/** The first of several exits to be reached: the row has room for one. */
function exitPrice(
  exits: readonly TriggerReport[],
  { orderCode, net }: PositionFigures,
  wanted: TriggerReport['half'],
): PriceTicks | null {
  const side = net > 0 ? 'sell' : 'buy';
  const prices = exits
    .filter((row) => row.orderCode === orderCode && row.side === side && row.half === wanted)
    .flatMap(({ triggerPrice }) => triggerPrice ?? [])
    .toSorted((a, b) => a - b);
  const isHighest = net > 0 === (wanted === 'stop_loss');
  return (isHighest ? prices.at(-1) : prices[0]) ?? null;
}

const ID_BYTES = 16;

function cashHandlers(subAccounts: SubAccounts): Pick<Handlers, 'deposit' | 'withdraw' | 'transfer'> {
  const move = (operation: typeof deposit | typeof withdraw): RestHandler =>
    accountHandler(operation, ({ amount }, account) => {
      const refused = subAccounts.moveMargin(operation.name, account.accountId, account.subAccountId, amount);
      return refused ?? operation.encodeResponse(randomBytes(ID_BYTES).toString('hex'));
    });
  return {
    deposit: move(deposit),
    withdraw: move(withdraw),
    transfer: (request) => {
      const decoded = transfer.decodeRequest(request);
      if (!decoded.ok) return unreadable(transfer, decoded.issues);
      const { customer } = request;
      if (customer === undefined) return refuse(transfer, NO_ACCOUNT);
      const { from, to, amount } = decoded.value;
      const refused = subAccounts.transfer(customer.custodyCode, from, to, amount);
      return refused === null ? ok(transfer.encodeResponse()) : refuse(transfer, refused);
    },
  };
}

interface HandlerParts extends Omit<OrderParts, 'timeText' | 'triggerLife'> {
  readonly otps: OtpService;
  readonly subAccounts: SubAccounts;
  readonly rules: Partial<VenueRules>;
  readonly calendar: TradingCalendar;
}

const CLOCK_LENGTH = 'HH:MM:SS'.length;

export function createHandlers(parts: HandlerParts): Handlers {
  const { otps, brokerage, subAccounts, readings, rules, calendar } = parts;
  const timeText = (atUs: number): string =>
    formatTime(tsUs(atUs), calendar.utcOffsetMinutes).slice(0, CLOCK_LENGTH);
  const { triggerLife } = { ...DEFAULT_RULES, ...rules };
  const orders: OrderParts = { ...parts, timeText, triggerLife };
  return {
    ...authHandlers(otps),
    profile: profileHandler(subAccounts),
    'account-status': statusHandler(brokerage),
    positions: positionsHandler(brokerage),
    'closed-positions': closedHandler(brokerage, timeText),
    ...orderHandlers(orders),
    'in-day': inDayHandler(orders),
    ...triggerHandlers(orders),
    conditions: triggerBookHandler(orders),
    ...marketHandlers(brokerage, readings),
    ...cashHandlers(subAccounts),
    ...stockHandlers(subAccounts),
  };
}

/** The only calls without a token (notes, 2). */
function authHandlers(otps: OtpService): Pick<Handlers, 'request-otp' | 'token'> {
  return {
    'request-otp': (request) => {
      const decoded = requestOtp.decodeRequest(request);
      if (!decoded.ok) return badRequest(decoded.issues);
      const outcome = otps.request(decoded.value.apiKey);
      return outcome.ok ? ok(requestOtp.encodeResponse(outcome.otpId)) : restError(400, outcome.error);
    },
    token: (request) => {
      const decoded = exchangeToken.decodeRequest(request);
      if (!decoded.ok) return badRequest(decoded.issues);
      const { apiKey, otp, otpId } = decoded.value;
      const outcome = otps.exchange({ apiKey, otp, otpId: otpId ?? null });
      return outcome.ok ? ok(exchangeToken.encodeResponse(outcome.token)) : restError(400, outcome.error);
    },
  };
}

function marketHandlers(
  brokerage: Brokerage,
  { contractList: style }: Readings,
): Pick<Handlers, 'derivatives' | 'contracts'> {
  return {
    derivatives: () => ok(derivatives.encodeResponse(brokerage.boards())),
    contracts: () =>
      ok(
        contractList.encodeResponse(
          brokerage.boards().map(({ contract }, at) => ({
            code: contract.streamCode,
            expiry: contract.expiry,
            frontMonth: at === 0,
          })),
          style,
        ),
      ),
  };
}
