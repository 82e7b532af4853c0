/** A handler for each operation of the contract. */
import { formatTime } from '../../domain/civil-date.ts';
import { tsUs } from '../../domain/units.ts';
import { contractList, derivatives } from '../../wire/rest/market-reads.ts';
import { exchangeToken, requestOtp } from '../../wire/rest/token-calls.ts';
import type { MoneyTransfers } from '../accounts/money-transfers.ts';
import type { SubAccounts } from '../accounts/sub-accounts.ts';
import type { OtpService } from '../auth/otp-service.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import type { Readings } from '../simulator-options.ts';
import {
  cashHandlers,
  closedHandler,
  positionsHandler,
  profileHandler,
  statusHandler,
} from './account-handlers.ts';
import { inDayHandler, triggerBookHandler } from './book-handlers.ts';
import { badRequest, failed, type Handlers, ok } from './handler.ts';
import { orderHandlers, type OrderParts, triggerHandlers } from './order-handlers.ts';
import { stockHandlers } from './securities-handlers.ts';

interface HandlerParts extends Omit<OrderParts, 'timeText'> {
  readonly otps: OtpService;
  readonly subAccounts: SubAccounts;
  readonly money: MoneyTransfers;
  readonly utcOffsetMinutes: number;
}

const CLOCK_LENGTH = 'HH:MM:SS'.length;

export function createHandlers(parts: HandlerParts): Handlers {
  const { otps, brokerage, subAccounts, readings, utcOffsetMinutes } = parts;
  const timeText = (atUs: number): string => formatTime(tsUs(atUs), utcOffsetMinutes).slice(0, CLOCK_LENGTH);
  const orders: OrderParts = { ...parts, timeText };
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
    ...cashHandlers(parts.money),
    ...stockHandlers(subAccounts, brokerage),
  };
}

/** The only calls without a token (notes, 2). */
function authHandlers(otps: OtpService): Pick<Handlers, 'request-otp' | 'token'> {
  return {
    'request-otp': (request) => {
      const asked = requestOtp.decodeRequest(request);
      if (!asked.ok) return badRequest(asked.issues);
      const outcome = otps.request(asked.value.apiKey);
      return outcome.ok ? ok(requestOtp.encodeResponse(outcome.otpId)) : failed(400, outcome.error);
    },
    token: (request) => {
      const asked = exchangeToken.decodeRequest(request);
      if (!asked.ok) return badRequest(asked.issues);
      const { apiKey, otp, otpId } = asked.value;
      const outcome = otps.exchange({ apiKey, otp, otpId: otpId ?? null });
      return outcome.ok ? ok(exchangeToken.encodeResponse(outcome.token)) : failed(400, outcome.error);
    },
  };
}

/** The price list and the stream's codes. */
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
