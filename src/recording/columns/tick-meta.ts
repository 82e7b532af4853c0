/** What a file of ticks says about itself; kept as JSON in the file, so that there is nothing beside it to lose. */
import { isTradingDay, type TradingDay, tradingDay } from '../../domain/civil-date.ts';

export interface TickMeta {
  readonly kind: 'ticks';
  readonly version: 1;
  readonly symbol: string;
  readonly day: TradingDay;
  /** A decimal, as people write it: `0.1` point in one tick of price, `1` contract in one lot of quantity. */
  readonly tickSize: string;
  readonly lotSize: string;
  /** Of the exchange on that day; `day` is a date of that zone. */
  readonly utcOffsetMinutes: number;
  /** Whole stretches that stamps are told apart by: 1,000,000 where the source has seconds. */
  readonly stampUs: number;
  /** Where the aggressor's side comes from: the source's own word, or the touch that stood before the trade. */
  readonly sides: 'source' | 'touch';
  /** Levels of the book a side; 0 where the source had none. */
  readonly depth: number;
  readonly rows: number;
  readonly trades: number;
  /** Traded quantity, in lots. */
  readonly volume: number;
  readonly firstUs: number;
  readonly lastUs: number;
  /** Stretches that are not, or not wholly, in the file; oldest first. */
  readonly gaps: readonly TickGap[];
  /** Rows of the source that could not be read and are not here. */
  readonly badRows: number;
  /** Name of the file it was made of, or of the command. */
  readonly source: string;
  /** SHA-256 over the columns. */
  readonly digest: string;
}

export interface TickGap {
  readonly fromUs: number;
  readonly toUs: number;
  /** `missed`: the source itself proves that trades are missing. `silence`: nothing came while the market was open. */
  readonly kind: 'missed' | 'silence';
  /** Lots that are missing, where the source tells. */
  readonly qty: number | null;
}

/** Reads what `JSON.stringify` of a `TickMeta` wrote; undefined for anything else. */
export function parseTickMeta(text: string | undefined): TickMeta | undefined {
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, version, day } = value as Partial<TickMeta>; // oxlint-disable-line typescript/no-unsafe-type-assertion -- our own file, told by kind and version
  if (kind !== 'ticks' || version !== 1 || day === undefined || !isTradingDay(day)) return undefined;
  return { ...(value as TickMeta), day: tradingDay(day) }; // oxlint-disable-line typescript/no-unsafe-type-assertion -- as above
}
