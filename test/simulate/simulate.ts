/** Lives through worlds of seeds. Ends with 1 when a promise was broken, or a state that has to be met was not. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { commandOptions } from '../support/command-options.ts';
import { MISHAPS } from './plan.ts';
import { plantBugs } from './planted-bugs.ts';
import { runParallel } from './run-parallel.ts';

const values = commandOptions('simulate --', 'lives through worlds drawn from seeds', {
  seeds: { type: 'string', default: '100', help: 'worlds to live through' },
  from: { type: 'string', default: '1', help: 'the first of them' },
  scale: { type: 'string', default: '1', help: 'length of each: 0.5 is half as long' },
  jobs: { type: 'string', default: String(availableParallelism()), help: 'threads' },
  all: { type: 'boolean', default: false, help: 'goes on after a failure, and prints its first line alone' },
  again: {
    type: 'string',
    default: '1',
    help: 'looks whether each so many-th seed comes to the same again; 0: none',
  },
  kills: { type: 'boolean', default: false, help: 'nothing but kills' },
  without: {
    type: 'string',
    default: '',
    help: `leaves out mishaps, as in fill_disk,standby: ${MISHAPS.join(' ')}`,
  },
  planted: { type: 'boolean', default: false, help: 'plants bugs of one line: each has to be caught' },
  list: { type: 'string', default: '', help: 'of the planted bugs those of this list: old, missed or drawn' },
  only: {
    type: 'string',
    default: '',
    help: 'of the planted bugs those that have this in their description',
  },
});

/** Fewer seeds need not meet every state. */
const SEEDS_THAT_MEET_ALL = 1_000;

if (values.planted) {
  const { list, only } = values;
  const options = { seeds: Number(values.seeds), jobs: Number(values.jobs), list, only };
  process.exit(plantBugs(join(import.meta.dirname, '../..'), options) > 0 ? 1 : 0);
}
const count = Number(values.seeds);
const without = values.without.split(',');
const failed: number[] = [];
const startedAt = performance.now();
const seen = await runParallel({
  options: {
    scale: Number(values.scale),
    kills: values.kills,
    without: MISHAPS.filter((name) => without.includes(name)),
    againEvery: Number(values.again),
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
