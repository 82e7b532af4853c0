/** The embedded broker as a process of its own: it outlives a daemon that is killed, as a real broker would. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { errorText, isDiskFull } from '../../domain/failure.ts';
import { startOfDay } from '../../domain/civil-date.ts';
import type { TsUs } from '../../domain/units.ts';
import { takeInstanceLock } from '../../journal/instance-lock.ts';
import { describeSimulator, type MarketStep, startSimulator } from '../../simulator/start-simulator.ts';
import { openFeedMarket } from './feed-market.ts';
import { configuredFeed } from '../../host/cluster-access.ts';
import { systemClock, systemTimers } from '../../host/system-clock.ts';
import {
  endWhenIdle,
  EXIT_DISK_FULL,
  hasDaemon,
  type SimulatorLink,
  simulatorOptions,
  type SimulatorPlan,
} from './embedded-simulator.ts';

const logLine = (text: string): void => void process.stderr.write(`${text}\n`);

async function main(planText: string): Promise<void> {
  const plan: SimulatorPlan = JSON.parse(planText);
  // Held for the life of this process: a free lock proves that a link is stale, whatever its process number says.
  const lock = takeInstanceLock(plan.lockPath, process.pid);
  rmSync(plan.linkPath, { force: true });
  const today = startOfDay(systemClock.nowUs(), plan.calendar.utcOffsetMinutes);
  const feed = plan.feed === null ? undefined : configuredFeed(plan.feed.config);
  const market = plan.feed && feed && (await openFeedMarket(plan.feed.terms, feed, today, logLine));
  const running = await startSimulator(simulatorOptions(plan, market ?? undefined));
  const link: SimulatorLink = {
    ...describeSimulator(running),
    pid: process.pid,
    clockMap: running.clockMap(),
    plan: plan.key,
  };
  writeFileSync(`${plan.linkPath}.new`, JSON.stringify(link), { mode: 0o600 });
  renameSync(`${plan.linkPath}.new`, plan.linkPath);
  process.send?.('listening');
  if (plan.waits) {
    running.onStep((step) => {
      // A daemon that was killed hears nothing more.
      if (process.connected) process.send?.(step satisfies MarketStep, undefined, undefined, () => undefined);
    });
    process.on('message', (at: TsUs) => running.runTo(at));
    // Its broker goes on.
    process.on('disconnect', () => running.runTo(null));
  }
  const stop = (): void => {
    void running.close().then(() => {
      lock.release();
      process.exit(0);
    });
  };
  process.on('SIGTERM', stop);
  // Ctrl-C reaches the whole terminal group; the daemon decides when its broker ends.
  process.on('SIGINT', () => undefined);
  endWhenIdle(() => running.connections > 0 || hasDaemon(plan), stop, systemTimers);
}

/** The log of this process may lie on the same disk: the exit code reaches the daemon. */
process.on('uncaughtException', (error) => {
  process.exitCode = isDiskFull(error) ? EXIT_DISK_FULL : 1;
  try {
    process.stderr.write(`${error.stack ?? errorText(error)}\n`);
  } finally {
    process.exit();
  }
});
await main(process.argv[2] ?? '');
