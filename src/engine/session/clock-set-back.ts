/**
 * A process starts with a clock behind that of the process before it: somebody set the clock back. Whatever was stamped ahead of the
 * new time is stamped with it, or bars, timers, reads and exits would wait until the old time comes again.
 */
import type { TsUs } from '../../domain/units.ts';
import type { EngineState } from '../engine-state.ts';
import { type ManagedOrder, ScanEvidence } from '../orders/managed-order.ts';

export function setClockBack(state: EngineState, at: TsUs): void {
  const { context, timers, session, registry, orders, dayEnd, exits, rowOwners, reconciler } = state;
  timers.bringForward(context.nowUs - at);
  context.setBack(at);
  session.setClockBack();
  if (!session.isDayOver()) registry.goOn();
  reconciler.setClockBack(at);
  for (const order of orders.open) stampAgain(order, at);
  dayEnd.setClockBack(at);
  exits.setClockBack();
  rowOwners.setClockBack(at);
  orders.rate.setClockBack(at);
  orders.rejections.setClockBack(at);
  state.breakers.setClockBack(at);
  state.market.setClockBack(at);
}

/** Scans are counted anew: their times cannot be compared with those that come. */
function stampAgain(order: ManagedOrder, at: TsUs): void {
  order.rowUs = Math.min(order.rowUs, at);
  order.grownUs = Math.min(order.grownUs, at);
  order.oversizedUs = Math.min(order.oversizedUs, at);
  if (order.cancelFailedUs !== Infinity) order.cancelFailedUs = Math.min(order.cancelFailedUs, at);
  if (order.absence !== null) order.absence = new ScanEvidence(at);
  if (order.lostCancel !== null) order.lostCancel = new ScanEvidence(at);
  const { openModify, openCancel } = order;
  if (openModify !== null) order.openModify = { ...openModify, evidence: new ScanEvidence(at) };
  if (openCancel !== null) order.openCancel = { ...openCancel, evidence: new ScanEvidence(at) };
}
