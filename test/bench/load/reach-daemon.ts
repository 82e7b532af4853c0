/** A daemon for `reach.ts`, in a process of its own: places orders, and measures how long they take and what a frame costs its main thread. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { ClockMap } from '../../../src/domain/clock.ts';
import { systemClock } from '../../../src/app/host/system-clock.ts';
import { startDaemonCockpit } from '../../../src/app/live/daemon-cockpit.ts';
import { Daemon } from '../../../src/app/live/daemon.ts';
import { listenToPhones } from '../../../src/app/live/phone.ts';
import { prepareStateDir, statePaths } from '../../../src/app/restart/state-paths.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import type { ClientOrderId } from '../../../src/domain/ids.ts';
import { StrategyNames } from '../../../src/domain/strategy-names.ts';
import { Secrets } from '../../../src/operator/redact.ts';
import type { SimulatorDescription } from '../../../src/simulator/start-simulator.ts';
import { flooded } from './flood-engine.ts';
import { floodMemory } from './flood-frames.ts';

export interface ReachTask {
  readonly config: string;
  readonly stateDir: string;
  readonly broker: Pick<SimulatorDescription, 'rest' | 'stream'>;
  readonly customer: { readonly custodyCode: string; readonly apiKey: string; readonly otp: string };
  readonly clockMap: ClockMap;
  readonly seconds: number;
  readonly isReached: boolean;
}

export type FromReachDaemon =
  | { readonly kind: 'page'; readonly link: string }
  | { readonly kind: 'measured'; readonly measured: ReachMeasured };

export interface ReachMeasured {
  /** From the input that led to an order to the first byte of its call. */
  readonly tickToOrderUs: readonly number[];
  readonly mainMs: number;
  readonly frames: number;
}

const LOOK_MS = 20;
const WARM_MS = 3_000;
const ALERT_EVERY_MS = 200;

const task: ReachTask = JSON.parse(process.argv[2] ?? '');
const tell = (message: FromReachDaemon): void => void process.send?.(message);

const loaded = loadConfig(task.config, [flooded(null)]);
if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
const config = { ...loaded.config, stateDir: task.stateDir };
const paths = statePaths(config.stateDir);
prepareStateDir(paths);
const { custodyCode, apiKey, otp } = task.customer;
const parts = {
  config,
  names: new StrategyNames(config.strategies.map(({ id }) => id)),
  paths,
  address: {
    restUrl: task.broker.rest,
    streamUrl: task.broker.stream,
    tokenOwner: 'simulator',
    custodyCode,
    subAccountId: `${custodyCode}A`,
    secrets: new Secrets([apiKey]),
    apiKey: () => apiKey,
    fixedOtp: otp,
    faults: null,
  },
  clockMap: task.clockMap,
  screen: { note: () => undefined, entry: () => undefined, block: () => undefined, status: () => undefined },
};
const daemon = new Daemon({
  ...parts,
  startEngine: (data) =>
    new Worker(new URL('./flood-engine.js', import.meta.url), {
      workerData: { ...data, memory: floodMemory(3, 1) },
    }),
});

const inputs = new Map<ClientOrderId, number>();
const samples: number[] = [];
const { metrics } = daemon;
const entry = metrics.entry.bind(metrics);
const sent = metrics.sent.bind(metrics);
metrics.entry = (row) => {
  if (row.kind === 'place') {
    const ageUs = (daemon.clock.nowUs() - row.tsUs) / task.clockMap.speed;
    inputs.set(row.order.clientOrderId, systemClock.nowUs() - ageUs);
  }
  entry(row);
};
metrics.sent = (id) => {
  const from = inputs.get(id);
  if (from !== undefined) samples.push(systemClock.nowUs() - from);
  sent(id);
};

/** Of the main thread so far; Linux counts nanoseconds here. */
const mainMs = (): number =>
  Number(readFileSync(`/proc/${process.pid}/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

const ended = daemon.run();
ended.catch((error: unknown) => process.stderr.write(`the daemon ended: ${String(error)}\n`));
const actions = { stop: () => undefined, readAgain: () => Promise.reject(new Error('not here')) };
const cockpit = await startDaemonCockpit(daemon, parts, actions);
listenToPhones(daemon, config, actions);
const link = cockpit.link('steer');
if (link !== null) tell({ kind: 'page', link });
while (samples.length === 0) {
  await daemon.refreshView();
  await pause(LOOK_MS);
}
let alerts = 0;
const alerting = setInterval(() => {
  alerts += 1;
  daemon.alert('warning', `trial_${alerts}`, `alert ${alerts} of the measurement`);
}, ALERT_EVERY_MS);
await pause(WARM_MS);
const first = samples.length;
const [framesBefore, before] = [daemon.feed?.frames ?? 0, mainMs()];
await pause(task.seconds * 1_000);
const measured: ReachMeasured = {
  tickToOrderUs: samples.slice(first),
  mainMs: mainMs() - before,
  frames: (daemon.feed?.frames ?? 0) - framesBefore,
};
clearInterval(alerting);
process.send?.({ kind: 'measured', measured } satisfies FromReachDaemon, () => process.exit());
