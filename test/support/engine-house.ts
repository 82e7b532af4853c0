/** A guard that approves what it is not told to refuse, and a keeper that only gives strategies their contract. */
import { OPERATOR_INDEX } from '../../src/domain/units.ts';
import type { Actions, Keeper } from '../../src/engine/actions.ts';
import type { House } from '../../src/engine/engine-parts.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder } from '../../src/engine/ports/approved.ts';
import type { EngineEvent } from '../../src/engine/ports/engine-event.ts';
import { RiskGuard } from '../../src/engine/risk/risk-guard.ts';
import type { Guard, ModifyVerdict, RiskView, SubmitVerdict } from '../../src/engine/risk/risk-view.ts';

export interface SimpleHouse extends House {
  /** Asked before an order is approved; null approves it. */
  refuse: (view: RiskView, orderId: string) => Extract<SubmitVerdict, { ok: false }> | null;
  actions: Actions | null;
  readonly heard: EngineEvent['kind'][];
}

export function createSimpleHouse(): SimpleHouse {
  const house: SimpleHouse = {
    refuse: () => null,
    actions: null,
    heard: [],
    createGuard: ({ settings, calendar, costs }) =>
      simpleGuard(house, new RiskGuard(settings, calendar, costs)),
    createKeeper: (_options, actions) => {
      house.actions = actions;
      return simpleKeeper(actions, house.heard);
    },
  };
  return house;
}

/** Orders that wait are judged by the real one. */
const simpleGuard = (house: SimpleHouse, real: RiskGuard): Guard => ({
  checkCondition: (...asked) => real.checkCondition(...asked),
  checkMove: (...asked) => real.checkMove(...asked),
  approveConditionCancel: (...asked) => real.approveConditionCancel(...asked),
  checkSubmit(view, strategy, clientOrderId, intent) {
    const refusal = house.refuse(view, clientOrderId);
    if (refusal !== null) return refusal;
    const { instrument, side, limitPrice } = intent;
    const orderCode = view.contract(instrument)!.orderCode;
    const head = { clientOrderId, strategy, purpose: 'entry' as const, cause: view.seq() };
    const order = { ...head, instrument, orderCode, side, qty: intent.qty, limitPrice } as ApprovedOrder;
    return { ok: true, order };
  },
  checkModify(view, strategy, callId, change): ModifyVerdict {
    const order = view.order(change.clientOrderId)!;
    if (order.status !== 'accepted' && order.status !== 'partially_filled') {
      return { ok: false, denial: { code: 'order_not_working', status: order.status }, readFirst: false };
    }
    const modify = {
      callId,
      clientOrderId: order.clientOrderId,
      strategy,
      purpose: 'entry',
      orderNo: order.orderNo,
      orderCode: order.orderCode,
      qty: change.kind === 'qty' ? change.qty : order.qty,
      limitPrice: change.kind === 'price' ? change.limitPrice : order.limitPrice,
      cause: view.seq(),
    } as unknown as ApprovedModify;
    return { ok: true, modify };
  },
  approveCancel: (view, strategy, callId, { clientOrderId, orderNo, orderCode }) =>
    ({ callId, clientOrderId, strategy, orderNo, orderCode, cause: view.seq() }) as ApprovedCancel,
});

const simpleKeeper = (actions: Actions, heard: EngineEvent['kind'][]): Keeper => ({
  onContracts() {
    for (const owner of actions.owners()) {
      const [front] = actions.view.contracts();
      if (owner !== OPERATOR_INDEX && front !== undefined) actions.setLegs(owner, [front]);
    }
  },
  onSession() {},
  onPhase() {},
  onTimer() {},
  onCommand() {},
  afterEvent({ kind }) {
    heard.push(kind);
  },
  watchLosses() {},
  status: () => '',
  isFlattening: () => false,
});
