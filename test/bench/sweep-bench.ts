/** What a trial of a sweep costs besides its bars. */
import { join } from 'node:path';
import { loadBacktest } from '../../src/research/spec/load-backtest.ts';
import { readSweep } from '../../src/research/sweep/read-sweep.ts';
import { runSweep } from '../../src/research/sweep/run-sweep.ts';
import { type Candidate, timed } from './rounds.ts';
import { YEAR_CLOSES, yearFile } from './start-bench.ts';

const tenFrom = (first: number, step: number): readonly number[] =>
  Array.from({ length: 10 }, (_, place) => first + place * step);

/** A hundred trials of a year of daily bars: what a trial costs besides its few bars. */
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
  /** Nanoseconds a trial that it ran; the results go into `dir`. */
  readonly run: (dir: string, workers: number) => Promise<number>;
}

async function sweepFile(file: string): Promise<SweptFile> {
  const loaded = await loadBacktest(file);
  if (!loaded.ok) throw new Error(`expected a backtest to sweep, was ${JSON.stringify(loaded.problems)}`);
  const { backtest } = loaded;
  const read = readSweep(backtest);
  if (!read.ok) throw new Error(`expected a sweep, was ${JSON.stringify(read.problems)}`);
  const { plan } = read;
  return {
    trials: plan.trials.length,
    run: async (dir, workers) => {
      const options = { dir, workers, eventMsMax: 60_000, fresh: true, onProgress: () => undefined };
      const { seconds, ran } = await runSweep(backtest, plan, options);
      return (seconds * 1e9) / ran;
    },
  };
}
