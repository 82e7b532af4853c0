/** `tickwright paper | live | dry-run`: one run from the lock to the summary. */
import { once } from 'node:events';
import { AlreadyRunning, type InstanceLock, takeInstanceLock } from '../journal/instance-lock.ts';
import type { BrokerAddress } from './broker-edge.ts';
import { configuredAddress, simulatorAddress } from './broker-address.ts';
import { Daemon } from './daemon.ts';
import { createDaemonScreen, type DaemonScreen } from './daemon-screen.ts';
import { firstDay } from './first-day.ts';
import { startDaemonControl } from './daemon-control.ts';
import { REAL_TIME, systemClock } from './market-clock.ts';
import { type RunOptions, type RunPlan, runPlan } from './run-options.ts';
import { obtainSimulator } from './simulator-child.ts';
import type { SimulatorPlan } from './simulator-plan.ts';
import { forgetState, prepareStateDir, statePaths, type StatePaths } from './state-paths.ts';

const EXIT = { ok: 0, failed: 1, usage: 2, alreadyRunning: 3, nothingThere: 4 } as const;

/** Returns the exit code. */
export async function runDaemon(options: RunOptions): Promise<number> {
  const plan = runPlan(options);
  const paths = statePaths(plan.config.stateDir);
  prepareStateDir(paths);
  let lock: InstanceLock;
  try {
    lock = takeInstanceLock(paths.lock, process.pid);
  } catch (error) {
    if (!(error instanceof AlreadyRunning)) throw error;
    process.stderr.write(`${error.message}\n`);
    return EXIT.alreadyRunning;
  }
  try {
    if (plan.fresh && plan.config.mode === 'paper') forgetState(paths);
    return await runLocked(plan, paths);
  } finally {
    lock.release();
  }
}

async function runLocked(asked: RunPlan, paths: StatePaths): Promise<number> {
  const { config, remarks } = firstDay(asked.config, paths.journal);
  const plan: RunPlan = { ...asked, config, remarks: [...asked.remarks, ...remarks] };
  const isPaper = plan.config.mode === 'paper';
  if (plan.config.mode === 'live' && process.env['TICKWRIGHT_ARM'] !== 'yes') {
    process.stderr.write(
      'mode live: expected TICKWRIGHT_ARM=yes in the environment; without it no real order is sent\n',
    );
    return EXIT.usage;
  }
  const simulator = isPaper ? await obtainSimulator(simulatorPlan(plan, paths), paths.dir) : undefined;
  const address = simulator === undefined ? configuredAddress(plan.config) : simulatorAddress(simulator.link);
  const clockMap = simulator?.link.clockMap ?? REAL_TIME;
  const screen = createDaemonScreen(plan, [
    address.custodyCode,
    address.subAccountId,
    address.apiKey() ?? '',
  ]);
  const daemon = new Daemon({ plan, paths, address, clockMap, screen });
  try {
    return await live(daemon, screen, plan, paths, address);
  } finally {
    await simulator?.stop();
  }
}

async function live(
  daemon: Daemon,
  screen: DaemonScreen,
  plan: RunPlan,
  paths: StatePaths,
  address: BrokerAddress,
): Promise<number> {
  const ending = endings(plan, daemon);
  const control = await startDaemonControl(daemon, plan, paths.control, (reason) => ending.ask(reason));
  // pm2: configuration valid, lock held, journal open, control reachable (rulings, 23).
  process.send?.('ready');
  const watch = screen.watch(daemon, address, control.url);
  try {
    const reason = await Promise.race([daemon.run().then(() => 'done'), ending.wait]);
    await daemon.stop(reason);
    await screen.summary(daemon);
    return EXIT.ok;
  } catch (error) {
    screen.note(`failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return EXIT.failed;
  } finally {
    watch();
    ending.clear();
    await control.close();
    await daemon.close();
  }
}

interface Endings {
  readonly wait: Promise<string>;
  /** Ends the run, from the control API. */
  ask(reason: string): void;
  clear(): void;
}

/** A signal, the end of a tape, the end of `--duration`, or the operator. A second signal ends at once. */
function endings(plan: RunPlan, daemon: Daemon): Endings {
  const controller = new AbortController();
  const end = (reason: string): void => {
    if (!controller.signal.aborted) controller.abort(reason);
    else if (reason.startsWith('SIG')) process.exit(EXIT.failed);
  };
  const onInt = (): void => end('SIGINT');
  const onTerm = (): void => end('SIGTERM');
  process.on('SIGINT', onInt);
  process.on('SIGTERM', onTerm);
  const timers: NodeJS.Timeout[] = [];
  if (plan.durationMs !== null) timers.push(setTimeout(() => end('the duration is over'), plan.durationMs));
  if (plan.tape !== null)
    timers.push(setTimeout(() => end('the tape is over'), daemon.realMsUntil(plan.tape.endUs)));
  const wait = once(controller.signal, 'abort').then(() => String(controller.signal.reason));
  return {
    wait,
    ask: end,
    clear: () => {
      process.off('SIGINT', onInt);
      process.off('SIGTERM', onTerm);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

function simulatorPlan({ config, fresh, tape }: RunPlan, paths: StatePaths): SimulatorPlan {
  const { simulator, calendar, costs } = config;
  return {
    stateDir: paths.simulator,
    linkPath: paths.simulatorLink,
    fresh,
    seed: simulator.seed,
    speed: simulator.speed,
    cash: simulator.cash,
    tape: simulator.tape,
    origin: tape === null ? null : { realUs: systemClock.nowUs(), marketUs: tape.startUs },
    calendar: { ...calendar, closures: [...calendar.closures] },
    costs,
  };
}
