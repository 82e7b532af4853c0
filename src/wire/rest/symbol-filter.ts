/** `ALL,ALL`, `ALL,B`, `<contract>,B`: what a book is asked for (contract, 4.3). */
import type { Side } from '../../domain/order.ts';

export interface SymbolFilter {
  /** Null for all. */
  readonly symbol: string | null;
  readonly side: Side | null;
}

export const ALL_SYMBOLS = 'ALL,ALL';

const SIDE_FILTERS: ReadonlyMap<string, Side | null> = new Map<string, Side | null>([
  ['ALL', null],
  ['B', 'buy'],
  ['S', 'sell'],
]);

/** All when it is left out, as clients do; undefined for what is no filter. */
export function symbolFilterOf(text: string): SymbolFilter | undefined {
  if (text.trim() === '') return { symbol: null, side: null };
  const [symbol = '', sideText = '', ...rest] = text.split(',').map((part) => part.trim());
  const side = SIDE_FILTERS.get(sideText);
  if (symbol === '' || side === undefined || rest.length > 0) return undefined;
  return { symbol: symbol === 'ALL' ? null : symbol, side };
}
