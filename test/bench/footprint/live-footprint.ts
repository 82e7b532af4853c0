/** A daemon against the simulator: its main thread in this one, its engine in a thread, the broker in a process of its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BroadcastChannel, Worker } from 'node:worker_threads';
import type { EngineWorkerHandle } from '../../../src/host/engine-thread.ts';
import { type FromEngine, unpackEvents } from '../../../src/host/worker-protocol.ts';
import { Daemon } from '../../../src/daemon/daemon.ts';
import { prepareStateDir, statePaths } from '../../../src/host/state/state-paths.ts';
import { loadConfig } from '../../../src/config/config.ts';
import type { ClockMap } from '../../../src/domain/clock.ts';
import { Secrets } from '../../../src/operator/redact.ts';
import { CUSTOMER, startProgram } from '../load/simulator-program.ts';
import { type Executed, isPackage, MANY, Samples, usual } from './coverage.ts';
import { footprintTrader } from './footprint-trader.ts';
import { StrategyNames } from '../../../src/domain/ids.ts';

export const CHANNEL = 'tickwright-footprint';

const SPEED = 20;

const YAML = `
mode: paper
market: ${resolve('config/vn30f.yaml')}
simulator: { cash: 5000000000 }
broker: { requestsPerSecond: 50 }
risk: { ordersPerSecondMax: 50, ordersPerMinuteMax: 3000, messagesPerMinuteMax: 6000, dailyLossMax: 2000000000 }
operator: { cockpit: { enabled: false } }
strategies:
  - id: footprint
    strategy: footprint
    symbols: [VN30F1M]
    overnight: true
    risk: { positionMax: 4, dailyLossMax: 2000000000, openOrdersMax: 4 }
    params: {}
`;

export interface Measured {
  readonly ticks: readonly Executed[];
  readonly orders: readonly Executed[];
}

type Packages = Readonly<Record<'main' | 'engine', readonly string[]>>;

const packagesOf = ({ ticks }: Measured): readonly string[] => [...usual(ticks)].filter(isPackage).toSorted();

/** Samples of both threads, in two columns. */
export async function liveFootprint(): Promise<Measured & { readonly packages: Packages }> {
  const scratch = mkdtempSync(join(tmpdir(), 'tickwright-footprint-'));
  const file = join(scratch, 'footprint.yaml');
  writeFileSync(file, YAML);
  const program = await startProgram(scratch, SPEED);
  const channel = new BroadcastChannel(CHANNEL);
  const main = new Samples(MANY);
  try {
    const daemon = await daemonOn(program.description, file, join(scratch, 'daemon'), main);
    const running = daemon.run();
    const heard = new Promise<Measured>((done) => {
      channel.addEventListener('message', (message) => {
        const data: Measured = (message as MessageEvent).data; // oxlint-disable-line typescript/no-unsafe-type-assertion -- what `live-engine.ts` sends
        done(data);
      });
    });
    const engine = await Promise.race([heard, running]);
    await daemon.close();
    return {
      ticks: joined(main.ticks, engine.ticks),
      orders: joined(main.orders, engine.orders),
      packages: { main: packagesOf(main), engine: packagesOf(engine) },
    };
  } finally {
    channel.close();
    await program.end();
    rmSync(scratch, { recursive: true });
  }
}

const joined = (some: readonly Executed[], others: readonly Executed[]): readonly Executed[] =>
  some.slice(0, others.length).map((names, at) => new Set([...names, ...(others[at] ?? [])]));

async function daemonOn(
  { rest, stream, control, controlToken }: Awaited<ReturnType<typeof startProgram>>['description'],
  file: string,
  stateDir: string,
  main: Samples,
): Promise<Daemon> {
  const headers = { authorization: `Bearer ${controlToken}` };
  const { map } = (await (await fetch(`${control}/clock`, { headers })).json()) as { map: ClockMap }; // oxlint-disable-line typescript/no-unsafe-type-assertion -- the simulator's own answer
  const loaded = loadConfig(file, [footprintTrader(main, () => undefined)]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const config = { ...loaded.config, stateDir };
  const paths = statePaths(stateDir);
  prepareStateDir(paths);
  return new Daemon({
    config,
    names: new StrategyNames(config.strategies.map(({ id }) => id)),
    paths,
    address: {
      restUrl: rest,
      streamUrl: stream,
      tokenOwner: 'simulator',
      custodyCode: CUSTOMER.custodyCode,
      subAccountId: `${CUSTOMER.custodyCode}A`,
      secrets: new Secrets([CUSTOMER.apiKey]),
      apiKey: () => CUSTOMER.apiKey,
      fixedOtp: CUSTOMER.otp,
      faults: null,
    },
    clockMap: map,
    screen: {
      note: () => undefined,
      entry: ({ kind }) => {
        // After what the main thread does with the batch of this row.
        if (kind === 'fill') setImmediate(() => main.filled());
      },
    },
    startEngine: (data) =>
      watched(new Worker(new URL('./live-engine.js', import.meta.url), { workerData: data }), main),
  });
}

const hasCall = (message: FromEngine): boolean => message.kind === 'outbox' && message.calls.length > 0;

/** Between the main thread and the engine: a batch with a trade ends a tick, a batch with a call begins an order. */
function watched(worker: Worker, main: Samples): EngineWorkerHandle {
  return {
    postMessage: (message) => {
      worker.postMessage(message); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
      if (message.kind === 'events' && unpackEvents(message.events).some(({ kind }) => kind === 'trade'))
        main.tick();
    },
    on: (event: string, listener: (given: never) => void) => {
      worker.on(event, (given: FromEngine) => {
        if (event === 'message' && hasCall(given)) main.ordered();
        listener(given as never); // oxlint-disable-line typescript/no-unsafe-type-assertion -- one listener an event
      });
    },
    terminate: () => worker.terminate(),
  };
}
