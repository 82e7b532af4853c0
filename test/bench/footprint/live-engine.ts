/** The engine thread of `live-footprint.ts`: sends its samples once it has them all. */
import { BroadcastChannel, parentPort, workerData } from 'node:worker_threads';
import { filter } from 'rxjs';
import type { EngineThreadData } from '../../../src/host/worker-protocol.ts';
import { serveEngine } from '../../../src/host/engine-server.ts';
import { MANY, Samples } from './coverage.ts';
import { footprintTrader } from './footprint-trader.ts';
import { CHANNEL } from './live-footprint.ts';

const data: EngineThreadData = workerData;
const channel = new BroadcastChannel(CHANNEL);
const samples = new Samples(MANY);
const definition = footprintTrader(
  samples,
  () => {
    channel.postMessage({ ticks: samples.ticks, orders: samples.orders }); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
    channel.close();
  },
  // Through an operator, as the examples are written.
  filter(({ qty }) => qty > 0),
);
if (parentPort !== null) serveEngine(parentPort, data, () => definition);
