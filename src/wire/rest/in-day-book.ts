/** GET /khronos/v1/order/in-day: the book of normal orders of today, page by page (contract, 4.3). */
import { z } from 'zod';
import type {
  BrokerOrder,
  BrokerOrderSource,
  BrokerOrderStatus,
  FilledValue,
} from '../../domain/broker-order.ts';
import { type ContractSpec, formatPoints } from '../../domain/contract.ts';
import { brokerOrderKey, brokerOrderNo, clientOrderId, orderCode } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { type Issue, notParsed, type Parsed, parsed } from '../../domain/parsed.ts';
import { type Money, money, type PriceTicks, type Qty, qty } from '../../domain/units.ts';
import { inDayAnswer, type inDayRow } from '../answers/order-answers.ts';
import type { DriftCounter } from '../drift.ts';
import { decodeRows, type Envelope, refused, succeeded } from './envelope.ts';
import {
  codeText,
  idText,
  looseMoney,
  looseNumber,
  looseText,
  neededNumber,
  noteTextNumbers,
  parseWith,
} from './lenient.ts';
import { decodeStatus, encodeStatus } from './order-status.ts';
import { queryRequest, type RawRequest, type WireRequest } from './operation.ts';
import {
  accountCodeOf,
  ALL_SYMBOLS,
  shownPrice,
  sideCode,
  sideField,
  symbolFilterOf,
} from './trade-fields.ts';

/** What the in-day book is asked for (contract, 4.3). */

interface InDayParameters {
  readonly accountId: string;
  readonly pageNo: number;
  readonly pageSize: number;
}

type InDayStatusFilter = 'all' | 'waiting' | 'matched';

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

const STATUS_FILTERS: ReadonlyMap<string, InDayStatusFilter> = new Map([
  ['', 'all'],
  ['0', 'all'],
  ['1', 'waiting'],
  ['2', 'matched'],
]);

const inDayQuery = z
  .object({
    accountId: idText,
    pageNo: neededNumber,
    pageSize: neededNumber,
    symbol: looseText,
    orderType: looseText,
    status: looseText,
    refId: looseText,
  })
  .transform((raw, context): InDayAsked => {
    const status = STATUS_FILTERS.get(raw.status.trim());
    const filter = symbolFilterOf(raw.symbol);
    if (status === undefined) context.addIssue({ code: 'custom', path: ['status'], message: '0, 1 or 2' });
    if (filter === undefined) {
      context.addIssue({ code: 'custom', path: ['symbol'], message: 'ALL,ALL or ALL,B or <contract>,B' });
    }
    const { accountId, pageNo, pageSize, orderType, refId } = raw;
    return {
      accountId,
      pageNo,
      pageSize,
      symbol: filter?.symbol ?? null,
      side: filter?.side ?? null,
      orderType: orderType.trim(),
      status: status ?? 'all',
      refId: refId === '' ? null : refId,
    };
  });

/** All orders of all contracts: what is not looked at cannot be evidence (rulings, 8). */
const encodeInDayQuery = ({ accountId, pageNo, pageSize }: InDayParameters): WireRequest =>
  queryRequest({
    accountId,
    pageNo: String(pageNo),
    pageSize: String(pageSize),
    symbol: ALL_SYMBOLS,
    orderType: '',
    status: '0',
  });

const decodeInDayQuery = (raw: RawRequest): Parsed<InDayAsked> => parseWith(inDayQuery, raw.query, 'query');

const CMD = 'Web.Order.IndayOrder';

export interface InDayPageRead {
  readonly orders: readonly BrokerOrder[];
  /** Rows that could not be read: they may be any order. */
  readonly unreadable: readonly Issue[];
}

/** `contract` has two numbers in a row; an older document of the broker has texts only (notes, section 3). */
export type InDayStyle = 'contract' | 'texts';

const asTexts = (row: object): object =>
  Object.fromEntries(Object.entries(row).map(([key, value]) => [key, String(value)]));

