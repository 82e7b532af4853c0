/**
 * `npm run bench -- peers`: the same ticks and the same EMA cross through Tickwright and through other backtests, on this machine, one
 * process after the other in turn, medians over the processes. A figure counts when all of a program's processes agree, and when it
 * crossed where ours did. Many contracts side by side are compared with a plain loop of Python. `--ticks 200000 --processes 1` for a short look; `--only hftbacktest` for one peer;
 * `--strategies 1` for ours with one alone.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, platform, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchRows, benchTapes } from '../backtest-ticks.ts';
import { type BenchFigures, FAST, SLOW } from '../bench-figures.ts';
import { medianOf } from '../rounds.ts';
import { preparePeers } from './environment.ts';
import { measureProcess } from './measured-process.ts';
import { writeTicks } from './write-ticks.ts';

const { values } = parseArgs({
  options: {
    ticks: { type: 'string', default: '2000000' },
    processes: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    strategies: { type: 'string', default: '1,3,8' },
  },
});
const TICKS = Number(values.ticks);
const PROCESSES = Number(values.processes);
/** The first is what peers are compared with. */
const STRATEGIES = values.strategies.split(',').map(Number);
/** Rounds in one process; its figure is the median of them. The first of ours, in which the compiler warms up, counts too. */
const ROUNDS = 7;
/** Side by side, with a strategy each. */
const CONTRACTS = 100;

type Work = 'orders' | 'looks' | 'many';

const TITLES: Readonly<Record<Work, string>> = {
  looks: 'Without orders',
  orders: 'With an order at each cross',
  many: `${CONTRACTS} contracts side by side with an order at each cross; the loop fills each at once, and checks nothing`,
};

interface Contestant {
  readonly name: string;
  readonly work: Work;
  readonly run: () => BenchFigures | string;
  /** Compared with the peers; the others show what more strategies cost. */
  readonly isOne: boolean;
}

interface Score {
  readonly figures: BenchFigures[];
  failure: string | null;
}

const say = (line = ''): void => void process.stdout.write(`${line}\n`);
const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

function ours(strategies: number, work: Work, contracts = 1): Contestant {
  const script = join(import.meta.dirname, '..', 'backtest-run.js');
  const what = work === 'looks' ? 'looks' : 'orders';
  const args = [script, TICKS, strategies, what, ROUNDS, contracts].map(String);
  const some = strategies === 1 ? '1 strategy' : `${strategies} strategies`;
  return {
    name: `Tickwright, ${some}`,
    work,
    run: () => measureProcess(process.execPath, args),
    isOne: strategies === contracts,
  };
}

function peer(
  name: string,
  script: string,
  python: string,
  path: string,
  work: Work,
  rounds: number,
): Contestant {
  const args = [join('test', 'bench', 'peers', script), path, FAST, SLOW, work, rounds].map(String);
  return { name, work, run: () => measureProcess(python, args), isOne: true };
}

function contestants(scratch: string): Contestant[] {
  const list = (['looks', 'orders'] as const).flatMap((work) => STRATEGIES.map((count) => ours(count, work)));
  list.push(ours(CONTRACTS, 'many', CONTRACTS));
  const table = join(scratch, 'contracts.bin');
  writeTicks(table, ...benchTapes(TICKS, CONTRACTS));
  list.push(peer('a plain loop of Python', 'plain_loop.py', 'python3', table, 'many', 1));
  const environment = preparePeers();
  if (!environment.ok) {
    say(`peers are skipped: ${environment.reason}`);
    return list;
  }
  const path = join(scratch, 'ticks.bin');
  writeTicks(path, benchRows(TICKS));
  const add = (name: string, script: string, work: Work, rounds: number): void => {
    if (name.startsWith(values.only)) list.push(peer(name, script, environment.python, path, work, rounds));
  };
  add('hftbacktest 2.4.4', 'hftbacktest_cross.py', 'looks', ROUNDS);
  add('hftbacktest 2.4.4', 'hftbacktest_cross.py', 'orders', ROUNDS);
  add('NautilusTrader 1.221.0', 'nautilus_cross.py', 'orders', 1);
  add('backtrader 1.9.78.123', 'backtrader_cross.py', 'orders', 1);
  return list;
}

function runOnce({ run }: Contestant, score: Score): void {
  if (score.failure !== null) return;
  const got = run();
  if (typeof got === 'string') score.failure = got;
  else if (score.figures.some(({ digest, sum }) => digest !== got.digest || sum !== got.sum))
    score.failure = 'two processes differ';
  else score.figures.push(got);
}

function show(contestant: Contestant, score: Score, baseline: Score): void {
  const name = contestant.name.padEnd(28);
  const [mine, base] = [score.figures[0], baseline.figures[0]];
  if (score.failure !== null || mine === undefined || base === undefined)
    return say(`  ${name} no figure: ${score.failure ?? 'nothing to compare with'}`);
  if (contestant.isOne && (mine.crosses !== base.crosses || mine.sum !== base.sum))
    return say(`  ${name} does not count: ${mine.crosses} crosses, ours ${base.crosses}, or at other places`);
  const [wall, cpu] = [of(score, 'seconds'), of(score, 'cpuSeconds')];
  const ratio = of(baseline, 'cpuSeconds') / cpu;
  const speed = `${whole(TICKS / wall).padStart(12)}/s wall ${whole(TICKS / cpu).padStart(12)}/s cpu`;
  const wallRatio = of(baseline, 'seconds') / wall;
  say(
    `  ${name}${speed}   x ${wallRatio.toFixed(2)} wall, x ${ratio.toFixed(2)} cpu   ${mine.crosses} crosses, ${mine.orders} orders, ${mine.fills} fills, ${mine.denials} denied`,
  );
}

const of = ({ figures }: Score, what: 'seconds' | 'cpuSeconds'): number =>
  medianOf(figures.map((each) => medianOf(each[what])));

function main(): void {
  say(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} threads, ${whole(totalmem() / 2 ** 30)} GiB, ${platform()} ${release()}, node ${process.version}, load ${loadavg()[0]?.toFixed(2) ?? '?'}`,
  );
  say(
    `${whole(TICKS)} ticks from a seed, averages of ${FAST} and ${SLOW}; medians over ${PROCESSES} processes`,
  );
  say('"x 2.00" is twice as fast as the first row; cpu: seconds of processor, helpers included');
  const scratch = mkdtempSync(join(tmpdir(), 'tickwright-bench-'));
  try {
    const list = contestants(scratch).map((contestant) => ({
      contestant,
      score: { figures: [], failure: null } as Score,
    }));
    for (let turn = 0; turn < PROCESSES; turn += 1)
      for (const { contestant, score } of list) runOnce(contestant, score);
    for (const work of ['looks', 'orders', 'many'] as const) {
      const same = list.filter(({ contestant }) => contestant.work === work);
      say();
      say(TITLES[work]);
      const baseline = same[0]?.score;
      if (baseline !== undefined) for (const { contestant, score } of same) show(contestant, score, baseline);
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

main();
