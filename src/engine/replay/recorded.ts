/**
 * What the journal holds of one event that is replayed after a restart. Recorded decisions win over what the code would
 * decide now; the first difference stops the strategy it belongs to (rulings, 31).
 */
import type { ClientOrderId } from '../../domain/ids.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { Purpose } from '../ports/approved.ts';
import type { Denial } from '../ports/denial.ts';
import type { JournalEntry, Proposal, ProposalSource } from '../ports/journal-entry.ts';

export interface RecordedProposal {
  readonly strategy: StrategyIndex;
  readonly by: ProposalSource;
  readonly proposal: Proposal;
  readonly isLost: boolean;
}

export interface Recorded {
  /**
   * True when the journal holds entries caused by this event or by a later one of the same start: then all that was
   * decided here was written. False is the tail that a kill cut off: nothing decided there can have left the house. The
   * engine writes what became of it with the next live event.
   */
  readonly durable: boolean;
  readonly proposals: readonly RecordedProposal[];
  /** Places (by order) and modifies (by call) that were approved, with their purpose. */
  readonly placed: ReadonlyMap<ClientOrderId, Purpose>;
  /** Places (by order) and modifies (by call) that risk refused. */
  readonly denied: ReadonlyMap<ClientOrderId, Denial>;
  /** Cancels that were decided in a tail and never sent, by call. */
  readonly lostCancels: ReadonlySet<ClientOrderId>;
  /** Strategies that stopped during this event. */
  readonly stopped: readonly StrategyIndex[];
}

/** Folds the journal's entries caused by one event, in order. */
export function recordedOf(entries: readonly JournalEntry[], durable: boolean): Recorded {
  const proposals: RecordedProposal[] = [];
  const placed = new Map<ClientOrderId, Purpose>();
  const denied = new Map<ClientOrderId, Denial>();
  const lostCancels = new Set<ClientOrderId>();
  const stopped: StrategyIndex[] = [];
  for (const entry of entries) {
    if (entry.kind === 'proposal' && entry.strategy !== null) {
      const { strategy, by, proposal, isLost } = entry;
      proposals.push({ strategy, by, proposal, isLost });
    } else if (entry.kind === 'place') placed.set(entry.order.clientOrderId, entry.order.purpose);
    else if (entry.kind === 'modify') placed.set(entry.modify.callId, entry.modify.purpose);
    else if (entry.kind === 'cancel' && entry.isLost) lostCancels.add(entry.cancel.callId);
    else if (entry.kind === 'denied') denied.set(entry.clientOrderId, entry.denial);
    else if (entry.kind === 'strategy_stopped' && entry.strategy !== null) stopped.push(entry.strategy);
  }
  return { durable, proposals, placed, denied, lostCancels, stopped };
}
