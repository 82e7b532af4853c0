/** A sweep without threads: what is run, what is known, and what is chosen. The threads have a test of the compiled program. */
import { appendFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Backtest } from '../../../src/research/spec/load-backtest.ts';
import { readSweep, type SweepPlan } from '../../../src/research/sweep/read-sweep.ts';
import { runSweep, type SweepResult, type SweepOptions } from '../../../src/research/sweep/run-sweep.ts';
import {
  type TrialPoolOptions,
  readSharedColumns,
  TrialRunner,
  type TrialPool,
  type TrialTask,
} from '../../../src/research/sweep/trial-pool.ts';
import { writeSweepFiles } from '../../../src/research/sweep/sweep-report.ts';
import { loadedBacktest } from '../../support/backtest-plan.ts';
import { sweepPlace } from './sweep-place.ts';

/** Runs trials here and now, in the order that is asked for; `diesAfter` so many it is gone, as a killed process is. */
function fakePool(order: 'first' | 'last', diesAfter = Infinity) {
  const ran: TrialTask[] = [];
  const open = async ({ backtest, columns }: TrialPoolOptions): Promise<TrialPool> => ({
    async run(tasks, onDone) {
      for (const task of order === 'first' ? tasks : tasks.toReversed()) {
        if (ran.length >= diesAfter) throw new Error('killed');
        ran.push(task);
        onDone(task, new TrialRunner(backtest, columns).run(task));
      }
    },
    close: () => Promise.resolve(),
  });
  return { ran, open };
}

const SECTION = 'sweep: { parameters: { ema: { fast: [3, 9], slow: [15, 30], direction: [long, short] } } }';

function planOf(backtest: Backtest): SweepPlan {
  const read = readSweep(backtest);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.plan;
}

const optionsOf = (dir: string, pool: ReturnType<typeof fakePool>, fresh = false): SweepOptions => ({
  dir: join(dir, 'out'),
  workers: 1,
  eventMsMax: 20_000,
  fresh,
  onProgress: () => undefined,
  openPool: pool.open,
});

test('whatever trial ends first, the outcome is the same; a sweep that was killed goes on where it was', async () => {
  const [here, there] = [sweepPlace(SECTION), sweepPlace(SECTION)];
  const backtest = await loadedBacktest(here.file);
  const plan = planOf(backtest);
  const whole = await runSweep(backtest, plan, optionsOf(here.dir, fakePool('first')));

  const elsewhere = await loadedBacktest(there.file);
  const killed = fakePool('last', 5);
  await expect(runSweep(elsewhere, plan, optionsOf(there.dir, killed))).rejects.toThrow('killed');
  const [name] = readdirSync(join(there.dir, 'out'));
  const log = join(there.dir, 'out', name!);
  expect(readFileSync(log, 'utf8').split('\n')).toHaveLength(6);
  appendFileSync(log, '{"key":"cut off in the mid');
  const again = fakePool('last');
  const resumed = await runSweep(elsewhere, plan, optionsOf(there.dir, again));

  expect(again.ran).toHaveLength(3);
  expect([resumed.resumed, resumed.ran]).toEqual([5, 3]);
  expect(resumed.digest).toBe(whole.digest);
  expect(outcomeOf(resumed)).toEqual(outcomeOf(whole));
  expect(readFileSync(log, 'utf8').trimEnd().split('\n')).toHaveLength(8);
  expect(whole.ranked.length).toBeGreaterThan(0);
  expect(whole.best!.index).toBe(whole.ranked[0]);
});

/** The part that does not show how it was found. */
const outcomeOf = ({ trials, ranked, best, bias, monteCarlo, triedEver }: SweepResult) => ({
  trials,
  ranked,
  hash: best?.result.journalHash,
  bias,
  monteCarlo,
  triedEver,
});

test('a wider sweep reuses what is known and counts all that was ever tried; --fresh forgets it', async () => {
  const place = sweepPlace('sweep: { parameters: { ema: { fast: [3, 9] } } }');
  const backtest = await loadedBacktest(place.file);
  const first = await runSweep(backtest, planOf(backtest), optionsOf(place.dir, fakePool('first')));
  expect([first.ran, first.triedEver]).toEqual([2, 2]);
  const more = planOf(
    await loadedBacktest(sweepPlace('sweep: { parameters: { ema: { fast: [9, 12] } } }').file),
  );
  const wider = await runSweep(backtest, more, optionsOf(place.dir, fakePool('first')));
  expect([wider.ran, wider.resumed, wider.triedEver]).toEqual([1, 1, 3]);
  const fresh = await runSweep(backtest, planOf(backtest), optionsOf(place.dir, fakePool('first'), true));
  expect([fresh.ran, fresh.resumed, fresh.triedEver]).toEqual([2, 0, 2]);
});

test('results of another configuration are not mixed in', async () => {
  const place = sweepPlace('sweep: { parameters: { ema: { fast: [3] } } }');
  const before = await loadedBacktest(place.file);
  await runSweep(before, planOf(before), optionsOf(place.dir, fakePool('first')));
  writeFileSync(
    place.file,
    readFileSync(place.file, 'utf8').replace('capital: 2000000000', 'capital: 3000000000'),
  );
  const after = await loadedBacktest(place.file);
  const found = await runSweep(after, planOf(after), optionsOf(place.dir, fakePool('first')));
  expect([found.ran, found.resumed]).toEqual([1, 0]);
  expect(readdirSync(join(place.dir, 'out'))).toHaveLength(2);
});

test('all ticks lie on memory that threads share', async () => {
  const columns = [...readSharedColumns(await loadedBacktest(sweepPlace('').file)).values()];
  expect(columns).toHaveLength(1);
  for (const { tsUs, priceTicks, qty, side } of columns) {
    for (const column of [tsUs, priceTicks, qty, side])
      expect(column.buffer).toBeInstanceOf(SharedArrayBuffer);
  }
});

test('a sweep in which nothing can be picked says so', async () => {
  const place = sweepPlace('sweep: { tradesMin: 10000, parameters: { ema: { fast: [3] } } }');
  const backtest = await loadedBacktest(place.file);
  const plan = planOf(backtest);
  const found = await runSweep(backtest, plan, optionsOf(place.dir, fakePool('first')));
  expect([found.best, found.monteCarlo, found.ranked]).toEqual([null, undefined, []]);
  const { report, json } = writeSweepFiles(join(place.dir, 'out'), backtest, found, ASSETS);
  expect(readFileSync(report, 'utf8')).toContain('none of 1 trial can be picked');
  expect(json).toMatchObject({ best: null, ranked: [] });
});

const ASSETS = { style: '', script: '' };
