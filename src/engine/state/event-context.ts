/** The event being processed: its time and number, the calls that it leads to, who decides them, and the way to the journal. */
import { assert } from '../../domain/assert.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import { type Seq, seq, type StrategyIndex, type TsUs, tsUs } from '../../domain/units.ts';
import type {
  AlertFacts,
  AlertSeverity,
  HaltEntry,
  JournalEntry,
  PolicyEntry,
  Proposal,
  ProposalSource,
} from '../ports/journal-entry.ts';
import type { Journal } from '../ports/outbound.ts';
import type { ModifyIntent, OrderIntent } from '../../domain/order.ts';
import type { ApprovedModify, ApprovedOrder } from '../ports/approved.ts';
import type { Denial } from '../ports/denial.ts';

export class EventContext {
  readonly #journal: Journal;
  #nowUs: TsUs = tsUs(0);
  #seq: Seq = seq(0);
  #decisions: DecisionSource | null = null;
  #isBooted = false;
  /** Cancels asked for while a day begins, before this start has ids for its calls. */
  #queuedCancels: readonly (() => void)[] = [];

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  get nowUs(): TsUs {
    return this.#nowUs;
  }

  get seq(): Seq {
    return this.#seq;
  }

  /** The risk guard, or the journal while the past is replayed. */
  get decisions(): DecisionSource {
    assert(this.#decisions !== null, 'an engine is put together with its source of decisions');
    return this.#decisions;
  }

  setDecisions(source: DecisionSource): void {
    this.#decisions = source;
  }

  /** The first event of a process whose clock was set back. */
  setBack(at: TsUs): void {
    this.#nowUs = at;
  }

  /** Time never goes back within a process: an event that claims an earlier time happens now. Returns the time of now. */
  begin(seq: Seq, at: TsUs): TsUs {
    this.#seq = seq;
    if (at > this.#nowUs) this.#nowUs = at;
    return this.#nowUs;
  }

  /** A cancel that the engine asks for, and forgets once the broker refuses it; it waits for the ids of this start. */
  cancel(strategy: StrategyIndex, clientOrderId: ClientOrderId): void {
    this.#cancel(strategy, { do: 'cancel', clientOrderId });
  }

  /** A cancel that holds until the order is over: a caller repeats it when it fails. */
  withdraw(strategy: StrategyIndex, clientOrderId: ClientOrderId): void {
    this.#cancel(strategy, { do: 'cancel', clientOrderId, isWithdrawal: true });
  }

  #cancel(strategy: StrategyIndex, draft: ProposalDraft): void {
    if (this.#isBooted) this.decisions.propose(strategy, 'system', draft);
    else this.#queuedCancels = [...this.#queuedCancels, () => this.#cancel(strategy, draft)];
  }

  /** This start has ids for its calls. */
  onBooted(): void {
    this.#isBooted = true;
    for (const cancel of this.#queuedCancels) cancel();
    this.#queuedCancels = [];
  }

  append(entry: JournalEntry): void {
    this.#journal.append(entry);
  }

  /** The first fields of each entry of this event. */
  head<Owner extends StrategyIndex | null>(strategy: Owner) {
    return { cause: this.#seq, tsUs: this.#nowUs, strategy };
  }

  alert(
    strategy: StrategyIndex | null,
    severity: AlertSeverity,
    code: string,
    text: string,
    facts?: AlertFacts,
  ): void {
    this.append({ ...this.head(strategy), kind: 'alert', severity, code, text, ...facts });
  }
}

/** Guards the fast path: each price compares with one moment. */
export class DueWork {
  /** When the next timer or change of phase is due: events before it are only prices. -Infinity while work waits for the event's end. */
  quietUntilUs = -Infinity;

  get hasPending(): boolean {
    return this.quietUntilUs === -Infinity;
  }

  markPending(): void {
    this.quietUntilUs = -Infinity;
  }
}

/** A call of an event. It is carried out after the event, in order: nothing re-enters. */
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
  #index = 0;

  constructor(dueWork: DueWork) {
    this.#dueWork = dueWork;
  }

  push(call: QueuedIntent): void {
    // A list of one takes a third of the space that an empty one grows to.
    if (this.#index < this.#waiting.length) this.#waiting.push(call);
    else {
      this.#waiting = [call];
      this.#index = 0;
    }
    this.#dueWork.markPending();
  }

  next(): QueuedIntent | undefined {
    const call = this.#waiting[this.#index];
    if (call !== undefined) this.#index += 1;
    return call;
  }

  /** Removes and returns all waiting calls, when a strategy asks without end. */
  dropRest(): readonly QueuedIntent[] {
    const dropped = this.#waiting.slice(this.#index);
    this.#waiting = [];
    this.#index = 0;
    return dropped;
  }
}

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

/** Decides calls: the risk guard those of now, the journal those of a replayed past. The rest of the engine does not know which it asks. */
export interface DecisionSource {
  /** Takes a request of a strategy or the engine; returns the id of the call. */
  propose(strategy: StrategyIndex, by: ProposalSource, draft: ProposalDraft): ClientOrderId;
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
    change: ModifyIntent,
    mayWait: boolean,
  ): Decision<ApprovedModify>;
  /** The policies that the journal holds of this event and that are not taken yet; null: they are decided now. */
  policies(): PolicyEntry[] | null;
  /** The halts that the journal holds of this event and that are not found again yet; null: limits are judged now. */
  halts(): HaltEntry[] | null;
  /** As a call is handed to the gateway: true, and kept, for one of the tail that a kill cut off, which never leaves. */
  markIfLost(callId: ClientOrderId): boolean;
  /** False when a strategy's stop is journaled only after the replay. */
  stopsNow(strategy: StrategyIndex): boolean;
  /** True in a past that an earlier version of the strategy decided. */
  isOlderVersion(strategy: StrategyIndex): boolean;
  /** True for a call of an earlier version that the present one did not make. */
  isLeftBehind(call: QueuedIntent): boolean;
}
