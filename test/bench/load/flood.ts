/**
 * `npm run bench -- flood`: a whole daemon, with journal, frame log and engine thread, against the simulator as a program of its own, while
 * prices flood it. Prints what was taken, how old prices were at a strategy, how long orders took from the price that led to them, and
 * cancels and heartbeats meanwhile; ends with 1 when a frame or the connection was lost. `--help` shows its options.
 */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { REAL_TIME } from '../../../src/host/system-clock.ts';
import { Daemon } from '../../../src/daemon/daemon.ts';
import { prepareStateDir, statePaths } from '../../../src/host/state/state-paths.ts';
import { type Config, loadConfig } from '../../../src/config/config.ts';
import type { JournalEntry } from '../../../src/engine/ports/journal-entry.ts';
import { Secrets } from '../../../src/operator/redact.ts';
import { commandOptions } from '../../support/command-options.ts';
import { flooded } from './flood-engine.ts';
import {
  enlist,
  type Flood,
  type FloodMemory,
  floodMemory,
  KINDS,
  now,
  SLICE_MS,
  THREADS,
} from './flood-frames.ts';
import type { FromSender, SenderData, Sent } from './flood-sender.ts';
import { type SimulatorProgram, startProgram } from './simulator-program.ts';
import { StrategyNames } from '../../../src/domain/ids.ts';

const YAML = (burnUs: number): string => `
mode: paper
market: ${resolve('config/vn30f.yaml')}
simulator: { cash: 5000000000 }
broker: { requestsPerSecond: 50 }
risk: { ordersPerSecondMax: 50, ordersPerMinuteMax: 3000, dailyLossMax: 2000000000, accountAgeMax: 5m, dataAgeMax: 60s }
poll: { bookFast: 500ms, positions: 2s, account: 2s }
strategies:
  - id: flooded
    strategy: flooded
    symbols: [VN30F1M]
    overnight: true
    risk: { positionMax: 4, dailyLossMax: 2000000000, openOrdersMax: 4 }
    params: { burnUs: ${burnUs} }
`;

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

