/**
 * `npm run bench -- searches`: what a trial on a cluster costs the server and the coordinator, with workers whose trials sleep. It prints
 * the costs, how much of 10 to 1,000 workers they leave, and what two runs really reached. Linux; it starts a server of its own.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openCluster } from '../../../src/cluster/connection.ts';
import { openClusterPool } from '../../../src/cluster/searches/coordinator.ts';
import { loadBacktest } from '../../../src/research/spec/load-backtest.ts';
import { readSharedColumns, sweepFingerprint, TrialRunner } from '../../../src/research/sweep/trial-pool.ts';
import { commandOptions } from '../../support/command-options.ts';
import type { WorkersTask } from './searches-workers.ts';

const { days, port, file } = commandOptions('bench -- searches', 'costs of a trial on a cluster', {
  days: { type: 'string', default: '250', help: 'returns in a result' },
  port: { type: 'string', default: '4333', help: 'of the server, and the next one for its figures' },
  file: { type: 'string', default: 'config/backtest-sweep.yaml', help: 'whose columns travel' },
});
const url = `nats://127.0.0.1:${port}`;
const dir = mkdtempSync(join(tmpdir(), 'tickwright-bench-'));
const program = process.env['TICKWRIGHT_NATS_SERVER'] ?? 'nats-server';
const where = ['-js', '-sd', dir, '-a', '127.0.0.1', '-p', port, '-m', String(Number(port) + 1)];
const server = spawn(program, where, { stdio: 'ignore' });
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const TICKS_PER_SECOND = 100;
/** Processor seconds of a process until now. */
function processorOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Of the server and of this process, which coordinates. */
async function readings(): Promise<Readings> {
  const answer = await fetch(`http://127.0.0.1:${Number(port) + 1}/varz`);
  const varz = (await answer.json()) as Record<'in_msgs' | 'out_msgs' | 'in_bytes' | 'out_bytes', number>;
  const { user, system } = process.cpuUsage();
  return {
    server: processorOf(server),
    coordinator: (user + system) / 1e6,
    messages: varz.in_msgs + varz.out_msgs,
    bytes: varz.in_bytes + varz.out_bytes,
  };
}

type Readings = Record<'server' | 'coordinator' | 'messages' | 'bytes', number>;
const KEYS = ['server', 'coordinator', 'messages', 'bytes'] as const;
const each = (of: (key: (typeof KEYS)[number]) => number): Readings => ({
  server: of('server'),
  coordinator: of('coordinator'),
  messages: of('messages'),
  bytes: of('bytes'),
});

async function workersOf(task: WorkersTask): Promise<ChildProcess> {
  const child = fork(new URL('./searches-workers.js', import.meta.url));
  child.send(task);
  const ready = once(child, 'message');
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the workers ended')));
  ended.catch(() => undefined);
  await Promise.race([ready, ended]);
  return child;
}

const loaded = await loadBacktest(file);
if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
const { backtest } = loaded;
const columns = readSharedColumns(backtest);
const figures = {
  ...new TrialRunner(backtest, columns).run({ params: {}, days: null }),
  dailyReturns: Array.from({ length: Number(days) }, (_, day) => Math.sin(day + 1) / 100),
};
let tasksMade = 0;

interface Round extends Omit<WorkersTask, 'url' | 'figures'> {
  readonly trials: number;
}

/** What a round used beside `idle` workers, with its trials, batches and the part of its threads' time that was trials. */
async function run({ trials, ...task }: Round, idle: Readings) {
  const child = await workersOf({ ...task, url, figures });
  const cluster = await openCluster({ url }, 'coordinator');
  const fingerprint = sweepFingerprint(backtest);
  const options = { backtest, fingerprint, columns, workers: 1, eventMsMax: 20_000, fresh: true, note: say };
  const pool = await openClusterPool(cluster, options);
  const batches = async (): Promise<number> =>
    (await cluster.jsm.streams.info('TICKWRIGHT_TRIALS')).state.last_seq;
  const [before, batchesBefore, begunMs] = [await readings(), await batches(), performance.now()];
  const tasks = Array.from({ length: trials }, () => ({
    params: { ema: { fast: (tasksMade += 1) } },
    days: null,
  }));
  await pool.run(tasks, () => undefined);
  const seconds = (performance.now() - begunMs) / 1_000;
  const after = await readings();
  const sent = (await batches()) - batchesBefore;
  await pool.close();
  await cluster.close();
  child.kill('SIGKILL');
  const used = each((key) => after[key] - before[key] - idle[key] * task.workers * seconds);
  const share = (trials * task.trialMs) / (task.workers * task.threads * seconds * 1_000);
  return { used, trials, batches: sent, share, seconds };
}

