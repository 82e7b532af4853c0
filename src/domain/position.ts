/** A position and its profit, from money alone (rulings, 1). Engine and venue share these functions: their figures agree to the VND. */
import { assert } from './assert.ts';
import { type Money, money, type SignedQty, signedQty } from './units.ts';

export interface Position {
  readonly qty: SignedQty;
  /** Money at which the open quantity was entered, always zero or more. */
  readonly openValue: Money;
  /** Profit of closed quantity, before costs. */
  readonly realised: Money;
}

export const FLAT_POSITION: Position = { qty: signedQty(0), openValue: money(0), realised: money(0) };

/** Adds a fill of `change` contracts worth `value`. The closed part takes its share, rounded once; no money is lost. */
export function applyFill(position: Position, change: number, value: number): Position {
  assert(Number.isSafeInteger(change) && change !== 0, 'a fill changes the position by a whole quantity');
  assert(Number.isSafeInteger(value) && value >= 0, 'the value of a fill is whole money');
  const before = position.qty;
  if (before === 0 || Math.sign(before) === Math.sign(change)) {
    return {
      qty: signedQty(before + change),
      openValue: money(position.openValue + value),
      realised: position.realised,
    };
  }
  const closed = Math.min(Math.abs(before), Math.abs(change));
  const closedEntry = partOf(position.openValue, closed, Math.abs(before));
  const closedExit = partOf(value, closed, Math.abs(change));
  const gain = Math.sign(before) * (closedExit - closedEntry);
  const after = before + change;
  const reversed = Math.abs(change) > closed;
  return {
    qty: signedQty(after),
    openValue: money(reversed ? value - closedExit : position.openValue - closedEntry),
    realised: money(position.realised + gain),
  };
}

/** `amount x part / whole`, half and more up. Exact: where the product may exceed 2^53 it is done in bigint. */
export function partOf(amount: number, part: number, whole: number): Money {
  const product = amount * part;
  if (Number.isSafeInteger(product)) {
    const parts = Math.trunc(product / whole);
    const twice = 2 * (product - parts * whole);
    return money(twice >= whole ? parts + 1 : twice < 0 - whole ? parts - 1 : parts);
  }
  const [doubled, twice] = [2n * BigInt(amount) * BigInt(part) + BigInt(whole), 2n * BigInt(whole)];
  const remainder = ((doubled % twice) + twice) % twice;
  return money(Number((doubled - remainder) / twice));
}

/** Profit of the open quantity when one contract is worth `unitValue` money. */
export const openProfit = (position: Position, unitValue: number): Money =>
  money(position.qty * unitValue - Math.sign(position.qty) * position.openValue);
