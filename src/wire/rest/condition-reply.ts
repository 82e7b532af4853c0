/** What became of a change or a cancel of a conditional order: their answers name no order number (contract, 4.3). */
import { z } from 'zod';
import type { CallOutcome } from '../../domain/broker-order.ts';
import type { BrokerOrderKey, BrokerOrderNo } from '../../domain/ids.ts';
import type { DriftCounter } from '../drift.ts';
import { envelopeVerdict, type HttpReply } from './call-reply.ts';
import { idText, looseText } from './lenient.ts';

/** The order the call was about: what an acceptance is of. */
export interface AskedCondition {
  readonly orderNo: BrokerOrderNo;
  readonly orderKey: BrokerOrderKey;
}

const row = z.looseObject({ pkOrderNo: idText.optional(), pk_orderNo: looseText.catch('') });

export function classifyConditionReply(
  reply: HttpReply,
  operation: string,
  { orderNo, orderKey }: AskedCondition,
  drift: DriftCounter,
): CallOutcome {
  const verdict = envelopeVerdict(reply, operation, drift);
  if (!('kind' in verdict)) return verdict;
  const { data } = verdict;
  const first = row.safeParse(Array.isArray(data) ? data[0] : data);
  const said = first.success ? (first.data.pkOrderNo ?? first.data.pk_orderNo.trim()) : '';
  // An acceptance of another order says nothing about this one.
  if (said !== '' && said !== orderKey) return { status: 'unknown', reason: `rc 1 for order key ${said}` };
  return { status: 'accepted', orderNo, orderKey };
}
