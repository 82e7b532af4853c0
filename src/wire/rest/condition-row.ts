/** One order of the conditional book (contract, 2.4; further keys from the notes, section 4). */
import type { conditionRow } from '../answers/order-answers.ts';
import { z } from 'zod';
import type { BrokerTriggerOrder } from '../../domain/broker-order.ts';
import { type ContractSpec, parsePoints, pointsOf } from '../../domain/contract.ts';
import { brokerOrderKey, type BrokerOrderNo, brokerOrderNo, orderCode } from '../../domain/ids.ts';
import { notParsed, type Parsed, parsed } from '../../domain/parsed.ts';
import { type PriceTicks, qty } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import {
  decodeConditionKind,
  decodeConditionStatus,
  encodeConditionNotes,
  encodeConditionStatus,
  shownTriggerCode,
  whenFromShownCode,
} from './condition-codes.ts';
import type { SpecOf } from './in-day-row.ts';
import { codeText, looseNumber, looseText, noteTextNumbers, parseWith } from './lenient.ts';
import { shownPrice } from './shown-price.ts';
import { accountCodeOf, sideCode, sideField } from './side.ts';

/** A row as the simulator knows it. Of a trailing stop that waits for its activation, `triggerPrice` is that price. */
export interface ConditionRow {
  readonly order: Omit<BrokerTriggerOrder, 'statusText'>;
  /** What holds the two halves of a bracket together: the number of their order; empty for others. */
  readonly groupOrder: string;
  readonly subAccountId: string;
  readonly spec: ContractSpec;
  /** Texts of moments, empty while they have not come; `validFrom` and `validTo` are `dd/MM/yyyy`, the rest `HH:MM:SS`. */
  readonly sentTime: string;
  readonly activeTime: string;
  readonly cancelTime: string;
  readonly validFrom: string;
  readonly validTo: string;
}

export function encodeConditionRow(row: ConditionRow): z.output<typeof conditionRow> {
  const { order, spec } = row;
  return {
    orderNo: order.orderNo,
    pk_orderNo: order.orderKey,
    side: sideCode(order.side),
    symbol: order.orderCode,
    showPrice: pointsOrNothing(spec, order.limitPrice),
    volume: order.qty,
    soPrice: pointsOrNothing(spec, order.triggerPrice),
    orderType: shownTriggerCode(order.kind, order.triggerWhen),
    status: encodeConditionStatus(order.status),
    notes: encodeConditionNotes(order.kind),
    groupOrder: row.groupOrder,
    accountCode: accountCodeOf(row.subAccountId),
    active_time: row.activeTime,
    send_time: row.sentTime,
    cancel_time: row.cancelTime,
    channel: 'I',
    from_time: row.validFrom,
    exp_time: row.validTo,
    details: order.children.join(','),
  };
}

const pointsOrNothing = (spec: ContractSpec, price: PriceTicks | null): number =>
  price === null ? 0 : pointsOf(spec, price);

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value > 0;

const row = z.looseObject({
  orderNo: codeText,
  pk_orderNo: looseText,
  pkOrderNo: looseText,
  side: sideField,
  symbol: codeText,
  volume: looseNumber.pipe(z.number().refine(isCount, 'a whole number above zero')),
  showPrice: looseText,
  soPrice: looseNumber,
  orderType: looseText,
  status: looseText,
  notes: looseText,
  details: z.union([looseText, z.array(looseText).transform((list) => list.join(','))]).catch(''),
});

const NUMBERS = ['showPrice', 'volume', 'soPrice'];

/** A row that cannot be read whole is an issue: it may be any order. */
export function decodeConditionRow(
  raw: unknown,
  where: string,
  specOf: SpecOf,
  drift: DriftCounter,
): Parsed<BrokerTriggerOrder> {
  const read = parseWith(row, raw, where);
  if (!read.ok) return read;
  const fields = read.value;
  noteTextNumbers(drift, 'conditions', raw, NUMBERS);
  const spec = specOf(fields.symbol);
  if (spec === undefined) return notParsed(`${where}.symbol`, 'a contract that is known', fields.symbol);
  const key = (fields.pk_orderNo === '' ? fields.pkOrderNo : fields.pk_orderNo).trim();
  // Change and cancel go by the key: a row without one is out of reach.
  if (key === '') return notParsed(`${where}.pk_orderNo`, 'an order key', fields.pk_orderNo);
  const limitPrice = shownPrice(fields.showPrice, spec, `${where}.showPrice`, 'conditions', drift);
  if (!limitPrice.ok) return limitPrice;
  const triggerPrice = triggerOf(fields.soPrice, spec, `${where}.soPrice`);
  if (!triggerPrice.ok) return triggerPrice;
  const status = decodeConditionStatus(fields.status);
  const kind = decodeConditionKind(fields.notes, fields.orderType);
  if (kind === 'unrecognized') drift.count('conditions.notes', 'a kind nobody knows');
  if (status === 'unrecognized') drift.count('conditions.status', 'a status nobody knows');
  return parsed({
    orderNo: brokerOrderNo(fields.orderNo),
    orderKey: brokerOrderKey(key),
    orderCode: orderCode(fields.symbol),
    side: fields.side,
    qty: qty(fields.volume),
    limitPrice: limitPrice.value,
    kind,
    triggerPrice: triggerPrice.value,
    triggerWhen: whenFromShownCode(fields.orderType),
    status,
    statusText: fields.status.trim(),
    children: childrenOf(fields.details),
  });
}

/** Nothing and 0 are no price: an arbitrage order has no trigger. */
function triggerOf(points: number | undefined, spec: ContractSpec, path: string): Parsed<PriceTicks | null> {
  if (points === undefined || points === 0) return parsed<PriceTicks | null>(null);
  if (points < 0) return notParsed(path, 'a price', points);
  return parsePoints(spec, points, path);
}

const childrenOf = (details: string): readonly BrokerOrderNo[] =>
  details
    .split(/[\s,;]+/)
    .filter((text) => text !== '')
    .map(brokerOrderNo);
