/** What the golden answers say, in the words of the domain. */
import type { BrokerOrder } from '../../../src/domain/broker-order.ts';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { brokerOrderKey, brokerOrderNo, clientOrderId, orderCode } from '../../../src/domain/ids.ts';
import { money, priceHundredths, priceTicks, qty, signedQty } from '../../../src/domain/units.ts';
import type { AccountRow } from '../../../src/wire/rest/account-status.ts';
import type { QuoteRow } from '../../../src/wire/rest/market-reads.ts';
import type { InDayRow } from '../../../src/wire/rest/in-day-book.ts';
import type { SimulatedPosition } from '../../../src/wire/rest/positions.ts';
import { FRONT, VN30 } from './listed-contracts.ts';

export const ACCOUNT = '105C123456';
export const SUB_ACCOUNT = '105C123456A';

export const ORDER: BrokerOrder = {
  orderNo: brokerOrderNo('17'),
  orderKey: brokerOrderKey('7625320'),
  refId: clientOrderId('H.1234561731400000000'),
  orderCode: orderCode('VN30F2511'),
  side: 'buy',
  qty: qty(5),
  limitPrice: priceTicks(11_987),
  filledQty: qty(2),
  filledValue: { value: money(239_730_000), quality: 'average' },
  status: 'matched',
  statusText: 'PM',
  canCancel: true,
  canModify: false,
  source: 'user',
  reason: '',
};

export const IN_DAY_ROW: InDayRow = {
  order: ORDER,
  filledValue: money(239_730_000),
  subAccountId: SUB_ACCOUNT,
  spec: VN30,
  time: '09:15:00',
  cancelTime: '',
};

export const ACCOUNT_ROW: AccountRow = {
  cash: money(230_745_319),
  collateral: money(200_000_000),
  netAssetValue: money(230_213_019),
  initialMargin: money(49_047_300),
  dayProfit: money(-500_000),
  deliveryMargin: money(0),
  requiredMargin: money(49_579_600),
  buyingPower: money(110_420_400),
  usageBps: 2479,
  uncollected: money(32_300),
  brokerFee: money(0),
  exchangeFee: money(5_400),
  clearingFee: money(5_100),
  tax: money(21_800),
  withdrawable: money(150_000_000),
  topUp: money(0),
  openProfit: money(-400_000),
};

export const POSITION_ROW: SimulatedPosition = {
  orderCode: orderCode('VN30F2511'),
  qty: signedQty(-2),
  marginBps: 1_700,
  lastPrice: priceHundredths(129_900),
  openValue: money(260_000_000),
  bought: { qty: 0, value: money(0) },
  sold: { qty: 2, value: money(260_000_000) },
  longQty: 0,
  shortQty: 2,
  closableQty: 2,
  stopLoss: priceTicks(13_050),
  takeProfit: null,
  initialMargin: money(44_166_000),
  requiredMargin: money(44_166_000),
  dayProfit: money(200_000),
  openProfit: money(200_000),
  expiry: tradingDay('2025-11-20'),
  spec: VN30,
};

export const QUOTE_ROW: QuoteRow = {
  contract: FRONT,
  band: { ceiling: priceTicks(13_910), floor: priceTicks(12_090), reference: priceHundredths(130_012) },
  bids: [{ price: priceTicks(12_989), qty: qty(5) }],
  asks: [
    { price: priceTicks(12_991), qty: qty(3) },
    { price: priceTicks(12_992), qty: qty(1) },
  ],
  lastPrice: priceTicks(12_990),
  lastQty: qty(2),
  totalVolume: 120,
  openInterest: 45_000,
  day: {
    open: priceTicks(13_000),
    high: priceTicks(13_010),
    low: priceTicks(12_980),
    average: priceHundredths(129_945),
  },
};
