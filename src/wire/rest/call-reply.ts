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

const rows = z.array(z.looseObject({ orderNo: idText, pk_orderNo: looseText })).min(1);

/** Text first, then JSON: only a parsed envelope is a verdict, everything else leaves the outcome unknown. */
export function classifyCallReply(
  { httpStatus, text }: HttpReply,
  operation: string,
  drift: DriftCounter,
): CallOutcome {
  if (httpStatus !== 200) return unknown(`HTTP ${httpStatus}`);
  const json = jsonOf(text);
  if (json === undefined) return unknown('the answer is not JSON');
  const answer = decodeEnvelope(json, operation, drift);
  if (!answer.ok) return unknown(issueText(answer.issues));
  if (answer.value.kind === 'refused') {
    return { status: 'rejected', code: answer.value.code, text: answer.value.text };
  }
  const [first] = rows.safeParse(answer.value.data).data ?? [];
  if (first === undefined || first.orderNo === '') return unknown('rc 1 without an order number');
  const key = first.pk_orderNo.trim();
  return {
    status: 'accepted',
    orderNo: brokerOrderNo(first.orderNo),
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
