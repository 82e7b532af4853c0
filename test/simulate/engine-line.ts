/** The engine in this thread, behind the same messages as in its own; they take their time and keep their order. */
import type { EngineWorkerHandle, StartEngine } from '../../src/host/engine-thread.ts';
import { serveEngine } from '../../src/host/engine-server.ts';
import type { FromEngine, ToEngine } from '../../src/host/worker-protocol.ts';
import type { StrategyDefinition } from '../../src/strategy/index.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface EngineLineOptions {
  readonly time: VirtualTime;
  /** Of the next message, in microseconds. */
  readonly delayUs: () => number;
  readonly definitionOf: (strategy: string) => StrategyDefinition;
  /** Whether the next batch is the one that the engine does not survive, and how. */
  readonly nextDeath: () => EngineDeath | null;
}

export type EngineDeath =
  /** Code of the strategy at this place does not return. */
  { readonly kind: 'hangs'; readonly place: number } | { readonly kind: 'throws' };

/** Without the lines of this file, which two runs of one seed reach by different ways. */
function failure(): Error {
  const error = new Error('the engine fails, by the simulation');
  delete error.stack;
  return error;
}

export const startEngineIn =
  ({ time, delayUs, definitionOf, nextDeath }: EngineLineOptions): StartEngine =>
  (data) => {
    const { owner } = time;
    let isOver = false;
    let isHanging = false;
    const lastUs = { in: 0, out: 0 };
    const listeners: Record<string, ((given: never) => void)[]> = {};
    let serve: ((message: ToEngine) => void) | undefined = undefined;
    const emit = (event: string, given: unknown): void => {
      for (const listener of listeners[event] ?? []) listener(given as never); // oxlint-disable-line typescript/no-unsafe-type-assertion -- one list an event
    };
    const later = (way: 'in' | 'out', run: () => void): void => {
      lastUs[way] = Math.max(lastUs[way], time.nowUs + delayUs());
      time.at(lastUs[way], owner, () => {
        if (!isOver) run();
      });
    };
    const fail = (error: unknown): void => {
      isOver = true;
      time.at(time.nowUs + delayUs(), owner, () => emit('error', error));
    };
    later('in', () => {
      try {
        serveEngine(
          {
            postMessage: (message: FromEngine) => later('out', () => emit('message', message)),
            on: (_, listener) => {
              serve = listener;
            },
          },
          data,
          definitionOf,
        );
      } catch (error) {
        fail(error);
      }
    });
    const line: EngineWorkerHandle = {
      postMessage: (message) => {
        const copy = structuredClone(message);
        later('in', () => {
          if (isHanging) return;
          const death = message.kind === 'events' ? nextDeath() : null;
          try {
            if (death?.kind === 'throws') throw failure();
            if (death === null) return serve?.(copy);
            isHanging = true;
            new Int32Array(data.currentStrategy)[0] = death.place;
          } catch (error) {
            fail(error);
          }
        });
      },
      on: (event: string, listener: (given: never) => void) => {
        (listeners[event] ??= []).push(listener);
      },
      terminate: () => {
        isOver = true;
        return Promise.resolve(0);
      },
    };
    return line;
  };