export const inDayBook = {
  name: 'in-day',
  asks: inDayQuery,
  answers: inDayAnswer,
  method: 'GET',
  path: '/khronos/v1/order/in-day',
  encodeRequest: encodeInDayQuery,
  decodeRequest: decodeInDayQuery,
  encodeResponse: (rows: readonly InDayRow[], style: InDayStyle = 'contract'): Envelope => {
    const encoded = rows.map(encodeInDayRow);
    return succeeded(CMD, style === 'texts' ? encoded.map(asTexts) : encoded);
  },
  encodeRefusal: (code: number, text: string): Envelope => refused(CMD, code, text),
  decodeResponse: (json: unknown, specOf: SpecOf, drift: DriftCounter): Parsed<InDayPageRead> => {
    const rows = decodeRows(json, 'in-day', drift);
    if (!rows.ok) return rows;
    const orders: BrokerOrder[] = [];
    const unreadable: Issue[] = [];
    rows.value.forEach((raw, i) => {
      const order = decodeInDayRow(raw, `in-day.data[${i}]`, specOf, drift);
      if (order.ok) orders.push(order.value);
      else unreadable.push(order.issues[0]);
    });
    return parsed({ orders, unreadable });
  },
} as const;

/** One order of the in-day book (contract, 2.3; further keys from the notes, section 3). */

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
  /** Part of a bracket: the order it belongs to, or one of its exits. */
  readonly isBracket?: boolean;
}

const SOURCES: Readonly<Record<BrokerOrderSource, string>> = {
  user: 'USER',
  system: 'SYS',
  forced: 'FORCE',
  unstated: '',
};

function encodeInDayRow({
  order,
  filledValue,
  subAccountId,
  spec,
  time,
  cancelTime,
  isBracket = false,
}: InDayRow): z.output<typeof inDayRow> {
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
    product: isBracket ? 'SL/TP' : '',
    orderType: order.source === 'forced' ? 'F' : 'N',
    source: SOURCES[order.source],
  };
}

const averagePoints = (spec: ContractSpec, value: Money, quantity: Qty): string =>
  quantity === 0 ? '0' : (value / (quantity * spec.moneyPerHundredth * 100)).toFixed(4);

const WHOLE = 'a whole number, zero or more';
const isWhole = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

const row = z.looseObject({
  orderNo: codeText,
  pk_orderNo: looseText.catch(''),
  side: sideField,
  symbol: codeText,
  volume: looseNumber.pipe(z.number().refine(isWhole, WHOLE)),
  showPrice: looseText,
  matchVolume: looseNumber.pipe(z.number().refine(isWhole, WHOLE).optional()),
  status: looseText,
  isCancel: looseText,
  isAmend: looseText,
  refId: looseText,
  refID: looseText,
  matchPriceBQ: looseNumber.catch(undefined),
  matchValue: looseMoney.catch(undefined),
  quote: looseText,
  info: looseText.catch(''),
  orderType: looseText.catch(''),
  source: looseText.catch(''),
});

type Row = z.output<typeof row>;

const SOURCE_WORDS: ReadonlyMap<string, BrokerOrderSource> = new Map([
  ['USER', 'user'],
  ['SYS', 'system'],
  ['FORCE', 'forced'],
]);

export type SpecOf = (code: string) => ContractSpec | undefined;

