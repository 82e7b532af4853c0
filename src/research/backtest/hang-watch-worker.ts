/** Thread next to a backtest: sends the signal that ends it when one call of a strategy takes longer than the limit. */
import { workerData } from 'node:worker_threads';
import type { HangWatchData } from './hang-watch.ts';

const CHECK_EVERY_MS = 250;

const { running: memory, ended, limitMs }: HangWatchData = workerData;
const running = new Int32Array(memory);
let seen = '';
let sinceMs = performance.now();

setInterval(() => {
  const [strategy = -1, calls = 0] = running;
  const now = performance.now();
  if (strategy === -1 || seen !== `${strategy} ${calls}`) {
    seen = `${strategy} ${calls}`;
    sinceMs = now;
  } else if (now - sinceMs > limitMs && running[ended] === 0) {
    running[ended] = 1;
    process.kill(process.pid, 'SIGINT');
  }
}, CHECK_EVERY_MS);
