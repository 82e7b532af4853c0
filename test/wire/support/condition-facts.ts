/** What the golden answers say of orders that wait, of closed positions and of the stock side. */
import type { BrokerTriggerOrder } from '../../../src/domain/broker-order.ts';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { brokerOrderKey, brokerOrderNo, orderCode } from '../../../src/domain/ids.ts';
import { money, priceTicks, qty } from '../../../src/domain/units.ts';
import type { CashRow, StockRow } from '../../../src/wire/rest/securities.ts';
import type { ClosedRow } from '../../../src/wire/rest/positions.ts';
import type { ConditionRow } from '../../../src/wire/rest/condition-book.ts';
import { ACCOUNT, SUB_ACCOUNT } from './broker-facts.ts';
import { VN30 } from './listed-contracts.ts';

export const CONDITION: BrokerTriggerOrder = {
  orderNo: brokerOrderNo('3'),
  orderKey: brokerOrderKey('7625321'),
  orderCode: orderCode('VN30F2511'),
  side: 'sell',
  qty: qty(2),
  limitPrice: priceTicks(11_950),
  kind: 'stop',
  triggerPrice: priceTicks(11_965),
  triggerWhen: 'at_or_below',
  status: 'activated',
  statusText: '1',
  children: [brokerOrderNo('18'), brokerOrderNo('19')],
  parent: null,
  lastDay: tradingDay('2025-11-14'),
};

export const CONDITION_ROW: ConditionRow = {
  order: CONDITION,
  subAccountId: SUB_ACCOUNT,
  spec: VN30,
  sentTime: '09:15:00',
  activeTime: '10:20:30',
  cancelTime: '',
  validFrom: '14/11/2025',
  validTo: '14/11/2025',
};

export const CLOSED_ROW: ClosedRow = {
  orderCode: orderCode('VN30F2511'),
  side: 'buy',
  closedQty: qty(3),
  totalQty: qty(4),
  openValue: money(390_100_000),
  closeValue: money(390_400_000),
  fee: money(10_500),
  tax: money(21_800),
  closedProfit: money(300_000),
  openProfit: money(-100_000),
  time: '10:20:30',
  spec: VN30,
};

export const STOCK_ROW: StockRow = {
  symbol: 'FPT',
  qty: qty(300),
  availableQty: qty(200),
  averagePrice: money(101_500),
  lastPrice: money(102_000),
};

export const CASH_ROW: CashRow = {
  accountNo: '0001234567',
  custodyCode: ACCOUNT,
  name: 'NGUYEN VAN A',
  cash: money(230_745_319),
  openingCash: money(250_000_000),
  withdrawable: money(200_000_000),
  buying: money(10_000_000),
  blocked: money(20_745_319),
  purchasingPower: money(210_000_000),
};
