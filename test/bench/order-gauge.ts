import { runBacktest } from '../../src/backtest/run/run-backtest.ts';
import { benchData, benchPlan } from './backtest-plan.ts';
import { benchRows } from './backtest-ticks.ts';
import { FAST, SLOW } from './bench-figures.ts';
const ROWS = Number(process.argv[2] ?? 1_000_000);
const data = benchData(benchRows(ROWS));
let from = 0;
let to = 0;
let at = 0;
const list: number[] = [];
const tally = {
  get crosses() { return at; },
  set crosses(v: number) { at = v; if (v % 2_000 === 0) list.push(process.memoryUsage().heapUsed); },
  sum: 0,
};
const trade = process.argv[3] !== 'looks';
for (let i = 0; i < Number(process.argv[4] ?? 1); i += 1) {
at = 0;
const r = runBacktest(benchPlan(data, { strategies: 1, trade, fast: FAST, slow: SLOW }, tally));
console.log(r.counts.orders, list.map((v, i) => Math.round((v - (list[i - 1] ?? 0)) / 2000)).slice(1).join(' '));
list.length = 0;
}
