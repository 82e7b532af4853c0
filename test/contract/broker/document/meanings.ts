/** What the rows of an answer mean in the trade's words, written from the document and the notes: prices in ticks of 0.1. */
import type { Json } from './answer-check.ts';

const TICKS = 10;
const HUNDREDTHS = 100;

const number = (value: unknown): number => Number(value);
const ticks = (value: unknown): number => Math.round(number(value) * TICKS);
const hundredths = (value: unknown): number => Math.round(number(value) * HUNDREDTHS);
const side = (value: unknown): string => (value === 'B' ? 'buy' : 'sell');
const textOrNull = (value: unknown): unknown => (value === '' ? null : value);
/** dd/MM/yyyy to yyyy-MM-dd. */
const day = (value: unknown): string => (value as string).split('/').toReversed().join('-');

/** The broker's table of `status` and `quote`, letter by letter (notes, 3). */
const STATUSES: Readonly<Record<string, string>> = {
  'P G': 'queued',
  'P Y': 'resting',
  'PC G': 'modify_pending',
  'PC Y': 'modified',
  'PW ': 'cancel_pending',
  'PWX ': 'canceled',
  'PM ': 'matched',
  'PMW G': 'matched_cancel_pending',
  'PMWX Y': 'matched_canceled',
};
const SOURCES: Readonly<Record<string, string>> = { USER: 'user', SYS: 'system', FORCE: 'forced' };

export const normalOrder = (row: Json): object => ({
  orderNo: row['orderNo'],
  orderKey: row['pk_orderNo'],
  refId: textOrNull(row['refId']),
  orderCode: row['symbol'],
  side: side(row['side']),
  qty: row['volume'],
  limitPrice: ticks(row['showPrice']),
  filledQty: row['matchVolume'],
  filledValue: row['matchVolume'] === 0 ? null : { value: number(row['matchValue']), quality: 'average' },
  status: STATUSES[[row['status'], row['quote']].join(' ')],
  canCancel: row['isCancel'] === '1',
  canModify: row['isAmend'] === '1',
  source: SOURCES[row['source'] as string],
  reason: row['info'],
});

const CONDITION_STATUSES = ['pending', 'activated', 'canceled', 'rejected'];
const WHEN: Readonly<Record<string, string | null>> = {
  SL: 'at_or_above',
  SU: 'at_or_below',
  TSO: null,
  ABI: null,
};
const KINDS: Readonly<Record<string, string>> = {
  'Stop order': 'stop',
  'SL/TP': 'exit',
  Arbitrage: 'arbitrage',
};

export const conditionalOrder = (row: Json): object => ({
  orderNo: row['orderNo'],
  orderKey: row['pk_orderNo'],
  orderCode: row['symbol'],
  side: side(row['side']),
  qty: row['volume'],
  limitPrice: ticks(row['showPrice']),
  // The document has no word for a trailing stop: it is among the stops, with its own code.
  kind: row['orderType'] === 'TSO' ? 'trailing_stop' : KINDS[row['notes'] as string],
  triggerPrice: row['soPrice'] === 0 ? null : ticks(row['soPrice']),
  triggerWhen: WHEN[row['orderType'] as string],
  status: CONDITION_STATUSES[number(row['status'])],
  statusText: row['status'],
  children: row['details'] === '' ? [] : (row['details'] as string).split(','),
  parent: row['groupOrder'] === '' ? null : row['groupOrder'],
  lastDay: day(row['exp_time']),
});

export const openPosition = (row: Json): object => ({
  orderCode: row['symbol'],
  qty: row['net'],
  lastPrice: hundredths(row['lastPrice']),
  openProfit: row['vm_remain'],
});

export const closedPosition = (row: Json): object => ({
  orderCode: row['symbol'],
  side: side(row['side']),
  closedQty: number((row['closePosition'] as string).split('/')[0]),
  totalQty: number((row['closePosition'] as string).split('/')[1]),
  averageOpen: hundredths(row['openPrice']),
  averageClose: hundredths(row['closePrice']),
  fee: row['fee'],
  tax: row['tax'],
  closedProfit: row['closeVM'],
  openProfit: row['unrealize'],
  time: row['time'],
});

export const accountStatus = (data: Json): object => ({
  cash: data['cash'],
  netAssetValue: data['nav'],
  initialMargin: data['im'],
  requiredMargin: data['mr'],
  buyingPower: data['avaiColla'],
  profit: data['vm'],
  uncollected: data['others'],
  fee: number(data['feeCTCK']) + number(data['feeHNX']) + number(data['feePos']),
  tax: data['tax'],
  withdrawable: data['cashWithdraw'],
  usageBps: Math.round(number(data['tyle']) * HUNDREDTHS),
});

export const quote = (row: Json): object => ({
  orderCode: row['symbol'],
  ceiling: ticks(row['ceilPrice']),
  floor: ticks(row['floorPrice']),
  reference: hundredths(row['refPrice']),
  lastPrice: row['matchPrice'] === 0 ? null : ticks(row['matchPrice']),
  expiry: day(row['expiryDate']),
});

export const listed = (row: Json): object => ({ code: row['symbol'], expiry: day(row['expiryDate']) });

export const subAccount = (row: Json): object => ({
  accountNo: row['accountNo'],
  accountType: row['accountType'],
  isActive: row['status'] === '1',
  isDefault: row['isDefault'] === 'Y',
  name: row['accountName'],
  typeName: row['accountTypeName'],
  bankCode: row['bankCode'],
});

export const cashBalance = (row: Json): object => ({
  accountNo: row['accountNo'],
  cash: row['cashBalance'],
  balance: row['balance'],
  withdrawable: row['avlWithdraw'],
  buying: row['buyingAmount'],
  blocked: row['blockAmount'],
  purchasingPower: row['pp0'],
});
