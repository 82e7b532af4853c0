/**
 * The only place that decides on orders, changes and cancels; a replay repeats what it approved, by the journal. The same view of the
 * engine and the same request always get the same answer: it keeps the hours of the day, and a request object that it fills again.
 */
import { assert } from '../../domain/assert.ts';
import type { Contract } from '../../domain/contract.ts';
import type { BrokerOrderKey, ClientOrderId } from '../../domain/ids.ts';
import type { ModifyIntent, OrderIntent } from '../../domain/order.ts';
import type { Assumption } from '../../domain/settings.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { EngineView, OrderView } from '../engine-view.ts';
import type {
  ApprovedCancel,
  ApprovedModify,
  ApprovedOrder,
  CancelToSend,
  ModifyToSend,
  OrderToSend,
  Purpose,
} from '../ports/approved.ts';
import type { Denial } from '../ports/denial.ts';
import type { ProposalSource } from '../ports/journal-entry.ts';
import type { Decision } from '../state/event-context.ts';
import {
  changedTerms,
  modifyDenial,
  moveDenial,
  RiskRequest,
  timeInForceDenial,
  triggerDenial,
} from './risk-request.ts';
import { checksOf } from './risk-rules.ts';

const ORDER_CHECKS = checksOf('new_entry');
const CHANGE_CHECKS = checksOf('entry');
const REDUCTION_CHECKS = checksOf('all');

const PENDING: Decision<never> = { kind: 'pending' };
const denied = (denial: Denial): Decision<never> => ({ kind: 'denied', denial });

/** Tests put simpler ones in its place. */
export type Guard = Pick<RiskGuard, 'checkSubmit' | 'checkModify' | 'checkCancel'>;

export class RiskGuard {
  readonly #view: EngineView;
  #request: RiskRequest | null = null;

  constructor(view: EngineView) {
    this.#view = view;
  }

  /**
   * Of a bracket risk checks the entry; its exits only ever close the entry's fills. An order of the system, and one that is reduce-only, may
   * only shrink the position that was read. `mayWait`: an exit is not denied for a stale read, it is pending.
   */
  checkSubmit(
    strategy: StrategyIndex,
    clientOrderId: ClientOrderId,
    intent: OrderIntent,
    by: ProposalSource,
    mayWait: boolean,
  ): Decision<ApprovedOrder> {
    const { instrument, side, qty, limitPrice } = intent;
    const contract = this.#view.contracts.at(instrument);
    if (contract === undefined) return denied({ code: 'contract_unknown', instrument });
    // Faults that no rule checks.
    const shape =
      timeInForceDenial(intent, this.#view.settings) ??
      (intent.kind === 'limit' ? undefined : triggerDenial(this.#view, intent, this.#assumed));
    if (shape !== undefined) return denied(shape);
    const request = this.#requestOf(contract);
    request.loadIntent(strategy, contract, intent, by === 'system');
    const refusal = isEntry(intent)
      ? this.#judgeAs(request, 'entry')
      : this.#judge(request, by === 'system' || isReduceOnly(intent), mayWait);
    if (refusal !== null) return refusal;
    const order: OrderToSend = {
      clientOrderId,
      strategy,
      purpose: request.purpose,
      shrinks: request.shrinks,
      instrument,
      orderCode: contract.orderCode,
      side,
      qty,
      limitPrice,
      trigger: request.trigger,
      cause: this.#view.context.seq,
    };
    const approved = approveOrder(intent.timeInForce === 'gtc' ? { ...order, timeInForce: 'gtc' } : order);
    return { kind: 'approved', approved };
  }

  /** Changes price or quantity of an order at the exchange, or the trigger of one that waits. */
  checkModify(
    strategy: StrategyIndex,
    callId: ClientOrderId,
    change: ModifyIntent,
    by: ProposalSource,
    mayWait: boolean,
  ): Decision<ApprovedModify> {
    const { orders, contracts, context } = this.#view;
    const order = orders.get(change.clientOrderId);
    if (order === undefined || order.strategy !== strategy)
      return denied({ code: 'order_not_found', clientOrderId: change.clientOrderId });
    const { isTriggerOrder, instrument, orderNo, clientOrderId, orderCode } = order;
    const denial = isTriggerOrder ? moveDenial(order, change, this.#assumed) : modifyDenial(order, change);
    if (denial !== undefined) return denied(denial);
    const contract = contracts.at(instrument);
    if (contract === undefined) return denied({ code: 'contract_unknown', instrument });
    const request = this.#requestOf(contract);
    const terms = changedTerms(order, change);
    request.loadChange(order, contract, terms, by === 'system');
    // An order that was placed to shrink a position stays that: the broker would send it either way.
    const refusal = isTriggerOrder
      ? this.#judgeAs(request, order.purpose)
      : this.#judge(request, false, mayWait);
    if (refusal !== null) return refusal;
    assert(orderNo !== null, 'an order that can be changed has a number');
    const approved = approveModify({
      callId,
      clientOrderId,
      strategy,
      purpose: request.purpose,
      orderNo,
      orderKey: keyOf(order),
      orderCode,
      qty: terms.qty,
      limitPrice: terms.limitPrice,
      triggerPrice: terms.triggerPrice,
      cause: context.seq,
    });
    return { kind: 'approved', approved };
  }

  /** Never denied (rulings, 36): outside the hours for cancels the broker rejects it. */
  checkCancel(strategy: StrategyIndex, callId: ClientOrderId, order: OrderView): ApprovedCancel {
    const { clientOrderId, orderNo, orderCode } = order;
    assert(orderNo !== null, 'a cancel names an order by its number');
    const orderKey = keyOf(order);
    const cause = this.#view.context.seq;
    return approveCancel({ callId, clientOrderId, strategy, orderNo, orderKey, orderCode, cause });
  }

  get #assumed(): readonly Assumption[] {
    return this.#view.settings.assumed ?? [];
  }

  /** One object serves all checks, so an order allocates none. */
  #requestOf(contract: Contract): RiskRequest {
    this.#request ??= new RiskRequest(this.#view, contract);
    return this.#request;
  }

  #judgeAs(request: RiskRequest, purpose: Purpose): Decision<never> | null {
    request.purpose = purpose;
    request.shrinks = purpose === 'reduce';
    const denial = this.#firstDenial(request);
    return denial === undefined ? null : denied(denial);
  }

  #judge(request: RiskRequest, isExit: boolean, mayWait: boolean): Decision<never> | null {
    request.classify();
    const isEntryNow = request.purpose === 'entry';
    const denial = isExit && isEntryNow ? exitDenial(request) : this.#firstDenial(request);
    if (denial === undefined) return null;
    if (!isEntryNow || !request.shrinks || !mayWait) return denied(denial);
    // An exit is not denied for a read a few seconds too old: the engine reads, and asks again.
    request.purpose = 'reduce';
    return this.#firstDenial(request) === undefined ? PENDING : denied(denial);
  }

