import type {
  CallAnswer,
  EngineEvent,
  InputSink,
  UnnumberedInput,
} from '../../../src/engine/ports/engine-event.ts';

export class RecordingSink implements InputSink {
  readonly events: UnnumberedInput<EngineEvent>[] = [];
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  post(event: UnnumberedInput<EngineEvent>): void {
    this.events.push(event);
    for (const { count, resolve } of this.#waiting) if (this.events.length >= count) resolve();
  }

  /** Resolves when this many events have been posted in all. */
  reached(count: number): Promise<void> {
    if (this.events.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }
}

/** What a gateway posts of a call that ended. */
export const answered = (answer: CallAnswer) => ({ kind: 'execution_report', answer, news: null });
