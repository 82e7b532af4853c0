/** GET /khronos/v1/order/condition/detail: the book of conditional orders, page by page (contract, 4.3). */
import { conditionBookAnswer } from '../answers/order-answers.ts';
import type { BrokerTriggerOrder } from '../../domain/broker-order.ts';
import { type Issue, type Parsed, parsed } from '../../domain/parsed.ts';
import type { DriftCounter } from '../drift.ts';
import { conditionQuery, decodeConditionQuery, encodeConditionQuery } from './condition-query.ts';
import { type ConditionRow, decodeConditionRow, encodeConditionRow } from './condition-row.ts';
import { decodeRows, type Envelope, refused, succeeded } from './envelope.ts';
import type { SpecOf } from './in-day-row.ts';

export type { ConditionBookAsked } from './condition-query.ts';
export type { ConditionRow } from './condition-row.ts';

const CMD = 'Web.Order.ConditionOrder';

export interface ConditionPageRead {
  readonly orders: readonly BrokerTriggerOrder[];
  /** Rows that could not be read: they may be any order. */
  readonly unreadable: readonly Issue[];
}

export const conditionBook = {
  name: 'conditions',
  asks: conditionQuery,
  answers: conditionBookAnswer,
  method: 'GET',
  path: '/khronos/v1/order/condition/detail',
  encodeRequest: encodeConditionQuery,
  decodeRequest: decodeConditionQuery,
  encodeResponse: (rows: readonly ConditionRow[]): Envelope => succeeded(CMD, rows.map(encodeConditionRow)),
  encodeRefusal: (code: number, text: string): Envelope => refused(CMD, code, text),
  decodeResponse: (json: unknown, specOf: SpecOf, drift: DriftCounter): Parsed<ConditionPageRead> => {
    const rows = decodeRows(json, 'conditions', drift);
    if (!rows.ok) return rows;
    const orders: BrokerTriggerOrder[] = [];
    const unreadable: Issue[] = [];
    rows.value.forEach((raw, i) => {
      const order = decodeConditionRow(raw, `conditions.data[${i}]`, specOf, drift);
      if (order.ok) orders.push(order.value);
      else unreadable.push(order.issues[0]);
    });
    return parsed({ orders, unreadable });
  },
} as const;
