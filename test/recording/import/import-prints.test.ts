import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importPrints } from '../../../src/recording/import/import-ticks.ts';
import { timeZone } from '../../../src/text/dates.ts';
import { QUIET, vietnamese } from './import-settings.ts';
import { HEAD, imported, type Setting } from './imported-prints.ts';
import { tempDir } from '../../support/temp-dir.ts';

const GOOD = [
  'VN30F2603 2026-03-04: 09:00:00 19500 x2 none',
  'VN30F2603 2026-03-04: 09:15:00 19501 x1 sell',
  'VN30F2603 2026-03-04: 09:15:00 19502 x3 buy',
  'VN30F2603 2026-03-04: 14:45:00 19503 x9 none',
];

describe('messy tapes that mean the same', () => {
  it.each<[string, string, Setting?]>([
    [
      'oldest first',
      `${HEAD}09:00:00,1950.0,2,M\n09:15:00,1950.1,1,B\n09:15:00,1950.2,3,M\n14:45:00,1950.3,9,B\n`,
    ],
    [
      'newest first, hours without a zero, volumes with decimals, prices with many or none',
      `${HEAD}14:45:00,1950.30,9.0,B\n9:15:00,1950.2,3,M\n9:15:00,1950.1,1.0,B\n9:00:00,1950,2,M`,
    ],
    [
      'in disorder',
      `${HEAD}09:15:00,1950.1,1,B\n09:00:00,1950,2,-\n09:15:00,1950.2,3,A\n14:45:00,1950.3,9,\n`,
    ],
    [
      'packed, with carriage returns and a mark of the byte order',
      `\uFEFF${HEAD}09:00:00,1950,2,\n09:15:00,1950.1,1,b\n09:15:00,1950.2,3,m\n14:45:00,1950.3,9,B\n`.replaceAll(
        '\n',
        '\r\n',
      ),
      { name: '2026-03-04_vn30f2603.csv.gz' },
    ],
    [
      'columns under other names and in another order, dates in the rows',
      'qty;who;when;px;junk\n2;;2026-03-04 09:00:00;1950;x\n1;S;2026-03-04T02:15:00Z;1950.1;y\n3;L;2026-03-04 09:15:00;1950.2;\n9;S;2026-03-04 14:45:00;1950.3;z\n',
      {
        name: 'VN30F2603.csv',
        options: {
          columns: { time: 'when', price: 'px', side: 'WHO' },
          sides: { buy: ['L'], sell: ['S'], none: [''] },
        },
      },
    ],
    [
      'without a header, columns by their numbers',
      '1950,2,09:00:00,-\n1950.1,1,09:15:00,B\n1950.2,3,09:15:00,M\n1950.3,9,14:45:00,B\n',
      {
        options: { header: false, columns: { time: '3', price: '1', volume: '2', side: '4' } },
      },
    ],
    [
      'date and time in two columns, the symbol in a third, said by nobody',
      'Date,Time,Symbol,Price,Volume,Side\n2026-03-04,09:00:00,VN30F2603,1950,2,-\n2026-03-04,9:15:00,VN30F2603,1950.1,1,B\n2026-03-04,9:15:00,VN30F2603,1950.2,3,M\n2026-03-04,14:45:00,VN30F2603,1950.3,9,-\n',
      { name: 'everything of that day.csv' },
    ],
    [
      'with a decimal comma, whose columns another character divides',
      'time;price;volume;side\n09:00:00;1950,0;2;M\n09:15:00;1950,1;1,0;B\n09:15:00;1950,2;3;M\n14:45:00;1950,3;9;B\n',
      { options: { decimalComma: true } },
    ],
    [
      'in another zone, with the name of another symbol',
      `${HEAD}02:00:00,1950,2,M\n02:15:00,1950.1,1,B\n02:15:00,1950.2,3,M\n07:45:00,1950.3,9,B\n`,
      {
        name: '2026-03-04_x.csv',
        options: { zone: timeZone('UTC')!, symbol: 'VN30F2603' },
      },
    ],
  ])('%s', async (_, text, setting) => {
    const { ticks, bad } = await imported(text, setting);
    expect([ticks, bad]).toEqual([GOOD, []]);
  });
});

it.each([
  ['oldest first', ['09:00:00', '09:15:00', '09:10:00', '09:10:01', '09:20:00'], ['1 row', 4]],
  ['newest first', ['14:00:00', '13:00:00', '13:30:00', '13:40:00', '10:00:00', '09:00:00'], ['2 rows', 4]],
  ['in order', ['09:00:00', '09:00:00', '09:00:01'], null],
  ['in the other order', ['09:00:01', '09:00:00', '09:00:00'], null],
])('rows out of order in a file %s are counted', async (_, times, expected) => {
  const { notes } = await imported(`${HEAD}${times.map((time) => `${time},1950,1,M\n`).join('')}`);
  const [count, line] = expected ?? [];
  const text = `${count} out of order, the first in line ${line}: sorted`;
  expect(notes.slice(1)).toEqual(expected === null ? [] : [text]);
});

