import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { takeInstanceLock } from '../../journal/instance-lock.ts';
import { Shutdown } from '../host/shutdown.ts';

/** State files of one account's daemon. The directory is private to its owner. */
export interface StatePaths {
  readonly dir: string;
  readonly journal: string;
  readonly frames: string;
  /** The frames of days that are over, as columns. */
  readonly data: string;
  readonly lock: string;
  readonly token: string;
  readonly emergency: string;
  /** Calls to the broker by hand, and their outcomes. */
  readonly calls: string;
  readonly control: string;
  /** State of the embedded broker, and the address at which it listens. */
  readonly simulator: string;
  readonly simulatorLink: string;
  readonly simulatorLock: string;
}

export function statePaths(dir: string): StatePaths {
  return {
    dir,
    journal: join(dir, 'journal.db'),
    frames: join(dir, 'frames'),
    data: join(dir, 'data'),
    lock: join(dir, 'daemon.lock'),
    token: join(dir, 'token'),
    emergency: join(dir, 'emergency'),
    calls: join(dir, 'calls.jsonl'),
    control: join(dir, 'control.json'),
    simulator: join(dir, 'simulator'),
    simulatorLink: join(dir, 'simulator.json'),
    simulatorLock: join(dir, 'simulator.lock'),
  };
}

export function prepareStateDir(paths: StatePaths): void {
  mkdirSync(paths.dir, { recursive: true });
  chmodSync(paths.dir, 0o700);
}

/** Runs a program alone on its state directory; signals ask for its end. Throws `AlreadyRunning`. */
export async function runAlone<T>(paths: StatePaths, run: (shutdown: Shutdown) => Promise<T>): Promise<T> {
  const shutdown = new Shutdown();
  try {
    prepareStateDir(paths);
    const lock = takeInstanceLock(paths.lock, process.pid);
    try {
      return await run(shutdown);
    } finally {
      lock.release();
    }
  } finally {
    shutdown.close();
  }
}

/** Forgets journal, frames, token and paper account. Only after the lock is held, and never in live. */
export function forgetState(paths: StatePaths): void {
  for (const path of [
    paths.journal,
    `${paths.journal}-wal`,
    `${paths.journal}-shm`,
    paths.token,
    paths.emergency,
  ]) {
    rmSync(path, { force: true });
  }
  rmSync(paths.frames, { recursive: true, force: true });
  rmSync(paths.data, { recursive: true, force: true });
  rmSync(paths.simulator, { recursive: true, force: true });
}
