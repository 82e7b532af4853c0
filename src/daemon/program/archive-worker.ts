/** Archives recordings in a thread of its own, where the work cannot delay a heartbeat. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../domain/assert.ts';
import { archiveRecordings, type Recordings } from './archive-recordings.ts';

async function work(port: MessagePort, recordings: Recordings): Promise<void> {
  port.postMessage(await archiveRecordings(recordings)); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
}

assert(parentPort !== null, 'this file runs as a thread');
await work(parentPort, workerData);
