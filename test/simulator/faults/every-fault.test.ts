/** Every fault that is listed strikes, however it is set: over the control API's own port, or by a scenario in YAML. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSimulatorFile, simulatorFaults } from '../../../src/app/simulator/run-simulator.ts';
import { seconds } from '../../../src/domain/units.ts';
import type { Fault } from '../../../src/simulator/faults/fault.ts';
import type { Scenario } from '../../../src/simulator/scenario/scenario.ts';
import { FAULT_EFFECTS } from '../support/fault-effects.ts';
import { started } from '../support/started.ts';

const LISTED = simulatorFaults().map(({ name }) => name);

/** As a person writes it: a file of the simulator, read with everything else that stands in it. */
function scenarioOf(text: string): Scenario {
  const dir = mkdtempSync(join(tmpdir(), 'every-fault-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const path = join(dir, 'simulator.yaml');
  writeFileSync(path, text);
  const read = readSimulatorFile(path);
  if (!('value' in read) || read.value.scenario === null) throw new Error(JSON.stringify(read));
  return read.value.scenario;
}

const yamlOf = ({ name, ...parameters }: Fault): string =>
  [
    'scenario:',
    '  seed: 7',
    '  steps:',
    '    - afterSeconds: 1',
    '      fault:',
    `        name: ${name}`,
    ...Object.entries(parameters).map(([key, value]) => `        ${key}: ${JSON.stringify(value)}`),
  ].join('\n');

it('is listed with what it does and what its parameters may be', () => {
  expect(LISTED.toSorted()).toEqual(Object.keys(FAULT_EFFECTS).toSorted());
  for (const { effect, parameters } of simulatorFaults())
    for (const text of [effect, ...Object.values(parameters)]) expect(text).not.toBe('');
});

describe.each(LISTED)('%s', (name) => {
  const effect = FAULT_EFFECTS[name];
  const { fault } = effect;

  it('does nothing until it is set', async () => {
    expect(await effect.notices(await started(), async () => {})).toBe(false);
  });

  it('strikes when the control API is told', async () => {
    const market = await started();
    const { controlPort, controlToken, port } = market.simulator;
    expect(controlPort).not.toBe(port);
    const arm = async (): Promise<void> => {
      const reply = await fetch(`http://127.0.0.1:${controlPort}/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${controlToken}` },
        body: JSON.stringify(fault),
      });
      expect([reply.status, await reply.json()]).toEqual([200, { set: fault }]);
    };
    expect(await effect.notices(market, arm)).toBe(true);
  });

  it('strikes when a scenario says so', async () => {
    const market = await started({ scenario: scenarioOf(yamlOf(fault)) });
    const arm = async (): Promise<void> => market.time.advance(seconds(1));
    expect(await effect.notices(market, arm)).toBe(true);
    expect(market.simulator.scenario.list()).toMatchObject([{ met: 1, done: 1, refused: [] }]);
  });
});
