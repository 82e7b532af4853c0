/** The main thread's side of the engine thread, with a thread that a test plays. */
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import {
  type EngineWorkerHandle,
  EngineThread,
  type EngineThreadOptions,
} from '../../src/host/engine-thread.ts';
import type { ToEngine } from '../../src/host/worker-protocol.ts';

/** It answers nothing. */
class SilentThread extends EventEmitter implements EngineWorkerHandle {
  readonly asked: ToEngine['kind'][] = [];

  postMessage({ kind }: ToEngine): void {
    this.asked.push(kind);
  }

  terminate(): Promise<unknown> {
    return Promise.resolve();
  }
}

it('answers whoever asks for its state when the thread is lost, before or after', async () => {
  const line = new SilentThread();
  const lost: string[] = [];
  const thread = new EngineThread({
    data: {} as EngineThreadOptions['data'],
    start: () => line,
    onOutbox: () => undefined,
    onLost: (reason) => lost.push(reason),
  });
  const view = thread.view();
  expect(line.asked).toEqual(['view']);
  line.emit('exit', 1);
  expect(await view).toBeUndefined();
  expect(await thread.view()).toBeUndefined();
  expect(lost).toEqual(['the engine thread ended with code 1']);
});