/** `p50 1.2, p99 3.4, max 5.6 ms`. */
function spread(ms: readonly number[]): string {
  if (ms.length === 0) return 'none';
  const sorted = ms.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN).toFixed(1);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} ms`;
}

const LOOK_MS = 20;
/** Of the daemon, to trade; far more than it takes. */
const START_MS_MAX = 60_000;
/** After the last frame was sent. */
const SETTLE_MS_MAX = 10_000;
const CANCEL_EVERY_MS = 50;
const CANCELS_BEFORE = 40;

interface Wanted {
  readonly framesPerSecond: number;
  readonly seconds: number;
  readonly burnUs: number;
}

interface Seen {
  readonly sent: Sent;
  readonly memory: FloodMemory;
  readonly frames: number;
  readonly taken: number;
  readonly waitingMax: number;
  readonly ordersBefore: readonly number[];
  readonly orders: readonly number[];
  /** From a command to the broker's answer, at the simulator's own pace of prices and in the flood. */
  readonly cancelsBefore: readonly number[];
  readonly cancels: readonly number[];
  /** From a heartbeat to its answer. */
  readonly pongs: readonly number[];
  readonly alerts: readonly string[];
  /** Milliseconds of processor by thread; null where the system does not say. */
  readonly threadMs: readonly number[] | null;
  readonly elapsed: number;
}

function wanted(): Wanted {
  const values = commandOptions('bench -- flood', 'a daemon in a flood of prices', {
    frames: { type: 'string', default: '10000', help: 'a second' },
    seconds: { type: 'string', default: '20', help: 'how long' },
    burn: { type: 'string', default: '0', help: 'microseconds that a strategy burns for each trade' },
  });
  const number = (name: keyof typeof values, min: number): number => {
    const value = Number(values[name]);
    if (Number.isFinite(value) && value >= min) return value;
    throw new Error(`--${name}: expected a number of at least ${min}, was ${values[name]}`);
  };
  return {
    framesPerSecond: Math.round(number('frames', 100)),
    seconds: Math.round(number('seconds', 1)),
    burnUs: number('burn', 0),
  };
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function configOf(scratch: string, burnUs: number): Config {
  const file = join(scratch, 'flood.yaml');
  writeFileSync(file, YAML(burnUs));
  const loaded = loadConfig(file, [flooded(null)]);
  if (loaded.ok) return { ...loaded.config, stateDir: join(scratch, 'daemon') };
  throw new Error(JSON.stringify(loaded.problems));
}

async function until(
  look: () => boolean | Promise<boolean>,
  what: string,
  msMax: number,
  everyMs = LOOK_MS,
): Promise<void> {
  for (const end = performance.now() + msMax; performance.now() < end; await pause(everyMs))
    if (await look()) return;
  throw new Error(`${what} did not come within ${msMax / 1_000} s`);
}

/** A daemon as the program runs it, but for the screen. */
class FloodedDaemon {
  readonly daemon: Daemon;
  readonly entries: JournalEntry[] = [];
  readonly pongs: number[] = [];
  /** From the arrival of the frame that led to an order to the first byte of its call. */
  readonly tickToOrder: number[] = [];
  readonly #inputs = new Map<string, number>();
  /** Cancels that the broker has answered. */
  #canceled = 0;

  constructor(config: Config, program: SimulatorProgram, streamUrl: string, memory: FloodMemory) {
    const { rest, apiKey, otp, custodyCode, subAccountId } = program.description;
    const paths = statePaths(config.stateDir);
    prepareStateDir(paths);
    this.daemon = new Daemon({
      config,
      names: new StrategyNames(config.strategies.map(({ id }) => id)),
      paths,
      address: {
        restUrl: rest,
        streamUrl,
        tokenOwner: 'simulator',
        custodyCode,
        subAccountId,
        secrets: new Secrets([custodyCode, apiKey]),
        apiKey: () => apiKey,
        fixedOtp: otp,
        faults: null,
      },
      clockMap: REAL_TIME,
      screen: {
        note: () => undefined,
        entry: (entry) => {
          this.entries.push(entry);
          if (entry.kind === 'place') this.#inputs.set(entry.order.clientOrderId, entry.tsUs / 1_000);
        },
      },
      startEngine: (data) =>
        new Worker(new URL('./flood-engine.js', import.meta.url), { workerData: { ...data, memory } }),
    });
    const { metrics } = this.daemon;
    const pong = metrics.pong.bind(metrics);
    const answered = metrics.answered.bind(metrics);
    const sent = metrics.sent.bind(metrics);
    metrics.sent = (callId) => {
      const input = this.#inputs.get(callId);
      if (input !== undefined) this.tickToOrder.push(now() - input);
      this.#inputs.delete(callId);
      sent(callId);
    };
    metrics.pong = (roundTrip) => {
      this.pongs.push(roundTrip / 1_000);
      pong(roundTrip);
    };
    metrics.answered = (call, callId) => {
      if (call === 'cancel') this.#canceled += 1;
      answered(call, callId);
    };
  }

  get hasOrder(): boolean {
    return this.#lastStatus === 'accepted';
  }

  get #lastStatus(): string | undefined {
    return this.entries.findLast((entry) => entry.kind === 'order_status')?.to;
  }

  /** Milliseconds from a command to the broker's answer; undefined when no order rests. */
  async cancel(): Promise<number | undefined> {
    if (!this.hasOrder) return undefined;
    const before = this.#canceled;
    const start = performance.now();
    this.daemon.command({ name: 'cancel_all', reason: 'the flood' });
    await until(() => this.#canceled > before, 'the answer to a cancel', START_MS_MAX, 1);
    return performance.now() - start;
  }
}

/** Of a thread so far; Linux counts in hundredths of a second. */
function processorMs(thread: number): number {
  const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

const threadTimes = ({ threads }: FloodMemory): readonly number[] | null =>
  process.platform === 'linux' ? [...threads].map(processorMs) : null;

function startSender(data: SenderData) {
  const thread = new Worker(new URL('./flood-sender.js', import.meta.url), { workerData: data });
  const expected = async <Kind extends FromSender['kind']>(kind: Kind) => {
    const [message]: [FromSender] = (await once(thread, 'message')) as [FromSender];
    if (message.kind !== kind) throw new Error(`expected ${kind}, was ${message.kind}`);
    return message as Extract<FromSender, { kind: Kind }>;
  };
  return { thread, expected };
}

async function cancelWhile(flooded: FloodedDaemon, cancels: number[], goesOn: () => boolean): Promise<void> {
  for (; goesOn(); await pause(CANCEL_EVERY_MS)) {
    const took = await flooded.cancel();
    if (took !== undefined) cancels.push(took);
  }
}

async function run(program: SimulatorProgram, scratch: string, asked: Wanted): Promise<Seen> {
  const { framesPerSecond, seconds, burnUs } = asked;
  const frames = framesPerSecond * seconds;
  const memory = floodMemory(frames, (seconds * 1_000) / SLICE_MS);
  enlist(memory, 'main');
  const sender = startSender({ upstream: program.description.stream, memory });
  const { port } = await sender.expected('listening');
  const flooded = new FloodedDaemon(configOf(scratch, burnUs), program, `ws://127.0.0.1:${port}`, memory);
  const { daemon } = flooded;
  const ended = daemon.run();
  ended.catch((error: unknown) => say(`the daemon ended: ${String(error)}`));
  const mayTrade = async (): Promise<boolean> =>
    (await daemon.refreshView())?.unproven === null && (daemon.cycle.session?.inbox.frames ?? 0) > 0;
  await until(mayTrade, 'a daemon that may trade', START_MS_MAX);
  const cancelsBefore: number[] = [];
  await Promise.race([
    cancelWhile(flooded, cancelsBefore, () => cancelsBefore.length < CANCELS_BEFORE),
    pause(START_MS_MAX, null, { ref: false }),
  ]);
  if (cancelsBefore.length < CANCELS_BEFORE)
    throw new Error(
      `${CANCELS_BEFORE} cancels did not come within ${START_MS_MAX / 1_000} s: ${JSON.stringify(flooded.entries.at(-1))}`,
    );
  const [contract] = daemon.edge.table.listed;
  if (contract === undefined) throw new Error('expected a contract');
  sender.thread.postMessage({ contract, framesPerSecond, seconds } satisfies Flood); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
  await sender.expected('ready');
  // Prices of the simulator on their way.
  await pause(LOOK_MS);
  const isSent = sender.expected('sent');
  const framesBefore = daemon.cycle.session?.inbox.frames ?? 0;
  const pongsBefore = flooded.pongs.length;
  const ordersBefore = flooded.tickToOrder.length;
  const before = threadTimes(memory);
  const start = performance.now();
  sender.thread.postMessage('go'); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
  let waitingMax = 0;
  const watch = setInterval(() => {
    waitingMax = Math.max(waitingMax, daemon.cycle.session?.inbox.framesWaiting ?? 0);
  }, LOOK_MS);
  const flood = { isOver: false };
  const cancels: number[] = [];
  const canceling = cancelWhile(flooded, cancels, () => !flood.isOver);
  const { sent } = await isSent;
  flood.isOver = true;
  const taken = (): number => (daemon.cycle.session?.inbox.frames ?? 0) - framesBefore;
  for (const end = performance.now() + SETTLE_MS_MAX; taken() < frames && performance.now() < end;)
    await pause(LOOK_MS);
  const elapsed = (performance.now() - start) / 1_000;
  const after = threadTimes(memory);
  clearInterval(watch);
  await canceling;
  const seen: Seen = {
    sent,
    memory,
    frames,
    taken: taken(),
    waitingMax,
    ordersBefore: flooded.tickToOrder.slice(0, ordersBefore),
    orders: flooded.tickToOrder.slice(ordersBefore),
    cancelsBefore,
    cancels,
    pongs: flooded.pongs.slice(pongsBefore),
    alerts: flooded.entries.flatMap((entry) =>
      entry.kind === 'alert' && entry.code !== 'cancel_all' ? [`${entry.code}: ${entry.text}`] : [],
    ),
    threadMs: before === null || after === null ? null : after.map((ms, at) => ms - (before[at] ?? NaN)),
    elapsed,
  };
  await daemon.stop('the flood is over');
  await daemon.close();
  await sender.thread.terminate();
  return seen;
}

