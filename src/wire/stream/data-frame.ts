/** Data frames of the derivative stream (contract, 6.3), read by hand: there are thousands a second. A channel names its keys once. */
import { assert } from '../../domain/assert.ts';
import { type Contract, type ContractSpec, parsePoints, pointsOf } from '../../domain/contract.ts';
import { type Issue, shown, type JsonRecord } from '../../domain/parsed.ts';
import {
  type BookLevel,
  type DaySummary,
  type HalfLevel,
  type TradeTick,
  UNLIMITED_QTY,
} from '../../domain/ticks.ts';
import {
  type InstrumentIndex,
  type PriceHundredths,
  priceHundredths,
  type PriceTicks,
  type Qty,
  qty,
  type Seq,
  type TsUs,
} from '../../domain/units.ts';
import { type DriftCounter, numberFromText } from '../drift.ts';
import { CHANNEL_WORDS, type DataChannel, type MalformedFrame } from './control-frame.ts';

const frame = (channel: DataChannel, payload: Readonly<Record<string, unknown>>): string =>
  `s|${CHANNEL_WORDS[channel].id}|${JSON.stringify(payload)}`;

type DecodedPayload<Event> = { readonly kind: 'market'; readonly event: Event } | MalformedFrame;

/** Reads the fields of one payload, tolerates the deviations of the notes, and collects the issues of the rest. */
class PayloadFields {
  readonly #payload: JsonRecord;
  readonly #name: string;
  readonly #drift: DriftCounter;
  #issues: [Issue, ...Issue[]] | undefined = undefined;

  constructor(payload: JsonRecord, name: string, drift: DriftCounter) {
    this.#payload = payload;
    this.#name = name;
    this.#drift = drift;
  }

  get hasFailed(): boolean {
    return this.#issues !== undefined;
  }

