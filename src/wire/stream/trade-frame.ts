/** Channel 21: one matched trade. Its change against the reference is the broker's arithmetic and is not read. */
import type { Contract } from '../../domain/contract.ts';
import type { TradeTick } from '../../domain/ticks.ts';
import { qty, type Seq, type TsUs } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import type { JsonRecord } from '../json.ts';
import { type Decoded, PayloadFields } from './payload-fields.ts';

export function decodeTrade(
  payload: JsonRecord,
  contract: Contract,
  seq: Seq,
  tsUs: TsUs,
  drift: DriftCounter,
): Decoded<TradeTick> {
  const fields = new PayloadFields(payload, 'trade', drift);
  const price = fields.price('matchPrice', contract.spec);
  const size = fields.whole('matchQtty', 1);
  const totalVolume = fields.whole('totalVolume', 0);
  if (price === undefined || size === undefined || totalVolume === undefined) return fields.malformed();
  return {
    kind: 'market',
    event: { kind: 'trade', seq, tsUs, instrument: contract.index, price, qty: qty(size), totalVolume },
  };
}
