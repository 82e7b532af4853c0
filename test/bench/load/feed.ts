/**
 * `npm run bench -- feed --url nats://127.0.0.1:4222`: a publisher of frames, and readers of which one is slow. Prints what each got, how old
 * frames were, and what a frame costs the publisher; ends with 1 when one was lost or out of order.
 */
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { openCluster } from '../../../src/cluster/connection.ts';
import { FeedPublisher } from '../../../src/cluster/feed-publisher.ts';
import { systemTimers } from '../../../src/host/system-clock.ts';
import { seq, tsUs } from '../../../src/domain/units.ts';
import { commandOptions } from '../../support/command-options.ts';
import type { ReadersData, ReadersSeen } from './feed-readers.ts';

const values = commandOptions('bench -- feed', 'a feed with many readers', {
  url: { type: 'string', default: 'nats://127.0.0.1:4222', help: 'a server of its own' },
  frames: { type: 'string', default: '10000', help: 'a second' },
  seconds: { type: 'string', default: '60', help: 'how long' },
  readers: { type: 'string', default: '20', help: 'one of them slow' },
});
const [perSecond, seconds, readers] = [values.frames, values.seconds, values.readers].map(Number);
if (perSecond === undefined || seconds === undefined || readers === undefined)
  throw new Error('expected numbers');
const frames = perSecond * seconds;
const { url } = values;
const name = `bench-${process.pid}`;
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const spread = (list: readonly number[]): string => {
  const sorted = list.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? NaN).toFixed(1);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`;
};

const alerts: string[] = [];
const publisher = new FeedPublisher({
  name,
  keep: { days: 1, bytes: 4_000_000_000 },
  open: () => openCluster({ url }, 'bench'),
  epoch: 'bench',
  alert: (_severity, code, text) => alerts.push(`${code}: ${text}`),
  onLost: () => undefined,
  timers: systemTimers,
});
const start = (count: number, slowMs: number): Promise<[ReadersSeen]> => {
  const data: ReadersData = { url, name, readers: count, frames, slowMs };
  const thread = new Worker(new URL('./feed-readers.js', import.meta.url), { workerData: data });
  return once(thread, 'message') as Promise<[ReadersSeen]>;
};
const TEXT = `s|23|${JSON.stringify({ symbol: '41I1G3000', bidPrice01: 1301.5, bidQtty01: 25, bidPrice02: 1301.4, bidQtty02: 11, bidPrice03: 1301.3, bidQtty03: 7 })}`;
const push = (number: number): void =>
  publisher.take({
    seq: seq(number),
    tsUs: tsUs(Math.round((performance.timeOrigin + performance.now()) * 1_000)),
    text: TEXT,
  });
push(1);
const fast = start(readers - 1, 0);
const slow = start(1, 20);
await pause(2_000);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const processor = process.cpuUsage();
const begun = performance.now();
let sent = 1;
let tookMs = 0;
while (sent < frames) {
  const due = Math.min(frames, Math.floor(((performance.now() - begun) / 1_000) * perSecond));
  const before = performance.now();
  while (sent < due) push((sent += 1));
  tookMs += performance.now() - before;
  await pause(1);
}
delay.disable();
const { user, system } = process.cpuUsage(processor);
await publisher.close();
const [[all], [one]] = await Promise.all([fast, slow]);
say(`sent     ${frames} frames of ${TEXT.length} bytes, ${perSecond} a second`);
say(
  `cost     ${((tookMs * 1_000) / frames).toFixed(2)} us a frame in the daemon's own code; loop delay p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms; processor of the whole process with all readers ${((user + system) / frames).toFixed(1)} us a frame`,
);
say(
  `fast     ${readers - 1} readers: ${new Set(all.got).size === 1 ? all.got[0] : all.got.join(', ')} frames each, ${all.wrong} out of order; age ${spread(all.ages)} ms`,
);
say(`slow     1 reader: ${one.got.join()} frames, ${one.wrong} out of order; age ${spread(one.ages)} ms`);
for (const line of [...alerts, ...all.gaps, ...one.gaps]) say(`note     ${line}`);
const isWhole = [...all.got, ...one.got].every((count) => count === frames) && all.wrong + one.wrong === 0;
process.exit(isWhole ? 0 : 1);
