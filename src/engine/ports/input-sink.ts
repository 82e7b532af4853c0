import type { EngineEvent } from './engine-event.ts';

/** An event before it has its place in the sequence and its time: the composition root gives it both. */
export type Unsequenced<E> = E extends EngineEvent ? Omit<E, 'seq' | 'tsUs'> : never;

/** Where the edges put what they learn. */
export interface InputSink {
  post(event: Unsequenced<EngineEvent>): void;
}
