/** Data that lie are reported: what a run says of the prices that it was given. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { doubtsOf } from '../../../src/research/backtest/data-summary.ts';
import { type BacktestOutcome, runBacktestFile } from '../../../src/research/backtest/run-backtest-file.ts';
import { runStatistics } from '../../../src/research/statistics/run-statistics.ts';
import { SAMPLE_RESULT } from '../sample-result.ts';
import { createRandom, SEED } from '../../support/seed.ts';
import { barFile } from '../spec/bar-run.ts';
import { loadedBacktest } from '../../support/backtest-plan.ts';
import { tempDir } from '../../support/temp-dir.ts';

const HOUR_MS = 3_600_000;
const FROM_MS = Date.UTC(2024, 0, 3);

/** A bar an hour for 40 days: a wave around 100, as `change` has it; null leaves it out. */
function hourly(change: (price: number, hour: number) => number | null): string {
  const lines = Array.from({ length: 960 }, (_, hour) => {
    const price = change(100 + 10 * Math.sin(hour / 20), hour)?.toFixed(2);
    const at = new Date(FROM_MS + hour * HOUR_MS).toISOString().replace('.000Z', 'Z');
    return price === undefined ? [] : [`${at},${price},${price},${price},${price},10`];
  });
  return `time,open,high,low,close,volume\n${lines.flat().join('\n')}\n`;
}

async function outcomeOf(run: Parameters<typeof barFile>[0]): Promise<BacktestOutcome> {
  const backtest = await loadedBacktest(barFile({ file: ', every: 1h', ...run }));
  const out = tempDir();
  return runBacktestFile(backtest, { out });
}

/** Without what the strategy was refused, and without what it holds at the end. */
const warningsOf = ({ model }: BacktestOutcome) =>
  model.warnings.filter((each) => !/^(one: |held at the end: )/.test(each));
const lacks = ({ model }: BacktestOutcome) => model.warnings.filter((each) => each.startsWith('X lacks'));
const tableOf = ({ model }: BacktestOutcome) => model.tables.find(({ title }) => title === 'Your data');

test('200 hours that are missing, a price by four and a bar by a hundred are reported, with their moments', async () => {
  const bars = hourly((price, hour) => {
    if (hour >= 300 && hour < 500) return null;
    if (hour === 200) return price * 100;
    return hour >= 600 ? price / 4 : price;
  });
  const outcome = await outcomeOf({ bars });
  expect(tableOf(outcome)?.rows).toEqual([
    [
      'X',
      '760 bars of 1h',
      '2024-01-03 00:00',
      '2024-02-11 23:00',
      '200 bars, the longest stretch from 2024-01-15 12:00 to 2024-01-23 19:00',
      'changed -99.0 % on 2024-01-11 09:00, changed +9854.7 % on 2024-01-11 08:00, changed -75.0 % on 2024-01-28 00:00',
    ],
  ]);
  expect(outcome.model.warnings).toEqual(
    expect.arrayContaining([
      'X lacks 200 bars, the longest stretch from 2024-01-15 12:00 to 2024-01-23 19:00',
      expect.stringMatching(
        /^X jumps from 94\.\d+ to 94\d\d\.\d+ on 2024-01-11 08:00: a split, another unit or a wrong row\?$/,
      ),
    ]),
  );
});

test('a change within a bar has the time of the bar', async () => {
  const bars = [
    '2024-01-03,100,101,99,100,10',
    '2024-01-04,100,101,99,100,10',
    '2024-01-05,100,109,100,108,10',
  ].join('\n');
  const outcome = await outcomeOf({
    bars: `time,open,high,low,close,volume\n${bars}\n`,
    file: ', every: 1d',
  });
  expect(tableOf(outcome)?.rows[0]?.[5]).toMatch(/^changed \+9\.0 % on 2024-01-05 00:00,/);
});

