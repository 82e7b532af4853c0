/**
 * Source of decisions about calls: the risk guard for events of now, the journal for events of a replayed past. The rest of the
 * engine does not know which of them it asks.
 */
import type { ClientOrderId } from '../../domain/ids.ts';
import type { ModifyIntent, OrderIntent } from '../../domain/order.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { QueuedIntent } from './intent-queue.ts';
import type { ApprovedModify, ApprovedOrder } from '../ports/approved.ts';
import type { Denial } from '../ports/denial.ts';
import type { HaltEntry, PolicyEntry, ProposalSource } from '../ports/journal-entry.ts';

/** A proposal before it has an id. */
export type ProposalDraft =
  | { readonly do: 'submit'; readonly intent: OrderIntent }
  | { readonly do: 'modify'; readonly change: ModifyIntent }
  | { readonly do: 'cancel'; readonly clientOrderId: ClientOrderId; readonly isWithdrawal?: true };

export type Decision<Approved> =
  | { readonly kind: 'approved'; readonly approved: Approved }
  | { readonly kind: 'denied'; readonly denial: Denial }
  /** It would shrink a position, and pass, if that had been read less than 5 s ago (rulings, 36): it is read, and the call decided again. */
  | { readonly kind: 'pending' };

export interface DecisionSource {
  /** Takes a request of a strategy or the engine; returns the id of the call. */
  ask(strategy: StrategyIndex, by: ProposalSource, asked: ProposalDraft): ClientOrderId;
  /** Enters the calls that the source itself knows of; all state changes of the event are done. */
  load(): void;
  /** `mayWait`: the call may wait for positions to be read. */
  submit(
    call: QueuedIntent,
    id: ClientOrderId,
    intent: OrderIntent,
    mayWait: boolean,
  ): Decision<ApprovedOrder>;
  modify(
    call: QueuedIntent,
    callId: ClientOrderId,
    order: { readonly strategy: StrategyIndex },
    change: ModifyIntent,
    mayWait: boolean,
  ): Decision<ApprovedModify>;
  /** The policies that the journal holds of this event and that are not taken yet; null: they are decided now. */
  policies(): PolicyEntry[] | null;
  /** The halts that the journal holds of this event and that are not found again yet; null: limits are judged now. */
  halts(): HaltEntry[] | null;
  /** Asked as a call is handed to the gateway. True in the tail that a kill cut off: the call never leaves. */
  losesCall(callId: ClientOrderId): boolean;
  /** False when a strategy's stop is journaled only after the replay. */
  stopsNow(strategy: StrategyIndex): boolean;
  /** True in a past that an earlier version of the strategy decided. */
  isEarlier(strategy: StrategyIndex): boolean;
}
