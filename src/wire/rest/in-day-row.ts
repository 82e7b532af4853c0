/** One order of the in-day book (contract, 2.3; further keys from the notes, section 3). */
import type { inDayRow } from '../answers/order-answers.ts';
import { z } from 'zod';
import type { BrokerOrder, BrokerOrderSource, BrokerOrderStatus } from '../../domain/broker-order.ts';
import { type ContractSpec, formatPoints } from '../../domain/contract.ts';
import { brokerOrderKey, brokerOrderNo, clientOrderId, orderCode } from '../../domain/ids.ts';
import { notParsed, type Parsed, parsed } from '../../domain/parsed.ts';
import { type Money, type Qty, qty } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import { filledValueFrom } from './filled-value.ts';
import { codeText, looseMoney, looseNumber, looseText, noteTextNumbers, parseWith } from './lenient.ts';
import { decodeStatus, encodeStatus } from './order-status.ts';
import { shownPrice } from './shown-price.ts';
import { accountCodeOf, sideCode, sideField } from './side.ts';

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

export function encodeInDayRow({
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
export function decodeInDayRow(
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
