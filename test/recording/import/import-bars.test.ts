import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../../src/domain/units.ts';
import { BAR_PHASES, readBarMeta, readBarParts } from '../../../src/recording/columns/bar-file.ts';
import type { BadRow } from '../../../src/recording/import/import-table.ts';
import { type BarImportOptions, importBars } from '../../../src/recording/import/import-bars.ts';
import { timeZone } from '../../../src/text/dates.ts';
import { QUIET, vietnamese } from './import-settings.ts';
import { tempDir } from '../../support/temp-dir.ts';

const utc = (us: number): string => new Date(us / 1_000).toISOString().slice(0, 16);

async function imported(text: string, options: Partial<BarImportOptions> = {}, dir = tempDir()) {
  const file = join(tempDir(), 'AAPL.csv');
  writeFileSync(file, text);
  const bad: BadRow[] = [];
  const settings = { ...vietnamese(dir), stamp: 'start' as const, ...options };
  const { stored } = await importBars(file, settings, { ...QUIET, bad: (row) => bad.push(row) });
  const bars = stored.flatMap(({ path }) =>
    [...readBarParts(path)].flatMap((part) =>
      Array.from({ length: part.rows }, (_, i) => {
        return `${utc(part.startUs[i]!)}/${utc(part.endUs[i]!).slice(11)} ${part.open[i]} ${part.high[i]} ${part.low[i]} ${part.close[i]} v${part.volume[i]} ${BAR_PHASES[part.phase[i]!]}`;
      }),
    ),
  );
  return { dir, bad, bars, outcomes: stored.map(({ outcome }) => outcome), stored };
}

const BARS = [
  '2026-03-04T02:00/02:05 10 13 9 12 v500 continuous',
  '2026-03-04T02:05/02:10 12 12 11 11 v0 continuous',
];

describe('files of bars that mean the same', () => {
  it.each<[string, string, Partial<BarImportOptions>?]>([
    [
      'as most have it',
      'Date,Open,High,Low,Close,Volume\n2026-03-04 09:00:00,1.0,1.3,0.9,1.2,500\n2026-03-04 09:05:00,1.2,1.2,1.1,1.1,0\n',
    ],
    [
      'newest first, with stamps of the end and short names',
      't,O,H,L,C,V\n2026-03-04 09:10,1.2,1.2,1.1,1.1,0\n2026-03-04 09:05,1,1.3,0.9,1.2,500.0\n',
      { stamp: 'end', every: minutes(5), columns: { time: 't', volume: 'V' } },
    ],
    [
      'a data frame of pandas, whose index has no name',
      ',Open,High,Low,Close,Volume\n2026-03-04 09:00:00,1.0,1.3,0.9,1.2,500\n2026-03-04 09:05:00,1.2,1.2,1.1,1.1,0\n',
    ],
    [
      'in milliseconds of another zone, without names',
      '1772589600000;1.0;1.3;0.9;1.2;500\n1772589900000;1.2;1.2;1.1;1.1;0\n',
      {
        header: false,
        zone: timeZone('America/New_York')!,
        columns: { time: '1', open: '2', high: '3', low: '4', close: '5', volume: '6' },
      },
    ],
  ])('%s', async (_, text, options) => {
    const { bars, bad } = await imported(text, options);
    expect([bars, bad]).toEqual([BARS, []]);
  });
});

it('takes closes alone, and volumes in parts of a lot', async () => {
  const { bars, stored } = await imported('timestamp,close,volume\n2026-03-04 20:00,68123.4,0.0125\n', {
    columns: { open: 'close', high: 'close', low: 'close' },
    every: seconds(60),
    lotSize: '0.0001',
    calendar: null,
  });
  expect(bars).toEqual(['2026-03-04T13:00/13:01 681234 681234 681234 681234 v125 continuous']);
  expect(stored[0]?.meta).toMatchObject({ lotSize: '0.0001', volume: 125, everyUs: 60_000_000, year: 2026 });
});

it('names the auctions and the closed market by the calendar', async () => {
  const rows = ['08:50', '09:00', '11:45', '14:45', '20:00'].map((time) => `2026-03-04 ${time},1,1,1,1,1`);
  const { bars } = await imported(`time,open,high,low,close,volume\n${rows.join('\n')}\n`, {
    every: minutes(1),
  });
  expect(bars.map((bar) => bar.split(' ').at(-1))).toEqual([
    'opening_auction',
    'continuous',
    'break',
    'closing_auction',
    'closing_auction',
  ]);
});

