/**
 * `npm run fuzz -- [cases] [seed]`: malformed frames and bodies against every reader, the REST client and a running
 * simulator. Ends with the first throw, the first answer of 500 or above, or memory that does not come back.
 */
import { startSimulator } from '../../src/simulator/start-simulator.ts';
import { fuzzClient } from './fuzz-client.ts';
import { fuzzReaders } from './fuzz-readers.ts';
import { fuzzBytes, fuzzFrames, fuzzRequests } from './fuzz-simulator.ts';
import type { Tally } from './tally.ts';

const [casesText = '1000000', seedText = '1'] = process.argv.slice(2);
const cases = Number(casesText);
const seed = Number(seedText);
if (!Number.isSafeInteger(cases) || cases < 1_000 || !Number.isSafeInteger(seed)) {
  throw new Error('expected a number of cases from 1000 on and a seed, both whole');
}

/** What a part may keep after its garbage is gone: caches and compiled code, and no more with more cases. */
const GROWTH_MIB_MAX = 60;
const MIB = 2 ** 20;
const heapMib = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / MIB;
};

let total = 0;

async function part(name: string, run: () => Promise<Tally> | Tally): Promise<void> {
  const before = heapMib();
  const startedAt = performance.now();
  const tally = await run();
  const seconds = (performance.now() - startedAt) / 1_000;
  const growth = heapMib() - before;
  total += tally.total;
  console.log(
    `${name}: ${tally.total} cases in ${seconds.toFixed(1)} s, heap ${growth >= 0 ? '+' : ''}${growth.toFixed(1)} MiB`,
  );
  for (const line of tally.lines()) console.log(`  ${line}`);
  if (growth > GROWTH_MIB_MAX) throw new Error(`${name} kept ${growth.toFixed(1)} MiB: a leak`);
}

/** Most cases where they are cheap; enough over sockets that a leak of a kilobyte a case would show. */
await part('readers', () => fuzzReaders(Math.round(cases * 0.75), seed).tally);
await part('client', () => fuzzClient(Math.round(cases * 0.04), seed));
const simulator = await startSimulator();
await part('frames to the simulator', () => fuzzFrames(simulator, Math.round(cases * 0.15), seed));
await part('requests to the simulator', () => fuzzRequests(simulator, Math.round(cases * 0.059), seed));
await part('bytes to the simulator', () => fuzzBytes(simulator, Math.round(cases * 0.001), seed));
const counted = [...simulator.counters].map(([what, times]) => `${what} ${times}`).join(', ');
console.log(`the simulator counted: ${counted}`);
const { status } = await fetch(`${simulator.rest}/tartarus/v1/derivatives`);
await simulator.close();
if (status !== 401)
  throw new Error(`the simulator answers ${status} afterwards: expected 401 without a token`);
console.log(`${total} cases with seed ${seed}: nothing broke`);
