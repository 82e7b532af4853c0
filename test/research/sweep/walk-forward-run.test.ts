/** Windows over short days of a market in the file itself: what is chosen in sample is what is tried out of it, and nothing else. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Backtest, loadBacktest } from '../../../src/research/spec/load-backtest.ts';
import { readSweep } from '../../../src/research/sweep/read-sweep.ts';
import { runSweep } from '../../../src/research/sweep/run-sweep.ts';
import { readSharedColumns, TrialRunner, type TrialTask } from '../../../src/research/sweep/trial-pool.ts';
import { writeSweepFiles } from '../../../src/research/sweep/sweep-report.ts';
import { Random } from '../../../src/venue/market/random.ts';
import { loadedBacktest } from '../../support/backtest-plan.ts';
import { tempDir } from '../../support/temp-dir.ts';

const DATES = ['02', '03', '04', '05', '06', '09', '10'].map((date) => `2026-03-${date}`);
const SECONDS = 2_400;

/** Trades of forty minutes, every ten seconds. */
function tape(random: Random): string {
  let price = 2_000;
  const lines = ['Time,Price,Volume,Side'];
  for (let at = 0; at < SECONDS; at += 10) {
    price += random.below(9) - 4 + Math.round(3 * Math.sin(at / 200));
    const [minute, second] = [Math.floor(at / 60), at % 60].map((part) => String(part).padStart(2, '0'));
    lines.push(`09:${minute}:${second},${price},50,${random.below(2) === 0 ? 'M' : 'B'}`);
  }
  return `${lines.join('\n')}\n`;
}

async function loaded(section: string) {
  const dir = tempDir();
  const random = new Random(5);
  for (const date of DATES) writeFileSync(join(dir, `${date}_coin.csv`), tape(random));
  const file = join(dir, 'walk.yaml');
  writeFileSync(
    file,
    `market:
  currency: USD
  hours: [{ phase: continuous, from: '09:00', to: '09:40' }]
  contracts: { COIN: { tick: 1 } }
capital: 100000
state: ${dir}
data: { prints: [${DATES.map((date) => `{ file: ${date}_coin.csv, symbol: COIN, sides: { buy: M, sell: B } }`).join(', ')}] }
strategies:
  - { id: ema, strategy: ema-cross, symbols: [COIN], params: { barSeconds: 60 } }
${section}`,
  );
  return { dir, backtest: await loadedBacktest(file) };
}

const SECTION =
  'sweep: { tradesMin: 0, objective: net_profit, parameters: { ema: { fast: [2, 3], slow: [5, 8] } }, walkForward: { inSample: 3, outOfSample: 2 } }';

async function swept(dir: string, backtest: Backtest) {
  const plan = readSweep(backtest);
  if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
  const ran: TrialTask[] = [];
  const found = await runSweep(backtest, plan.plan, {
    dir: join(dir, 'out'),
    workers: 1,
    eventMsMax: 20_000,
    fresh: false,
    onProgress: () => undefined,
    openPool: async ({ columns }) => ({
      async run(tasks, onDone) {
        for (const task of tasks) {
          ran.push(task);
          onDone(task, new TrialRunner(backtest, columns).run(task));
        }
      },
      close: () => Promise.resolve(),
    }),
  });
  return { ran, found };
}