/** A row that cannot be read whole is an issue: it may be any order. */
function decodeInDayRow(
  raw: unknown,
  where: string,
  specOf: SpecOf,
  drift: DriftCounter,
): Parsed<BrokerOrder> {
  const read = parseWith(row, raw, where);
  if (!read.ok) return read;
  noteTextNumbers(drift, 'in-day', raw, ['volume', 'matchVolume']);
  const fields = read.value;
  const spec = specOf(fields.symbol);
  if (spec === undefined) return notParsed(`${where}.symbol`, 'a contract that is known', fields.symbol);
  const limitPrice = shownPrice(fields.showPrice, spec, `${where}.showPrice`, 'in-day', drift);
  if (!limitPrice.ok) return limitPrice;
  const status = decodeStatus(fields.status, fields.quote);
  const filled = fields.matchVolume ?? 0;
  if (fields.matchVolume === undefined) {
    if (IS_MATCHED.has(status)) return notParsed(`${where}.matchVolume`, 'how much is matched', undefined);
    drift.count('in-day.matchVolume', 'nothing for a number');
  }
  const refId = (fields.refId === '' ? fields.refID : fields.refId).trim();
  const key = fields.pk_orderNo.trim();
  return parsed({
    orderNo: brokerOrderNo(fields.orderNo),
    orderKey: key === '' ? null : brokerOrderKey(key),
    refId: refId === '' ? null : clientOrderId(refId),
    orderCode: orderCode(fields.symbol),
    side: fields.side,
    qty: qty(fields.volume),
    limitPrice: limitPrice.value,
    filledQty: qty(filled),
    filledValue: filledValueFrom(
      {
        filledQty: filled,
        limitPrice: limitPrice.value,
        average: fields.matchPriceBQ,
        value: fields.matchValue,
      },
      spec,
      drift,
    ),
    status,
    statusText: `${fields.status}${fields.quote === '' ? '' : `/${fields.quote}`}`,
    canCancel: canCancelOf(fields, drift),
    canModify: fields.isAmend === '1',
    source: fields.orderType === 'F' ? 'forced' : (SOURCE_WORDS.get(fields.source) ?? 'unstated'),
    reason: fields.info,
  });
}

const IS_MATCHED: ReadonlySet<BrokerOrderStatus> = new Set<BrokerOrderStatus>([
  'matched',
  'matched_cancel_pending',
  'matched_canceled',
]);

/** Only a plain 0 forbids: an exit is not given up because a field was left out. The broker says no where it must. */
function canCancelOf({ isCancel }: Row, drift: DriftCounter): boolean {
  if (isCancel === '') drift.count('in-day.isCancel', 'missing');
  return isCancel !== '0';
}

/** Money of an order's fills, from the two figures that an in-day row may have: value and average price (rulings, 2). */

interface SaidOfFills {
  readonly filledQty: number;
  readonly limitPrice: PriceTicks | null;
  /** Points. */
  readonly average: number | undefined;
  readonly value: number | undefined;
}

/** Further from the limit price than a whole price band, it is not of these fills, or not in points and money. */
const FAR_FROM_LIMIT = 0.2;

/**
 * The value when it fits quantity and price, else what the average gives; both are the broker's. The unit of a value on
 * its own is not known, so it counts only beside an average or a limit price. With neither there is no figure here.
 */
function filledValueFrom(said: SaidOfFills, spec: ContractSpec, drift: DriftCounter): FilledValue | null {
  const { filledQty, limitPrice, average = 0, value = 0 } = said;
  if (filledQty === 0) return null;
  const unit = spec.hundredthsPerTick * spec.moneyPerHundredth;
  const atLimit = limitPrice === null ? undefined : limitPrice * filledQty * unit;
  const isPlausible = (amount: number): boolean =>
    Number.isSafeInteger(amount) &&
    amount > 0 &&
    (atLimit === undefined || Math.abs(amount - atLimit) <= atLimit * FAR_FROM_LIMIT);
  // Each fill is whole ticks, so their sum is whole units: the rounding of the average is undone.
  const averaged = Math.round((average * 100 * spec.moneyPerHundredth * filledQty) / unit) * unit;
  const fromAverage = isPlausible(averaged) ? averaged : undefined;
  const isBeside =
    fromAverage === undefined ? atLimit !== undefined : Math.abs(value - fromAverage) <= unit * filledQty;
  const fits = isBeside && value % unit === 0 && isPlausible(value);
  if (value !== 0 && !fits) drift.count('in-day.matchValue', 'does not fit volume and price');
  if (average !== 0 && fromAverage === undefined)
    drift.count('in-day.matchPriceBQ', 'does not fit the price');
  const chosen = fits ? value : fromAverage;
  return chosen === undefined ? null : { value: money(chosen), quality: 'average' };
}
