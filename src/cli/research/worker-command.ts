/** `worker`: runs trials of the sweeps that others start with `--cluster`. */
import type { Command } from 'commander';
import { availableParallelism } from 'node:os';
import { countAboveZero } from '../argument-values.ts';
import type { CliContext } from '../cli-io.ts';
import { onCluster } from './cluster-option.ts';

const AFTER_HELP = `
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

interface Flags {
  readonly threads?: number;
  readonly cache: string;
  readonly cacheGb: number;
}

export function addWorkerCommand(program: Command, { io }: CliContext): void {
  const say = (text: string): void => io.err(`${text}\n`);
  program
    .command('worker')
    .description('run trials of sweeps that were started with --cluster, on any number of machines')
    .argument('<address>', 'NATS server with JetStream: nats://host:4222')
    .option('--threads <n>', 'trials at once (one per core)', countAboveZero)
    .option('--cache <dir>', 'directory of the columns that it fetched', 'var/worker')
    .option('--cache-gb <n>', 'most gigabytes in it', countAboveZero, 10)
    .addHelpText('after', AFTER_HELP)
    .action(async (address: string, { threads = availableParallelism(), cache, cacheGb }: Flags) => {
      const { runWorker } = await import('../../cluster/searches/worker.ts');
      const { ColumnCache } = await import('../../cluster/searches/worker.ts');
      const stop = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
      await onCluster(address, 'worker', async (cluster) => {
        say(`waits for sweeps on ${cluster.url} with ${threads} threads; Ctrl-C ends it`);
        const columns = new ColumnCache(cache, GIGABYTE * cacheGb);
        await runWorker(cluster, { threads, cache: columns, say, signal: stop.signal });
      });
    });
}
