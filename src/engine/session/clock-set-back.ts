/**
 * A process starts with a clock behind that of the process before it: somebody set the clock back. Whatever was stamped ahead of the
 * new time is stamped with it, or bars, timers, reads and exits would wait until the old time comes again.
 */
import type { TsUs } from '../../domain/units.ts';
import type { EngineState } from '../engine-state.ts';

export function setClockBack(state: EngineState, at: TsUs): void {
  const { context, timers, session, registry, orders, dayEnd, exits, rowOwners, reconciler } = state;
  timers.bringForward(context.nowUs - at);
  context.setBack(at);
  session.setClockBack();
  if (!session.isDayOver()) registry.goOn();
  reconciler.setClockBack(at);
  for (const order of orders.open) order.setClockBack(at);
  dayEnd.setClockBack(at);
  exits.setClockBack();
  rowOwners.setClockBack(at);
  orders.rate.setClockBack(at);
  orders.rejections.setClockBack(at);
  state.breakers.setClockBack(at);
  state.market.setClockBack(at);
}
