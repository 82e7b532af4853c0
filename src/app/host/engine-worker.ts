/** The engine thread. */
import { assert } from '../../domain/assert.ts';
import { parentPort, workerData } from 'node:worker_threads';
import { definitionOf } from './catalog.ts';
import { serveEngine } from './engine-server.ts';

assert(parentPort !== null, 'the engine runs in a thread of its own');
serveEngine(parentPort, workerData, definitionOf);
