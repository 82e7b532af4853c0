/** The envelope of the `/khronos/` operations: `cmd`, `rc`, `rs`, `oID`, `data`, all five always sent (notes, 1). */
import { z } from 'zod';
import { type Issue, notParsed, type ParseResult, parsed, isRecord } from '../../domain/parsed.ts';
import { type DriftCounter, numberFromText } from '../drift.ts';
import { looseText, parseWith } from './lenient.ts';
import type { WireMessage } from './wire-message.ts';

export interface Envelope {
  readonly cmd: string;
  readonly rc: string;
  readonly rs: string;
  readonly oID: string;
  readonly data: unknown;
}

const SUCCESS = '1';
const SUCCESS_CODE = 1;

export const succeeded = (cmd: string, data: unknown, transactionId = ''): Envelope => ({
  cmd,
  rc: SUCCESS,
  rs: '',
  oID: transactionId,
  data,
});

/** A business refusal: HTTP 200, `rc` below 0 and the text in `rs`. */
export const refusalOf =
  (cmd: string) =>
  (code: number, text: string): Envelope => ({ cmd, rc: String(code), rs: text, oID: '', data: [] });

/** Answer and refusals of an operation whose envelope has one row; `idOf` gives its `oID`. */
export const rowAnswer = <Row>(
  cmd: string,
  row: Pick<WireMessage<Row>, 'encode'>,
  idOf: (source: Row) => string,
) => ({
  encodeResponse: (source: Row): Envelope => succeeded(cmd, [row.encode(source)], idOf(source)),
  encodeRefusal: refusalOf(cmd),
});

/** Only `rc` is a verdict: the other fields cannot make an answer unreadable. */
const schema = z.looseObject({
  rc: z.union([z.string(), z.number()]),
  rs: looseText.catch(''),
  data: z.unknown().optional(),
});

const TEXTS = ['cmd', 'rc', 'rs', 'oID'];

/** An envelope the broker answered with; `rc` other than 1 is the broker's refusal. */
type Answer =
  | { readonly kind: 'success'; readonly data: unknown }
  | { readonly kind: 'refused'; readonly code: string; readonly text: string };

export function decodeEnvelope(json: unknown, where: string, drift: DriftCounter): ParseResult<Answer> {
  if (!isRecord(json)) return notParsed(where, 'an object', json);
  const read = parseWith(schema, json, where);
  if (!read.ok) return read;
  const { rc, rs, data } = read.value;
  const code = typeof rc === 'number' ? rc : numberFromText(rc);
  // Anything but a number is no verdict: an order that was refused by mistake would be sent again.
  if (code === undefined) return notParsed(`${where}.rc`, 'a result code', rc);
  for (const key of TEXTS) {
    const value = json[key];
    if (value === undefined) drift.count(`${where}.${key}`, 'missing');
    else if (typeof value !== 'string') drift.count(`${where}.${key}`, 'not a text');
  }
  if (code === SUCCESS_CODE) return parsed<Answer>({ kind: 'success', data });
  return parsed<Answer>({ kind: 'refused', code: String(rc).trim(), text: rs });
}

/** A read: a refusal is an issue like any other, with the broker's code and text. */
export function decodeData(json: unknown, where: string, drift: DriftCounter): ParseResult<unknown> {
  const answer = decodeEnvelope(json, where, drift);
  if (!answer.ok) return answer;
  if (answer.value.kind === 'success') return parsed(answer.value.data);
  return notParsed(`${where}.rc`, 'rc 1', `${answer.value.code} ${answer.value.text}`.trim());
}

/** A read whose `data` is a list. Null is an empty one; a missing key is an error. */
export function decodeRows(
  json: unknown,
  where: string,
  drift: DriftCounter,
): ParseResult<readonly unknown[]> {
  const data = decodeData(json, where, drift);
  if (!data.ok) return data;
  if (Array.isArray(data.value)) return parsed<readonly unknown[]>(data.value);
  if (data.value !== null) return notParsed(`${where}.data`, 'a list', data.value);
  drift.count(`${where}.data`, 'null for a list');
  return parsed<readonly unknown[]>([]);
}

export interface BookPage<Order> {
  readonly orders: readonly Order[];
  /** Rows that could not be read: they may be any order. */
  readonly unreadable: readonly Issue[];
  /** Rows of contracts that are not configured: nothing of ours can be among them. */
  readonly foreign: number;
}

export function decodeBook<Order>(
  json: unknown,
  where: string,
  drift: DriftCounter,
  /** Null for a foreign row. */
  decodeRow: (raw: unknown, at: string) => ParseResult<Order | null>,
): ParseResult<BookPage<Order>> {
  const rows = decodeRows(json, where, drift);
  if (!rows.ok) return rows;
  const orders: Order[] = [];
  const unreadable: Issue[] = [];
  let foreign = 0;
  for (const [i, raw] of rows.value.entries()) {
    const order = decodeRow(raw, `${where}.data[${i}]`);
    if (order.ok && order.value !== null) orders.push(order.value);
    else if (order.ok) foreign += 1;
    else unreadable.push(order.issues[0]);
  }
  return parsed({ orders, unreadable, foreign });
}
