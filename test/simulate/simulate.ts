/**
 * `npm run simulate -- [--seeds 100] [--from 1] [--kills] [--once] [--all] [--jobs 2] [--without a,b] [--planted]`: lives through
 * worlds of seeds. Ends with 1 when a promise was broken, or a state that has to be met was not.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MISHAPS } from './plan.ts';
import { plantBugs } from './planted-bugs.ts';
import { runParallel } from './run-parallel.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    scale: { type: 'string', default: '1' },
    without: { type: 'string', default: '' },
    kills: { type: 'boolean', default: false },
    once: { type: 'boolean', default: false },
    planted: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    all: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
});

/** Fewer seeds need not meet every state. */
const SEEDS_THAT_MEET_ALL = 1_000;

if (values.planted)
  process.exit(plantBugs(join(import.meta.dirname, '../..'), Number(values.seeds), values.only) > 0 ? 1 : 0);
const count = Number(values.seeds);
const without = values.without.split(',');
const failed: number[] = [];
const startedAt = performance.now();
const seen = await runParallel({
  options: {
    scale: Number(values.scale),
    kills: values.kills,
    without: MISHAPS.filter((name) => without.includes(name)),
    isOnce: values.once,
  },
  from: Number(values.from),
  count,
  jobs: Math.min(count, Number(values.jobs)),
  goesOn: values.all,
  onFailure: (seed, story) => {
    failed.push(seed);
    console.log(`seed ${seed}: ${values.all ? story.split('\n', 1)[0] : story}`);
  },
});
for (const [what, times] of seen.counts) console.log(`${String(times).padStart(8)} ${what}`);
for (const what of seen.missing) console.log(`   never ${what}`);
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
console.log(`${count} seeds in ${seconds} s, failed: ${failed.join(' ') || 'none'}`);
const isIncomplete = count >= SEEDS_THAT_MEET_ALL && seen.missing.length > 0;
if (failed.length > 0 || isIncomplete) process.exitCode = 1;