  malformed(): DecodedPayload<never> {
    assert(this.#issues !== undefined, 'a payload is malformed because of a field');
    return { kind: 'malformed', issues: this.#issues };
  }

  /** Left out of the payload; not the same as null. */
  isMissing(key: string): boolean {
    return this.#payload[key] === undefined;
  }

  /** A number; null for null, an empty text or a missing key. Undefined is an issue. */
  number(key: string): number | null | undefined {
    const value = this.#payload[key];
    if (typeof value === 'number') return value;
    if (value === null || value === undefined) return null;
    if (typeof value === 'string') {
      if (value.trim() === '') return this.#tolerate(key, 'empty text for a number', null);
      const number = numberFromText(value);
      if (number !== undefined) return this.#tolerate(key, 'number as text', number);
    }
    return this.#fail(key, 'a number', value);
  }

  whole(key: string, min: number): number | undefined {
    return this.asWhole(key, min, this.number(key));
  }

  /** Contracts of a trade or a level. */
  asQty(key: string, value: number | null | undefined): Qty | undefined {
    const size = this.asWhole(key, 1, value);
    if (size === undefined) return undefined;
    if (size < UNLIMITED_QTY) return qty(size);
    // A recording keeps it in 32 bits.
    return this.#fail(key, `fewer than ${UNLIMITED_QTY} contracts`, this.#payload[key]);
  }

  price(key: string, spec: ContractSpec): PriceTicks | undefined {
    return this.asPrice(key, spec, this.number(key));
  }

  /** A number of this field that was read before, as a whole number of at least `min`. */
  asWhole(key: string, min: number, value: number | null | undefined): number | undefined {
    if (value === undefined) return undefined;
    if (value !== null && Number.isSafeInteger(value) && value >= min) return value;
    return this.#fail(key, `a whole number of at least ${min}`, this.#payload[key]);
  }

  /** As a price above zero on the contract's grid. */
  asPrice(key: string, spec: ContractSpec, points: number | null | undefined): PriceTicks | undefined {
    if (points === undefined) return undefined;
    const price = parsePoints(spec, points ?? 0, key);
    if (!price.ok) return this.#fail(key, price.issues[0].expected, this.#payload[key]);
    // After the conversion: a number above zero by less than the grid's tolerance is no price either.
    return price.value > 0 ? price.value : this.#fail(key, 'a price above zero', this.#payload[key]);
  }

  /** As an average, off the grid by nature: to the nearest whole hundredth. */
  asHundredths(key: string, points: number | null | undefined): PriceHundredths | undefined {
    if (points === undefined) return undefined;
    const rounded = Math.round((points ?? 0) * 100);
    if (rounded > 0 && Number.isSafeInteger(rounded)) return priceHundredths(rounded);
    return this.#fail(key, 'an average above zero', this.#payload[key]);
  }

  tolerate(key: string, deviation: string): void {
    this.#drift.count(`${this.#name}.${key}`, deviation);
  }

  #tolerate<T>(key: string, deviation: string, value: T): T {
    this.tolerate(key, deviation);
    return value;
  }

  #fail(key: string, expected: string, received: unknown): undefined {
    const issue = { path: `${this.#name}.${key}`, expected, received: shown(received) };
    if (this.#issues === undefined) this.#issues = [issue];
    else this.#issues.push(issue);
    return undefined;
  }
}

// Channel 21: one matched trade.

const TRADE = {
  price: 'matchPrice',
  qty: 'matchQtty',
  change: 'change',
  changePercent: 'changePercent',
  totalVolume: 'totalVolume',
} as const;

interface TradeToSend {
  readonly price: PriceTicks;
  readonly qty: Qty;
  readonly totalVolume: number;
}

export function encodeTrade(contract: Contract, trade: TradeToSend, reference: PriceHundredths): string {
  const change = trade.price * contract.spec.hundredthsPerTick - reference;
  return frame('trade', {
    symbol: contract.streamCode,
    [TRADE.price]: pointsOf(contract.spec, trade.price),
    [TRADE.qty]: trade.qty,
    [TRADE.change]: change / 100,
    [TRADE.changePercent]: reference === 0 ? 0 : Math.round((change / reference) * 10_000) / 100,
    [TRADE.totalVolume]: trade.totalVolume,
  });
}

/** The change against the reference is the broker's arithmetic and is not read. */
export function decodeTrade(
  payload: JsonRecord,
  contract: Contract,
  seq: Seq,
  tsUs: TsUs,
  drift: DriftCounter,
): DecodedPayload<TradeTick> {
  const fields = new PayloadFields(payload, 'trade', drift);
  const price = fields.price(TRADE.price, contract.spec);
  const size = fields.asQty(TRADE.qty, fields.number(TRADE.qty));
  const totalVolume = fields.whole(TRADE.totalVolume, 0);
  if (price === undefined || size === undefined || totalVolume === undefined) return fields.malformed();
  const { index: instrument } = contract;
  return {
    kind: 'market',
    event: { kind: 'trade', seq, tsUs, instrument, price, qty: size, totalVolume },
  };
}

// Channels 23 and 24: one side of the book, the three best levels, as far as they changed (rulings, 21).

type BookSide = 'bid' | 'ask';

interface LevelKeys {
  readonly price: string;
  readonly qty: string;
}

const CHANNELS = { bid: 'bid', ask: 'offer' } as const;

/** Best level first. */
const LADDER: Readonly<Record<BookSide, readonly LevelKeys[]>> = {
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

/** All three levels are written: one that has gone is 0, because one that is left out would stay. */
export const encodeBook = (side: BookSide, contract: Contract, levels: readonly BookLevel[]): string =>
  frame(CHANNELS[side], { symbol: contract.streamCode, ...levelFields(side, contract, levels) });

/** A partial update: only the levels that differ from those sent before are written, as the live service does (notes, 1). Null without a change. */
export function encodeBookChange(
  side: BookSide,
  contract: Contract,
  before: readonly BookLevel[],
  levels: readonly BookLevel[],
): string | null {
  const fields = levelFields(side, contract, levels, before);
  if (Object.keys(fields).length === 0) return null;
  return frame(CHANNELS[side], { symbol: contract.streamCode, ...fields });
}

function levelFields(
  side: BookSide,
  { spec }: Contract,
  levels: readonly BookLevel[],
  before?: readonly BookLevel[],
): Record<string, number> {
  const fields: Record<string, number> = {};
  for (const [i, keys] of LADDER[side].entries()) {
    const level = levels[i];
    const known = before?.[i];
    if (before !== undefined && known?.price === level?.price && known?.qty === level?.qty) continue;
    fields[keys.price] = level === undefined ? 0 : pointsOf(spec, level.price);
    fields[keys.qty] = level?.qty ?? 0;
  }
  return fields;
}

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

export function decodeLevels(
  side: 'bid' | 'ask',
  payload: JsonRecord,
  contract: Contract,
  seq: Seq,
  tsUs: TsUs,
  drift: DriftCounter,
): DecodedPayload<BookUpdateFrame> {
  const fields = new PayloadFields(payload, CHANNELS[side], drift);
  const levels: (BookLevel | null | undefined)[] = [];
  let halves: HalfLevel[] | null = null;
  for (const keys of LADDER[side]) {
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
  const { index: instrument } = contract;
  return { kind: 'market', event: { kind: 'book_update', seq, tsUs, instrument, side, levels, halves } };
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
  return {
    price: hasPrice ? fields.asPrice(keys.price, contract.spec, points) : undefined,
    qty: hasQty ? fields.asQty(keys.qty, size) : undefined,
  };
}

const isNothing = (value: number | null | undefined): boolean => value === null || value === 0;

// Channel 27: open, high, low and average of the day.

const SUMMARY = { high: 'high', low: 'low', average: 'avg', open: 'open' } as const;

interface SummaryToSend {
  readonly open: PriceTicks;
  readonly high: PriceTicks;
  readonly low: PriceTicks;
  readonly average: PriceHundredths;
}

export const encodeSummary = ({ spec, streamCode }: Contract, summary: SummaryToSend): string =>
  frame('summary', {
    symbol: streamCode,
    [SUMMARY.high]: pointsOf(spec, summary.high),
    [SUMMARY.low]: pointsOf(spec, summary.low),
    [SUMMARY.average]: summary.average / 100,
    [SUMMARY.open]: pointsOf(spec, summary.open),
  });

/** Order of the search for an empty field; the first one is counted. */
const SUMMARY_ORDER = ['open', 'high', 'low', 'average'] as const;

type SummaryFrame = DecodedPayload<DaySummary> | { readonly kind: 'ignored'; readonly channel: string };

/** A day without a trade has no summary: a frame with an empty field is ignored and counted. */
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
    open: fields.number(SUMMARY.open),
    high: fields.number(SUMMARY.high),
    low: fields.number(SUMMARY.low),
    average: fields.number(SUMMARY.average),
  };
  for (const key of SUMMARY_ORDER) {
    if (!isNothing(points[key])) continue;
    fields.tolerate(SUMMARY[key], 'nothing');
    return { kind: 'ignored', channel: CHANNEL_WORDS.summary.id };
  }
  const open = fields.asPrice(SUMMARY.open, spec, points.open);
  const high = fields.asPrice(SUMMARY.high, spec, points.high);
  const low = fields.asPrice(SUMMARY.low, spec, points.low);
  const average = fields.asHundredths(SUMMARY.average, points.average);
  if (open === undefined || high === undefined || low === undefined || average === undefined) {
    return fields.malformed();
  }
  return {
    kind: 'market',
    event: { kind: 'summary', seq, tsUs, instrument, open, high, low, average },
  };
}
