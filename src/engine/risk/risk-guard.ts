/**
 * The only door through which orders, changes and cancels leave (house rule 6). It keeps nothing but hours of the day, once
 * reckoned: the same view and the same request always get the same answer.
 */
import { assert } from '../../domain/assert.ts';
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { CostSchedule } from '../../domain/costs.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { LimitIntent, ModifyIntent, TriggerIntent } from '../../domain/order.ts';
import type { Assumption, EngineSettings } from '../../domain/settings.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import { conditionOf } from '../conditions/condition-of.ts';
import type { ApprovedCancel, ApprovedConditionCancel, Purpose } from '../ports/approved.ts';
import type { Denial } from '../ports/denial.ts';
import type {
  ConditionVerdict,
  ModifyVerdict,
  MoveVerdict,
  OrderView,
  PurposeHint,
  RiskView,
  SubmitVerdict,
} from './risk-view.ts';
import {
  approveCancel,
  approveCondition,
  approveConditionCancel,
  approveModify,
  approveMove,
  approveOrder,
} from './approve.ts';
import { ClosingHours } from './closing-hours.ts';
import { conditionDenial, moveDenial, otherPrices } from './condition-request.ts';
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
    const hours = new ClosingHours(calendar, settings.flatBeforeClose);
    this.#terms = { settings, calendar, hours, costs };
  }

  checkSubmit(
    view: RiskView,
    strategy: StrategyIndex,
    clientOrderId: ClientOrderId,
    intent: LimitIntent,
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

  /** Of a bracket the entry is judged; its exits only ever close what it has opened. */
  checkCondition(
    view: RiskView,
    strategy: StrategyIndex,
    clientOrderId: ClientOrderId,
    intent: TriggerIntent,
    hint: PurposeHint,
  ): ConditionVerdict {
    const { instrument, side, qty, limitPrice, kind } = intent;
    const contract = view.contract(instrument);
    if (contract === undefined) return refused({ code: 'contract_unknown', instrument });
    const denial = conditionDenial(view, intent, this.#assumed);
    if (denial !== undefined) return refused(denial);
    const isExit = (kind === 'stop' || kind === 'trailing_stop') && intent.reduceOnly === true;
    const request = {
      strategy,
      hint: isExit && hint === 'any' ? 'reduce' : hint,
      contract,
      side,
      qty,
      limitPrice,
      otherPrices: otherPrices(intent),
      isWaiting: kind !== 'bracket',
      exposedQty: qty,
      changed: null,
    };
    const decision = kind === 'bracket' ? this.#asEntry(view, request) : this.#decide(view, request);
    if (!decision.ok) return decision;
    const condition = conditionOf(intent, (leg) => view.contract(leg)?.orderCode);
    assert(condition !== undefined, 'the leg of an arbitrage order is a contract');
    const { orderCode } = contract;
    const head = { clientOrderId, strategy, purpose: decision.purpose, instrument, orderCode };
    const order = { ...head, side, qty, limitPrice, cause: view.seq(), condition };
    return { ok: true, order: approveCondition(order) };
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

  /** Moves the trigger of what waits; side and quantity stay. */
  checkMove(
    view: RiskView,
    strategy: StrategyIndex,
    callId: ClientOrderId,
    change: ModifyIntent,
  ): MoveVerdict {
    const order = view.order(change.clientOrderId);
    if (order === undefined || order.strategy !== strategy)
      return refused({ code: 'order_not_found', clientOrderId: change.clientOrderId });
    const denial = moveDenial(order, change, this.#assumed);
    if (denial !== undefined) return refused(denial);
    const { side, qty, limitPrice, orderNo, orderKey, clientOrderId, orderCode, instrument, exposedQty } =
      order;
    const contract = view.contract(instrument);
    if (contract === undefined) return refused({ code: 'contract_unknown', instrument });
    assert(change.kind === 'trigger' && orderNo !== null, 'only what has a number is moved');
    assert(typeof orderKey === 'string', 'what is moved is known by its key');
    const { triggerPrice } = change;
    const request = {
      strategy,
      hint: 'any',
      contract,
      side,
      qty,
      limitPrice,
      otherPrices: [triggerPrice],
      isWaiting: true,
      exposedQty,
      changed: order,
    } as const;
    // What was placed to shrink a position stays that: the broker would send it either way.
    const { purpose } = order;
    const refusal = this.#firstDenial(view, request, purpose);
    if (refusal !== undefined) return refused(refusal);
    const head = { callId, clientOrderId, strategy, purpose, orderNo, orderCode };
    const move = { ...head, qty, limitPrice, cause: view.seq(), orderKey, triggerPrice };
    return { ok: true, move: approveMove(move) };
  }

  approveConditionCancel(
    view: RiskView,
    strategy: StrategyIndex,
    callId: ClientOrderId,
    order: OrderView,
  ): ApprovedConditionCancel {
    const { clientOrderId, orderNo, orderKey, orderCode } = order;
    assert(orderNo !== null && typeof orderKey === 'string', 'a cancel names what waits by its key');
    const cause = view.seq();
    return approveConditionCancel({ callId, clientOrderId, strategy, orderNo, orderCode, cause, orderKey });
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

  get #assumed(): readonly Assumption[] {
    return this.#terms.settings.assumed ?? [];
  }

  /** What brings exits with it opens something, whatever it closes first. */
  #asEntry(view: RiskView, request: RiskRequest): Decision {
    const denial = this.#firstDenial(view, request, 'entry');
    return denial === undefined ? { ok: true, purpose: 'entry' } : refused(denial);
  }

  #decide(view: RiskView, request: RiskRequest): Decision {
    const reduction = reductionOf(view, request);
    const purpose: Purpose = reduction.isProven ? 'reduce' : 'entry';
    const denial =
      request.hint !== 'any' && purpose === 'entry'
        ? notAnExit(request, reduction)
        : this.#firstDenial(view, request, purpose);
    if (denial === undefined) return { ok: true, purpose };
    // An exit is not refused for a read that is a few seconds too old: the engine reads, and asks again.
    const wouldPass = purpose === 'entry' && reduction.shrinks;
    return refused(denial, wouldPass && this.#firstDenial(view, request, 'reduce') === undefined);
  }

  #firstDenial(view: RiskView, request: RiskRequest, purpose: Purpose): Denial | undefined {
    const strategy = this.#terms.settings.strategies[request.strategy];
    const { settings, calendar, hours, costs } = this.#terms;
    const scene = { settings, calendar, hours, costs, view, strategy, purpose };
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
