/** `orderType` of a normal order (contract, 4.3; rulings, 13): regular, with stop-loss and take-profit, or after another leg. */
import { type ContractSpec, formatPoints } from '../../domain/contract.ts';
import type { OrderCode } from '../../domain/ids.ts';
import type { PriceTicks } from '../../domain/units.ts';
import { numberFromText } from '../number-text.ts';

/** What goes with a normal order. */
export type OrderTerms =
  | { readonly kind: 'regular' }
  /** For the quantity that fills; one cancels the other. */
  | { readonly kind: 'bracket'; readonly stopLossPrice: PriceTicks; readonly takeProfitPrice: PriceTicks }
  /** Placed when our order in `leg` fills. */
  | { readonly kind: 'arbitrage'; readonly leg: OrderCode };

/** As a client asked, in points: the venue refuses what it must. */
export type OrderTermsAsked =
  | { readonly kind: 'regular' }
  | { readonly kind: 'bracket'; readonly stopLossPoints: number; readonly takeProfitPoints: number }
  | { readonly kind: 'arbitrage'; readonly leg: string }
  | { readonly kind: 'unreadable'; readonly text: string };

export const REGULAR: OrderTerms = { kind: 'regular' };

const REGULAR_WORD = '0';
const BRACKET_WORD = 'SLP';
const ARBITRAGE_WORD = 'ABI';

export function encodeOrderType(terms: OrderTerms, spec: ContractSpec): string {
  switch (terms.kind) {
    case 'regular':
      return REGULAR_WORD;
    case 'bracket':
      return `${BRACKET_WORD}=${formatPoints(spec, terms.stopLossPrice)},${formatPoints(spec, terms.takeProfitPrice)}`;
    case 'arbitrage':
      return `${ARBITRAGE_WORD}=${terms.leg}`;
  }
}

/** Left out is regular, as clients do. */
export function decodeOrderType(text: string): OrderTermsAsked {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === REGULAR_WORD) return { kind: 'regular' };
  const unreadable: OrderTermsAsked = { kind: 'unreadable', text: trimmed };
  const sign = trimmed.indexOf('=');
  if (sign === -1) return unreadable;
  const word = trimmed.slice(0, sign).trim().toUpperCase();
  const parts = trimmed
    .slice(sign + 1)
    .split(',')
    .map((part) => part.trim());
  const [first = '', second = '', ...rest] = parts;
  if (word === ARBITRAGE_WORD && parts.length === 1 && first !== '') return { kind: 'arbitrage', leg: first };
  const stopLossPoints = numberFromText(first);
  const takeProfitPoints = numberFromText(second);
  const isPair = stopLossPoints !== undefined && takeProfitPoints !== undefined && rest.length === 0;
  return word === BRACKET_WORD && isPair ? { kind: 'bracket', stopLossPoints, takeProfitPoints } : unreadable;
}
