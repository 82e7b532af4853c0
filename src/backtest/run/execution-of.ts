/** What one execution of an order comes to: its money, what is charged for it, and what is remembered of it. */
import { assert } from '../../domain/assert.ts';
import { orderCosts } from '../../domain/costs.ts';
import { money, tsUs } from '../../domain/units.ts';
import { type FillClause, liquidityOf } from '../../venue/exchange/fill-clause.ts';
import type { VenueOrder } from './venue-order.ts';
import type { RunInstrument } from './run-instrument.ts';
import type { DayCosts, Execution } from './strategy-ledger.ts';

/** Adds it to the order. Fee and tax are the difference to what the order was charged before (rulings, 2). */
export function executionOf(
  order: VenueOrder,
  price: number,
  filled: number,
  clause: FillClause,
  { unit, midTwice }: RunInstrument,
  { schedule, day }: DayCosts,
  nowUs: number,
): Execution {
  assert(filled > 0 && filled <= order.leavesQty, 'no more is filled than is left');
  const value = price * unit * filled;
  order.filledQty += filled;
  order.filledValue += value;
  const total = orderCosts(schedule, day, order.filledQty, order.filledValue, order.side);
  const fee = money(total.fee - order.fee);
  const tax = money(total.tax - order.tax);
  order.fee = total.fee;
  order.tax = total.tax;
  return {
    tsUs: tsUs(nowUs),
    decidedUs: tsUs(order.decidedUs),
    side: order.side,
    qty: filled,
    priceTicks: price,
    value: money(value),
    fee,
    tax,
    liquidity: liquidityOf(clause),
    clause,
    cause: order.source === 'forced' ? 'forced' : 'order',
    midTwice,
    decidedMidTwice: order.decidedMidTwice,
  };
}