test('chooses in sample, tries it out of sample, and draws both', async () => {
  const { dir, backtest } = await loaded(SECTION);
  const { ran, found } = await swept(dir, backtest);
  const { days } = backtest.sources;
  expect(days).toHaveLength(DATES.length);
  expect(found.best!.result.counts.fills, 'something was traded').toBeGreaterThan(10);
  const { windows } = found.walkForward!;
  expect(windows.map(({ window }) => [window.inSample.length, window.outOfSample])).toEqual([
    [3, days.slice(3, 5)],
    [3, days.slice(5, 7)],
  ]);
  // Four on all days, four in each window, and the chosen one out of each, after a warm-up on the days in sample.
  expect(ran.map((task) => task.days?.length ?? 0)).toEqual([...Array(4).fill(0), ...Array(8).fill(3), 5, 5]);
  for (const { window, trial, inSample, outOfSample } of windows) {
    const inside = ran.filter((task) => task.days?.[0] === window.inSample[0] && task.days?.length === 3);
    const runner = new TrialRunner(backtest, readSharedColumns(backtest));
    const profits = inside.map((task) => runner.run(task).netProfit);
    expect(inSample!.netProfit).toBe(Math.max(...profits));
    expect(trial).toBe(profits.indexOf(Math.max(...profits)));
    const alone = new TrialRunner(backtest, new Map()).run({
      params: inside[trial!]!.params,
      days: [...window.inSample, ...window.outOfSample],
      warmUpDays: 3,
    });
    const { journalHash, dailyReturns } = outOfSample!;
    expect(alone, 'the same without shared memory').toMatchObject({ journalHash, dailyReturns });
    expect(outOfSample!.dailyReturns).toHaveLength(2);
  }

  const { report, others } = writeSweepFiles(join(dir, 'out'), backtest, found, {
    style: '',
    script: '',
  });
  expect(others.map((path) => path.slice(path.lastIndexOf('/') + 1))).toEqual(['sweep.json', 'trials.csv']);
  const page = readFileSync(report, 'utf8');
  // What happened out of sample comes first.
  const parts = ['Return out of sample', 'id="walk-forward-windows"', 'id="best-trials"'];
  expect(page).toContain('data-chart="fan"');
  const places = parts.map((part) => page.indexOf(part));
  expect(places).not.toContain(-1);
  expect(places.toSorted((a, b) => a - b)).toEqual(places);
  const remarked = { ...backtest, sources: { ...backtest.sources, remarks: ['rows outside the hours'] } };
  const warningsWith = (trades: number, profitable = 1) => {
    const thin = windows.map((each) => ({ ...each, outOfSample: { ...each.outOfSample!, trades } }));
    const changed = { ...found, walkForward: { ...found.walkForward!, windows: thin, profitable } };
    return JSON.stringify(
      writeSweepFiles(join(dir, 'thin'), remarked, changed, { style: '', script: '' }).json,
    );
  };
  expect(warningsWith(1)).toContain(
    '2 of 2 windows have one trade or none, in sample or out of it (the first: 2026-03-05 to 2026-03-06)',
  );
  expect(warningsWith(2)).not.toContain('one trade or none');
  expect(warningsWith(2)).toContain('rows outside the hours');
  expect(warningsWith(2)).not.toContain('earned money out of sample');
  expect(warningsWith(2, 0)).toContain('None of 2 windows earned money out of sample');
  expect(readFileSync(others[1]!, 'utf8').split('\n')).toHaveLength(6);
});

test('an average that is slower than the days out of sample is warm on their first bar', async () => {
  const slow = SECTION.replace('[5, 8]', '[90]');
  const windowsWith = async (more: string) => {
    const { dir, backtest } = await loaded(`${slow}\n${more}`);
    return (await swept(dir, backtest)).found.walkForward!.windows;
  };
  const trades = (windows: Awaited<ReturnType<typeof windowsWith>>) =>
    windows.map(({ outOfSample }) => outOfSample!.trades > 0);
  expect(trades(await windowsWith('warmUpDays: 0'))).toEqual([false, false]);
  expect(trades(await windowsWith(''))).toEqual([true, true]);
});

test('rows made of bars lie on shared memory too, a day each', async () => {
  const { dir } = await loaded(SECTION);
  const bars = DATES.slice(0, 3).flatMap((date) => [
    `${date}T09:10:00Z,5,7,4,6,9`,
    `${date}T09:20:00Z,6,7,4,5,9`,
  ]);
  writeFileSync(join(dir, 'bars.csv'), `time,open,high,low,close,volume\n${bars.join('\n')}\n`);
  const file = join(dir, 'walk.yaml');
  const text = readFileSync(file, 'utf8').replace(
    /^data: .*$/m,
    'data: { bars: [{ file: bars.csv, symbol: COIN }] }\nsession: { flatBeforeClose: off }',
  );
  writeFileSync(file, text);
  const read = await loadBacktest(file);
  const columns = read.ok ? [...readSharedColumns(read.backtest).values()] : [];
  expect(columns).toHaveLength(3);
  for (const { tsUs, qty } of columns) {
    expect(tsUs.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(qty.buffer).toBeInstanceOf(SharedArrayBuffer);
  }
});

test('a window must be longer than its warm-up', async () => {
  const { backtest } = await loaded(SECTION);
  const found = readSweep({ ...backtest, config: { ...backtest.config, warmUpDays: 3 } });
  expect(found.ok ? [] : found.problems).toMatchObject([
    { expected: 'more days in sample than the warm-up of 3', received: '3' },
  ]);
});
