import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addSimulatorCommand } from '../../src/cli/simulator-command.ts';
import { FAULT_TABLE } from '../../src/simulator/faults/fault.ts';

async function out(line: string): Promise<string> {
  let text = '';
  const program = new Command();
  const io = {
    out: (more: string) => {
      text += more;
    },
    err: () => {},
  };
  addSimulatorCommand(program, { io, finish: () => {} });
  await program.parseAsync(line.split(' '), { from: 'user' });
  return text;
}

describe('what the simulator prints without running', () => {
  it('its faults, as a table that names each once', async () => {
    const table = await out('simulator faults');
    const named = table.split('\n').flatMap((line) => /^([a-z]\w*_\w+)/.exec(line)?.[1] ?? []);
    expect(named).toEqual(Object.keys(FAULT_TABLE));
    expect(table).toContain('delayMs: a whole number, 1 or more; required');
    expect(table).toMatch(/operation is one of request-otp, .*loan-packages/);
  });

  it('its faults, as JSON with the parameters of each', async () => {
    const known: unknown = JSON.parse(await out('simulator faults --json'));
    expect(known).toHaveLength(Object.keys(FAULT_TABLE).length);
    expect(known).toContainEqual({
      name: 'clock_skew',
      effect: expect.any(String),
      parameters: { seconds: 'a number; required' },
    });
  });
});
