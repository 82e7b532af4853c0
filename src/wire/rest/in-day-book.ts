/** GET /khronos/v1/order/in-day (contract, 4.3 and 2.3; further keys from the notes, section 3). */
import { z } from 'zod';
import type { BrokerOrder, BrokerOrderSource, FilledValue } from '../../domain/broker-order.ts';
import { type ContractSpec, formatPoints, parsePoints } from '../../domain/contract.ts';
import { brokerOrderKey, brokerOrderNo, clientOrderId, orderCode } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { type Issue, notParsed, type Parsed, parsed } from '../../domain/parsed.ts';
import { type Money, money, type PriceTicks, type Qty, qty } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import { decodeData, type Envelope, refused, succeeded } from './envelope.ts';
import { idText, looseNumber, looseText, neededNumber, noteTextNumbers, parseWith } from './lenient.ts';
import { decodeStatus, encodeStatus } from './order-status.ts';
import { queryRequest, type RawRequest, type WireRequest } from './request.ts';
import { accountCodeOf, sideCode, sideField } from './side.ts';

const CMD = 'Web.Order.IndayOrder';

export interface InDayParameters {
  readonly accountId: string;
  readonly pageNo: number;
  readonly pageSize: number;
}

export type InDayStatusFilter = 'all' | 'waiting' | 'matched';

export interface InDayAsked {
  readonly accountId: string;
  readonly pageNo: number;
  readonly pageSize: number;
  /** Null for all. */
  readonly symbol: string | null;
  readonly side: Side | null;
  /** Empty for all, else the contract's digit. */
  readonly orderType: string;
  readonly status: InDayStatusFilter;
  /** Null for any. */
  readonly refId: string | null;
}

const STATUS_FILTERS: Readonly<Record<string, InDayStatusFilter>> = {
  '0': 'all',
  '': 'all',
  '1': 'waiting',
  '2': 'matched',
};

const request = z
  .looseObject({
    accountId: idText,
    pageNo: neededNumber,
    pageSize: neededNumber,
    symbol: looseText,
    orderType: looseText,
    status: looseText,
    refId: looseText,
  })
  .transform((raw, context): InDayAsked => {
    const status = STATUS_FILTERS[raw.status];
    const [symbol = '', side = ''] = raw.symbol.split(',').map((part) => part.trim());
    if (status === undefined) context.addIssue({ code: 'custom', message: 'status 0, 1 or 2' });
    return {
      accountId: raw.accountId,
      pageNo: raw.pageNo,
      pageSize: raw.pageSize,
      symbol: symbol === '' || symbol === 'ALL' ? null : symbol,
      side: side === 'B' ? 'buy' : side === 'S' ? 'sell' : null,
      orderType: raw.orderType,
      status: status ?? 'all',
      refId: raw.refId === '' ? null : raw.refId,
    };
  });

/** A row as the simulator knows it: the broker's view with its exact money and times. */
export interface InDayRow {
  readonly order: BrokerOrder;
  readonly filledValue: Money;
  readonly subAccountId: string;
  readonly spec: ContractSpec;
  /** `HH:MM:SS`. */
  readonly time: string;
  /** Empty while it is not canceled. */
  readonly cancelTime: string;
}

const SOURCES: Readonly<Record<BrokerOrderSource, string>> = {
  user: 'USER',
  system: 'SYS',
  forced: 'FORCE',
  unstated: '',
};

function encodeRow({ order, filledValue, subAccountId, spec, time, cancelTime }: InDayRow): object {
  const { status, quote } = encodeStatus(order.status);
  const price = order.limitPrice === null ? 'MTL' : formatPoints(spec, order.limitPrice);
  return {
    orderNo: order.orderNo,
    pk_orderNo: order.orderKey ?? '',
    side: sideCode(order.side),
    symbol: order.orderCode,
    volume: order.qty,
    showPrice: price,
    matchVolume: order.filledQty,
    status,
    isCancel: order.canCancel ? '1' : '0',
    isAmend: order.canModify ? '1' : '0',
    refId: order.refId ?? '',
    orderTime: time,
    accountCode: accountCodeOf(subAccountId),
    matchPriceBQ: averagePoints(spec, filledValue, order.filledQty),
    orderStatus: order.statusText,
    channel: 'I',
    group: 'FU',
    cancelTime,
    info: order.reason,
    maxPrice: price,
    matchValue: String(filledValue),
    quote,
    autoType: '',
    product: '',
    orderType: order.source === 'forced' ? 'F' : 'N',
    source: SOURCES[order.source],
  };
}

const averagePoints = (spec: ContractSpec, value: Money, quantity: Qty): string =>
  quantity === 0 ? '0' : (value / (quantity * spec.moneyPerHundredth * 100)).toFixed(4);

const row = z.looseObject({
  orderNo: idText,
  pk_orderNo: looseText,
  side: sideField,
  symbol: z.string().min(1),
  volume: neededNumber,
  showPrice: looseText,
  matchVolume: looseNumber,
  status: looseText,
  isCancel: looseText,
  isAmend: looseText,
  refId: looseText,
  refID: looseText,
  matchPriceBQ: looseNumber.catch(undefined),
  matchValue: looseNumber.catch(undefined),
  quote: looseText,
  info: looseText,
  orderType: looseText,
  source: looseText,
});

type Row = z.output<typeof row>;

