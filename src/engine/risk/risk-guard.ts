/**
 * The only door through which orders, changes and cancels leave (house rule 6). It keeps no state: the same view and the
 * same request always get the same answer.
 */
import { assert } from '../../domain/assert.ts';
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { CostSchedule } from '../../domain/costs.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { ModifyIntent, OrderIntent } from '../../domain/order.ts';
import type { EngineSettings } from '../../domain/settings.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { ApprovedCancel, Purpose } from '../ports/approved.ts';
import type { Denial } from '../ports/denial.ts';
import type { ModifyVerdict, OrderView, PurposeHint, RiskView, SubmitVerdict } from '../risk-view.ts';
import { approveCancel, approveModify, approveOrder } from './approve.ts';
import { changedTerms, modifyDenial } from './modify-request.ts';
import { type Reduction, reductionOf } from './reduction.ts';
import type { RiskRequest, RiskTerms } from './risk-rule.ts';
import { RISK_RULES } from './risk-rules.ts';

type Decision =
  | { readonly ok: true; readonly purpose: Purpose }
  | { readonly ok: false; readonly denial: Denial; readonly readFirst: boolean };

const refused = (denial: Denial, readFirst = false): Decision & { readonly ok: false } => ({
  ok: false,
  denial,
  readFirst,
});

export class RiskGuard {
  readonly #terms: RiskTerms;

  constructor(settings: EngineSettings, calendar: TradingCalendar, costs: CostSchedule) {
    this.#terms = { settings, calendar, costs };
  }

  checkSubmit(
    view: RiskView,
    strategy: StrategyIndex,
    clientOrderId: ClientOrderId,
    intent: OrderIntent,
    hint: PurposeHint,
  ): SubmitVerdict {
    const { instrument, side, qty, limitPrice } = intent;
    const contract = view.contract(instrument);
    if (contract === undefined) return refused({ code: 'contract_unknown', instrument });
    const request = { strategy, hint, contract, side, qty, limitPrice, exposedQty: qty, changed: null };
    const decision = this.#decide(view, request);
    if (!decision.ok) return decision;
    const order = approveOrder({
      clientOrderId,
      strategy,
      purpose: decision.purpose,
      instrument,
      orderCode: contract.orderCode,
      side,
      qty,
      limitPrice,
      cause: view.seq(),
    });
    return { ok: true, order };
  }

  checkModify(
    view: RiskView,
    strategy: StrategyIndex,
    callId: ClientOrderId,
    change: ModifyIntent,
  ): ModifyVerdict {
    const order = view.order(change.clientOrderId);
    if (order === undefined || order.strategy !== strategy)
      return refused({ code: 'order_not_found', clientOrderId: change.clientOrderId });
    const denial = modifyDenial(order, change);
    if (denial !== undefined) return refused(denial);
    const contract = view.contract(order.instrument);
    if (contract === undefined) return refused({ code: 'contract_unknown', instrument: order.instrument });
    const { qty, limitPrice, exposedQty } = changedTerms(order, change);
    const { side, orderNo, clientOrderId, orderCode } = order;
    assert(orderNo !== null, 'an order that works has a number');
    const request = {
      strategy,
      hint: 'any',
      contract,
      side,
      qty,
      limitPrice,
      exposedQty,
      changed: order,
    } as const;
    const decision = this.#decide(view, request);
    if (!decision.ok) return decision;
    const { purpose } = decision;
    const cause = view.seq();
    const modify = approveModify({
      callId,
      clientOrderId,
      strategy,
      purpose,
      orderNo,
      orderCode,
      qty,
      limitPrice,
      cause,
    });
    return { ok: true, modify };
  }

  /** Never denied (rulings, 36): where the exchange takes no cancel, the answer says so. */
  approveCancel(
    view: RiskView,
    strategy: StrategyIndex,
    callId: ClientOrderId,
    order: OrderView,
  ): ApprovedCancel {
    const { clientOrderId, orderNo, orderCode } = order;
    assert(orderNo !== null, 'a cancel names an order by its number');
    return approveCancel({ callId, clientOrderId, strategy, orderNo, orderCode, cause: view.seq() });
  }

  #decide(view: RiskView, request: RiskRequest): Decision {
    const reduction = reductionOf(view, request);
    const purpose: Purpose = reduction.isProven ? 'reduce' : 'entry';
    const denial =
      request.hint === 'exit' && purpose === 'entry'
        ? notAnExit(request, reduction)
        : this.#firstDenial(view, request, purpose);
    if (denial === undefined) return { ok: true, purpose };
    // An exit is not refused for a read that is a few seconds too old: the engine reads, and asks again.
    const wouldPass = purpose === 'entry' && reduction.shrinks;
    return refused(denial, wouldPass && this.#firstDenial(view, request, 'reduce') === undefined);
  }

  #firstDenial(view: RiskView, request: RiskRequest, purpose: Purpose): Denial | undefined {
    const strategy = this.#terms.settings.strategies[request.strategy];
    const scene = { ...this.#terms, view, strategy, purpose };
    for (const rule of RISK_RULES) {
      if (purpose === 'reduce' && rule.appliesTo === 'entry') continue;
      const denial = rule.check(request, scene);
      if (denial !== undefined) return denial;
    }
    return undefined;
  }
}

/** The house may only shrink what it has read. */
const notAnExit = ({ exposedQty }: RiskRequest, { shrinks }: Reduction): Denial => ({
  code: 'position_unproven',
  reason: shrinks
    ? 'no position read less than 5 s ago shows what this exit would close'
    : `an exit of ${exposedQty} is more than the position less the orders that already close it`,
});
