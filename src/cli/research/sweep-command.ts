/** `sweep`: many runs of one backtest with varied parameters; `worker`: runs trials of the sweeps that others start with `--cluster`. */
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { availableParallelism } from 'node:os';
import type { ClusterPool } from '../../cluster/searches/coordinator.ts';
import type { Cluster } from '../../cluster/connection.ts';
import type { SweepFileOptions, SweepOutcome } from '../../research/sweep/sweep-report.ts';
import { formatProblem } from '../../config/problem.ts';
import { formatCount, formatRate } from '../../text/numbers.ts';
import { countAboveZero } from '../options.ts';
import { type CliContext, type CliIo, EXIT, jsonText, refused } from '../cli-io.ts';
import { ProgressLine } from '../progress-line.ts';
import { EVENT_LIMIT, loaded, refuseHang, reportTable } from './backtest-command.ts';

interface SweepFlags extends Omit<SweepFileOptions, 'onProgress' | 'openPool'> {
  readonly json?: boolean;
  readonly cluster?: string;
}

const TOP = 10;

const SWEEP_HELP = `
The section sweep of the file says which parameters vary, how they are searched
and what else is tested, as walk-forward windows (config/README.md).

Each finished trial is appended to trials-<fingerprint>.jsonl, and an
interrupted sweep continues from there when started again. Writes report.html,
sweep.json and trials.csv. Exit code 1 when a strategy throws in a trial: such a
trial is never picked.

Example:
  tickwright sweep config/backtest-sweep.yaml --workers 4 --top 20
`;

export function addSweepCommands(program: Command, context: CliContext): void {
  addWorker(program, context);
  addSweep(program, context);
}

function addSweep(program: Command, { io, finish }: CliContext): void {
  program
    .command('sweep')
    .description('search the parameters of a backtest on all cores, with tests against overfitting')
    .argument('<config>', 'YAML file of the backtest with a section sweep')
    .option(...EVENT_LIMIT)
    .option('--workers <n>', 'threads (one per core)', countAboveZero)
    .option('--cluster <address>', 'run the trials on the workers of this NATS server (tickwright worker)')
    .option('--top <n>', 'trials shown', countAboveZero, TOP)
    .option('--fresh', 'discard the trials of earlier sweeps of this file')
    .option('--out <dir>', 'directory of the results (var/backtest/<name of the file>-sweep)')
    .option('--json', 'print all figures as JSON')
    .addHelpText('after', SWEEP_HELP)
    .action(async (file: string, { cluster, ...flags }: SweepFlags) => {
      const failure =
        cluster === undefined
          ? await sweep(file, flags, io)
          : await onCluster(cluster, 'sweep', (opened) => sweep(file, flags, io, opened));
      if (failure === null) return;
      io.err(`\nfailed: ${failure}\n`);
      finish(EXIT.failed);
    });
}

async function sweep(file: string, flags: SweepFlags, io: CliIo, cluster?: Cluster): Promise<string | null> {
  const where = 'in the sweep; nothing was run';
  const backtest = await loaded(file, where, io, flags.eventLimit);
  const { readSweep } = await import('../../research/sweep/read-sweep.ts');
  const read = readSweep(backtest);
  if (!read.ok) throw refused(read.problems.map(formatProblem), where);
  const { stoppedText, sweepDir, sweepFile } = await import('../../research/sweep/sweep-report.ts');
  const path = join(sweepDir(backtest, flags.out), 'progress.html');
  if (io.isTerminal === true) io.err(`progress: ${path}\n`);
  const newLine = (): ProgressLine => new ProgressLine(io, 'runs', { path, title: `Sweep of ${file}` });
  let line = newLine();
  let what = '';
  const { fresh = false } = flags;
  const note = (text: string): void => {
    line.clear();
    io.err(`${text}\n`);
  };
  let pool: ClusterPool | null = null;
  const capacity = (): string => (pool === null ? '' : capacityText(pool));
  const outcome = await sweepFile(backtest, read.plan, {
    ...flags,
    ...(cluster && {
      openPool: async (options) => {
        const { openClusterPool } = await import('../../cluster/searches/coordinator.ts');
        pool = await openClusterPool(cluster, { ...options, fresh, note });
        return pool;
      },
    }),
    onProgress: (progress) => {
      // Each part has a rate of its own.
      if (progress.what !== what) line = newLine();
      what = progress.what;
      line.show({ ...progress, what: `${what}${capacity()}` });
    },
  }).catch(refuseHang);
  line.end('report.html');
  if (flags.json === true) io.out(jsonText(outcome.json));
  else printOutcome(io, outcome, capacity());
  return stoppedText(outcome.found);
}

