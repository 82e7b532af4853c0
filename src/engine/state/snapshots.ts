/** What the engine wants read from the broker, merged: a read that is asked for twice before it answers is sent once. */
import type { TsUs } from '../../domain/units.ts';
import type { ReportKind } from '../ports/engine-event.ts';
import type { Reports } from '../ports/outbound.ts';
import type { EventContext } from './event-context.ts';

/** An answer that does not come does not hold a later request for longer than this. */
const ANSWER_US_MAX = 30_000_000;

export class Snapshots {
  readonly #context: EventContext;
  readonly #reports: Reports;
  /** When the read that waits was asked for. */
  readonly #asked = new Map<ReportKind, number>();
  /** When it was asked for again meanwhile: an answer that began before says nothing of that moment. */
  readonly #askedAgain = new Map<ReportKind, number>();
  #tempo: 'fast' | 'slow' | null = null;

  constructor(context: EventContext, reports: Reports) {
    this.#context = context;
    this.#reports = reports;
  }

  want(what: ReportKind): void {
    const now = this.#context.nowUs;
    if (now - (this.#asked.get(what) ?? -Infinity) < ANSWER_US_MAX) {
      this.#askedAgain.set(what, now);
      return;
    }
    this.#asked.set(what, now);
    this.#reports.read(what);
  }

  arrived(what: ReportKind, startedUs: TsUs): void {
    const again = this.#askedAgain.get(what) ?? -Infinity;
    this.#asked.delete(what);
    this.#askedAgain.delete(what);
    if (startedUs < again) this.want(what);
  }

  failed(what: ReportKind): void {
    this.#asked.delete(what);
    this.#askedAgain.delete(what);
  }

  tempo(tempo: 'fast' | 'slow'): void {
    if (this.#tempo === tempo) return;
    this.#tempo = tempo;
    this.#reports.bookTempo(tempo);
  }

  /** A new process: nothing that was asked for will be answered. */
  restart(): void {
    this.#asked.clear();
    this.#askedAgain.clear();
    this.#tempo = null;
  }
}
