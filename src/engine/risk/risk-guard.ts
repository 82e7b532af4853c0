/**
 * The only place that approves orders, changes and cancels. It caches the hours of the day and nothing else: the
 * same view and the same request always get the same answer.
 */
import { assert } from '../../domain/assert.ts';
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { CostSchedule } from '../../domain/costs.ts';
import type { BrokerOrderKey, ClientOrderId } from '../../domain/ids.ts';
import type { ModifyIntent, OrderIntent } from '../../domain/order.ts';
import type { Assumption, EngineSettings } from '../../domain/settings.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { ApprovedCancel, OrderToSend, Purpose } from '../ports/approved.ts';
import type { Denial } from '../ports/denial.ts';
import type { ProposalSource } from '../ports/journal-entry.ts';
import type { ModifyVerdict, OrderView, PurposeHint, RiskView, SubmitVerdict } from './risk-view.ts';
import { approveCancel, approveModify, approveOrder } from './approve.ts';
import { ClosingHours, type RiskRequest, type RiskScene, type RiskTerms } from './risk-rule.ts';
import {
  changedTerms,
  isWaiting,
  modifyDenial,
  moveDenial,
  otherPrices,
  timeInForceDenial,
  triggerDenial,
  triggerOf,
} from './order-request.ts';
import { type Reduction, reductionOf } from './exposure.ts';
import { REDUCE_RULES, RISK_RULES } from './risk-rules.ts';

type Decision =
  | { readonly ok: true; readonly purpose: Purpose; readonly shrinks: boolean }
  | { readonly ok: false; readonly denial: Denial; readonly readFirst: boolean };

const refused = (denial: Denial, readFirst = false): Decision & { readonly ok: false } => ({
  ok: false,
  denial,
  readFirst,
});

/** Tests put simpler ones in its place. */
export type Guard = Pick<RiskGuard, 'checkSubmit' | 'checkModify' | 'checkCancel'>;

export class RiskGuard {
  readonly #terms: RiskTerms;
  /** One for all checks: an order makes none. */
  #scene: RiskScene | null = null;

  constructor(settings: EngineSettings, calendar: TradingCalendar, costs: CostSchedule) {
    const hours = new ClosingHours(calendar, settings.flatBeforeClose);
    this.#terms = { settings, calendar, hours, costs };
  }

