/** The event being processed: its time and number, which everything decided now carries, the deciders, and the way to the journal. */
import { assert } from '../../domain/assert.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import { type Seq, seq, type StrategyIndex, type TsUs, tsUs } from '../../domain/units.ts';
import type { AlertSeverity, JournalEntry, ProposalSource } from '../ports/journal-entry.ts';
import type { Journal } from '../ports/outbound.ts';
import type { ProposalDraft, DecisionSource } from './decision-source.ts';

export class EventContext {
  readonly #journal: Journal;
  #nowUs: TsUs = tsUs(0);
  #seq: Seq = seq(0);
  #decisions: DecisionSource | null = null;
  #isBooted = false;
  /** Cancels asked for while a day begins, before this start has ids for its calls. */
  #early: readonly (() => void)[] = [];

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

  decideBy(source: DecisionSource): void {
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

  ask(strategy: StrategyIndex, by: ProposalSource, asked: ProposalDraft): ClientOrderId {
    return this.decisions.ask(strategy, by, asked);
  }

  /** A cancel that the engine asks for, and forgets once the broker refuses it; it waits for the ids of this start. */
  cancel(strategy: StrategyIndex, clientOrderId: ClientOrderId): void {
    this.#cancel(strategy, { do: 'cancel', clientOrderId });
  }

  /** A cancel that holds until the order is over: a caller repeats it when it fails. */
  withdraw(strategy: StrategyIndex, clientOrderId: ClientOrderId): void {
    this.#cancel(strategy, { do: 'cancel', clientOrderId, isWithdrawal: true });
  }

  #cancel(strategy: StrategyIndex, asked: ProposalDraft): void {
    if (this.#isBooted) this.ask(strategy, 'system', asked);
    else this.#early = [...this.#early, () => this.#cancel(strategy, asked)];
  }

  /** This start has ids for its calls. */
  booted(): void {
    this.#isBooted = true;
    for (const cancel of this.#early) cancel();
    this.#early = [];
  }

  append(entry: JournalEntry): void {
    this.#journal.append(entry);
  }

  /** The first fields of each entry of this event. */
  head<Owner extends StrategyIndex | null>(strategy: Owner) {
    return { cause: this.#seq, tsUs: this.#nowUs, strategy };
  }

  alert(strategy: StrategyIndex | null, severity: AlertSeverity, code: string, text: string): void {
    this.append({ ...this.head(strategy), kind: 'alert', severity, code, text });
  }
}
