/** A short run of what `npm run fuzz` does at length. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSimulator } from '../../src/simulator/start-simulator.ts';
import { OPERATIONS } from '../../src/wire/rest/operations.ts';
import { fuzzClient } from './fuzz-client.ts';
import { fuzzReaders } from './fuzz-readers.ts';
import { fuzzBytes, fuzzFrames, fuzzRequests } from './fuzz-simulator.ts';

describe('broken frames and bodies', () => {
  it('make no reader throw, and each is counted', () => {
    const { tally, drifts } = fuzzReaders(10_000, 1);
    expect(tally.total).toBe(10_000);
    for (const { name } of OPERATIONS) expect(tally.targets()).toContain(`answer ${name}`);
    expect(tally.all('refused')).toBeGreaterThan(1_000);
    expect(tally.all('read')).toBeGreaterThan(1_000);
    expect(drifts).toBeLessThanOrEqual(1_000);
  });
});

it('broken answers end in a value for the client, whichever method asked', async () => {
  const tally = await fuzzClient(600, 1);
  expect(tally.targets()).toHaveLength(OPERATIONS.length - 2);
  expect(tally.all('unknown')).toBeGreaterThan(20);
  expect(tally.all('not read')).toBeGreaterThan(20);
});

describe('a running simulator', () => {
  it('answers broken requests and frames, and goes on', async () => {
    const simulator = await startSimulator();
    onTestFinished(() => simulator.close());
    const requests = await fuzzRequests(simulator, 800, 1);
    expect(requests.total).toBe(800);
    expect(requests.targets()).toHaveLength(OPERATIONS.length);
    for (const { qty, limitPrice } of simulator.orders())
      expect([Number.isSafeInteger(qty) && qty > 0, Number.isSafeInteger(limitPrice)]).toEqual([true, true]);
    const frames = await fuzzFrames(simulator, 2_000, 1);
    expect(frames.of('frame to the stream', 'sent')).toBe(2_000);
    expect(simulator.counters.get('malformed_frame')).toBeGreaterThan(1_000);
    const bytes = await fuzzBytes(simulator, 50, 1);
    expect(bytes.total).toBe(50);
    const alive = await fetch(`${simulator.rest}/tartarus/v1/derivatives`);
    expect(alive.status).toBe(401);
  });
});
