/** The simulator as its own program, the way a stranger starts it, and what it costs the machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SimulatorDescription } from '../../../src/simulator/start-simulator.ts';

export interface Customer {
  readonly custodyCode: string;
  readonly apiKey: string;
  readonly otp: string;
}

export interface SimulatorProgram {
  readonly description: SimulatorDescription;
  /** Seconds of processor and MiB of memory so far; null where the system does not tell. */
  usage(): { readonly cpuSeconds: number; readonly memoryMib: number } | null;
  counters(): Promise<Readonly<Record<string, number>>>;
  end(): Promise<void>;
}

/** Beside the compiled form of this file. */
const MAIN = join(import.meta.dirname, '..', '..', '..', 'src', 'cli', 'main.js');

export const customers = (count: number): readonly Customer[] =>
  Array.from({ length: count }, (_, at) => ({
    custodyCode: `105CL${String(at).padStart(5, '0')}`,
    apiKey: `load-${at}`,
    otp: '123456',
  }));

export async function startProgram(
  scratch: string,
  accounts: readonly Customer[],
  { seed, speed }: { readonly seed: number; readonly speed: number },
): Promise<SimulatorProgram> {
  const file = join(scratch, 'load.yaml');
  const rows = accounts.map(
    ({ custodyCode, apiKey, otp }) =>
      `  - { custodyCode: ${custodyCode}, apiKey: ${apiKey}, otp: '${otp}', cash: { derivative: 10000000000 } }`,
  );
  writeFileSync(file, `port: 0\ncontrolPort: 0\nseed: ${seed}\naccounts:\n${rows.join('\n')}\n`);
  const args = ['simulator', '--json', '--config', file, '--speed', String(speed)];
  const child = spawn(process.execPath, [MAIN, ...args, '--state', join(scratch, 'state')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const [line]: unknown[] = await Promise.race([once(lines, 'line'), ended]);
  if (typeof line !== 'string') throw new Error(`the simulator ended with ${String(line)}`);
  const description: SimulatorDescription = JSON.parse(line);
  return {
    description,
    usage: () => usageOf(child.pid ?? 0),
    counters: async () => {
      const reply = await fetch(`${description.control ?? ''}/counters`, {
        headers: { authorization: `Bearer ${description.controlToken}` },
      });
      const counted: Record<string, number> = Object.assign({}, await reply.json());
      return counted;
    },
    end: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Linux counts in hundredths of a second and pages of 4 KiB. */
const TICKS_PER_SECOND = 100;
const PAGES_PER_MIB = 256;
/** Of the fields behind the name, which may hold blanks. */
const [USER_TIME, SYSTEM_TIME, RESIDENT_PAGES] = [11, 12, 21];

function usageOf(pid: number): { cpuSeconds: number; memoryMib: number } | null {
  if (process.platform !== 'linux') return null;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const of = (at: number): number => Number(fields[at]);
  return {
    cpuSeconds: (of(USER_TIME) + of(SYSTEM_TIME)) / TICKS_PER_SECOND,
    memoryMib: of(RESIDENT_PAGES) / PAGES_PER_MIB,
  };
}
