/**
 * One process that is measured: `order-bytes.js orders|looks` prints how far the heap grew between two crosses of a backtest. Its flags
 * keep the compiler in step with the run and the young generation large enough to need no collection, so that the figure repeats.
 */
import { runBacktest } from '../../src/research/run/run-backtest.ts';
import { benchData, benchPlan } from './backtest-plan.ts';
import { benchRows } from './backtest-ticks.ts';
import { FAST, SLOW } from './bench-figures.ts';
import type { CrossTally } from './tick-cross.ts';

const ROWS = 800_000;
/** The compiler has optimized the way of an order long before. */
const FROM_CROSS = 10_000;
const CROSSES = 2_000;

const at: number[] = [];
let crosses = 0;
const tally: CrossTally = {
  sum: 0,
  get crosses() {
    return crosses;
  },
  set crosses(count) {
    crosses = count;
    if (count === FROM_CROSS || count === FROM_CROSS + CROSSES) at.push(process.memoryUsage().heapUsed);
  },
};
const trade = process.argv[2] === 'orders';
runBacktest(benchPlan(benchData(benchRows(ROWS)), { strategies: 1, trade, fast: FAST, slow: SLOW }, tally));
const [before = NaN, after = NaN] = at;
process.stdout.write(`${(after - before) / CROSSES}\n`);
