/** Readers of a feed in a thread of their own, for the measurement; each counts what it got, and what was not in order. */
import { parentPort, workerData } from 'node:worker_threads';
import { openCluster } from '../../../src/cluster/connection.ts';
import { FeedReader } from '../../../src/cluster/feed-reader.ts';
import { systemTimers } from '../../../src/host/system-clock.ts';
import { tsUs } from '../../../src/domain/units.ts';

export interface ReadersData {
  readonly url: string;
  readonly name: string;
  readonly readers: number;
  readonly frames: number;
  /** Milliseconds that each message holds the thread in the first twentieth of the frames. */
  readonly slowMs: number;
}

export interface ReadersSeen {
  readonly got: readonly number[];
  readonly wrong: number;
  readonly gaps: readonly string[];
  /** Milliseconds from the time of the last frame of a message to its reading. */
  readonly ages: readonly number[];
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- from the measurement
const { url, name, readers, frames, slowMs } = workerData as ReadersData;
const got = Array.from({ length: readers }, () => 0);
const gaps: string[] = [];
const ages: number[] = [];
let wrong = 0;
const still = new Int32Array(new SharedArrayBuffer(4));
const over = got.map(
  (_, at) =>
    new Promise<void>((resolve) => {
      let last = 0;
      const reader = new FeedReader({
        name,
        open: () => openCluster({ url }, `reader ${at}`),
        from: tsUs(0),
        timers: systemTimers,
        listener: {
          onRecords(records) {
            for (const { seq } of records) {
              if (seq !== last + 1) wrong += 1;
              last = seq;
            }
            got[at] = (got[at] ?? 0) + records.length;
            ages.push(performance.timeOrigin + performance.now() - (records.at(-1)?.tsUs ?? 0) / 1_000);
            if (slowMs > 0 && (got[at] ?? 0) < frames / 20) Atomics.wait(still, 0, 0, slowMs);
            if ((got[at] ?? 0) < frames) return;
            resolve();
            void reader.close();
          },
          onGap: (reason) => gaps.push(reason),
          onCaughtUp: () => undefined,
          onDown: (reason) => gaps.push(reason),
        },
      });
    }),
);
await Promise.all(over);
parentPort?.postMessage({ got, wrong, gaps, ages } satisfies ReadersSeen); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
