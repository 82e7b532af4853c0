/** The simulator as its own program, the way a stranger starts it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SimulatorDescription } from '../../../src/simulator/start-simulator.ts';

export interface SimulatorProgram {
  readonly description: SimulatorDescription;
  end(): Promise<void>;
}

/** Beside the compiled form of this file. */
const MAIN = join(import.meta.dirname, '..', '..', '..', 'src', 'cli', 'main.js');

export const CUSTOMER = { custodyCode: '105CL00000', apiKey: 'load', otp: '123456' };

const YAML = `
port: 0
controlPort: 0
seed: 1
accounts: [${JSON.stringify({ ...CUSTOMER, cash: { derivative: 10_000_000_000 } })}]
`;

export async function startProgram(scratch: string, speed: number): Promise<SimulatorProgram> {
  const file = join(scratch, 'load.yaml');
  writeFileSync(file, YAML);
  const state = join(scratch, 'state');
  const args = ['simulator', '--json', '--config', file, '--speed', String(speed), '--state', state];
  const child = spawn(process.execPath, [MAIN, ...args], {
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
