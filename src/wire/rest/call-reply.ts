/** What became of a place, change or cancel, from the bytes of its answer (rulings, 7). */
import { z } from 'zod';
import type { CallOutcome } from '../../domain/broker-order.ts';
import { brokerOrderKey, brokerOrderNo } from '../../domain/ids.ts';
import type { DriftCounter } from '../drift.ts';
import { isRecord, type JsonRecord } from '../json.ts';
import { decodeEnvelope } from './envelope.ts';
import { idText, issueText, looseText } from './lenient.ts';

export interface HttpReply {
  readonly httpStatus: number;
  readonly text: string;
}

const row = z.looseObject({ orderNo: idText.refine((text) => text !== ''), pk_orderNo: looseText.catch('') });

/** The token is no longer accepted, or too many calls: what became of the bytes is not said (rulings, 7). */
const NO_VERDICT: ReadonlySet<number> = new Set([401, 403, 429]);

/** The JSON of an answer that may be a verdict, or why there is none. */
export type ReplyRead =
  | { readonly kind: 'json'; readonly json: unknown }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Text first, then JSON. */
export function readReply({ httpStatus, text }: HttpReply): ReplyRead {
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
export function envelopeVerdict(reply: HttpReply, operation: string, drift: DriftCounter): Verdict {
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
  const first = row.safeParse(Array.isArray(data) ? data[0] : data);
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
