/** Archives recordings in a thread of its own, where the work cannot delay a heartbeat. */
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../domain/assert.ts';
import { loadSqlite } from '../../sqlite/database.ts';
import { archiveRecordings } from './archive-recordings.ts';

assert(parentPort !== null, 'this file runs as a thread');
loadSqlite();
parentPort.postMessage(await archiveRecordings(workerData)); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
