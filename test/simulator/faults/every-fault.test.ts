/** Every fault that is listed strikes when it is set over the control API's own port. */
import { describe, expect, it } from 'vitest';
import { simulatorFaults } from '../../../src/daemon/simulator/run-simulator.ts';
import { FAULT_EFFECTS } from '../support/fault-effects.ts';
import { started } from '../support/started.ts';

const LISTED = simulatorFaults().map(({ name }) => name);

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
    const { control, controlToken, rest } = market.simulator;
    expect(control).not.toBe(rest);
    const arm = async (): Promise<void> => {
      const reply = await fetch(`${control}/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${controlToken}` },
        body: JSON.stringify(fault),
      });
      expect([reply.status, await reply.json()]).toEqual([200, { set: fault }]);
    };
    expect(await effect.notices(market, arm)).toBe(true);
  });
});