  /** Of a bracket risk checks the entry; its exits only ever close what it has opened. */
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
    const request: RiskRequest = {
      strategy,
      hint: isReduceOnly(intent) && hint === 'any' ? 'reduce' : hint,
      isSystem: hint === 'exit',
      contract,
      side,
      qty,
      limitPrice,
      otherPrices: otherPrices(intent),
      isWaiting: isWaiting(intent),
      isProtective: hint === 'exit' && intent.kind === 'stop',
      exposedQty: qty,
      changed: null,
    };
    const decision = this.#decideSubmit(view, intent, request);
    if (!decision.ok) return decision;
    const order: OrderToSend = {
      clientOrderId,
      strategy,
      purpose: decision.purpose,
      shrinks: decision.shrinks,
      instrument,
      orderCode: contract.orderCode,
      side,
      qty,
      limitPrice,
      trigger: triggerOf(intent, view),
      cause: view.seq(),
    };
    return {
      ok: true,
      order: approveOrder(intent.timeInForce === 'gtc' ? { ...order, timeInForce: 'gtc' } : order),
    };
  }

  /** Changes price or quantity of an order at the exchange, or the trigger of one that waits. */
  checkModify(
    view: RiskView,
    strategy: StrategyIndex,
    callId: ClientOrderId,
    change: ModifyIntent,
    by: ProposalSource,
  ): ModifyVerdict {
    const order = view.order(change.clientOrderId);
    if (order === undefined || order.strategy !== strategy)
      return refused({ code: 'order_not_found', clientOrderId: change.clientOrderId });
    const waits = order.isWaiting === true;
    const denial = waits ? moveDenial(order, change, this.#assumed) : modifyDenial(order, change);
    if (denial !== undefined) return refused(denial);
    const contract = view.contract(order.instrument);
    if (contract === undefined) return refused({ code: 'contract_unknown', instrument: order.instrument });
    const { side, orderNo, clientOrderId, orderCode } = order;
    const { qty, limitPrice, triggerPrice, exposedQty } = changedTerms(order, change);
    const request: RiskRequest = {
      strategy,
      hint: 'any',
      isSystem: by === 'system',
      contract,
      side,
      qty,
      limitPrice,
      otherPrices: triggerPrice === null ? NO_PRICES : [triggerPrice],
      isWaiting: waits,
      isProtective: order.isProtective === true,
      exposedQty,
      changed: order,
    };
    // An order that was placed to shrink a position stays that: the broker would send it either way.
    const decision = waits ? this.#decideAs(view, request, order.purpose) : this.#decide(view, request);
    if (!decision.ok) return decision;
    assert(orderNo !== null, 'an order that can be changed has a number');
    const modify = approveModify({
      callId,
      clientOrderId,
      strategy,
      purpose: decision.purpose,
      orderNo,
      orderKey: keyOf(order),
      orderCode,
      qty,
      limitPrice,
      triggerPrice,
      cause: view.seq(),
    });
    return { ok: true, modify };
  }

  /** Never denied (rulings, 36): outside the hours for cancels the broker rejects it. */
  checkCancel(
    view: RiskView,
    strategy: StrategyIndex,
    callId: ClientOrderId,
    order: OrderView,
  ): ApprovedCancel {
    const { clientOrderId, orderNo, orderCode } = order;
    assert(orderNo !== null, 'a cancel names an order by its number');
    const orderKey = keyOf(order);
    return approveCancel({
      callId,
      clientOrderId,
      strategy,
      orderNo,
      orderKey,
      orderCode,
      cause: view.seq(),
    });
  }

  get #assumed(): readonly Assumption[] {
    return this.#terms.settings.assumed ?? [];
  }

  #decideSubmit(view: RiskView, intent: OrderIntent, request: RiskRequest): Decision {
    const lasting = timeInForceDenial(intent, this.#terms.settings);
    if (lasting !== undefined) return refused(lasting);
    if (intent.kind === 'limit') return this.#decide(view, request);
    const denial = triggerDenial(view, intent, this.#assumed);
    if (denial !== undefined) return refused(denial);
    return isEntry(intent) ? this.#decideAs(view, request, 'entry') : this.#decide(view, request);
  }

  #decideAs(view: RiskView, request: RiskRequest, purpose: Purpose): Decision {
    const denial = this.#firstDenial(view, request, purpose);
    return denial === undefined ? { ok: true, purpose, shrinks: purpose === 'reduce' } : refused(denial);
  }

  #decide(view: RiskView, request: RiskRequest): Decision {
    const reduction = reductionOf(view, request);
    const purpose: Purpose = reduction.isProven ? 'reduce' : 'entry';
    const denial =
      request.hint !== 'any' && purpose === 'entry'
        ? notAnExit(request, reduction)
        : this.#firstDenial(view, request, purpose);
    if (denial === undefined) return { ok: true, purpose, shrinks: reduction.shrinks };
    // An exit is not denied for a read a few seconds too old: the engine reads, and asks again.
    const wouldPass = purpose === 'entry' && reduction.shrinks;
    return refused(denial, wouldPass && this.#firstDenial(view, request, 'reduce') === undefined);
  }

  #firstDenial(view: RiskView, request: RiskRequest, purpose: Purpose): Denial | undefined {
    const rules = purpose === 'reduce' ? REDUCE_RULES : RISK_RULES;
    const scene = (this.#scene ??= { ...this.#terms, view, strategy: undefined, purpose });
    scene.view = view;
    scene.strategy = this.#terms.settings.strategies[request.strategy];
    scene.purpose = purpose;
    for (let at = 0; at < rules.length; at += 1) {
      const denial = rules[at]?.check(request, scene);
      if (denial !== undefined) return denial;
    }
    return undefined;
  }
}

const NO_PRICES: readonly number[] = [];

/** Even where it first closes a position. */
const isEntry = (intent: OrderIntent): boolean =>
  intent.kind === 'bracket' ||
  ((intent.kind === 'stop' || intent.kind === 'trailing_stop') && intent.mayReverse === true);

const isReduceOnly = (intent: OrderIntent): boolean =>
  (intent.kind === 'stop' || intent.kind === 'trailing_stop') && intent.reduceOnly === true;

/** The broker identifies an order that waits by its key. */
function keyOf({ isWaiting: waits, orderKey }: OrderView): BrokerOrderKey | null {
  if (waits !== true) return null;
  assert(typeof orderKey === 'string', 'an order that waits is named by its key');
  return orderKey;
}

/** An exit of ours may only shrink a position that was read. */
function notAnExit({ exposedQty }: RiskRequest, { isHeld, shrinks }: Reduction): Denial {
  if (!isHeld) return { code: 'nothing_to_close' };
  const reason = shrinks
    ? 'no position read less than 5 s ago shows what this exit would close'
    : `an exit of ${exposedQty} is more than the position less the orders that already close it`;
  return { code: 'position_unproven', reason };
}
