/** `tickwright paper | live | dry-run`: one run from the lock to the summary. */
import { AlreadyRunning, type InstanceLock, takeInstanceLock } from '../../journal/instance-lock.ts';
import { type BrokerAddress, configuredAddress, simulatorAddress } from '../edge/broker-address.ts';
import { Daemon } from './daemon.ts';
import { Shutdown } from '../host/shutdown.ts';
import { createDaemonScreen, type DaemonScreen } from './daemon-screen.ts';
import { firstDay, type RunOptions, type RunPlan, runPlan } from '../host/run-plan.ts';
import { startDaemonControl } from './daemon-control.ts';
import { REAL_TIME, systemTimers } from '../host/market-clock.ts';
import { startArchiver } from '../record/archive-recordings.ts';
import { obtainSimulator, simulatorPlan } from '../simulator/embedded-simulator.ts';
import { forgetState, prepareStateDir, statePaths, type StatePaths } from '../restart/state-paths.ts';

const EXIT = { ok: 0, failed: 1, usage: 2, alreadyRunning: 3, nothingThere: 4 } as const;

/** Returns the exit code. */
export async function runDaemon(options: RunOptions): Promise<number> {
  const plan = runPlan(options);
  const ending = new Shutdown();
  try {
    return await runAlone(plan, ending);
  } finally {
    ending.close();
  }
}

async function runAlone(plan: RunPlan, ending: Shutdown): Promise<number> {
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
    return await runLocked(plan, paths, ending);
  } finally {
    lock.release();
  }
}

async function runLocked(asked: RunPlan, paths: StatePaths, ending: Shutdown): Promise<number> {
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
  if (ending.isAsked) {
    await simulator?.stop();
    process.stderr.write(`${await ending.wait()}: stopped before anything had begun\n`);
    return EXIT.ok;
  }
  const address = simulator === undefined ? configuredAddress(plan.config) : simulatorAddress(simulator.link);
  const clockMap = simulator?.link.clockMap ?? REAL_TIME;
  const screen = createDaemonScreen(plan, [
    address.custodyCode,
    address.subAccountId,
    address.apiKey() ?? '',
  ]);
  const daemon = new Daemon({ plan, paths, address, clockMap, screen });
  try {
    return await live({ daemon, screen, plan, paths, address, ending });
  } finally {
    await simulator?.stop();
  }
}

interface Running {
  readonly daemon: Daemon;
  readonly screen: DaemonScreen;
  readonly plan: RunPlan;
  readonly paths: StatePaths;
  readonly address: BrokerAddress;
  readonly ending: Shutdown;
}

async function live({ daemon, screen, plan, paths, address, ending }: Running): Promise<number> {
  if (plan.durationMs !== null) ending.askAfter(plan.durationMs, 'the duration is over');
  if (plan.tape !== null) ending.askAfter(daemon.realMsUntil(plan.tape.endUs), 'the tape is over');
  const control = await startDaemonControl(daemon, plan, paths.control, (reason) => ending.ask(reason));
  // pm2: configuration valid, lock held, journal open, control reachable (rulings, 23).
  process.send?.('ready');
  const watch = screen.watch(daemon, address, control.url);
  const stopArchiver = startArchiver({
    frames: paths.frames,
    data: paths.data,
    calendar: plan.config.calendar,
    contracts: plan.config.contracts,
    today: () => daemon.sessionDay,
    timers: systemTimers,
    note: (text) => screen.note(text),
    onFailure: (text) => daemon.alert('warning', 'recordings', text),
  });
  try {
    const reason = await Promise.race([daemon.run().then(() => 'done'), ending.wait()]);
    await daemon.stop(reason);
    await screen.summary(daemon);
    return EXIT.ok;
  } catch (error) {
    screen.note(`failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return EXIT.failed;
  } finally {
    watch();
    await stopArchiver();
    await control.close();
    await daemon.close();
  }
}
