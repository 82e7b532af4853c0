import { promiseHooks } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../domain/assert.ts';
import { loadSqlite } from '../sqlite/database.ts';
import { followStrategies } from './run-record.ts';
import { serveEngine } from './engine-server.ts';
import { loadDefinitions } from './strategy-files/own-strategies.ts';
import { IN_EVENT, IN_PROMISE } from '../strategy/containment.ts';
import type { EngineThreadData } from './worker-protocol.ts';

assert(parentPort !== null, 'the engine runs in a thread of its own');
// A replay reads the journal.
loadSqlite();
const data: EngineThreadData = workerData;
// The main thread reads here whose code hangs while it loads.
const shared: Int32Array = new Int32Array(data.currentStrategy);
const none = shared[IN_EVENT] ?? 0;
const ids = new Map(data.strategies.map(({ index, id }): [number, string] => [index, id]));
const running = data.followPath === null ? shared : followStrategies(shared, data.followPath, ids);
namePromises();
const definitionOf = await loadDefinitions(data.strategies, (index) => {
  running[IN_EVENT] = data.strategies[index]?.index ?? none;
});
running[IN_EVENT] = none;
// A promise of a strategy fails outside of every event: its stack says whose it is, before the thread ends.
process.on('uncaughtExceptionMonitor', (error: unknown) => {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const owner = data.strategies.find(({ code }) => code !== null && stack.includes(code.stackName));
  if (owner !== undefined) running[IN_EVENT] = owner.index;
});
serveEngine(parentPort, data, definitionOf, running);

/** A strategy's promises run after the event: a chain of them that never ends has its name too. */
function namePromises(): void {
  const owners = new WeakMap<Promise<unknown>, number>();
  promiseHooks.createHook({
    init: (promise) => {
      const inEvent = running[IN_EVENT] ?? none;
      const owner = inEvent === none ? (running[IN_PROMISE] ?? none) : inEvent;
      if (owner !== none) owners.set(promise, owner);
    },
    before: (promise) => {
      running[IN_PROMISE] = owners.get(promise) ?? none;
    },
    after: () => {
      running[IN_PROMISE] = none;
    },
  });
  globalThis.queueMicrotask = (task) => void Promise.resolve().then(task);
}
