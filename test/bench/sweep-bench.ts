/** The gain of a second thread in a sweep: start, shared columns, trials and their file of results, all of it. */
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { loadBacktest } from '../../src/research/spec/load-backtest.ts';
import { readSweep } from '../../src/research/sweep/read-sweep.ts';
import { runSweep } from '../../src/research/sweep/run-sweep.ts';
import { type Candidate, timed } from './rounds.ts';
import { YEAR_CLOSES, yearFile } from './start-bench.ts';

/** All real days, where they lie beside the repository: a trial takes half a second of them, so that the start of threads is little. */
const REAL = ['../shared/data/vn30f/ticks'];
const SAMPLE = ['data/sample/2026-06-03_vn30f2606.csv.gz'];

export interface SweepBench {
  readonly candidates: readonly Candidate[];
  readonly about: string;
}

export async function sweepBench(scratch: string, isShort: boolean): Promise<SweepBench> {
  const prints = !isShort && REAL.every((path) => existsSync(path)) ? REAL : SAMPLE;
  const [fast, slow] = isShort
    ? ['3, 5', '20, 25']
    : ['3, 5, 7, 9, 11, 13, 15, 17', '20, 25, 30, 35, 40, 50'];
  const file = join(scratch, 'sweep.yaml');
  writeFileSync(
    file,
    `market: ${resolve('config/vn30f.yaml')}
capital: 2000000000
state: ${resolve(scratch)}
data: { prints: [${prints.map((path) => resolve(path)).join(', ')}] }
strategies: [{ id: ema, strategy: ema-cross, symbols: [VN30F1M] }]
sweep: { objective: net_profit, parameters: { ema: { fast: [${fast}], slow: [${slow}] } } }
`,
  );
  const { trials, days, run } = await sweepFile(file);
  return {
    about: `${trials} trials on ${days} days of prints; x 0.55 is 1.8 times one thread`,
    candidates: [
      { name: 'one thread', run: () => run(join(scratch, 'sweep'), 1) },
      { name: 'two threads, one copy of the columns', run: () => run(join(scratch, 'sweep'), 2) },
      {
        name: 'two processes of one thread at once, half of the trials each',
        run: () => twoProcesses(file, scratch),
      },
    ],
  };
}

const tenFrom = (first: number, step: number): readonly number[] =>
  Array.from({ length: 10 }, (_, place) => first + place * step);

/** A hundred trials of a year of daily bars: what a trial costs beside its few bars. */
export async function yearSweep(scratch: string): Promise<readonly Candidate[]> {
  const [fast, slow] = [tenFrom(2, 1), tenFrom(15, 5)];
  const file = yearFile(
    scratch,
    'year-sweep.yaml',
    `strategies: [{ id: ema, strategy: ema-cross, symbols: [X], overnight: true }]
sweep: { objective: net_profit, parameters: { ema: { fast: [${fast.join(', ')}], slow: [${slow.join(', ')}] } } }`,
  );
  const { trials, run } = await sweepFile(file);
  const bare = (): void => {
    let seen = 0;
    for (const m of fast)
      for (const n of slow) {
        let [quick, late] = [0, 0];
        for (const close of YEAR_CLOSES) {
          quick += (2 / (m + 1)) * (close - quick);
          late += (2 / (n + 1)) * (close - late);
        }
        seen += quick > late ? 1 : 0;
      }
    // Read, so that no compiler leaves the loop out.
    if (seen > trials) throw new Error('expected one end a trial');
  };
  return [
    {
      name: `a bare loop of ${trials} trials over the same closes`,
      run: () => timed(trials, bare),
    },
    { name: 'the sweep, its start and its file of results', run: () => run(join(scratch, 'year-sweep'), 1) },
  ];
}

interface SweptFile {
  readonly trials: number;
  readonly days: number;
  /** Nanoseconds a trial that it ran; the results go into `dir`. */
  readonly run: (dir: string, workers: number) => Promise<number>;
}

/** `part` of `parts`: which of the trials run, for a sweep that several processes share. */
export async function sweepFile(file: string, part = 0, parts = 1): Promise<SweptFile> {
  const loaded = await loadBacktest(file);
  if (!loaded.ok) throw new Error(`expected a backtest to sweep, was ${JSON.stringify(loaded.problems)}`);
  const { backtest } = loaded;
  const read = readSweep(backtest);
  if (!read.ok) throw new Error(`expected a sweep, was ${JSON.stringify(read.problems)}`);
  const trials = read.plan.trials.filter((_, place) => place % parts === part);
  return {
    trials: trials.length,
    days: backtest.sources.days.length,
    run: async (dir, workers) => {
      const options = { dir, workers, eventMsMax: 60_000, fresh: true, onProgress: () => undefined };
      const { seconds, ran } = await runSweep(backtest, { ...read.plan, trials }, options);
      return (seconds * 1e9) / ran;
    },
  };
}

/** The most that this machine gives to two threads: both processes share the trials and nothing else. */
async function twoProcesses(file: string, scratch: string): Promise<number> {
  const script = join(import.meta.dirname, 'sweep-process.js');
  const alone = async (part: number): Promise<number> => {
    const args = [script, file, join(scratch, `process-${part}`), String(part)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return Number(stdout);
  };
  const [first, second] = await Promise.all([alone(0), alone(1)]);
  return Math.max(first, second) / 2;
}