it('symbols one after the other are in order', async () => {
  const { notes } = await imported(
    'Timestamp,Symbol,Price,Volume\n2026-03-04 10:00:00,A,1,1\n2026-03-04 11:00:00,A,1,1\n2026-03-04 10:00:00,B,1,1\n',
    { name: 'mixed.csv' },
  );
  expect(notes).toHaveLength(1);
});

it('gives each symbol and day a file of its own, wherever its rows are', async () => {
  const { ticks } = await imported(
    'Timestamp,Symbol,Price,Volume\n2026-03-05 10:00:00,B,2,1\n2026-03-04 10:00:00,A,1,1\n2026-03-04 10:00:01,B,3,1\n2026-03-05 10:00:01,B,4,1\n2026-03-04 23:59:59,A,5,1\n',
    { name: 'mixed.csv' },
  );
  expect(ticks).toEqual([
    'A 2026-03-04: 10:00:00 10 x1 none',
    'A 2026-03-04: 23:59:59 50 x1 none',
    'B 2026-03-04: 10:00:01 30 x1 none',
    'B 2026-03-05: 10:00:00 20 x1 none',
    'B 2026-03-05: 10:00:01 40 x1 none',
  ]);
});

it('says of a day where it comes from and what it is counted in', async () => {
  const { metas } = await imported(`${HEAD}10:00:00,1950,2,M\n10:00:01,1950.5,7,M\n`, {
    options: { calendar: null, tickSize: '0.5', lotSize: '1' },
  });
  expect(metas).toMatchObject([
    {
      symbol: 'VN30F2603',
      tickSize: '0.5',
      lotSize: '1',
      utcOffsetMinutes: 420,
      sides: 'source',
      rows: 2,
      volume: 9,
      badRows: 0,
      source: '2026-03-04_vn30f2603.csv',
      gaps: [],
    },
  ]);
});

describe('bad rows', () => {
  const ROWS = [
    ['25:00:00,1950.0,2,M', 'expected a time like 09:00:00 in column Time, was "25:00:00"'],
    ['09:00:00,1950.05,2,M', 'expected a price above 0 on the grid of 0.1 in column Price, was "1950.05"'],
    ['09:00:00,n/a,2,M', 'expected a price above 0 on the grid of 0.1 in column Price, was "n/a"'],
    ['09:00:00,-5.0,2,M', 'expected a price above 0 on the grid of 0.1 in column Price, was "-5.0"'],
    [
      '09:00:00,100000000,2,M',
      'expected a price of at most 999999999 ticks of 0.1 (a larger tick makes them fewer) in column Price, was "100000000"',
    ],
    ['09:00:00,1950.0,1.5,M', 'expected a whole volume above 0 in column Volume, was "1.5"'],
    ['09:00:00,1950.0,0,M', 'expected a whole volume above 0 in column Volume, was "0"'],
    [
      '09:00:00,1950.0,2,X',
      'expected a side out of M, A, buy, B, sell, - or nothing in column Side, was "X"',
    ],
    ['09:00:00,1950.0,2', 'expected 4 columns or more, was 3'],
    ['09:00:00,1,950.0,2,M', 'expected at most 4 columns, as in the first line, was 5'],
  ] as const;

  it('are reported with line and reason, and nothing of the file is stored', async () => {
    const { bad, outcomes, ticks } = await imported(
      `${HEAD}10:00:00,1950.0,1,M\n${ROWS.map(([row]) => row).join('\n')}\n`,
    );
    expect(bad).toEqual(ROWS.map(([, reason], i) => ({ line: i + 3, reason })));
    expect([outcomes, ticks]).toEqual([[], []]);
  });

  it('without a header name the column by its number', async () => {
    const { bad } = await imported('09:00:00,1950.0,2,\n09:00:01,1950.0,2.5,\n', {
      options: { header: false, columns: { time: '1', price: '2', volume: '3' } },
    });
    expect(bad).toEqual([{ line: 2, reason: 'expected a whole volume above 0 in column 3, was "2.5"' }]);
  });

  it('are no rows that end with a delimiter', async () => {
    const { bad, ticks } = await imported(`${HEAD}10:00:00,1950.0,1,M,\n`);
    expect([bad, ticks.length]).toEqual([[], 1]);
  });

  it('are left out when that was asked for, and counted in what is stored', async () => {
    const { bad, ticks, metas } = await imported(
      `${HEAD}10:00:00,1950.0,1,M\n10:00:00,1950.0,0,M\n10:00:02,1950.1,1,M\n`,
      { options: { skipBad: true } },
    );
    expect(bad.map(({ line }) => line)).toEqual([3]);
    expect(ticks).toHaveLength(2);
    expect(metas.map(({ badRows }) => badRows)).toEqual([1]);
  });

  it('end the reading when there is nothing else', async () => {
    await expect(imported(HEAD + '10:00:00,1950.0,none,M\n'.repeat(2_000))).rejects.toThrow(
      'the first 1000 rows are all bad; line 2: expected a whole volume above 0 in column Volume, was "none"; finest step of prices 1950 (line 2)',
    );
  });
});

