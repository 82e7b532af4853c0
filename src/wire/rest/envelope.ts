/** The envelope of the `/khronos/` operations: `cmd`, `rc`, `rs`, `oID`, `data`, all five always sent (notes, section 1). */
import { z } from 'zod';
import { notParsed, type Parsed, parsed } from '../../domain/parsed.ts';
import type { DriftCounter } from '../drift.ts';
import { looseText, parseWith } from './lenient.ts';

export interface Envelope {
  readonly cmd: string;
  readonly rc: string;
  readonly rs: string;
  readonly oID: string;
  readonly data: unknown;
}

const SUCCESS = '1';

export const succeeded = (cmd: string, data: unknown, transactionId = ''): Envelope => ({
  cmd,
  rc: SUCCESS,
  rs: '',
  oID: transactionId,
  data,
});

/** A business refusal: HTTP 200, `rc` below 0 and the text in `rs`. */
export const refused = (cmd: string, code: number, text: string): Envelope => ({
  cmd,
  rc: String(code),
  rs: text,
  oID: '',
  data: [],
});

const schema = z.looseObject({
  cmd: looseText,
  rc: z.union([z.string(), z.number()]).transform(String),
  rs: looseText,
  oID: looseText,
  data: z.unknown(),
});

/** An envelope the broker answered with; `rc` other than 1 is the broker's refusal. */
export type Answer =
  | { readonly kind: 'success'; readonly data: unknown }
  | { readonly kind: 'refused'; readonly code: string; readonly text: string };

export function decodeEnvelope(json: unknown, where: string, drift: DriftCounter): Parsed<Answer> {
  const read = parseWith(schema, json, where);
  if (!read.ok) return read;
  const { rc, rs, data } = read.value;
  if (typeof json === 'object' && json !== null) {
    for (const key of ['cmd', 'rs', 'oID']) if (!(key in json)) drift.count(`${where}.${key}`, 'missing');
  }
  if (rc.trim() === '') return notParsed(`${where}.rc`, 'a result code', rc);
  return parsed<Answer>(rc === SUCCESS ? { kind: 'success', data } : { kind: 'refused', code: rc, text: rs });
}

/** A read: a refusal is an issue like any other, with the broker's code and text. */
export function decodeData(json: unknown, where: string, drift: DriftCounter): Parsed<unknown> {
  const answer = decodeEnvelope(json, where, drift);
  if (!answer.ok) return answer;
  if (answer.value.kind === 'success') return parsed(answer.value.data);
  return notParsed(`${where}.rc`, 'rc 1', `${answer.value.code} ${answer.value.text}`.trim());
}
