/** The simulator as its own program, the way a stranger starts it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
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
    end: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