describe('a file that cannot be inspected', () => {
  it.each<[string, string, Setting, string]>([
    ['lacks a column', 'Time,Price\n', {}, 'expected a column for volume, was: Time, Price'],
    [
      'lacks a column that was named',
      HEAD,
      { options: { columns: { side: 'Aggressor' } } },
      'no column "Aggressor" for side in: Time, Price, Volume, Side',
    ],
    [
      'has two columns of one name',
      'Time,Price,Volume,Price\n',
      {},
      'columns 2 and 4 are both called "Price": name the one of price by its number, or none',
    ],
    ['is empty', '', {}, 'vn30f2603.csv: expected rows, was an empty file'],
    ['is a header alone', HEAD, {}, 'vn30f2603.csv: expected rows, was a header alone'],
    ['has no symbol', HEAD, { name: '2026-03-04.csv' }, 'expected a symbol in its name or in a column'],
    ['is of a day that is none', HEAD, { options: { day: '2026-02-30' } }, 'expected a day like 2026-03-04'],
  ])('%s', async (_, text, setting, message) => {
    await expect(imported(text, setting)).rejects.toThrow(message);
  });

  it.each([
    ['UTF-16', Buffer.from(`\uFEFF${HEAD}`, 'utf16le'), 'UTF-16: save it as UTF-8'],
    ['Parquet', Buffer.from('PAR1\u0015\u0004'), 'Parquet: export it as CSV'],
    ['a zip file', Buffer.from('PK\u0003\u0004\u0014'), 'a zip file, or a workbook: unpack it'],
    ['gzip without its ending', gzipSync(HEAD), 'gzip: let its name end with .gz'],
    ['of another program', Buffer.from('ARROW1\0\0'), 'binary: export it as CSV'],
  ])('is %s', async (_, bytes, kind) => {
    const file = join(tempDir(), 'VN30F2603.csv');
    writeFileSync(file, bytes);
    await expect(importPrints(file, vietnamese(tempDir()), QUIET)).rejects.toThrow(
      `VN30F2603.csv: expected a table of text in UTF-8, was ${kind}`,
    );
  });

  it('was cut off while packed: nothing of it is stored', async () => {
    const dir = tempDir();
    const file = join(tempDir(), '2026-03-04_vn30f2603.csv.gz');
    const packed = gzipSync(HEAD + '10:00:00,1950.0,1,M\n'.repeat(1_000));
    writeFileSync(file, packed.subarray(0, packed.length - 9));
    await expect(importPrints(file, vietnamese(dir), QUIET)).rejects.toThrow('expected a whole gzip file');
    expect(existsSync(join(dir, 'ticks'))).toBe(false);
  });
});

describe('what is there already', () => {
  const FIRST = `${HEAD}10:00:00,1950.0,1,M\n`;
  const OTHER = `${HEAD}10:00:00,1950.0,2,M\n`;

  it('is left alone when it is the same', async () => {
    const { dir } = await imported(FIRST);
    expect((await imported(FIRST, { dir })).outcomes).toEqual(['unchanged']);
  });

  it('is kept when it is not, unless it is to be replaced', async () => {
    const { dir, ticks } = await imported(FIRST);
    const again = await imported(OTHER, { dir });
    expect([again.outcomes, again.ticks]).toEqual([['kept'], ticks]);
    const replaced = await imported(OTHER, { dir, options: { replace: true } });
    expect(replaced.outcomes).toEqual(['replaced']);
    expect(replaced.ticks).toEqual(['VN30F2603 2026-03-04: 10:00:00 19500 x2 buy']);
  });

  it('loses nothing else: no partial file stays behind', async () => {
    const { dir } = await imported(FIRST);
    await imported(OTHER, { dir });
    expect(readdirSync(join(dir, 'ticks', 'VN30F2603'))).toEqual(['2026-03-04.arrow']);
    expect(readdirSync(dir)).toEqual(['ticks']);
  });
});

/** Every day has two different stamps: else nobody knows which end is the newest. */
const isOrdered = (rows: readonly { day: string; second: number }[]): boolean =>
  [...new Set(rows.map(({ day }) => day))].every(
    (day) => new Set(rows.filter((row) => row.day === day).map(({ second }) => second)).size > 1,
  );

it('stores what a sorted tape would, whatever the order of the days and of the rows in other seconds', async () => {
  const row = fc.record({
    second: fc.integer({ min: 0, max: 20 }),
    day: fc.constantFrom('2026-03-04', '2026-03-05'),
    price: fc.integer({ min: 1, max: 50_000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 2, maxLength: 30 }).filter(isOrdered), async (rows) => {
      const sorted = rows.toSorted((a, b) => a.second - b.second);
      const text = (all: typeof rows): string =>
        `Timestamp,Price,Volume\n${all.map(({ day, second, price }) => `${day} 10:00:${String(second).padStart(2, '0')},${(price / 10).toFixed(1)},1\n`).join('')}`;
      const { ticks } = await imported(text(sorted), { name: 'A.csv' });
      const newestFirst = await imported(text(sorted.toReversed()), { name: 'A.csv' });
      expect(newestFirst.ticks).toEqual(ticks);
      expect(ticks).toHaveLength(rows.length);
    }),
    { numRuns: 15 },
  );
});