const capacityText = ({ capacity: { workers, threads } }: ClusterPool): string =>
  workers === 0
    ? ', waiting for a worker (tickwright worker)'
    : ` on ${formatCount(workers, 'worker')} with ${formatCount(threads, 'thread')}`;

function printOutcome(
  io: CliIo,
  { found, tables, moneyDigits, warnings, memory, report, bestParams }: SweepOutcome,
  capacity: string,
): void {
  for (const table of tables) {
    const { title, note } = table;
    io.out(`${title}${note === '' ? '' : `: ${note}`}\n\n${reportTable(table, moneyDigits)}\n\n`);
  }
  for (const warning of warnings) io.out(`note: ${warning}\n`);
  const { ran, resumed, seconds, workers, log, digest } = found;
  const rate = formatRate(seconds > 0 ? ran / seconds : 0);
  const before = resumed === 0 ? '' : `, ${resumed} known from before`;
  const where = capacity === '' ? ` on ${formatCount(workers, 'thread')}` : capacity;
  io.out(`
memory: ${memory}
${formatCount(ran, 'run')} in ${seconds.toFixed(2)} s${where} (${rate}/s)${before}
best    ${bestParams === null ? 'none: no trial can be picked' : `params of ${bestParams}`}
trials  ${join(dirname(report), 'trials.csv')}
report  ${report}
log     ${log}: the same sweep goes on from here
digest  ${digest}
`);
}

const WORKER_HELP = `
A worker runs code that comes over the wire: whoever may publish trials on the
server may run code here, as this user. It therefore takes trials from a server
without authentication only on this machine (127.0.0.1), and it says whose they
are. Who connects: TICKWRIGHT_NATS_USER with TICKWRIGHT_NATS_PASSWORD, or
TICKWRIGHT_NATS_CREDENTIALS (a file); TICKWRIGHT_NATS_CA, _CERT and _KEY are
files for TLS.

Ctrl-C gives back what it has in hand.

Example:
  tickwright worker nats://127.0.0.1:4222 --threads 4
`;

const GIGABYTE = 1_000_000_000;

interface WorkerFlags {
  readonly threads?: number;
  readonly cache: string;
  readonly cacheGb: number;
}

function addWorker(program: Command, { io }: CliContext): void {
  const say = (text: string): void => io.err(`${text}\n`);
  program
    .command('worker')
    .description('run trials of sweeps that were started with --cluster, on any number of machines')
    .argument('<address>', 'NATS server with JetStream: nats://host:4222')
    .option('--threads <n>', 'trials at once (one per core)', countAboveZero)
    .option('--cache <dir>', 'directory of the columns that it fetched', 'var/worker')
    .option('--cache-gb <n>', 'most gigabytes in it', countAboveZero, 10)
    .addHelpText('after', WORKER_HELP)
    .action(async (address: string, { threads = availableParallelism(), cache, cacheGb }: WorkerFlags) => {
      const { ColumnCache, runWorker } = await import('../../cluster/searches/worker.ts');
      const stop = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
      await onCluster(address, 'worker', async (cluster) => {
        say(`waits for sweeps on ${cluster.url} with ${threads} threads; Ctrl-C ends it`);
        const columns = new ColumnCache(cache, GIGABYTE * cacheGb);
        await runWorker(cluster, { threads, cache: columns, say, signal: stop.signal });
      });
    });
}

const of = (key: string): string | undefined => process.env[`TICKWRIGHT_NATS_${key}`];

/** Opens the connection to a NATS server, and ends it after the work. Who connects comes from the environment. */
async function onCluster<T>(url: string, name: string, work: (cluster: Cluster) => Promise<T>): Promise<T> {
  const { openCluster } = await import('../../cluster/connection.ts');
  const files = Object.entries({ ca: of('CA'), cert: of('CERT'), key: of('KEY') }).filter(
    ([, path]) => path !== undefined,
  );
  const cluster = await openCluster(
    {
      url,
      user: of('USER'),
      password: of('PASSWORD'),
      credentials: of('CREDENTIALS'),
      tls: files.length === 0 ? undefined : Object.fromEntries(files),
    },
    `tickwright ${name}`,
  );
  try {
    return await work(cluster);
  } finally {
    await cluster.close();
  }
}