const NOTHING = each(() => 0);

/** Of a worker in a second in which no sweep runs. */
async function idleCosts(workers: number, seconds: number): Promise<Readings> {
  const child = await workersOf({ url, workers, threads: 8, trialMs: 0, figures });
  await pause(2_000);
  const before = await readings();
  await pause(seconds * 1_000);
  const after = await readings();
  child.kill('SIGKILL');
  return each((key) => Math.max(0, after[key] - before[key]) / workers / seconds);
}

const THREADS = 8;
const BATCH_S = 2;
const BATCH_MAX = 500;

try {
  while (
    !(await readings().then(
      () => true,
      () => false,
    ))
  ) {
    if (server.exitCode !== null) throw new Error(`${program} ended; is port ${port} free?`);
    await pause(100);
  }
  // The streams are there from here on.
  await run({ workers: 1, threads: 4, trialMs: 0, trials: 400 }, NOTHING);
  const idle = await idleCosts(100, 10);
  const short = await run({ workers: 4, threads: 8, trialMs: 0, trials: 20_000 }, idle);
  const long = await run({ workers: 100, threads: 8, trialMs: 2_500, trials: 4_000 }, idle);
  // used = trials x perTrial + batches x perBatch, in two rounds.
  const determinant = short.trials * long.batches - long.trials * short.batches;
  const perTrial = each(
    (key) => (short.used[key] * long.batches - long.used[key] * short.batches) / determinant,
  );
  const perBatch = each(
    (key) => (short.trials * long.used[key] - long.trials * short.used[key]) / determinant,
  );
  say(`${short.trials} trials in ${short.batches} batches, then ${long.trials} in ${long.batches}\n`);
  say('cost of            server    coordinator   messages      bytes');
  for (const [name, costs] of Object.entries({
    'a trial': perTrial,
    'a batch': perBatch,
    'a worker, 1 s': idle,
  }))
    say(
      `${name.padEnd(14)} ${(costs.server * 1e6).toFixed(0).padStart(7)} us ${(costs.coordinator * 1e6).toFixed(0).padStart(11)} us ${costs.messages.toFixed(1).padStart(10)} ${costs.bytes.toFixed(0).padStart(10)}`,
    );
  say(
    `\npart of ${THREADS} threads a worker that is left, one core each for server and coordinator, 1 Gbit/s`,
  );
  say('trial of      10      30     100     300   1,000 workers');
  for (const trialS of [0.01, 0.1, 1, 10]) {
    const size = Math.max(1, Math.min(BATCH_MAX, Math.floor(BATCH_S / trialS)));
    const cells = [10, 30, 100, 300, 1_000].map((workers) => {
      const trials = (workers * THREADS) / trialS;
      const load = each((key) => trials * (perTrial[key] + perBatch[key] / size) + workers * idle[key]);
      const worst = Math.max(load.server, load.coordinator, load.bytes / 125e6, 1);
      return `${(100 / worst).toFixed(0)} %`.padStart(7);
    });
    say(`${`${trialS} s`.padEnd(9)}${cells.join(' ')}`);
  }
  say('\nreached on this machine, which runs all of them:');
  say(`  800 threads, trials of 2.5 s: ${(100 * long.share).toFixed(0)} % in ${long.seconds.toFixed(0)} s`);
  const many = await run({ workers: 125, threads: 8, trialMs: 1_000, trials: 10_000 }, idle);
  say(`  1,000 threads, trials of 1 s: ${(100 * many.share).toFixed(0)} % in ${many.seconds.toFixed(0)} s`);
  say(`  trials that do nothing: ${(short.trials / short.seconds).toFixed(0)} a second`);
} finally {
  server.kill();
  rmSync(dir, { recursive: true, force: true });
}
process.exit();
