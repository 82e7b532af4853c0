/** What is written of normal orders (contract, 2.3 and 4.3; further keys from the notes, section 3). */
import { z } from 'zod';
import {
  accountCode,
  dateText,
  flag,
  number,
  orderKey,
  points,
  pointsText,
  rows,
  sideCode,
  symbol,
  text,
  timeText,
  whole,
} from './fields.ts';

const STATUS = 'P waiting or resting, PC change, PW cancel pending, PWX cancelled, PM matched, PMW, PMWX.';
const orderNo = text('Order number of the day.');

export const placedOrderRow = z.strictObject({
  symbol,
  status: text('P: newly placed.'),
  msg_type: text('1I.'),
  showPrice: pointsText('Price.'),
  orderTime: timeText('When it was entered.'),
  type: text('I.'),
  accountCode,
  orderNo,
  matchVolume: text('Matched volume.'),
  side: sideCode,
  volume: text('Contracts.'),
  pk_orderNo: orderKey,
  channel: text('I.'),
  refID: text("The client's own id."),
  group: text('FU.'),
  quote: text('G at the gateway, Y at the exchange.'),
});

export const changedOrderRow = z.strictObject({
  orderNo,
  status: text('PC: pending change.'),
  msg_type: text('1P.'),
  showPrice: pointsText('New price.'),
  volume: text('New volume.'),
  pk_orderNo: orderKey,
});

export const canceledOrderRow = z.strictObject({
  orderNo,
  status: text('PW: pending withdrawal.'),
  msg_type: text('1C.'),
  pk_orderNo: orderKey,
  cancelTime: timeText('When the cancel was asked for.'),
});

export const inDayRow = z.strictObject({
  orderNo,
  pk_orderNo: orderKey,
  side: sideCode,
  symbol,
  volume: whole('Contracts.'),
  showPrice: pointsText('Price.'),
  matchVolume: whole('Matched contracts.'),
  status: text(STATUS),
  isCancel: flag('1 can be cancelled.'),
  isAmend: flag('1 can be changed.'),
  refId: text("The client's own id; empty for orders of another channel."),
  orderTime: timeText('When it was entered.'),
  accountCode,
  matchPriceBQ: pointsText('Average match price.'),
  orderStatus: text('The same letters as status.'),
  channel: text('I.'),
  group: text('FU.'),
  cancelTime: timeText('When it was cancelled; empty while it is not.'),
  info: text('Reject reason.'),
  maxPrice: pointsText('Price.'),
  matchValue: text('Matched value, VND, as text.'),
  quote: text('G waiting for confirmation, Y confirmed.'),
  autoType: text('Empty.'),
  product: text('SL/TP for a bracket and its exits.'),
  orderType: text('N normal, F forced close.'),
  source: text('USER, SYS for the child of a conditional order, FORCE for a forced close.'),
});

export const placedConditionRow = z.strictObject({
  symbol,
  status: text('P: newly placed.'),
  msg_type: text('1I.'),
  showPrice: pointsText('Price of the order it sends.'),
  orderTime: timeText('When it was entered.'),
  accountCode,
  orderNo: whole('Number in the conditional book.'),
  matchVolume: number('0.'),
  side: sideCode,
  volume: text('Contracts.'),
  pk_orderNo: orderKey,
  channel: text('I.'),
  group: text('FU.'),
  quote: text('G.'),
});

export const changedConditionRow = z.strictObject({
  showPrice: pointsText('Activation price.'),
  price: pointsText('Price of the order it sends.'),
  volume: text('Contracts.'),
  pkOrderNo: orderKey,
  notes: text('SL/TP, Stop order or Arbitrage.'),
});

export const conditionRow = z.strictObject({
  orderNo: text('Number in the conditional book.'),
  pk_orderNo: orderKey,
  side: sideCode,
  symbol,
  showPrice: points('Price of the order it sends.'),
  volume: whole('Contracts.'),
  soPrice: points('Stop price; 0 where there is none.'),
  orderType: text('SL triggers at or above, SU at or below the stop price; TSO trailing; ABI arbitrage.'),
  status: text('0 pending, 1 activated, 2 cancelled, 3 rejected.'),
  notes: text('SL/TP, Stop order or Arbitrage.'),
  groupOrder: text('Number of the order a bracket belongs to.'),
  accountCode,
  active_time: timeText('When it triggered.'),
  send_time: timeText('When it was entered.'),
  cancel_time: timeText('When it was cancelled.'),
  channel: text('I.'),
  from_time: dateText('First day.'),
  exp_time: dateText('Last day.'),
  details: text('Numbers of the orders it sent, joined by commas.'),
});

export const placedOrderAnswer = rows(placedOrderRow);
export const changedOrderAnswer = rows(changedOrderRow);
export const canceledOrderAnswer = rows(canceledOrderRow);
export const inDayAnswer = rows(inDayRow);
export const placedConditionAnswer = rows(placedConditionRow);
export const changedConditionAnswer = rows(changedConditionRow);
export const canceledConditionAnswer = rows(z.never());
export const conditionBookAnswer = rows(conditionRow);
