/** What became of a place, change or cancel, from the bytes of its answer (rulings, 7). */
import { z } from 'zod';
import type { CallOutcome, CallReceipt } from '../../domain/broker-order.ts';
import { brokerOrderKey, type BrokerOrderKey, brokerOrderNo, type BrokerOrderNo } from '../../domain/ids.ts';
import type { DriftCounter } from '../drift.ts';
import { isRecord, type JsonRecord } from '../json.ts';
import { STOCK_CANCELED } from './securities.ts';
import { decodeEnvelope } from './envelope.ts';
import { idText, issueText, looseText } from './lenient.ts';
import { TRANSFERRED } from './money-calls.ts';

export interface HttpReply {
  readonly httpStatus: number;
  readonly text: string;
}

const acceptedRow = z.looseObject({
  orderNo: idText.refine((text) => text !== ''),
  pk_orderNo: looseText.catch(''),
});

/** The token is no longer accepted, or too many calls: what became of the bytes is not said (rulings, 7). */
const NO_VERDICT: ReadonlySet<number> = new Set([401, 403, 429]);

/** The JSON of an answer that may be a verdict, or why there is none. */
export type ReplyRead =
  | { readonly kind: 'json'; readonly json: unknown }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Text first, then JSON. */
function readReply({ httpStatus, text }: HttpReply): ReplyRead {
  if (NO_VERDICT.has(httpStatus) || httpStatus >= 500) {
    return { kind: 'unknown', reason: `HTTP ${httpStatus}` };
  }
  const json = jsonOf(text);
  return json === undefined
    ? { kind: 'unknown', reason: `HTTP ${httpStatus}, the answer is not JSON` }
    : { kind: 'json', json };
}

/** What an answer that says success says besides, or why it does not mean it. */
export type Verdict =
  | { readonly kind: 'success'; readonly json: JsonRecord; readonly data: unknown }
  | NotAccepted;
type NotAccepted = Extract<CallOutcome, { readonly status: 'rejected' | 'unknown' }>;

/** Only a parsed envelope is a verdict, everything else leaves the outcome unknown. */
function envelopeVerdict(reply: HttpReply, operation: string, drift: DriftCounter): Verdict {
  const read = readReply(reply);
  if (read.kind === 'unknown') return unknown(read.reason);
  const answer = decodeEnvelope(read.json, operation, drift);
  if (!answer.ok) return unknown(`HTTP ${reply.httpStatus}, ${issueText(answer.issues)}`);
  if (answer.value.kind === 'refused') {
    return { status: 'rejected', code: answer.value.code, text: answer.value.text };
  }
  // Success under a status that says otherwise is a contradiction, not a verdict.
  if (reply.httpStatus !== 200) return unknown(`HTTP ${reply.httpStatus} with rc 1`);
  return { kind: 'success', json: isRecord(read.json) ? read.json : {}, data: answer.value.data };
}

/** Of a place, a change, a cancel of a normal order, and of a conditional place. */
export function classifyCallReply(reply: HttpReply, operation: string, drift: DriftCounter): CallOutcome {
  const verdict = envelopeVerdict(reply, operation, drift);
  if (!('kind' in verdict)) return verdict;
  const { data } = verdict;
  const first = acceptedRow.safeParse(Array.isArray(data) ? data[0] : data);
  if (!first.success) return unknown('rc 1 without an order number');
  if (!Array.isArray(data)) drift.count(`${operation}.data`, 'not a list');
  const key = first.data.pk_orderNo.trim();
  return {
    status: 'accepted',
    orderNo: brokerOrderNo(first.data.orderNo),
    orderKey: key === '' ? null : brokerOrderKey(key),
  };
}

const unknown = (reason: string): NotAccepted => ({ status: 'unknown', reason });

/** Undefined for what is not JSON, HTML from a proxy for example. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON is an answer here: the caller says what follows.
    return undefined;
  }
}

/** What became of a change or a cancel of a conditional order: their answers name no order number (contract, 4.3). */

/** The order the call was about: what an acceptance is of. */
interface AskedCondition {
  readonly orderNo: BrokerOrderNo;
  readonly orderKey: BrokerOrderKey;
}

const conditionRow = z.looseObject({ pkOrderNo: idText.optional(), pk_orderNo: looseText.catch('') });

export function classifyConditionReply(
  reply: HttpReply,
  operation: string,
  { orderNo, orderKey }: AskedCondition,
  drift: DriftCounter,
): CallOutcome {
  const verdict = envelopeVerdict(reply, operation, drift);
  if (!('kind' in verdict)) return verdict;
  const { data } = verdict;
  const first = conditionRow.safeParse(Array.isArray(data) ? data[0] : data);
  const said = first.success ? (first.data.pkOrderNo ?? first.data.pk_orderNo.trim()) : '';
  // An acceptance of another order says nothing about this one.
  if (said !== '' && said !== orderKey) return { status: 'unknown', reason: `rc 1 for order key ${said}` };
  return { status: 'accepted', orderNo, orderKey };
}

/** What became of a call that moves money or stock orders. Only a verdict in the operation's own form counts (rulings, 7). */

const transaction = z.looseObject({ transactionId: looseText.catch('') });

/** Deposit and withdrawal: the id stands in `data` of the one, in `oID` of the other. */
export function classifyCashReply(reply: HttpReply, operation: string, drift: DriftCounter): CallReceipt {
  const verdict = envelopeVerdict(reply, operation, drift);
  if (!('kind' in verdict)) return verdict;
  const { data, json } = verdict;
  const said = transaction.safeParse(Array.isArray(data) ? data[0] : data).data?.transactionId.trim() ?? '';
  const id = said === '' ? (looseText.safeParse(json['oID']).data ?? '').trim() : said;
  return { status: 'accepted', transactionId: id === '' ? null : id };
}

export const classifyTransferReply = (reply: HttpReply, drift: DriftCounter): CallReceipt =>
  byField(reply, { operation: 'transfer', key: 'code', success: TRANSFERRED }, drift);

export const classifyStockCancelReply = (reply: HttpReply, drift: DriftCounter): CallReceipt =>
  byField(reply, { operation: 'cancel-stock-orders', key: 'error', success: STOCK_CANCELED }, drift);

interface VerdictField {
  readonly operation: string;
  readonly key: 'code' | 'error';
  readonly success: string;
}

/** One field is the verdict; without it there is none. */
function byField(
  reply: HttpReply,
  { operation, key, success }: VerdictField,
  drift: DriftCounter,
): CallReceipt {
  const read = readReply(reply);
  if (read.kind === 'unknown') return { status: 'unknown', reason: read.reason };
  const json = isRecord(read.json) ? read.json : {};
  const said = idText.safeParse(json[key]).data ?? '';
  const { httpStatus } = reply;
  if (said === '') return { status: 'unknown', reason: `HTTP ${httpStatus} without ${key}` };
  if (typeof json[key] !== 'string') drift.count(`${operation}.${key}`, 'not a text');
  if (said !== success) {
    return { status: 'rejected', code: said, text: looseText.safeParse(json['message']).data ?? '' };
  }
  if (httpStatus !== 200) return { status: 'unknown', reason: `HTTP ${httpStatus} with ${key} ${success}` };
  return { status: 'accepted', transactionId: null };
}
