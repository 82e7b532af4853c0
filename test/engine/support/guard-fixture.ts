/** An order that is fine, and what the guard says of it in a world that differs by one change. */
import { clientOrderId } from '../../../src/domain/ids.ts';
import type { LimitIntent, Side } from '../../../src/domain/order.ts';
import * as units from '../../../src/domain/units.ts';
import { formatDenial } from '../../../src/engine/ports/denial.ts';
import type { ApprovedOrder } from '../../../src/engine/ports/approved.ts';
import type { ProposalSource } from '../../../src/engine/ports/journal-entry.ts';
import type { Decision } from '../../../src/engine/state/event-context.ts';
import { LAST, StateRig, type RigFacts } from './state-rig.ts';

export const ALPHA = units.strategyIndex(0);
export const ID = clientOrderId('H.00000000001000001');

/** What of the fine order is different; the numbers are not trusted to be good ones. */
export interface Wanted {
  readonly side?: Side;
  readonly qty?: number;
  readonly price?: number;
  readonly instrument?: number;
}

export type Change = (rig: StateRig) => unknown;

export const nothing: Change = () => undefined;

export const intent = ({
  side = 'buy',
  qty = 1,
  price = LAST,
  instrument = 0,
}: Wanted = {}): LimitIntent => ({
  kind: 'limit',
  instrument: units.instrumentIndex(instrument),
  side,
  qty: qty as units.Qty,
  limitPrice: price as units.PriceTicks,
  reason: 'test',
});

export const submit = (rig: StateRig, wanted?: Wanted, by: ProposalSource = 'strategy', mayWait = false) =>
  rig.guard.checkSubmit(ALPHA, ID, intent(wanted), by, mayWait);

export function verdictText(answer: Decision<ApprovedOrder>): string {
  if (answer.kind === 'pending') return answer.kind;
  return answer.kind === 'approved' ? `approved as ${answer.approved.purpose}` : formatDenial(answer.denial);
}

/** `approved as <purpose>`, or the line of the denial. */
export const verdict = (rig: StateRig, wanted?: Wanted, by?: ProposalSource): string =>
  verdictText(submit(rig, wanted, by));

/** The verdict in a world that differs by one change. */
export function verdictWhen(change: Change, wanted?: Wanted, facts?: RigFacts): string {
  const rig = new StateRig(facts);
  change(rig);
  return verdict(rig, wanted);
}

/** Long two of ours, read just now: selling one shrinks it. */
export const holding = (): StateRig => new StateRig().hold(0, 2).read();

/** A bracket has filled, and no book shows its exits yet. */
export function earned(rig: StateRig, side: Side, qty: number, strategy = 0): void {
  const [stopLossPrice, takeProfitPrice] = [units.priceTicks(12_900), units.priceTicks(13_100)];
  const order = rig.add({
    id: 'entry',
    strategy,
    side,
    qty,
    trigger: { kind: 'bracket', stopLossPrice, takeProfitPrice },
  });
  order.filledQty = units.qty(qty);
  rig.become(order, 'filled').state.orders.bracketsMissingExits.add(order);
}
