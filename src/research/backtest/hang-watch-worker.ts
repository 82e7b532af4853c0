/** Thread next to a backtest: sends the signal that ends it when one call of a strategy takes longer than the limit. */
import { workerData } from 'node:worker_threads';
import type { HangWatchData } from './hang-watch.ts';
import { watchCalls } from './watch-calls.ts';

const { running: memory, ended, limitMs }: HangWatchData = workerData;
const running = new Int32Array(memory);

watchCalls(running, limitMs, () => {
  running[ended] = 1;
  process.kill(process.pid, 'SIGINT');
});
