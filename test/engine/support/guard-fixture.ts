/** A guard, and an order that is fine, to be broken by the tests. */
import { clientOrderId } from '../../../src/domain/ids.ts';
import type { LimitIntent, Side } from '../../../src/domain/order.ts';
import * as units from '../../../src/domain/units.ts';
import { formatDenial } from '../../../src/engine/ports/denial.ts';
import { RiskGuard } from '../../../src/engine/risk/risk-guard.ts';
import type { PurposeHint, SubmitVerdict } from '../../../src/engine/risk/risk-view.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';
import { COSTS, FakeRiskView, LAST, SETTINGS } from './fake-risk-view.ts';

export const GUARD = new RiskGuard(SETTINGS, MARKET_CALENDAR, COSTS);
export const ALPHA = units.strategyIndex(0);
export const ID = clientOrderId('H.00000000001000001');

/** What of the fine order is different; the numbers are not trusted to be good ones. */
export interface Wanted {
  readonly side?: Side;
  readonly qty?: number;
  readonly price?: number;
  readonly instrument?: number;
}

export type Change = (view: FakeRiskView) => unknown;

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

export const submit = (view: FakeRiskView, wanted?: Wanted, hint: PurposeHint = 'any'): SubmitVerdict =>
  GUARD.checkSubmit(view, ALPHA, ID, intent(wanted), hint);

/** `approved as <purpose>`, or the line of the denial. */
export function verdict(view: FakeRiskView, wanted?: Wanted, hint: PurposeHint = 'any'): string {
  const answer = submit(view, wanted, hint);
  return answer.ok ? `approved as ${answer.order.purpose}` : formatDenial(answer.denial);
}

/** The verdict in a world that differs by one change. */
export function verdictWhen(change: Change, wanted?: Wanted, hint: PurposeHint = 'any'): string {
  const view = new FakeRiskView();
  change(view);
  return verdict(view, wanted, hint);
}

/** Long two of ours, read just now: selling one shrinks it. */
export function holding(): FakeRiskView {
  const view = new FakeRiskView();
  view.hold(0, 2);
  return view;
}
