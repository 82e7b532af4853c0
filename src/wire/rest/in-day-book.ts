/** GET /khronos/v1/order/in-day: the book of normal orders of today, page by page (contract, 4.3). */
import { inDayAnswer } from '../answers/order-answers.ts';
import type { BrokerOrder } from '../../domain/broker-order.ts';
import { type Issue, type Parsed, parsed } from '../../domain/parsed.ts';
import type { DriftCounter } from '../drift.ts';
import { decodeRows, type Envelope, refused, succeeded } from './envelope.ts';
import { decodeInDayQuery, encodeInDayQuery, inDayQuery } from './in-day-query.ts';
import { decodeInDayRow, encodeInDayRow, type InDayRow, type SpecOf } from './in-day-row.ts';

export type { InDayAsked } from './in-day-query.ts';
export type { InDayRow } from './in-day-row.ts';

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
