/** Right messages of the service, to be broken. */
import { money } from '../../src/domain/units.ts';
import { accountStatus } from '../../src/wire/rest/account-status.ts';
import { cancelOrder, changeOrder, placeOrder } from '../../src/wire/rest/order-calls.ts';
import { cancelStockOrders, cashBalance, loanPackages, stockAssets } from '../../src/wire/rest/securities.ts';
import { closedPositions, openPositions } from '../../src/wire/rest/positions.ts';
import { conditionBook } from '../../src/wire/rest/condition-book.ts';
import { cancelCondition, changeCondition, placeCondition } from '../../src/wire/rest/condition-calls.ts';
import { contractList, derivatives } from '../../src/wire/rest/market-reads.ts';
import { deposit, transfer, withdraw } from '../../src/wire/rest/money-calls.ts';
import { exchangeToken, requestOtp } from '../../src/wire/rest/token-calls.ts';
import { inDayBook } from '../../src/wire/rest/in-day-book.ts';
import type { OPERATIONS } from '../../src/wire/rest/operations.ts';
import { profile } from '../../src/wire/rest/profile.ts';
import {
  ACCOUNT_ROW,
  IN_DAY_ROW,
  ORDER,
  POSITION_ROW,
  QUOTE_ROW,
  SUB_ACCOUNT,
} from '../wire/support/broker-facts.ts';
import { CASH_ROW, CLOSED_ROW, CONDITION_ROW, STOCK_ROW } from '../wire/support/condition-facts.ts';
import { FRONT, VN30 } from '../wire/support/listed-contracts.ts';

export type OperationName = (typeof OPERATIONS)[number]['name'];

const { order: condition } = CONDITION_ROW;
const limitPrice = IN_DAY_ROW.order.limitPrice ?? QUOTE_ROW.band.floor;
const terms = {
  limitPrice,
  orderKey: condition.orderKey,
  spec: VN30,
  subAccountId: SUB_ACCOUNT,
  time: '09:00:00',
};
const placed = { ...ORDER, ...terms };
const waiting = { ...condition, ...terms, triggerPrice: limitPrice };

/** One answer of each operation. */
export const ANSWERS: Readonly<Record<OperationName, unknown>> = {
  'request-otp': requestOtp.encodeResponse('otp-id'),
  token: exchangeToken.encodeResponse('a.b.c'),
  profile: profile.encodeResponse(
    {
      custodyCode: '105C123456',
      name: 'A',
      subAccounts: [{ accountNo: '1', accountType: 'MARGIN', isActive: true, isDefault: false }],
    },
    ['basicInfo', 'bankSubAccounts'],
  ),
  'account-status': accountStatus.encodeResponse(ACCOUNT_ROW),
  positions: openPositions.encodeResponse([POSITION_ROW], SUB_ACCOUNT),
  'closed-positions': closedPositions.encodeResponse([CLOSED_ROW], [CLOSED_ROW]),
  place: placeOrder.encodeResponse({ ...placed, refId: 'H.1' }),
  change: changeOrder.encodeResponse(placed),
  cancel: cancelOrder.encodeResponse(placed),
  'in-day': inDayBook.encodeResponse([IN_DAY_ROW, IN_DAY_ROW]),
  'condition-place': placeCondition.encodeResponse(waiting),
  'condition-change': changeCondition.encodeResponse(waiting),
  'condition-cancel': cancelCondition.encodeResponse(),
  conditions: conditionBook.encodeResponse([CONDITION_ROW, CONDITION_ROW]),
  derivatives: derivatives.encodeResponse([QUOTE_ROW]),
  contracts: contractList.encodeResponse([{ code: 'A', expiry: FRONT.expiry, frontMonth: true }]),
  deposit: deposit.encodeResponse('0123456789abcdef'),
  withdraw: withdraw.encodeResponse('0123456789abcdef'),
  transfer: transfer.encodeResponse(),
  'stock-assets': stockAssets.encodeResponse([STOCK_ROW]),
  'cancel-stock-orders': cancelStockOrders.encodeResponse([{ orderId: '1', error: '0', message: '' }]),
  'cash-balance': cashBalance.encodeResponse([CASH_ROW]),
  'loan-packages': loanPackages.encodeResponse({
    packages: [{ id: 1, name: 'A', code: 'A', subscriptionFee: money(5), status: 'ACTIVE' }],
    tiered: [{ id: 2, name: 'B', firstRate: 6.8, status: 'ACTIVE' }],
  }),
};
