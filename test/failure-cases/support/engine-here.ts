/** The engine in this thread, behind the messages of a thread of its own. */
import { serveEngine } from '../../../src/host/engine-server.ts';
import type { EngineWorkerHandle, StartEngine } from '../../../src/host/engine-thread.ts';
import type { FromEngine, ToEngine } from '../../../src/host/worker-protocol.ts';
import { scripted } from './scripted.ts';

export const engineHere: StartEngine = (data) => {
  const listeners: Record<string, ((given: never) => void)[]> = {};
  const emit = (event: string, given: unknown): void => {
    for (const listener of listeners[event] ?? []) listener(given as never); // oxlint-disable-line typescript/no-unsafe-type-assertion -- one list an event
  };
  let serve: ((message: ToEngine) => void) | undefined = undefined;
  let isOver = false;
  const soon = (run: () => void): void => {
    setImmediate(() => {
      if (isOver) return;
      try {
        run();
      } catch (error) {
        isOver = true;
        emit('error', error);
      }
    });
  };
  soon(() => {
    serveEngine(
      {
        postMessage: (message: FromEngine) => soon(() => emit('message', message)),
        on: (_, listener) => {
          serve = listener;
        },
      },
      data,
      () => scripted,
    );
  });
  const line: EngineWorkerHandle = {
    postMessage(message) {
      const copy = structuredClone(message);
      soon(() => serve?.(copy));
    },
    on(event: string, listener: (given: never) => void) {
      (listeners[event] ??= []).push(listener);
    },
    terminate() {
      isOver = true;
      return Promise.resolve(0);
    },
  };
  return line;
};

/** From a moment on it takes no message, as where a strategy does not return. */
export class HangingEngine implements EngineWorkerHandle {
  readonly #line: EngineWorkerHandle;
  readonly #lost: ((error: Error) => void)[] = [];
  #isHung = false;

  constructor(data: Parameters<StartEngine>[0]) {
    this.#line = engineHere(data);
  }

  postMessage(message: ToEngine): void {
    if (!this.#isHung) this.#line.postMessage(message); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
  }

  on(event: string, listener: (given: never) => void): void {
    if (event === 'error') this.#lost.push(listener as (error: Error) => void); // oxlint-disable-line typescript/no-unsafe-type-assertion -- the listener of this event
    this.#line.on(event as 'error', listener as never); // oxlint-disable-line typescript/no-unsafe-type-assertion -- whichever it is
  }

  hang(): void {
    this.#isHung = true;
  }

  end(): void {
    for (const listener of this.#lost) listener(new Error('it never returned'));
  }

  terminate(): Promise<unknown> {
    return this.#line.terminate();
  }
}
