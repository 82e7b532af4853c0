/** The event being processed: its time and number, which everything decided now carries, and the way to the journal. */
import { type Seq, seq, type StrategyIndex, type TsUs, tsUs } from '../../domain/units.ts';
import type { AlertSeverity, JournalEntry } from '../ports/journal-entry.ts';
import type { Journal } from '../ports/outbound.ts';

export class EventContext {
  readonly #journal: Journal;
  #nowUs: TsUs = tsUs(0);
  #seq: Seq = seq(0);
  #isReplay = false;
  #isTail = false;
  #untold: JournalEntry[] = [];

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  get nowUs(): TsUs {
    return this.#nowUs;
  }

  get seq(): Seq {
    return this.#seq;
  }

  /** An event of before the restart is processed again: nothing may leave the house. */
  get isReplay(): boolean {
    return this.#isReplay;
  }

  /**
   * Time never goes back: an event that claims an earlier time happens now. `isTail`: a kill cut off what was written of
   * this event the first time.
   */
  begin(seq: Seq, at: TsUs, isReplay: boolean, isTail: boolean): void {
    this.#seq = seq;
    if (at > this.#nowUs) this.#nowUs = at;
    this.#isReplay = isReplay;
    this.#isTail = isTail;
    if (!isReplay && this.#untold.length > 0) this.#tellTail();
  }

  /** The same for an event that is nothing but a price, after one that was not of a replay either; returns the time of now. */
  pass(seq: Seq, at: TsUs): TsUs {
    this.#seq = seq;
    if (at > this.#nowUs) this.#nowUs = at;
    return this.#nowUs;
  }

  append(entry: JournalEntry): void {
    if (this.#isTail) this.#untold.push(entry);
    else this.#journal.append(entry);
  }

  alert(strategy: StrategyIndex | null, severity: AlertSeverity, code: string, text: string): void {
    this.append({
      kind: 'alert',
      cause: this.#seq,
      tsUs: this.#nowUs,
      strategy,
      severity,
      code,
      text,
    });
  }

  /** The journal has no entry of the tail: it gets them now, in order, before anything new. */
  #tellTail(): void {
    for (const entry of this.#untold) this.#journal.append(entry);
    this.#untold = [];
  }
}
