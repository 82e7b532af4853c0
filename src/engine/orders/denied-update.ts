import type { ClientOrderId } from '../../domain/ids.ts';
import type { OrderIntent } from '../../domain/order.ts';
import { money, qty } from '../../domain/units.ts';
import type { Denial } from '../ports/denial.ts';
import type { OrderUpdate } from '../ports/strategy-port.ts';

/** What a strategy hears of an order that risk refused: it never became one of ours. */
export const deniedUpdate = (
  clientOrderId: ClientOrderId,
  { instrument, side, qty: wanted, limitPrice }: OrderIntent,
  denial: Denial,
): OrderUpdate => ({
  clientOrderId,
  instrument,
  side,
  status: 'denied',
  qty: wanted,
  limitPrice,
  filledQty: qty(0),
  filledValue: money(0),
  leavesQty: qty(0),
  lastFilledQty: qty(0),
  lastFilledValue: money(0),
  denial,
  reason: '',
});
