/** Tells strategies their news and carries out what was asked for, once the event has changed everything it changes. */
import type { EngineParts } from '../engine-parts.ts';

/** Calls carried out for one event; strategies that still ask then ask without end, and are stopped. */
const CALLS_PER_EVENT_MAX = 256;

export class CallDrain {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /** In turn, until there are none: what a call brings about is news again. */
  drain(): void {
    const { stops, queue, executor } = this.#parts;
    if (stops.hasUntold) stops.tellUntold();
    for (let calls = 0; this.#publish() || queue.isWaiting; calls += 1) {
      if (calls === CALLS_PER_EVENT_MAX) this.#endless();
      const call = queue.take();
      if (call !== undefined) executor.execute(call);
    }
  }

  #publish(): boolean {
    const { news, registry } = this.#parts;
    if (!news.isWaiting) return false;
    for (const each of news.take()) registry.publish(each);
    return true;
  }

  /** A strategy that answers each refusal with another order would hold the engine for ever. */
  #endless(): void {
    const { queue, stops } = this.#parts;
    const asking = new Set(
      queue
        .drop()
        .filter(({ by }) => by === 'strategy')
        .map(({ strategy }) => strategy),
    );
    const message = `asked for more than ${CALLS_PER_EVENT_MAX} calls in one event`;
    for (const strategy of asking) stops.stop(strategy, 'fault', { message, where: 'desk' });
  }
}