it('keeps each year of each symbol in a file of its own, by the local date', async () => {
  const { stored } = await imported(
    'time,symbol,open,high,low,close,volume\n2025-12-31 23:59,A,1,1,1,1,1\n2026-01-01 00:00,A,1,1,1,1,1\n2026-01-01 00:01,B,1,1,1,1,1\n2026-01-01 00:02,B,1,1,1,1,1\n',
    { every: minutes(1), calendar: null },
  );
  expect(stored.map(({ path }) => path.split('/').slice(-3).join('/'))).toEqual([
    'A/1m/2025.arrow',
    'A/1m/2026.arrow',
    'B/1m/2026.arrow',
  ]);
  expect(stored.map(({ path }) => readBarMeta(path).rows)).toEqual([1, 1, 2]);
});

describe('bad bars', () => {
  const HEAD = 'time,open,high,low,close,volume\n';

  it('are reported with line and reason, and nothing is stored', async () => {
    const { bad, bars } = await imported(
      `${HEAD}2026-03-04 09:00,1,1,1,1,1\n2026-03-04 09:01,1,0.9,0.8,0.9,1\n2026-03-04 09:02,1,1.2,1.1,1.2,1\nx,1,1,1,1,1\n2026-03-04 09:03,1,1,,1,1\n2026-03-04 09:04,1,1,1,1,-1\n2026-03-04 09:00,2,2,2,2,2\n`,
    );
    expect(bars).toEqual([]);
    expect(bad).toEqual([
      { line: 3, reason: 'expected open and close between low and high, was 1, 0.9, 0.8, 0.9' },
      { line: 4, reason: 'expected open and close between low and high, was 1, 1.2, 1.1, 1.2' },
      {
        line: 5,
        reason: expect.stringContaining('expected a date and time like 2026-03-04 09:00:00') as string,
      },
      { line: 6, reason: 'expected a price above 0 on the grid of 0.1 in column low, was ""' },
      { line: 7, reason: 'expected a volume in lots of 1 in column volume, was "-1"' },
      {
        line: 8,
        reason: 'expected one bar of AAPL that begins at 2026-03-04T09:00:00.000 in +07:00, was a second one',
      },
    ]);
  });

  it('have no more lots than can be counted', async () => {
    const most = '1000000000000';
    const { bad } = await imported(
      `${HEAD}2026-03-04 09:00,1,1,1,1,${most}\n2026-03-04 09:01,1,1,1,1,1000000000001\n2026-03-04 09:02,1,1,1,1,9000000000000\n`,
    );
    const expected = `expected a volume in lots of 1, ${most} of them at most (a larger lot makes them fewer) in column volume, was`;
    expect(bad).toEqual([
      { line: 3, reason: `${expected} "1000000000001"` },
      { line: 4, reason: `${expected} "9000000000000"` },
    ]);
  });

  it('are left out when that was asked for: of two at one time the first stays', async () => {
    const { bars } = await imported(
      `${HEAD}2026-03-04 09:00,1,1,1,1,1\n2026-03-04 09:00,2,2,2,2,2\n2026-03-04 09:01,3,3,3,3,3\n`,
      { skipBad: true },
    );
    expect(bars.map((bar) => bar.split(' ')[1])).toEqual(['10', '30']);
  });

  it('are rounded to the nearest tick where that was asked for, and hold no price of nothing', async () => {
    const { bars, bad } = await imported(
      `${HEAD}2026-03-04 09:00,1.04,1.26,1.04,1.26,1\n2026-03-04 09:01,1.25,1.25,1.25,1.25,1\n`,
      { round: true },
    );
    expect([bars.map((bar) => bar.split(' ')[1]), bad]).toEqual([['10', '13'], []]);
    const none = await imported(`${HEAD}2026-03-04 09:00,0.04,1,0.04,1,1\n`, { round: true });
    expect(none.bad).toHaveLength(1);
  });

  it('are said to be longer than they are apart', async () => {
    const rows = ['09:00', '09:30', '10:00'].map((time) => `2026-03-04 ${time},1,1,1,1,1\n`).join('');
    await expect(imported(HEAD + rows, { every: minutes(60) })).rejects.toThrow(
      'expected bars of 1h, was mostly 30m from one to the next',
    );
  });

  it('is refused where it is the only bar and has no given length', async () => {
    await expect(imported(`${HEAD}2026-03-04 09:00,1,1,1,1,1\n`)).rejects.toThrow('say how long it is');
    await expect(imported(HEAD, { stamp: 'end' })).rejects.toThrow('say how long they are');
  });
});

const text = (close: number): string =>
  `time,open,high,low,close\n2026-03-04 09:00,1,9,1,${close}\n2026-03-04 09:01,1,9,1,1\n`;

it('writes nothing twice and nothing over', async () => {
  const { dir } = await imported(text(2));
  expect((await imported(text(2), {}, dir)).outcomes).toEqual(['unchanged']);
  expect((await imported(text(3), {}, dir)).outcomes).toEqual(['kept']);
  expect((await imported(text(3), { replace: true }, dir)).outcomes).toEqual(['replaced']);
});
