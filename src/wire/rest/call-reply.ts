/** What became of a place, change or cancel, from the bytes of its answer (rulings, 7). */
import { z } from 'zod';
import type { CallOutcome } from '../../domain/broker-order.ts';
import { brokerOrderKey, brokerOrderNo } from '../../domain/ids.ts';
import type { DriftCounter } from '../drift.ts';
import { decodeEnvelope } from './envelope.ts';
import { idText, issueText, looseText } from './lenient.ts';

export interface HttpReply {
  readonly httpStatus: number;
  readonly text: string;
}

const row = z.looseObject({ orderNo: idText.refine((text) => text !== ''), pk_orderNo: looseText.catch('') });

/** The token is no longer accepted, or too many calls: what became of the bytes is not said (rulings, 7). */
const NO_VERDICT: ReadonlySet<number> = new Set([401, 403, 429]);

/** Text first, then JSON: only a parsed envelope is a verdict, everything else leaves the outcome unknown. */
export function classifyCallReply(
  { httpStatus, text }: HttpReply,
  operation: string,
  drift: DriftCounter,
): CallOutcome {
  if (NO_VERDICT.has(httpStatus) || httpStatus >= 500) return unknown(`HTTP ${httpStatus}`);
  const json = jsonOf(text);
  if (json === undefined) return unknown(`HTTP ${httpStatus}, the answer is not JSON`);
  const answer = decodeEnvelope(json, operation, drift);
  if (!answer.ok) return unknown(`HTTP ${httpStatus}, ${issueText(answer.issues)}`);
  if (answer.value.kind === 'refused') {
    return { status: 'rejected', code: answer.value.code, text: answer.value.text };
  }
  // Success under a status that says otherwise is a contradiction, not a verdict.
  if (httpStatus !== 200) return unknown(`HTTP ${httpStatus} with rc 1`);
  const { data } = answer.value;
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

const unknown = (reason: string): CallOutcome => ({ status: 'unknown', reason });

/** Undefined for what is not JSON, HTML from a proxy for example. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON is an answer here: the caller says what follows.
    return undefined;
  }
}
