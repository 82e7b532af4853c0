/** The engine thread. */
import { assert } from '../../domain/assert.ts';
import { parentPort, workerData } from 'node:worker_threads';
import { serveEngine } from './engine-server.ts';
import { loadDefinitions } from './strategy-files/own-strategies.ts';
import type { EngineThreadData } from './worker-protocol.ts';

assert(parentPort !== null, 'the engine runs in a thread of its own');
const data: EngineThreadData = workerData;
// Where code hangs while it loads, the main thread reads here whose it is.
const running = new Int32Array(data.currentStrategy);
const none = running[0] ?? 0;
const definitionOf = await loadDefinitions(data.strategies, (place) => {
  running[0] = data.strategies[place]?.index ?? none;
});
running[0] = none;
// A promise of a strategy fails outside of every event: its stack says whose it is, before the thread ends.
process.on('uncaughtExceptionMonitor', (error: unknown) => {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const owner = data.strategies.find(({ code }) => code !== null && stack.includes(code.place));
  if (owner !== undefined) running[0] = owner.index;
});
serveEngine(parentPort, data, definitionOf);
