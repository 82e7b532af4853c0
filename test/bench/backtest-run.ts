/** One process that is measured: `backtest-run.js rows strategies orders|looks rounds contracts` prints one line of JSON. */
import { runBacktest } from '../../src/research/run/run-backtest.ts';
import { benchData, benchPlan } from './backtest-plan.ts';
import { benchTapes } from './backtest-ticks.ts';
import { FAST, SLOW, type BenchFigures } from './bench-figures.ts';

const [rowsText = '2000000', strategiesText = '1', what = 'orders', roundsText = '3', contractsText = '1'] =
  process.argv.slice(2);
const rows = Number(rowsText);
const contracts = Number(contractsText);
const data = benchData(...benchTapes(rows, contracts));
const choice = {
  strategies: Number(strategiesText),
  contracts,
  trade: what === 'orders',
  fast: FAST,
  slow: SLOW,
};
const seconds: number[] = [];
const cpuSeconds: number[] = [];
let figures: BenchFigures | null = null;
for (let round = 0; round < Number(roundsText); round += 1) {
  const tally = { crosses: 0, sum: 0 };
  const plan = benchPlan(data, choice, tally);
  const start = performance.now();
  const before = process.cpuUsage();
  const result = runBacktest(plan);
  seconds.push((performance.now() - start) / 1_000);
  const { user, system } = process.cpuUsage(before);
  cpuSeconds.push((user + system) / 1e6);
  const { orders, fills, events } = result.counts;
  const denials = result.strategies.reduce((sum, { denialCount }) => sum + denialCount, 0);
  const digest = result.journalHash;
  if (figures !== null && figures.digest !== digest) throw new Error('two rounds had different digests');
  figures = { ...tally, orders, fills, events, denials, digest, seconds, cpuSeconds };
}
process.stdout.write(`${JSON.stringify(figures)}\n`);
