/** Random stories for the engine: orders, their answers, and a book that shows them late, twice, in pieces or out of order. */
import fc from 'fast-check';
import type { ClientOrderId } from '../../src/domain/ids.ts';
import { type RowFacts } from './engine-facts.ts';
import { type EngineRig, FIRST, SECOND } from './engine-rig.ts';
import { worth } from './engine-world.ts';

/** One order and how it fills: quantities and prices of its trades, in order. */
export interface OrderPlan {
  readonly isSecond: boolean;
  readonly side: 'buy' | 'sell';
  readonly qty: number;
  readonly fills: readonly { readonly qty: number; readonly price: number }[];
  readonly end: 'working' | 'canceled';
  /** How its place is answered. */
  readonly answer: 'accepted' | 'unknown' | 'none';
}

export const orderPlan: fc.Arbitrary<OrderPlan> = fc
  .record({
    isSecond: fc.boolean(),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    pieces: fc.array(
      fc.record({ qty: fc.integer({ min: 1, max: 3 }), price: fc.integer({ min: 12_900, max: 13_100 }) }),
      {
        maxLength: 4,
      },
    ),
    rest: fc.integer({ min: 0, max: 2 }),
    end: fc.constantFrom('working' as const, 'canceled' as const),
    answer: fc.constantFrom('accepted' as const, 'unknown' as const, 'none' as const),
  })
  .map(({ isSecond, side, pieces, rest, end, answer }) => {
    const total = pieces.reduce((sum, { qty }) => sum + qty, 0) + rest;
    return { isSecond, side, qty: Math.max(1, total), fills: pieces, end, answer };
  });

/** The book's row of an order after its first `count` trades; the end of its life shows with the last. */
export function rowAfter(plan: OrderPlan, no: string, ref: ClientOrderId, count: number): RowFacts {
  const shown = plan.fills.slice(0, count);
  const filled = shown.reduce((sum, { qty }) => sum + qty, 0);
  const value = shown.reduce((sum, { qty, price }) => sum + worth(price, qty), 0);
  const isLast = count >= plan.fills.length;
  const isCanceled = isLast && plan.end === 'canceled' && filled < plan.qty;
  const status = isCanceled
    ? filled > 0
      ? 'matched_canceled'
      : 'canceled'
    : filled > 0
      ? 'matched'
      : 'resting';
  return { no, ref, side: plan.side, qty: plan.qty, price: 13_000, filled, value, status };
}

export interface Placed {
  readonly plan: OrderPlan;
  readonly id: ClientOrderId;
  readonly no: string;
}

/** Submits each order and answers it as planned. */
export function placeAll(rig: EngineRig, plans: readonly OrderPlan[]): Placed[] {
  return plans.map((plan, i) => {
    const no = String(i + 1);
    const id = rig.submit(plan.isSecond ? SECOND : FIRST, plan.side, plan.qty, 13_000);
    answer(rig, plan, id, no);
    return { plan, id, no };
  });
}

export function answer(rig: EngineRig, plan: OrderPlan, id: ClientOrderId, no: string): void {
  if (plan.answer === 'accepted') rig.accepted(id, no);
  if (plan.answer === 'unknown') rig.unknown(id);
}

/** A walk over the book that shows each order after so many of its trades. */
export function showBook(
  rig: EngineRig,
  placed: readonly Placed[],
  counts: readonly number[],
  ago: number,
): void {
  const rows = placed.map(({ plan, id, no }, i) => rowAfter(plan, no, id, counts[i] ?? 0));
  rig.look(rows, { ago });
}

export const signedTotal = (plans: readonly OrderPlan[], isSecond: boolean): number =>
  plans
    .filter((plan) => plan.isSecond === isSecond)
    .reduce((sum, { side, fills }) => {
      const filled = fills.reduce((each, { qty }) => each + qty, 0);
      return sum + (side === 'buy' ? filled : -filled);
    }, 0);
