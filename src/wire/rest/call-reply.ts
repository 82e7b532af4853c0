/** Outcome of a call that moves orders, money or shares, from the bytes of its answer (rulings, 7). */
import { z } from 'zod';
import type { CallOutcome, CallReceipt } from '../../domain/broker-order.ts';
import { brokerOrderKey, brokerOrderNo } from '../../domain/ids.ts';
import { parseJson, isRecord, type JsonRecord } from '../../domain/parsed.ts';
import type { DriftCounter } from '../drift.ts';
import { decodeEnvelope } from './envelope.ts';
import { codeText, idText, issueText, looseText } from './lenient.ts';
import { TRANSFERRED } from './money-calls.ts';
import { STOCK_CANCELED } from './securities.ts';
import type { NamedOrder } from './trade-fields.ts';

export interface HttpReply {
  readonly httpStatus: number;
  readonly text: string;
}

type FailedOutcome = Extract<CallOutcome, { readonly status: 'rejected' | 'unknown' }>;

const unknown = (reason: string): FailedOutcome => ({ status: 'unknown', reason });

/** Token no longer accepted, or too many calls: neither shows whether the call was carried out (rulings, 7). */
const NO_VERDICT: ReadonlySet<number> = new Set([401, 403, 429]);

/** Text first, then JSON: the answer that may be a verdict, or why there is none. */
function readReply({ httpStatus, text }: HttpReply): { readonly json: unknown } | FailedOutcome {
  if (NO_VERDICT.has(httpStatus) || httpStatus >= 500) return unknown(`HTTP ${httpStatus}`);
  const json = jsonOf(text);
  return json === undefined ? unknown(`HTTP ${httpStatus}, the answer is not JSON`) : { json };
}

/** Undefined for HTML from a proxy, for example. */
export function jsonOf(text: string): unknown {
  const json = parseJson(text, 'answer');
  return json.ok ? json.value : undefined;
}

/** Of all refusals of a cancel, the one that says of the order that nothing of it can fill any more (notes, 3). */
const ALREADY_MATCHED = '-8004';

/** Only that refusal proves an order over: "cannot be canceled" also comes during a cancel, "not found" of a book that cannot show it. */
export const endsOrder = ({ code }: Extract<CallOutcome, { readonly status: 'rejected' }>): boolean =>
  code === ALREADY_MATCHED;

/** An envelope of success; `first` is its only row, or `data` where that is no list. */
interface Success {
  readonly json: JsonRecord;
  readonly isList: boolean;
  readonly first: unknown;
}

/** Only a parsed envelope is a verdict, everything else leaves the outcome unknown. */
function envelopeVerdict(reply: HttpReply, operation: string, drift: DriftCounter): Success | FailedOutcome {
  const read = readReply(reply);
  if ('status' in read) return read;
  const answer = decodeEnvelope(read.json, operation, drift);
  if (!answer.ok) return unknown(`HTTP ${reply.httpStatus}, ${issueText(answer.issues)}`);
  if (answer.value.kind === 'refused') {
    return { status: 'rejected', code: answer.value.code, text: answer.value.text };
  }
  // Success under an error status is a contradiction, not a verdict.
  if (reply.httpStatus !== 200) return unknown(`HTTP ${reply.httpStatus} with rc 1`);
  const { data } = answer.value;
  const isList = Array.isArray(data);
  return { json: isRecord(read.json) ? read.json : {}, isList, first: isList ? data[0] : data };
}

const placedRow = z.object({ orderNo: codeText, pk_orderNo: looseText.catch('') });

/** Of a place, a change, a cancel of a normal order, and of a conditional place. */
export function classifyCallReply(reply: HttpReply, operation: string, drift: DriftCounter): CallOutcome {
  const verdict = envelopeVerdict(reply, operation, drift);
  if ('status' in verdict) return verdict;
  const row = placedRow.safeParse(verdict.first).data;
  if (row === undefined) return unknown('rc 1 without an order number');
  if (!verdict.isList) drift.count(`${operation}.data`, 'not a list');
  const key = row.pk_orderNo.trim();
  return {
    status: 'accepted',
    orderNo: brokerOrderNo(row.orderNo),
    orderKey: key === '' ? null : brokerOrderKey(key),
  };
}

const conditionRow = z.object({ pkOrderNo: idText.optional(), pk_orderNo: looseText.catch('') });

/** Of a change or a cancel of a conditional order: their answers name no order number (contract, 4.3). */
export function classifyConditionReply(
  reply: HttpReply,
  operation: string,
  { orderNo, orderKey }: NamedOrder,
  drift: DriftCounter,
): CallOutcome {
  const verdict = envelopeVerdict(reply, operation, drift);
  if ('status' in verdict) return verdict;
  const row = conditionRow.safeParse(verdict.first).data;
  const received = row?.pkOrderNo ?? row?.pk_orderNo.trim() ?? '';
  // An acceptance of another order is no verdict on this one.
  if (received !== '' && received !== orderKey) return unknown(`rc 1 for order key ${received}`);
  return { status: 'accepted', orderNo, orderKey };
}

const transaction = z.object({ transactionId: looseText.catch('') });

/** Deposit and withdrawal: the id is in `data` of the one, in `oID` of the other. */
export function classifyCashReply(reply: HttpReply, operation: string, drift: DriftCounter): CallReceipt {
  const verdict = envelopeVerdict(reply, operation, drift);
  if ('status' in verdict) return verdict;
  const received = transaction.safeParse(verdict.first).data?.transactionId.trim() ?? '';
  const id = received === '' ? (looseText.safeParse(verdict.json['oID']).data ?? '').trim() : received;
  return { status: 'accepted', transactionId: id === '' ? null : id };
}

/** Answers without an envelope: one field is the verdict; without it there is none. */
const classifyByField =
  (key: 'code' | 'error', success: string) =>
  (reply: HttpReply, operation: string, drift: DriftCounter): CallReceipt => {
    const read = readReply(reply);
    if ('status' in read) return read;
    const json = isRecord(read.json) ? read.json : {};
    const received = idText.safeParse(json[key]).data ?? '';
    const { httpStatus } = reply;
    if (received === '') return unknown(`HTTP ${httpStatus} without ${key}`);
    if (typeof json[key] !== 'string') drift.count(`${operation}.${key}`, 'not a text');
    if (received !== success) {
      return { status: 'rejected', code: received, text: looseText.safeParse(json['message']).data ?? '' };
    }
    if (httpStatus !== 200) return unknown(`HTTP ${httpStatus} with ${key} ${success}`);
    return { status: 'accepted', transactionId: null };
  };

export const classifyTransferReply = classifyByField('code', TRANSFERRED);
export const classifyStockCancelReply = classifyByField('error', STOCK_CANCELED);
