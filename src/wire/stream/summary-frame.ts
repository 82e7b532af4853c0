/** Channel 27: open, high, low and average of the day. */
import type { Contract } from '../../domain/contract.ts';
import type { DaySummary } from '../../domain/ticks.ts';
import type { Seq, TsUs } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import type { JsonRecord } from '../json.ts';
import { CHANNEL_WORDS } from './channel.ts';
import { type Decoded, PayloadFields } from './payload-fields.ts';

type SummaryFrame = Decoded<DaySummary> | { readonly kind: 'ignored'; readonly channel: string };

/** A day without a trade has no summary: one with a field that says nothing is left aside, and counted. */
export function decodeSummary(
  payload: JsonRecord,
  contract: Contract,
  seq: Seq,
  tsUs: TsUs,
  drift: DriftCounter,
): SummaryFrame {
  const { spec, index: instrument } = contract;
  const fields = new PayloadFields(payload, 'summary', drift);
  const points = {
    open: fields.number('open'),
    high: fields.number('high'),
    low: fields.number('low'),
    avg: fields.number('avg'),
  };
  const nothing = Object.entries(points).find(([, value]) => value === null || value === 0);
  if (nothing !== undefined) {
    fields.tolerate(nothing[0], 'nothing');
    return { kind: 'ignored', channel: CHANNEL_WORDS.summary.id };
  }
  const open = fields.asPrice('open', spec, points.open);
  const high = fields.asPrice('high', spec, points.high);
  const low = fields.asPrice('low', spec, points.low);
  const average = fields.asHundredths('avg', points.avg);
  if (open === undefined || high === undefined || low === undefined || average === undefined) {
    return fields.malformed();
  }
  return {
    kind: 'market',
    event: { kind: 'summary', seq, tsUs, instrument, open, high, low, average },
  };
}
