/** The engine in this thread, behind the same messages as in its own; they take their time and keep their order. */
import type { EngineLine, StartEngine } from '../../src/app/host/engine-thread.ts';
import { serveEngine } from '../../src/app/host/engine-server.ts';
import type { FromEngine, ToEngine } from '../../src/app/host/worker-protocol.ts';
import type { StrategyDefinition } from '../../src/strategy/index.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface EngineLineOptions {
  readonly time: VirtualTime;
  /** Of the next message, in microseconds. */
  readonly delayUs: () => number;
  readonly definitionOf: (strategy: string) => StrategyDefinition;
}

export const startEngineIn =
  ({ time, delayUs, definitionOf }: EngineLineOptions): StartEngine =>
  (data) => {
    const { owner } = time;
    let isOver = false;
    const lastUs = { in: 0, out: 0 };
    const listeners: Record<string, ((given: never) => void)[]> = {};
    let serve: ((message: ToEngine) => void) | undefined = undefined;
    const tell = (event: string, given: unknown): void => {
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
      time.at(time.nowUs + delayUs(), owner, () => tell('error', error));
    };
    later('in', () => {
      try {
        serveEngine(
          {
            postMessage: (message: FromEngine) => later('out', () => tell('message', message)),
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
    const line: EngineLine = {
      postMessage: (message) => {
        const copy = structuredClone(message);
        later('in', () => {
          try {
            serve?.(copy);
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
