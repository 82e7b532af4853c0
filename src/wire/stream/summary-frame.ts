/** Channel 27: open, high, low and average of the day. */
import type { Contract } from '../../domain/contract.ts';
import type { DaySummary } from '../../domain/ticks.ts';
import type { Seq, TsUs } from '../../domain/units.ts';
import { CHANNEL_WORDS } from './channel.ts';
import type { DriftCounter } from '../drift.ts';
import type { JsonRecord } from '../json.ts';
import { type Decoded, PayloadFields } from './payload-fields.ts';

type SummaryFrame = Decoded<DaySummary> | { readonly kind: 'ignored'; readonly channel: string };

const KEYS = ['open', 'high', 'low', 'avg'] as const;

/** A day without a trade has no summary: one with a field that says nothing is left aside, and counted. */
export function decodeSummary(
  payload: JsonRecord,
  contract: Contract,
  seq: Seq,
  tsUs: TsUs,
  drift: DriftCounter,
): SummaryFrame {
  const fields = new PayloadFields(payload, 'summary', drift);
  for (const key of KEYS) {
    const value = fields.number(key);
    if (value !== null && value !== 0) continue;
    fields.tolerate(key, 'nothing');
    return { kind: 'ignored', channel: CHANNEL_WORDS.summary.id };
  }
  const open = fields.price('open', contract.spec);
  const high = fields.price('high', contract.spec);
  const low = fields.price('low', contract.spec);
  const average = fields.hundredths('avg');
  if (open === undefined || high === undefined || low === undefined || average === undefined) {
    return fields.malformed();
  }
  return {
    kind: 'market',
    event: { kind: 'summary', seq, tsUs, instrument: contract.index, open, high, low, average },
  };
}
