/** Reads for the page in a thread of its own, where they cannot delay a heartbeat. */
import { parentPort } from 'node:worker_threads';
import { assert } from '../../domain/assert.ts';
import { errorText } from '../../domain/failure.ts';
import { fillMarks, journalDays, journalPage, orderStory, pastBars } from '../inspect/cockpit-reads.ts';
import type { CockpitRead } from './cockpit-reader.ts';

function answer(read: CockpitRead): unknown {
  switch (read.what) {
    case 'journal':
      return journalPage(read.place, read.query);
    case 'days':
      return journalDays(read.place);
    case 'story':
      return orderStory(read.place, read.query);
    case 'bars':
      return pastBars(read.query);
    case 'fills':
      return fillMarks(read.place, read.query);
  }
}

assert(parentPort !== null, 'this file runs as a thread');
const port = parentPort;
port.on('message', (read: CockpitRead) => {
  try {
    port.postMessage({ value: answer(read) }); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
  } catch (error) {
    port.postMessage({ failure: errorText(error) }); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
  }
});
