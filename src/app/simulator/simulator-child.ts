/** Finds the embedded broker that an earlier daemon left running, or starts one. */
import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLockHeld } from '../../journal/instance-lock.ts';
import { planKey, type SimulatorPlan } from './simulator-plan.ts';
import type { SimulatorLink } from './simulator-process.ts';

export interface SimulatorChild {
  readonly link: SimulatorLink;
  /** Whether it was running already. */
  readonly isAdopted: boolean;
  stop(): Promise<void>;
}

const START_MS_MAX = 20_000;
const STOP_MS_MAX = 5_000;
const POLL_MS = 20;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function obtainSimulator(plan: SimulatorPlan, dir: string): Promise<SimulatorChild> {
  const found = isLockHeld(plan.lockPath) ? await writtenLink(plan) : undefined;
  if (found !== undefined && !plan.fresh && found.plan === planKey(plan) && (await answers(found))) {
    return { link: found, isAdopted: true, stop: () => stopProcess(found.pid) };
  }
  if (found !== undefined) await stopProcess(found.pid);
  await start(plan, dir);
  const link = await writtenLink(plan);
  return { link, isAdopted: false, stop: () => stopProcess(link.pid) };
}

/** A simulator that has just been started writes its link once it listens. */
async function writtenLink({ linkPath }: SimulatorPlan): Promise<SimulatorLink> {
  for (let waited = 0; waited < START_MS_MAX; waited += POLL_MS) {
    const text = textOf(linkPath);
    if (text !== undefined) return JSON.parse(text);
    await pause(POLL_MS);
  }
  throw new Error(`the simulator did not say where it listens: expected ${linkPath}`);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether there was a process to send it to; 0 only asks. */
function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

/** One that hangs is not used. */
async function answers({ rest }: SimulatorLink): Promise<boolean> {
  try {
    const reply = await fetch(`${rest}/tartarus/v1/derivatives`, { signal: AbortSignal.timeout(2_000) });
    return reply.status === 401 || reply.status === 200;
  } catch {
    // Refused or too slow: not the simulator we look for.
    return false;
  }
}

function start(plan: SimulatorPlan, dir: string): Promise<void> {
  const log = openSync(join(dir, 'simulator.log'), 'a', 0o600);
  const program = fileURLToPath(new URL('./simulator-process.js', import.meta.url));
  const child: ChildProcess = fork(program, [JSON.stringify(plan)], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => reject(new Error('the simulator did not start in time')), START_MS_MAX);
    child.once('message', () => {
      clearTimeout(deadline);
      child.disconnect();
      child.unref();
      resolve();
    });
    child.once('exit', (code) => {
      clearTimeout(deadline);
      reject(new Error(`the simulator ended at once with code ${code}: see ${join(dir, 'simulator.log')}`));
    });
  });
}

async function stopProcess(pid: number): Promise<void> {
  if (!signalled(pid, 'SIGTERM')) return;
  for (let waited = 0; waited < STOP_MS_MAX; waited += POLL_MS) {
    if (!signalled(pid, 0)) return;
    await pause(POLL_MS);
  }
  signalled(pid, 'SIGKILL');
}
