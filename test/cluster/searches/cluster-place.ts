/** A sweep on a NATS server of the test's own, with workers in this process: they run trials without threads. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Cluster, openCluster } from '../../../src/cluster/connection.ts';
import { ColumnCache, runWorker } from '../../../src/cluster/searches/worker.ts';
import { openClusterPool } from '../../../src/cluster/searches/coordinator.ts';
import { readSweep } from '../../../src/research/sweep/read-sweep.ts';
import { runSweep, type SweepResult } from '../../../src/research/sweep/run-sweep.ts';
import { writeSweepFiles } from '../../../src/research/sweep/sweep-report.ts';
import {
  type TrialPool,
  type TrialPoolOptions,
  TrialRunner,
  type TrialTask,
} from '../../../src/research/sweep/trial-pool.ts';
import { type SweepPlace, sweepPlace } from '../../research/sweep/sweep-place.ts';
import { loadedBacktest } from '../../support/backtest-plan.ts';
import type { NatsServer } from '../../support/nats-server.ts';
import { tempDir } from '../../support/temp-dir.ts';

export const SECTION =
  'sweep: { tradesMin: 0, parameters: { ema: { fast: [3, 5, 9], slow: [15, 30], direction: [long, short] } } }';
export const TRIALS = 12;

export type Run = (
  task: TrialTask,
  run: () => ReturnType<TrialRunner['run']>,
) => ReturnType<TrialRunner['run']>;

/** `around` each trial: a test may count it, or let it fail. */
export const poolHere =
  (around: Run = (_, run) => run()) =>
  async ({ backtest, columns }: TrialPoolOptions): Promise<TrialPool> => {
    const runner = new TrialRunner(backtest, columns);
    return {
      async run(tasks, onDone) {
        for (const task of tasks) {
          // Between two trials the loop has time for messages.
          await new Promise((resolve) => setImmediate(resolve));
          onDone(
            task,
            around(task, () => runner.run(task)),
          );
        }
      },
      close: () => Promise.resolve(),
    };
  };

export async function connected({ url }: NatsServer, name = 'test'): Promise<Cluster> {
  const cluster = await openCluster({ url }, name);
  onTestFinished(() => cluster.nc.close());
  return cluster;
}

export interface TestWorker {
  readonly said: readonly string[];
  readonly ran: readonly TrialTask[];
  readonly cache: string;
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export async function startWorker(
  server: NatsServer,
  {
    around,
    cache = tempDir(),
    threads = 1,
    cluster: given,
    openPool,
  }: {
    around?: Run;
    cache?: string;
    threads?: number;
    cluster?: Cluster;
    openPool?: ReturnType<typeof poolHere>;
  } = {},
): Promise<TestWorker> {
  const cluster = given ?? (await connected(server, 'worker'));
  const stop = new AbortController();
  const said: string[] = [];
  const ran: TrialTask[] = [];
  const ended = runWorker(cluster, {
    threads,
    cache: new ColumnCache(cache, 1e9),
    say: (text) => void said.push(text),
    signal: stop.signal,
    openPool:
      openPool ??
      poolHere((task, run) => {
        ran.push(task);
        return around === undefined ? run() : around(task, run);
      }),
  });
  const end = async (): Promise<void> => {
    stop.abort();
    await ended;
  };
  onTestFinished(() => end().catch(() => undefined));
  return { said, ran, cache, ended, stop: end };
}

export interface Swept {
  readonly found: SweepResult;
  readonly files: Readonly<Record<string, string>>;
}

/** `pool` absent: on the cluster. */
export async function swept(
  server: NatsServer,
  place: SweepPlace,
  {
    notes = [],
    fresh = false,
    onDone = () => undefined,
    pool,
  }: {
    notes?: string[];
    fresh?: boolean;
    onDone?: (done: number) => void;
    pool?: ReturnType<typeof poolHere>;
  } = {},
): Promise<Swept> {
  const backtest = await loadedBacktest(place.file);
  const read = readSweep(backtest);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const dir = tempDir();
  const cluster = pool === undefined ? await connected(server, 'sweep') : null;
  const note = (text: string): void => void notes.push(text);
  const found = await runSweep(backtest, read.plan, {
    dir,
    workers: 1,
    eventMsMax: 20_000,
    fresh,
    onProgress: ({ done }) => onDone(done),
    openPool: pool ?? ((options) => openClusterPool(cluster!, { ...options, fresh, note })),
  });
  writeSweepFiles(dir, backtest, found, { style: '', script: '' });
  const names = readdirSync(dir).filter((name) => !name.endsWith('.jsonl'));
  return {
    found,
    files: Object.fromEntries(names.map((name) => [name, readFileSync(join(dir, name), 'utf8')])),
  };
}

const dateOf = (day: number): string => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);

/** A strategy of a user's own on daily bars, with walk-forward windows. */
export function walkPlace(): SweepPlace {
  const dir = tempDir();
  const closes = Array.from({ length: 40 }, (_, day) => 100 + Math.round(10 * Math.sin(day / 3) + (day % 7)));
  const rows = closes.map((close, day) => `${dateOf(day)},${close},${close + 2},${close - 2},${close},50`);
  writeFileSync(join(dir, 'bars.csv'), `time,open,high,low,close,volume\n${rows.join('\n')}\n`);
  writeFileSync(
    join(dir, 'mine.ts'),
    `import { defineStrategy } from 'tickwright/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'mine', summary: 'of a test', legs: ['one'], params: z.object({ every: z.int().default(2) }),
  connect(ticks, trader, { every }) {
    let bar = 0;
    ticks.bars().subscribe(() => {
      bar += 1;
      if (bar % every === 0) trader[bar % (2 * every) === 0 ? 'sell' : 'buy']({ qty: 1, price: 'market', reason: 'test' });
    });
  },
});
`,
  );
  const file = join(dir, 'run.yaml');
  writeFileSync(
    file,
    `market: { contracts: { X: { tick: 0.01 } } }
capital: 10000
state: ${dir}
data: { bars: [{ file: bars.csv, symbol: X, every: 1d }] }
strategies: [{ id: mine, strategy: ./mine.ts, symbols: [X], overnight: true }]
sweep: { tradesMin: 0, objective: net_profit, parameters: { mine: { every: [1, 2, 3] } }, walkForward: { inSample: 10, outOfSample: 5 } }
`,
  );
  return { dir, file };
}

export { sweepPlace };