/** Minutes of a session with a closing auction, whose only bar is that of its cross. */
function minutesToTheCross(isKept: (day: number, minute: number) => boolean): string {
  const lines = [3, 4].flatMap((day) =>
    [...Array.from({ length: 30 }, (_, minute) => minute), 45].flatMap((minute) =>
      isKept(day, minute)
        ? [`2024-01-0${day}T14:${String(minute).padStart(2, '0')}:00Z,100,101,99,100,10`]
        : [],
    ),
  );
  return `time,open,high,low,close,volume\n${lines.join('\n')}\n`;
}

const WITH_CROSS =
  ", hours: [{ phase: continuous, from: '14:00', to: '14:30' }, { phase: closing_auction, from: '14:30', to: '14:46' }]";

test('an auction has no bars but that of its cross', async () => {
  const run = { market: WITH_CROSS, file: ', every: 1m' };
  const whole = await outcomeOf({ bars: minutesToTheCross(() => true), ...run });
  expect(tableOf(whole)?.rows[0]?.[4]).toBe('none');
  const cut = await outcomeOf({
    bars: minutesToTheCross((day, minute) => day !== 4 || minute !== 20),
    ...run,
  });
  expect(lacks(cut)).toEqual([
    'X lacks 1 bar, the longest stretch from 2024-01-04 14:20 to 2024-01-04 14:20',
  ]);
});

test('fills that cost nothing are reported, and sound data with costs say nothing', async () => {
  const random = createRandom(SEED);
  let price = 100;
  const bars = hourly(() => (price += random() - 0.5));
  const params = '{ barSeconds: 3600, fast: 3, slow: 9 }';
  const free = await outcomeOf({ bars, params });
  const { fills } = free.result.counts;
  expect(fills).toBeGreaterThan(0);
  expect(warningsOf(free)).toEqual([`${fills} fills cost nothing: the file names no fee and no tax`]);
  const paid = await outcomeOf({ bars, params, market: ', costs: { perContract: 1 }' });
  expect(warningsOf(paid)).toEqual([]);
  expect(tableOf(paid)?.rows[0]?.[4]).toBe('none');
});

/** Bars of eight hours a day from Monday to Friday, or of a day. */
const weekly = (hours: readonly number[], isKept: (day: number) => boolean): string => {
  const lines = Array.from({ length: 140 }, (_, day) => {
    const at = new Date(FROM_MS + 24 * day * HOUR_MS);
    if (!isKept(day) || at.getUTCDay() % 6 === 0) return [];
    const date = at.toISOString().slice(0, 10);
    return hours.map((hour) => `${date}T${String(hour).padStart(2, '0')}:00:00Z,100,101,99,100,10`);
  });
  return `time,open,high,low,close,volume\n${lines.flat().join('\n')}\n`;
};

const OPEN = ", hours: [{ phase: continuous, from: '09:00', to: '17:00' }]";
test.each([
  ['bars of an hour', [9, 10, 11, 12, 13, 14, 15, 16], { market: OPEN }],
  ['bars of a day', [0], { file: ', every: 1d' }],
] as const)('days that are missing between %s are reported, and weekends are none', async (_, hours, run) => {
  const whole = await outcomeOf({ bars: weekly(hours, () => true), ...run });
  expect(tableOf(whole)?.rows[0]?.[4]).toBe('none');
  const holiday = await outcomeOf({ bars: weekly(hours, (day) => day !== 33), ...run });
  expect(tableOf(holiday)?.rows[0]?.[4]).toMatch(/^1 day, the longest stretch from 2024-02-05/);
  expect(lacks(holiday)).toEqual([]);
  const cut = await outcomeOf({ bars: weekly(hours, (day) => day < 30 || day >= 86), ...run });
  expect(lacks(cut)).toEqual([
    expect.stringMatching(/^X lacks 40 days, the longest stretch from 2024-02-02/),
  ]);
});

const NEW_YORK = ", timeZone: America/New_York, hours: [{ phase: continuous, from: '09:30', to: '16:00' }]";

/** Hours of UTC, without a zone, of 40 weekdays of winter. */
const hoursOfUtc = (hours: readonly number[]): string => weekly(hours, (day) => day < 54).replaceAll('Z', '');