const SOURCE_WORDS: Readonly<Record<string, BrokerOrderSource>> = {
  USER: 'user',
  SYS: 'system',
  FORCE: 'forced',
};

export interface InDayPageRead {
  readonly orders: readonly BrokerOrder[];
  /** Rows that could not be read: they may be any order. */
  readonly unreadable: readonly Issue[];
}

export type SpecOf = (code: string) => ContractSpec | undefined;

function decodeRow(raw: unknown, where: string, specOf: SpecOf, drift: DriftCounter): Parsed<BrokerOrder> {
  const read = parseWith(row, raw, where);
  if (!read.ok) return read;
  noteTextNumbers(drift, 'in-day', raw, ['volume', 'matchVolume']);
  const fields = read.value;
  const spec = specOf(fields.symbol);
  if (spec === undefined) return notParsed(`${where}.symbol`, 'a contract that is known', fields.symbol);
  const price = priceOf(fields.showPrice, spec, where);
  if (!price.ok) return price;
  const filled = fields.matchVolume ?? 0;
  if (!isWhole(fields.volume)) return notParsed(`${where}.volume`, 'a whole number', fields.volume);
  if (!isWhole(filled)) return notParsed(`${where}.matchVolume`, 'a whole number', filled);
  if (fields.orderNo === '') return notParsed(`${where}.orderNo`, 'an order number', fields.orderNo);
  const refId = (fields.refId === '' ? fields.refID : fields.refId).trim();
  const key = fields.pk_orderNo.trim();
  return parsed({
    orderNo: brokerOrderNo(fields.orderNo),
    orderKey: key === '' ? null : brokerOrderKey(key),
    refId: refId === '' ? null : clientOrderId(refId),
    orderCode: orderCode(fields.symbol.trim()),
    side: fields.side,
    qty: qty(fields.volume),
    limitPrice: price.value,
    filledQty: qty(filled),
    filledValue: filledValueOf(fields, filled, spec, drift),
    status: decodeStatus(fields.status, fields.quote),
    statusText: `${fields.status}${fields.quote === '' ? '' : `/${fields.quote}`}`,
    canCancel: fields.isCancel === '1',
    canModify: fields.isAmend === '1',
    source: fields.orderType === 'F' ? 'forced' : (SOURCE_WORDS[fields.source] ?? 'unstated'),
    reason: fields.info,
  });
}

const isWhole = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** `1198.7`, or for an order without a price of its own `MTL` and `MTL (1198)`: no limit then. */
function priceOf(text: string, spec: ContractSpec, where: string): Parsed<PriceTicks | null> {
  const trimmed = text.trim();
  if (trimmed === '' || /^[A-Z]/.test(trimmed)) return parsed(null);
  return parsePoints(spec, Number(trimmed), `${where}.showPrice`);
}

/** Money of the fills: the value when it fits quantity and average, else the average alone; both are the broker's. */
function filledValueOf(
  fields: Row,
  filled: number,
  spec: ContractSpec,
  drift: DriftCounter,
): FilledValue | null {
  if (filled === 0) return null;
  const unit = spec.hundredthsPerTick * spec.moneyPerHundredth;
  const fromAverage =
    fields.matchPriceBQ === undefined || fields.matchPriceBQ <= 0
      ? undefined
      : Math.round((fields.matchPriceBQ * 100 * spec.moneyPerHundredth * filled) / unit) * unit;
  const value = fields.matchValue;
  const fits =
    value !== undefined &&
    value > 0 &&
    value % unit === 0 &&
    (fromAverage === undefined || Math.abs(value - fromAverage) <= unit * filled);
  if (value !== undefined && !fits) drift.count('in-day.matchValue', 'does not fit volume and average');
  const chosen = fits ? value : fromAverage;
  return chosen === undefined ? null : { value: money(chosen), quality: 'average' };
}

const rowList = z.array(z.unknown());

export const inDayBook = {
  name: 'in-day',
  method: 'GET',
  path: '/khronos/v1/order/in-day',
  /** All orders of all contracts: what is not looked at cannot be evidence (rulings, 8). */
  encodeRequest: ({ accountId, pageNo, pageSize }: InDayParameters): WireRequest =>
    queryRequest({
      accountId,
      pageNo: String(pageNo),
      pageSize: String(pageSize),
      symbol: 'ALL,ALL',
      orderType: '',
      status: '0',
    }),
  decodeRequest: (raw: RawRequest): Parsed<InDayAsked> => parseWith(request, raw.query, 'query'),
  encodeResponse: (rows: readonly InDayRow[]): Envelope => succeeded(CMD, rows.map(encodeRow)),
  encodeRefusal: (code: number, text: string): Envelope => refused(CMD, code, text),
  decodeResponse: (json: unknown, specOf: SpecOf, drift: DriftCounter): Parsed<InDayPageRead> => {
    const data = decodeData(json, 'in-day', drift);
    if (!data.ok) return data;
    const list = parseWith(rowList, data.value ?? [], 'in-day.data');
    if (!list.ok) return list;
    const orders: BrokerOrder[] = [];
    const unreadable: Issue[] = [];
    list.value.forEach((raw, i) => {
      const order = decodeRow(raw, `in-day.data[${i}]`, specOf, drift);
      if (order.ok) orders.push(order.value);
      else unreadable.push(order.issues[0]);
    });
    return parsed({ orders, unreadable });
  },
} as const;
