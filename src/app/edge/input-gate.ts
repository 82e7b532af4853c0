import type { EngineEvent } from '../../engine/ports/engine-event.ts';
import type { InputSink, Unsequenced } from '../../engine/ports/input-sink.ts';

/**
 * Where the edges post: the edges live as long as the process, the session behind them changes. Between two sessions what
 * arrives is handed to whoever waits for it (the contract list) and else dropped: the next session reads everything anew.
 */
export class InputGate implements InputSink {
  #session: InputSink | undefined = undefined;
  #waiting: ((event: Unsequenced<EngineEvent>) => void) | undefined = undefined;

  post(event: Unsequenced<EngineEvent>): void {
    if (this.#session !== undefined) this.#session.post(event);
    else this.#waiting?.(event);
  }

  open(session: InputSink): void {
    this.#session = session;
    this.#waiting = undefined;
  }

  /** Until the next session: `listen` hears what is posted. */
  shut(listen?: (event: Unsequenced<EngineEvent>) => void): void {
    this.#session = undefined;
    this.#waiting = listen;
  }
}
