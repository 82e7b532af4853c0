/** The decisions that the journal holds of one event, folded from its entries. */
import type { ClientOrderId } from '../../domain/ids.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { ModifyToSend, OrderToSend } from '../ports/approved.ts';
import type { Denial } from '../ports/denial.ts';
import type { JournalEntry, Proposal, ProposalSource } from '../ports/journal-entry.ts';

export interface JournaledProposal {
  readonly strategy: StrategyIndex;
  readonly by: ProposalSource;
  readonly proposal: Proposal;
}

export interface EventDecisions {
  readonly proposals: readonly JournaledProposal[];
  /** Approved orders, by their id. */
  readonly placed: ReadonlyMap<ClientOrderId, OrderToSend>;
  /** Approved changes, by call. */
  readonly modified: ReadonlyMap<ClientOrderId, ModifyToSend>;
  /** Submits (by order) and modifies (by call) that risk refused. */
  readonly denied: ReadonlyMap<ClientOrderId, Denial>;
  /** Calls that were decided in a tail and never left. */
  readonly lost: ReadonlySet<ClientOrderId>;
  /** Strategies that stopped during this event. */
  readonly stopped: readonly StrategyIndex[];
}

/** Folds the journal's entries caused by one event, in order. */
export function eventDecisions(entries: readonly JournalEntry[]): EventDecisions {
  const proposals: JournaledProposal[] = [];
  const placed = new Map<ClientOrderId, OrderToSend>();
  const modified = new Map<ClientOrderId, ModifyToSend>();
  const denied = new Map<ClientOrderId, Denial>();
  const lost = new Set<ClientOrderId>();
  const stopped: StrategyIndex[] = [];
  for (const entry of entries) {
    if (entry.kind === 'proposal' && entry.strategy !== null) {
      const { strategy, by, proposal } = entry;
      proposals.push({ strategy, by, proposal });
      if (entry.isLost) lost.add(callIdOf(proposal));
    } else if (entry.kind === 'place') placed.set(entry.order.clientOrderId, entry.order);
    else if (entry.kind === 'modify') modified.set(entry.modify.callId, entry.modify);
    else if (entry.kind === 'cancel' && entry.isLost) lost.add(entry.cancel.callId);
    else if (entry.kind === 'denied') denied.set(entry.clientOrderId, entry.denial);
    else if (entry.kind === 'strategy_stopped' && entry.strategy !== null) stopped.push(entry.strategy);
  }
  return { proposals, placed, modified, denied, lost, stopped };
}

export const callIdOf = (proposal: Proposal): ClientOrderId =>
  proposal.do === 'submit' ? proposal.clientOrderId : proposal.callId;
