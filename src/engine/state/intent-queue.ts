/** Calls queued during an event. They are carried out after it, in order: nothing re-enters. */
import type { ClientOrderId } from '../../domain/ids.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { Proposal, ProposalSource } from '../ports/journal-entry.ts';
import type { DueWork } from './timers.ts';

export interface QueuedIntent {
  readonly strategy: StrategyIndex;
  readonly by: ProposalSource;
  readonly proposal: Proposal;
}

export const callIdOf = (proposal: Proposal): ClientOrderId =>
  proposal.do === 'submit' ? proposal.clientOrderId : proposal.callId;

export class IntentQueue {
  readonly #dueWork: DueWork;
  #waiting: QueuedIntent[] = [];
  #next = 0;

  constructor(dueWork: DueWork) {
    this.#dueWork = dueWork;
  }

  get isWaiting(): boolean {
    return this.#next < this.#waiting.length;
  }

  push(call: QueuedIntent): void {
    // A list of one takes a third of the space that an empty one grows to.
    if (this.isWaiting) this.#waiting.push(call);
    else {
      this.#waiting = [call];
      this.#next = 0;
    }
    this.#dueWork.open();
  }

  take(): QueuedIntent | undefined {
    const call = this.#waiting[this.#next];
    this.#next += 1;
    return call;
  }

  /** Calls that still wait, of the strategy that asks without end. */
  drop(): readonly QueuedIntent[] {
    const dropped = this.#waiting.slice(this.#next);
    this.#waiting = [];
    this.#next = 0;
    return dropped;
  }
}
