/** Decisions of the present: the risk guard makes them. */
import type { ClientOrderId } from '../../domain/ids.ts';
import type { ModifyIntent, OrderIntent } from '../../domain/order.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { ClientOrderIds } from '../state/client-order-ids.ts';
import type { QueuedIntent, IntentQueue } from '../state/intent-queue.ts';
import type { ApprovedModify, ApprovedOrder } from '../ports/approved.ts';
import type { Proposal, ProposalSource } from '../ports/journal-entry.ts';
import type { Guard } from '../risk/risk-guard.ts';
import type { ProposalDraft, Decision, DecisionSource } from '../state/decision-source.ts';

export class LiveDecisions implements DecisionSource {
  readonly #ids: ClientOrderIds;
  readonly #queue: IntentQueue;
  readonly #guard: Guard;

  constructor(ids: ClientOrderIds, queue: IntentQueue, guard: Guard) {
    this.#ids = ids;
    this.#queue = queue;
    this.#guard = guard;
  }

  ask(strategy: StrategyIndex, by: ProposalSource, asked: ProposalDraft): ClientOrderId {
    const id = this.#ids.next();
    this.#queue.push({ strategy, by, proposal: withId(asked, id) });
    return id;
  }

  load(): void {
    // Calls of the present enter the queue as they are asked for.
  }

  submit(
    { strategy, by }: QueuedIntent,
    id: ClientOrderId,
    intent: OrderIntent,
    mayWait: boolean,
  ): Decision<ApprovedOrder> {
    return this.#guard.checkSubmit(strategy, id, intent, by, mayWait);
  }

  modify(
    { strategy, by }: QueuedIntent,
    callId: ClientOrderId,
    _order: { readonly strategy: StrategyIndex },
    change: ModifyIntent,
    mayWait: boolean,
  ): Decision<ApprovedModify> {
    return this.#guard.checkModify(strategy, callId, change, by, mayWait);
  }

  policies(): null {
    return null;
  }

  halts(): null {
    return null;
  }

  losesCall(): boolean {
    return false;
  }

  stopsNow(): boolean {
    return true;
  }

  isEarlier(): boolean {
    return false;
  }
}

function withId(asked: ProposalDraft, id: ClientOrderId): Proposal {
  if (asked.do === 'submit') return { do: 'submit', clientOrderId: id, intent: asked.intent };
  if (asked.do === 'modify') return { do: 'modify', callId: id, change: asked.change };
  const cancel = { do: 'cancel', callId: id, clientOrderId: asked.clientOrderId } as const;
  return asked.isWithdrawal === true ? { ...cancel, isWithdrawal: true } : cancel;
}
