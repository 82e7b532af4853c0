import { describe, expect, onTestFinished, test } from 'vitest';
import { SimulatorFaults } from '../../../src/daemon/simulator/embedded-simulator.ts';
import { faultForms, parseFaultTexts } from '../../../src/simulator/faults/fault.ts';
import { type RunningSimulator, startSimulator } from '../../../src/simulator/start-simulator.ts';

async function running(): Promise<RunningSimulator> {
  const simulator = await startSimulator({ market: { kind: 'empty', startPoints: 1_300 } });
  onTestFinished(() => simulator.close());
  return simulator;
}

const faultsOf = ({ control, controlToken }: RunningSimulator): SimulatorFaults =>
  new SimulatorFaults(control, controlToken);

describe('a simulator', () => {
  test('takes a fault with parameters that are texts, shows it, and clears it', async () => {
    const simulator = await running();
    const faults = faultsOf(simulator);
    const log: string[] = [];
    const onAsked = (text: string, { ok }: { readonly ok: boolean }): void => void log.push(`${text}: ${ok}`);
    const on = {
      name: 'late_answer',
      isOn: true,
      parameters: { delayMs: '3000', operation: 'place', times: '2' },
    };
    expect(await faults.change(on, onAsked)).toMatchObject({ ok: true });
    expect(simulator.faults.list()).toEqual([
      { fault: { name: 'late_answer', delayMs: 3_000, operation: 'place', times: 2 }, left: 2 },
    ]);
    expect(faults.armed).toEqual([{ name: 'late_answer', text: 'delayMs 3000, operation place, 2 left' }]);
    expect(await faults.change({ name: 'late_answer', isOn: false }, onAsked)).toMatchObject({ ok: true });
    expect(simulator.faults.list()).toEqual([]);
    expect(faults.armed).toEqual([]);
    expect(log).toEqual(['fault late_answer on: true', 'fault late_answer off: true']);
  });

  test('refuses what cannot strike, with the reason', async () => {
    const simulator = await running();
    const faults = faultsOf(simulator);
    const refusal = async (fields: Record<string, unknown>): Promise<string> => {
      const { ok, message } = await faults.change(fields, () => undefined);
      expect(ok).toBe(false);
      return message;
    };
    expect(await refusal({ name: 'late_answer', isOn: true })).toMatch(/^delayMs: expected a whole number/);
    expect(await refusal({ name: 'rain', isOn: true })).toMatch(/^name: expected one of/);
    const unlisted = { symbol: 'NONE', net: '1' };
    expect(await refusal({ name: 'inject_position', isOn: true, parameters: unlisted })).toMatch(/^symbol: /);
    expect(await refusal({ name: 'http_429' })).toMatch(/^a fault takes/);
    expect(await refusal({ name: 'http_429', isOn: true, parameters: { times: 2 } })).toMatch(
      /^a fault takes/,
    );
    expect(simulator.faults.list()).toEqual([]);
  });
});

test('a simulator that is gone is reported, and keeps nobody waiting', async () => {
  const faults = new SimulatorFaults('http://127.0.0.1:1', 'token');
  expect(faults.armed).toEqual([]);
  expect(await faults.change({ name: 'http_500', isOn: false }, () => undefined)).toMatchObject({
    ok: false,
  });
});

test('every fault can be set as its form begins, but for a price that a person must give', () => {
  const incomplete = faultForms().filter(({ name, parameters }) => {
    const texts = parameters.map((each) => [each.name, each.example] as const);
    return !parseFaultTexts(name, Object.fromEntries(texts)).ok;
  });
  expect(incomplete.map(({ name }) => name)).toEqual(['inject_order']);
});

test('texts that are neither true nor false are no flag', () => {
  expect(parseFaultTexts('http_500', { done: 'maybe' }).ok).toBe(false);
  expect(parseFaultTexts('http_500', { done: 'true' })).toMatchObject({ ok: true, value: { done: true } });
});
