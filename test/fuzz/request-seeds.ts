/** Right requests of a client, to be broken. */
import { brokerOrderKey, brokerOrderNo, clientOrderId, type OrderCode } from '../../src/domain/ids.ts';
import { money, priceTicks, qty } from '../../src/domain/units.ts';
import { accountStatus } from '../../src/wire/rest/account-status.ts';
import { cancelOrder, changeOrder, placeOrder } from '../../src/wire/rest/order-calls.ts';
import { cancelStockOrders } from '../../src/wire/rest/securities.ts';
import { closedPositions, openPositions } from '../../src/wire/rest/positions.ts';
import { conditionBook } from '../../src/wire/rest/condition-book.ts';
import { cancelCondition, changeCondition, placeCondition } from '../../src/wire/rest/condition-calls.ts';
import { deposit, transfer, withdraw } from '../../src/wire/rest/money-calls.ts';
import { exchangeToken, requestOtp } from '../../src/wire/rest/token-calls.ts';
import { inDayBook } from '../../src/wire/rest/in-day-book.ts';
import { profile } from '../../src/wire/rest/profile.ts';
import type { WireRequest } from '../../src/wire/rest/wire-message.ts';
import { VN30 } from '../wire/support/listed-contracts.ts';
import type { OperationName } from './answer-seeds.ts';

export interface Asker {
  readonly accountId: string;
  readonly subAccountId: string;
  readonly orderCode: OrderCode;
  readonly apiKey: string;
}

const NOTHING: WireRequest = { query: {}, body: undefined };
const PAGE = { pageNo: 1, pageSize: 20 };

/** One request of each operation. */
export function requestsOf({
  apiKey,
  orderCode,
  ...accounts
}: Asker): Readonly<Record<OperationName, WireRequest>> {
  const callId = clientOrderId('H.1234561731400000000');
  const order = {
    callId,
    orderCode,
    side: 'buy',
    qty: qty(1),
    limitPrice: priceTicks(19_000),
    spec: VN30,
  } as const;
  const named = { orderNo: brokerOrderNo('1'), orderKey: brokerOrderKey('7625320') };
  const cash = { ...accounts, amount: money(1_000), note: 'x' };
  return {
    'request-otp': requestOtp.encodeRequest(apiKey),
    token: exchangeToken.encodeRequest({ apiKey, otp: '000000', otpId: 'x' }),
    profile: profile.encodeRequest(),
    'account-status': accountStatus.encodeRequest(accounts),
    positions: openPositions.encodeRequest(accounts),
    'closed-positions': closedPositions.encodeRequest({ ...accounts, ...PAGE, symbol: orderCode }),
    place: placeOrder.encodeRequest({ ...accounts, ...order, clientOrderId: callId }),
    change: changeOrder.encodeRequest({ ...accounts, ...order, ...named }),
    cancel: cancelOrder.encodeRequest({ ...accounts, ...named, callId }),
    'in-day': inDayBook.encodeRequest({ ...accounts, ...PAGE }),
    'condition-place': placeCondition.encodeRequest({
      ...accounts,
      ...order,
      trigger: { kind: 'trailing_stop', activationPrice: priceTicks(19_000), trailingOffset: 5 },
    }),
    'condition-change': changeCondition.encodeRequest({
      ...accounts,
      ...order,
      ...named,
      triggerPrice: priceTicks(19_000),
    }),
    'condition-cancel': cancelCondition.encodeRequest({ ...accounts, ...named }),
    conditions: conditionBook.encodeRequest({ ...accounts, ...PAGE }),
    derivatives: NOTHING,
    contracts: NOTHING,
    deposit: deposit.encodeRequest(cash),
    withdraw: withdraw.encodeRequest(cash),
    transfer: transfer.encodeRequest({ from: 'a', to: 'b', amount: money(1), note: '' }),
    'stock-assets': NOTHING,
    'cancel-stock-orders': cancelStockOrders.encodeRequest(['1', '2']),
    'cash-balance': NOTHING,
    'loan-packages': NOTHING,
  };
}
