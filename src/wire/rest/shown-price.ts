/** `showPrice` of a book: a number, or the word for an order without a price of its own (notes, section 1). */
import { type ContractSpec, parsePoints } from '../../domain/contract.ts';
import { notParsed, type Parsed, parsed } from '../../domain/parsed.ts';
import type { PriceTicks } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import { numberFromText } from '../number-text.ts';

/** `MTL`, `MTL (1198)`, and the other words for an order without a price of its own (market rules, section 4). */
const WORD_FOR_PRICE = /^(?:MTL|MOK|MAK|ATO|ATC|MP)\b/;

/** Null for no price. `book` names the place that is counted. */
export function shownPrice(
  text: string,
  spec: ContractSpec,
  path: string,
  book: string,
  drift: DriftCounter,
): Parsed<PriceTicks | null> {
  const trimmed = text.trim();
  if (trimmed === '' || WORD_FOR_PRICE.test(trimmed)) {
    drift.count(`${book}.showPrice`, 'no number');
    return parsed<PriceTicks | null>(null);
  }
  const points = numberFromText(trimmed);
  if (points === undefined || points < 0) return notParsed(path, 'a price', text);
  const price = parsePoints(spec, points, path);
  return price.ok && price.value === 0 ? parsed<PriceTicks | null>(null) : price;
}
