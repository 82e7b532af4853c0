/** A guard that approves what no test makes it refuse, and a keeper that only gives strategies their contract. */
import type { EngineDependencies } from '../../src/engine/engine.ts';
import type { EngineState } from '../../src/engine/engine-state.ts';
import type { SessionProcedures } from '../../src/engine/session/session-controller.ts';
import type { ApprovedModify, ApprovedOrder } from '../../src/engine/ports/approved.ts';
import type { Denial } from '../../src/engine/ports/denial.ts';
import type { EngineEvent } from '../../src/engine/ports/engine-event.ts';
import { type Guard, RiskGuard } from '../../src/engine/risk/risk-guard.ts';
import type { EngineView } from '../../src/engine/engine-view.ts';

export interface SimpleDependencies extends EngineDependencies {
  /** Asked before an order is approved; null approves it. */
  refuse: (view: EngineView, orderId: string) => { denial: Denial; readFirst?: true } | null;
  state: EngineState | null;
  readonly heard: EngineEvent['kind'][];
}

export function createSimpleDependencies(): SimpleDependencies {
  const parts: SimpleDependencies = {
    refuse: () => null,
    state: null,
    heard: [],
    createGuard: (view) => simpleGuard(parts, view, new RiskGuard(view)),
    createSessionController: (state) => {
      parts.state = state;
      return simpleController(state, parts.heard);
    },
  };
  return parts;
}

/** Orders that wait are judged by the real one. */
const simpleGuard = (parts: SimpleDependencies, view: EngineView, real: RiskGuard): Guard => ({
  checkSubmit(strategy, clientOrderId, intent, by, mayWait) {
    if (intent.kind !== 'limit') return real.checkSubmit(strategy, clientOrderId, intent, by, mayWait);
    const refusal = parts.refuse(view, clientOrderId);
    if (refusal?.readFirst === true && mayWait) return { kind: 'pending' };
    if (refusal !== null) return { kind: 'denied', denial: refusal.denial };
    const { instrument, side, limitPrice } = intent;
    const orderCode = view.contracts.at(instrument)!.orderCode;
    const head = { clientOrderId, strategy, purpose: 'entry' as const, cause: view.context.seq };
    const terms = { instrument, orderCode, side, qty: intent.qty, limitPrice, trigger: null };
    return { kind: 'approved', approved: { ...head, ...terms } as ApprovedOrder };
  },
  checkModify(strategy, callId, change, by, mayWait) {
    const order = view.orders.get(change.clientOrderId)!;
    if (order.isTriggerOrder) return real.checkModify(strategy, callId, change, by, mayWait);
    if (order.status !== 'accepted' && order.status !== 'partially_filled') {
      return { kind: 'denied', denial: { code: 'order_not_working', status: order.status } };
    }
    const approved = {
      callId,
      clientOrderId: order.clientOrderId,
      strategy,
      purpose: 'entry',
      orderNo: order.orderNo,
      orderKey: null,
      orderCode: order.orderCode,
      qty: change.kind === 'qty' ? change.qty : order.qty,
      limitPrice: change.kind === 'price' ? change.limitPrice : order.limitPrice,
      triggerPrice: null,
      cause: view.context.seq,
    } as unknown as ApprovedModify;
    return { kind: 'approved', approved };
  },
  checkCancel: (...asked) => real.checkCancel(...asked),
});

const simpleController = (
  { contracts, registry }: EngineState,
  heard: EngineEvent['kind'][],
): SessionProcedures => ({
  onContracts() {
    const [front] = contracts.all;
    for (const { index } of registry.registered)
      if (front !== undefined) registry.setLegs(index, [front], false);
  },
  onSession() {},
  onPhase() {},
  onTimer() {},
  onCommand() {},
  afterEvent({ kind }) {
    heard.push(kind);
  },
  status: () => ({ stop: 'idle', flattens: [], procedure: '' }),
});

const hasWaited = (): never => {
  throw new Error('the engine has room for every frame');
};

/** For an inbox whose engine takes each frame at once. */
export const NEVER_BEHIND = {
  onFrame: (): void => undefined,
  onBehind: hasWaited,
  onCaughtUp: hasWaited,
  onOverflow: hasWaited,
  onRoomAgain: hasWaited,
};