test('bars in UTC that are read as times of New York are refused, with the line to write, which then plays them', async () => {
  const bars = hoursOfUtc([15, 16, 17, 18, 19, 20]);
  await expect(outcomeOf({ bars, market: NEW_YORK })).rejects.toThrow(
    /data\.bars\[0\]: expected rows within the hours of the market, was 190 of 228 rows of .*\.csv \(lines 3 to 229\) outside .* in America\/New_York \(.*write \{ file: \.\.\., zone: UTC \}/,
  );
  const read = await outcomeOf({ bars, market: NEW_YORK, file: ', every: 1h, zone: UTC' });
  expect(tableOf(read)?.rows[0]?.slice(2, 5)).toEqual(['2024-01-03 10:00', '2024-02-23 15:00', 'none']);
  expect(warningsOf(read).filter((each) => each.includes('outside'))).toEqual([]);
});

test('a zone that cannot be right is refused, and is what the hint names', async () => {
  const bars = hoursOfUtc([0, 1, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  const market = ", hours: [{ phase: continuous, from: '09:00', to: '19:00' }]";
  await expect(outcomeOf({ bars, market, file: ', every: 1h, zone: America/Los_Angeles' })).rejects.toThrow(
    /outside the hours .*\(zone says that its times are those of America\/Los_Angeles: write the zone that they are of/,
  );
});

test('so are ticks', async () => {
  const prints = hoursOfUtc([15, 16, 17]).replace('open,high,low,close', 'price,a,b,c');
  const run = { bars: prints, kind: 'prints' as const, market: NEW_YORK };
  await expect(outcomeOf({ ...run, file: '' })).rejects.toThrow('76 of 114 rows of');
  const read = await outcomeOf({ ...run, file: ', zone: UTC' });
  expect(tableOf(read)?.rows[0]?.slice(2, 4)).toEqual(['2024-01-03 10:00', '2024-02-23 12:00']);
});

test('some bars outside the hours are counted with their lines, also in the next run, which reads columns', async () => {
  const bars = hoursOfUtc([9, 10, 11, 12, 13, 14, 15, 16]);
  const file = barFile({ bars, market: NEW_YORK, file: ', every: 1h' });
  for (const run of ['first', 'second']) {
    const backtest = await loadedBacktest(file);
    const outcome = runBacktestFile(backtest, { out: join(tempDir(), run) });
    expect(warningsOf(outcome)).toContainEqual(
      expect.stringMatching(
        /^76 of 304 rows of .*bars\.csv \(lines 2 to 305\) outside the hours of the market in America\/New_York, and no order trades on them: /,
      ),
    );
  }
});

test('bars of all hours are no mistake where the market has regular hours', async () => {
  const bars = hoursOfUtc(Array.from({ length: 24 }, (_, hour) => hour));
  const read = await outcomeOf({ bars, market: NEW_YORK, file: ', every: 1h' });
  expect(warningsOf(read)).toContainEqual(expect.stringContaining('684 of 912 rows of'));
});

test('bars of a day that are declared as bars of an hour are refused', async () => {
  const bars = weekly([0], () => true);
  await expect(outcomeOf({ bars, file: ', every: 1h' })).rejects.toThrow(
    'expected bars of 1h, was mostly 1d from one to the next; say how long they are',
  );
});

test('bars of a day in a market with hours hear of the hours, not of a zone', async () => {
  await expect(outcomeOf({ bars: weekly([0], () => true), file: '', market: OPEN })).rejects.toThrow(
    'expected a market without hours for bars of a day',
  );
});

test('a ratio that nobody has is doubted', () => {
  const found = runStatistics(SAMPLE_RESULT);
  const days = Array.from({ length: 30 }, () => 0.01);
  expect(doubtsOf([], SAMPLE_RESULT, { ...found, sharpe: 45.12, dailyReturns: days })).toEqual([
    'a Sharpe ratio of 45.12 is too good to be true: look for wrong prices, costs left out or a look ahead (--verify)',
  ]);
  expect(doubtsOf([], SAMPLE_RESULT, { ...found, sharpe: 2, dailyReturns: days })).toEqual([]);
});
