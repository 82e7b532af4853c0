/** Reads for the page in a thread of its own, where they cannot delay a heartbeat. */
import { parentPort } from 'node:worker_threads';
import { assert } from '../../domain/assert.ts';
import { errorText } from '../../domain/failure.ts';
import { READS } from '../inspect/cockpit-reads.ts';
import type { CockpitRead } from './daemon-cockpit.ts';
import { loadSqlite } from '../../sqlite/database.ts';

assert(parentPort !== null, 'this file runs as a thread');
loadSqlite();
const port = parentPort;
port.on('message', ({ what, args }: CockpitRead) => {
  try {
    port.postMessage({ value: Reflect.apply(READS[what], undefined, args) as unknown }); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
  } catch (error) {
    port.postMessage({ failure: errorText(error) }); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
  }
});