  #firstDenial(request: RiskRequest): Denial | undefined {
    const ofEntries = request.changed === null ? ORDER_CHECKS : CHANGE_CHECKS;
    const checks = request.purpose === 'reduce' ? REDUCTION_CHECKS : ofEntries;
    for (let at = 0; at < checks.length; at += 1) {
      const denial = checks[at]?.(request);
      if (denial !== undefined) return denial;
    }
    return undefined;
  }
}

/** Even where it first closes a position. */
const isEntry = (intent: OrderIntent): boolean =>
  intent.kind === 'bracket' ||
  ((intent.kind === 'stop' || intent.kind === 'trailing_stop') && intent.mayReverse === true);

const isReduceOnly = (intent: OrderIntent): boolean =>
  (intent.kind === 'stop' || intent.kind === 'trailing_stop') && intent.reduceOnly === true;

/** The broker identifies an order that waits by its key. */
function keyOf({ isTriggerOrder, orderKey }: OrderView): BrokerOrderKey | null {
  if (!isTriggerOrder) return null;
  assert(orderKey !== null, 'an order that waits is named by its key');
  return orderKey;
}

/** An exit of ours may only shrink a position that was read. */
function exitDenial({ isHeld, shrinks, exposedQty }: RiskRequest): Denial {
  if (!isHeld) return { code: 'nothing_to_close' };
  const reason = shrinks
    ? 'no position read less than 5 s ago shows what this exit would close'
    : `an exit of ${exposedQty} is more than the position less the orders that already close it`;
  return { code: 'position_unproven', reason };
}

/* oxlint-disable typescript/no-unsafe-type-assertion -- the one assertion point of approvals: the guard has checked, now or before a replay */
export const approveOrder = (order: OrderToSend): ApprovedOrder => order as ApprovedOrder;
export const approveModify = (modify: ModifyToSend): ApprovedModify => modify as ApprovedModify;
const approveCancel = (cancel: CancelToSend): ApprovedCancel => cancel as ApprovedCancel;
