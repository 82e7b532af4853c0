/** Profile, money and margin, open positions, and money between sub-accounts: no move of money carries an id of the client. */
import { randomBytes } from 'node:crypto';
import { tradingDay } from '../../domain/civil-date.ts';
import { money, type PriceTicks } from '../../domain/units.ts';
import type { PositionFigures } from '../../venue/account/account-figures.ts';
import type { TriggerReport } from '../../venue/venue-event.ts';
import { accountStatus } from '../../wire/rest/account-status.ts';
import { closedPositions } from '../../wire/rest/closed-positions.ts';
import { deposit, transfer, withdraw } from '../../wire/rest/money-calls.ts';
import { openPositions, type SimulatedPosition } from '../../wire/rest/open-positions.ts';
import { profile } from '../../wire/rest/profile.ts';
import type { MoneyTransfers } from '../accounts/money-transfers.ts';
import type { SubAccounts } from '../accounts/sub-accounts.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import {
  badRequest,
  accountHandler,
  answerPage,
  failedWith,
  type RestHandler,
  type Handlers,
  NO_ACCOUNT,
  ok,
  refuse,
  unreadable,
} from './handler.ts';

export function profileHandler(subAccounts: SubAccounts): RestHandler {
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

export function statusHandler(brokerage: Brokerage): RestHandler {
  return accountHandler(accountStatus, ({ fields }, { accountId: account }) => {
    const figures = brokerage.account(account);
    if (figures === undefined) return NO_ACCOUNT;
    const openProfit = brokerage.positions(account).reduce((sum, position) => sum + position.openProfit, 0);
    return accountStatus.encodeResponse({ ...figures, openProfit: money(openProfit) }, fields);
  });
}

export function positionsHandler(brokerage: Brokerage): RestHandler {
  return accountHandler(openPositions, (_asked, own) => {
    const open = brokerage.positions(own.accountId).filter(({ net }) => net !== 0);
    const exits = brokerage.read((venue) => venue.triggers(own.accountId)).filter(isWaitingExit);
    const rows = open.map((position) => rowOf(position, exits, brokerage));
    return openPositions.encodeResponse(rows, own.subAccountId);
  });
}

export function closedHandler(brokerage: Brokerage, timeText: (atUs: number) => string): RestHandler {
  return accountHandler(closedPositions, (asked, own) => {
    const rows = brokerage
      .read((venue) => venue.closedPositions(own.accountId))
      .filter(({ orderCode }) => asked.symbol === null || orderCode === asked.symbol)
      .map((row) => ({ ...row, time: timeText(row.lastClosedUs), spec: brokerage.spec }));
    return answerPage(rows, asked, (page) =>
      closedPositions.encodeResponse(page, asked.pageNo === 1 && rows.length > 0 ? rows : null),
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

/** Of several exits the first to be reached is shown: the row has room for one. */
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
const newTransactionId = (): string => randomBytes(ID_BYTES).toString('hex');

export function cashHandlers(transfers: MoneyTransfers): Pick<Handlers, 'deposit' | 'withdraw' | 'transfer'> {
  const move = (operation: typeof deposit | typeof withdraw): RestHandler =>
    accountHandler(operation, ({ amount }, own) => {
      const refusal = transfers[operation.name](own.accountId, own.subAccountId, amount);
      return refusal ?? operation.encodeResponse(newTransactionId());
    });
  return {
    deposit: move(deposit),
    withdraw: move(withdraw),
    transfer: (request) => {
      const asked = transfer.decodeRequest(request);
      if (!asked.ok) return unreadable(transfer, asked.issues);
      const { customer } = request;
      if (customer === undefined) return refuse(transfer, NO_ACCOUNT);
      const { from, to, amount } = asked.value;
      const refusal = transfers.transfer(customer.custodyCode, from, to, amount);
      return refusal === null ? ok(transfer.encodeResponse()) : refuse(transfer, refusal);
    },
  };
}