function report({ framesPerSecond, seconds }: Wanted, seen: Seen): readonly string[] {
  const { sent, memory, frames, taken, elapsed, cancels, pongs } = seen;
  const ages = [...memory.ages].filter((age) => age > 0);
  const perFrame = THREADS.map((thread, at) => {
    const ms = seen.threadMs?.[at];
    if (ms === undefined) return `${thread} not known`;
    return `${thread} ${((ms * 1_000) / frames).toFixed(1)} us a frame (${((ms / elapsed) * 0.1).toFixed(0)} %)`;
  });
  const lines = [
    `offered        ${whole(framesPerSecond)} frames a second for ${seconds} s, one of ${KINDS} a trade; late by ${sent.lateMs.toFixed(0)} ms at most, ${whole(sent.backlogBytes / 1_024)} KiB not taken by the socket at most`,
    `taken          ${whole(taken)} of ${whole(frames)} in ${elapsed.toFixed(1)} s: ${whole(taken / elapsed)} a second; ${whole(seen.waitingMax)} waited for the engine at most`,
    `age            of a price at the strategy: ${spread(ages)}`,
    `orders         ${seen.orders.length}, from the frame to the first byte of the call: ${spread(seen.orders)}; before the flood ${spread(seen.ordersBefore)}`,
    `cancels        ${cancels.length}, from the command to the broker's answer: ${spread(cancels)}; before the flood ${spread(seen.cancelsBefore)}`,
    `heartbeats     ${sent.beats.length}, ${spread(sent.beats)} apart; answered: ${spread(pongs)}`,
    `processor      ${perFrame.join(', ')}`,
    ...seen.alerts.map((alert) => `alert          ${alert}`),
  ];
  const lost = frames - taken;
  return [
    ...lines,
    ...(lost > 0 ? [`FAILED: ${whole(lost)} frames were not taken`] : []),
    ...(sent.connections > 1
      ? [`FAILED: ${sent.connections} connections, closed with ${sent.closes.join(', ')}`]
      : []),
  ];
}

const asked = wanted();
mkdirSync('var', { recursive: true });
const scratch = mkdtempSync(join('var', 'flood-'));
say(
  `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} threads, node ${process.version}, load ${loadavg()[0]?.toFixed(2) ?? '?'} at the start`,
);
const program = await startProgram(scratch, 1);
try {
  const lines = report(asked, await run(program, scratch, asked));
  for (const line of lines) say(line);
  process.exitCode = lines.some((line) => line.startsWith('FAILED')) ? 1 : 0;
} finally {
  await program.end();
  rmSync(scratch, { recursive: true });
}
// A daemon never returns: its process ends it.
process.exit();
