/**
 * What desks and the house asked for during an event. It is carried out after the event, in order: nothing re-enters (house
 * rule 1). In a replay the journal fills the queue, and what is asked is only compared with it.
 */
import { clientOrderId, type ClientOrderId } from '../../domain/ids.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { DueWork } from '../state/due-work.ts';
import type { ClientOrderIds } from './client-order-ids.ts';
import type { Proposal, ProposalSource } from '../ports/journal-entry.ts';
import { type Asked, idOf, type Replay } from '../replay/replay.ts';

export interface Call {
  readonly strategy: StrategyIndex;
  readonly by: ProposalSource;
  readonly proposal: Proposal;
  /** Decided in the tail that a kill cut off: it is never sent. */
  readonly isLost: boolean;
}

export class IntentQueue {
  readonly #ids: ClientOrderIds;
  readonly #replay: Replay;
  readonly #agenda: DueWork;
  #waiting: Call[] = [];
  #next = 0;
  #unmatched = 0;

  constructor(ids: ClientOrderIds, replay: Replay, agenda: DueWork) {
    this.#ids = ids;
    this.#replay = replay;
    this.#agenda = agenda;
  }

  get isWaiting(): boolean {
    return this.#next < this.#waiting.length;
  }

  ask(strategy: StrategyIndex, by: ProposalSource, asked: Asked): ClientOrderId {
    if (this.#replay.isDurable) return this.#replay.match(strategy, by, asked) ?? this.#unmatchedId();
    const id = this.#ids.next();
    this.#waiting.push({ strategy, by, proposal: withId(asked, id), isLost: this.#replay.isTail });
    this.#agenda.open();
    return id;
  }

  /** The journal's proposals of this event take the place of what was asked. */
  loadRecorded(): void {
    for (const { strategy, by, proposal, isLost } of this.#replay.proposals()) {
      this.#ids.skipPast(idOf(proposal));
      this.#waiting.push({ strategy, by, proposal, isLost });
    }
  }

  take(): Call | undefined {
    const call = this.#waiting[this.#next];
    this.#next += 1;
    if (this.#next >= this.#waiting.length) {
      this.#waiting = [];
      this.#next = 0;
    }
    return call;
  }

  /** Strategies whose calls still wait, for the one that asks without end. */
  drop(): readonly Call[] {
    const dropped = this.#waiting.slice(this.#next);
    this.#waiting = [];
    this.#next = 0;
    return dropped;
  }

  /** An id that names nothing: the strategy is about to be stopped. */
  #unmatchedId(): ClientOrderId {
    this.#unmatched += 1;
    return clientOrderId(`D.${this.#unmatched}`);
  }
}

function withId(asked: Asked, id: ClientOrderId): Proposal {
  if (asked.do === 'submit') return { do: 'submit', clientOrderId: id, intent: asked.intent };
  if (asked.do === 'modify') return { do: 'modify', callId: id, change: asked.change };
  return { do: 'cancel', callId: id, clientOrderId: asked.clientOrderId };
}
