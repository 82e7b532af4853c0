/** Runs the compiled daemon as a user does, and looks at what it left behind. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { readControl } from '../../src/host/state/running-daemons.ts';
import { type JournalReader, readJournal, type StoredEntry } from '../../src/journal/journal-reader.ts';
import type { SimulatorLink } from '../../src/daemon/simulator/embedded-simulator.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Of the message and the summary at the end of a run: what fills in the last moment is in one of them. */
export const BOOKS_AGREE = /books:? +our positions are the broker’s[^]*money:? +the broker’s to the VND/;
export const MAIN = join(ROOT, 'dist', 'src', 'cli', 'main.js');

export interface Workplace {
  readonly dir: string;
  readonly state: string;
  readonly config: string;
}

/** A private directory with the market files of the project and a configuration of the test's own. */
export function workplace(configuration: string): Workplace {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-'));
  const config = join(dir, 'config');
  mkdirSync(config);
  for (const name of ['vn30f.yaml', 'closures.json'])
    copyFileSync(join(ROOT, 'config', name), join(config, name));
  const state = join(dir, 'state');
  const file = join(config, 'test.yaml');
  writeFileSync(file, configuration.replaceAll('$STATE', state));
  return { dir, state, config: file };
}

export interface RunningDaemon {
  readonly process: ChildProcess;
  readonly output: () => string;
  /** Resolves when a line of the output from `from` on matches; rejects when the process ends first. */
  line(pattern: RegExp, from?: number): Promise<string>;
  /** Ends with the signal; the exit code, or the signal's name. */
  end(signal: NodeJS.Signals): Promise<number | string>;
}

/** Output of the daemon that started last. */
let lastOutput: () => string = () => '';

/** `main` is another build of the program. */
export function startDaemon(
  { config, dir }: Pick<Workplace, 'config' | 'dir'>,
  args: readonly string[] = [],
  main: string = MAIN,
  mode: 'paper' | 'dry-run' = 'paper',
): RunningDaemon {
  const child = spawn(process.execPath, [main, mode, '--config', config, ...args], {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      output += text;
      for (const listener of listeners) listener();
    });
  }
  lastOutput = () => output;
  const exited = once(child, 'exit').then(([code, signal]: unknown[]) => code ?? signal);
  return {
    process: child,
    output: () => output,
    line: (pattern, from = 0) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = output
            .slice(from)
            .split('\n')
            .find((text) => pattern.test(text));
          if (found === undefined) return;
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        void exited.then(() => reject(new Error(`the daemon ended before ${String(pattern)}:\n${output}`)));
        look();
      }),
    async end(signal) {
      child.kill(signal);
      const ended: unknown = await exited;
      return typeof ended === 'number' ? ended : String(ended);
    },
  };
}

export function simulatorLink({ state }: Workplace): SimulatorLink {
  const link: SimulatorLink = JSON.parse(readFileSync(join(state, 'simulator.json'), 'utf8'));
  return link;
}

export interface BrokerTruth {
  readonly orders: readonly {
    readonly refId: string | null;
    readonly orderNo: string;
    readonly side: 'buy' | 'sell';
    readonly qty: number;
    readonly filledQty: number;
    readonly status: string;
  }[];
  readonly positions: readonly { readonly orderCode: string; readonly net: number }[];
  readonly account: {
    readonly cash: number;
    readonly netAssetValue: number;
    readonly dayProfit: number;
    readonly uncollected: number;
    readonly tax: number;
  };
}

/** A call of the simulator's control API. */
export function control(place: Workplace, path: string, init: RequestInit = {}): Promise<Response> {
  const { control: url, controlToken } = simulatorLink(place);
  const headers = { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' };
  return fetch(`${url}${path}`, { ...init, headers });
}

/** The simulator's own books, by its control API. */
export async function brokerTruth(place: Workplace): Promise<BrokerTruth> {
  const link = simulatorLink(place);
  const reply = await control(place, `/accounts/${link.custodyCode}`);
  const truth: unknown = await reply.json();
  return truth as BrokerTruth; // oxlint-disable-line typescript/no-unsafe-type-assertion -- our own simulator's answer
}

export async function setFault(place: Workplace, fault: Readonly<Record<string, unknown>>): Promise<void> {
  const reply = await control(place, '/faults', { method: 'POST', body: JSON.stringify(fault) });
  if (!reply.ok) throw new Error(`fault refused: ${await reply.text()}`);
}

/** As `tickwright open` asks. */
export async function linkOf({ state }: Workplace): Promise<string> {
  const control = readControl(state);
  const answer = await fetch(`http://127.0.0.1:${control?.port}/links/steer`, {
    method: 'POST',
    headers: { authorization: `Bearer ${control?.token}` },
  });
  const { link } = (await answer.json()) as { link: string };
  return link;
}

export function journalEntries(
  { state }: Workplace,
  query?: Parameters<JournalReader['entries']>[0],
): readonly StoredEntry[] {
  const journal = readJournal(join(state, 'journal.db'));
  try {
    return journal.read.entries(query);
  } finally {
    journal.close();
  }
}

/**
 * A kill between the journal's commit and the send leaves an order that the broker never saw. It freezes entries until a person
 * says that it is absent (rulings, 8): this person looks into the broker's book first.
 */
export async function resolveAbsent(place: Workplace): Promise<void> {
  // Reads show first what became of each call.
  await until(() => {
    const statuses = [...lastStatuses(place).values()];
    return statuses.includes('submitted') || statuses.includes('unknown') ? undefined : true;
  });
  for (const [id, status] of lastStatuses(place)) {
    if (status !== 'presumed_absent') continue;
    const { orders } = await brokerTruth(place);
    if (orders.some(({ refId }) => refId === id))
      throw new Error(`${id} is presumed absent, and the broker has it`);
    const call = ['orders', 'resolve', id, 'absent', '--reason', 'not in the book', '--state', place.state];
    await promisify(execFile)(process.execPath, [MAIN, ...call]);
    await until(() => (lastStatuses(place).get(id) === status ? undefined : true));
  }
}

export function lastStatuses(place: Workplace): ReadonlyMap<string, string> {
  const last = new Map<string, string>();
  for (const { entry } of journalEntries(place)) {
    if (entry.kind === 'place') last.set(entry.order.clientOrderId, 'submitted');
    if (entry.kind === 'order_status') last.set(entry.clientOrderId, entry.to);
  }
  return last;
}

const LOOK_EVERY_MS = 50;
/** Far more than anything takes on a busy machine: for what never comes. */
const LOOKS_MAX = 2_000;

/** On which nobody listens at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('a port was expected');
  return address.port;
}

/** Polls until `look` gives something; `story` describes the program when it never does: by default what the last daemon said. */
export async function until<T>(
  look: () => T | undefined | Promise<T | undefined>,
  story: () => string = lastOutput,
): Promise<T> {
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error(`it has not come in ${LOOKS_MAX} looks: ${look.toString()}\n${story()}`);
}
