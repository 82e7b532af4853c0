/** Finds the embedded broker that an earlier daemon left running, or starts one. */
import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

export async function obtainSimulator(plan: SimulatorPlan, dir: string): Promise<SimulatorChild> {
  const found = runningLink(plan.linkPath);
  if (found !== undefined && !plan.fresh && found.plan === planKey(plan) && (await answers(found))) {
    return { link: found, isAdopted: true, stop: () => stopProcess(found.pid) };
  }
  if (found !== undefined) await stopProcess(found.pid);
  rmSync(plan.linkPath, { force: true });
  const pid = await start(plan, dir);
  const link = runningLink(plan.linkPath);
  if (link === undefined)
    throw new Error(`the simulator (process ${pid}) did not say where it listens: see ${dir}/simulator.log`);
  return { link, isAdopted: false, stop: () => stopProcess(link.pid) };
}

function runningLink(path: string): SimulatorLink | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const link: SimulatorLink = JSON.parse(text);
  return isAlive(link.pid) ? link : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No such process: that is the answer.
    return false;
  }
}

/** A process of the same number may be another program: only what answers as a broker is one. */
async function answers({ rest }: SimulatorLink): Promise<boolean> {
  try {
    const reply = await fetch(`${rest}/tartarus/v1/derivatives`, { signal: AbortSignal.timeout(2_000) });
    return reply.status === 401 || reply.status === 200;
  } catch {
    // Refused or too slow: not the simulator we look for.
    return false;
  }
}

function start(plan: SimulatorPlan, dir: string): Promise<number> {
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
      resolve(child.pid ?? 0);
    });
    child.once('exit', (code) => {
      clearTimeout(deadline);
      reject(new Error(`the simulator ended at once with code ${code}: see ${join(dir, 'simulator.log')}`));
    });
  });
}

const POLL_MS = 20;

async function stopProcess(pid: number): Promise<void> {
  if (!isAlive(pid)) return;
  process.kill(pid, 'SIGTERM');
  for (let waited = 0; waited < STOP_MS_MAX && isAlive(pid); waited += POLL_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}
