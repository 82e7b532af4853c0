/** Channels 23 and 24: one side of the book, the three best levels, as far as they changed (rulings, 21). */
import type { Contract } from '../../domain/contract.ts';
import type { BookLevel, HalfLevel } from '../../domain/ticks.ts';
import { type InstrumentIndex, qty, type Seq, type TsUs } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import type { JsonRecord } from '../json.ts';
import { type Decoded, PayloadFields } from './payload-fields.ts';

/** The engine's `BookUpdate`: undefined keeps a level, null empties it. */
export interface BookUpdateFrame {
  readonly kind: 'book_update';
  readonly seq: Seq;
  readonly tsUs: TsUs;
  readonly instrument: InstrumentIndex;
  readonly side: 'bid' | 'ask';
  readonly levels: readonly (BookLevel | null | undefined)[];
  readonly halves: readonly HalfLevel[] | null;
}

interface LevelKeys {
  readonly price: string;
  readonly qty: string;
}

const KEYS: Readonly<Record<'bid' | 'ask', readonly LevelKeys[]>> = {
  bid: [
    { price: 'bidPrice01', qty: 'bidQtty01' },
    { price: 'bidPrice02', qty: 'bidQtty02' },
    { price: 'bidPrice03', qty: 'bidQtty03' },
  ],
  ask: [
    { price: 'offerPrice01', qty: 'offerQtty01' },
    { price: 'offerPrice02', qty: 'offerQtty02' },
    { price: 'offerPrice03', qty: 'offerQtty03' },
  ],
};

export function decodeBook(
  side: 'bid' | 'ask',
  payload: JsonRecord,
  contract: Contract,
  seq: Seq,
  tsUs: TsUs,
  drift: DriftCounter,
): Decoded<BookUpdateFrame> {
  const fields = new PayloadFields(payload, side === 'bid' ? 'bid' : 'offer', drift);
  const levels: (BookLevel | null | undefined)[] = [];
  let halves: HalfLevel[] | null = null;
  for (const keys of KEYS[side]) {
    const level = decodeLevel(fields, keys, contract);
    if (level === null || level === undefined) {
      levels.push(level);
    } else if (level.price !== undefined && level.qty !== undefined) {
      levels.push({ price: level.price, qty: level.qty });
    } else {
      fields.tolerate(keys.price, 'half a level');
      halves ??= [];
      halves.push({ level: levels.length, price: level.price, qty: level.qty });
      levels.push(undefined);
    }
  }
  if (fields.hasFailed) return fields.malformed();
  return {
    kind: 'market',
    event: { kind: 'book_update', seq, tsUs, instrument: contract.index, side, levels, halves },
  };
}

type Halves = Omit<HalfLevel, 'level'>;

/** Null and zero empty a level, on either of its fields; a field that is left out keeps its value. */
function decodeLevel(fields: PayloadFields, keys: LevelKeys, contract: Contract): Halves | null | undefined {
  const hasPrice = !fields.isMissing(keys.price);
  const hasQty = !fields.isMissing(keys.qty);
  if (!hasPrice && !hasQty) return undefined;
  const points = fields.number(keys.price);
  const size = fields.number(keys.qty);
  if ((hasPrice && isNothing(points)) || (hasQty && isNothing(size))) return null;
  const contracts = hasQty ? fields.asWhole(keys.qty, 1, size) : undefined;
  return {
    price: hasPrice ? fields.asPrice(keys.price, contract.spec, points) : undefined,
    qty: contracts === undefined ? undefined : qty(contracts),
  };
}

const isNothing = (value: number | null | undefined): boolean => value === null || value === 0;
