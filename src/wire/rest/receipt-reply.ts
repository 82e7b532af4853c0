/** What became of a call that moves money or stock orders. Only a verdict in the operation's own form counts (rulings, 7). */
import { z } from 'zod';
import type { CallReceipt } from '../../domain/broker-order.ts';
import type { DriftCounter } from '../drift.ts';
import { isRecord } from '../json.ts';
import { envelopeVerdict, type HttpReply, readReply } from './call-reply.ts';
import { STOCK_CANCELED } from './cancel-stock-orders.ts';
import { idText, looseText } from './lenient.ts';
import { TRANSFERRED } from './transfer.ts';

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
