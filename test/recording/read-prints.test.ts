import { InputFault } from '../../src/domain/failure.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { formatTime } from '../../src/domain/civil-date.ts';
import { readPrints, type Tape } from '../../src/recording/read-prints.ts';
import { tempDir } from '../support/temp-dir.ts';

const OPTIONS = {
  spec: {
    underlying: 'VN30',
    hundredthsPerTick: 10,
    moneyPerHundredth: 1_000,
    orderQtyMax: 500,
    bandBps: 700,
  },
  utcOffsetMinutes: 420,
};

function tapeFile(text: string, name = '2026-03-04_vn30f2603.csv'): string {
  const dir = tempDir();
  const path = join(dir, name);
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
  return path;
}

const read = (rows: string, name?: string): Tape =>
  readPrints(tapeFile(`Time,Price,Volume,Side\n${rows}`, name), OPTIONS);

/** `09:00:00 19500 x2 buy`. */
const shown = ({ prints }: Tape): string[] =>
  prints.map(
    ({ tsUs, price, qty, aggressor }) => `${formatTime(tsUs, 420).slice(0, 8)} ${price} x${qty} ${aggressor}`,
  );

const GOOD = ['09:00:00 19500 x2 buy', '09:00:00 19501 x1 sell', '14:45:00 19502 x3 null'];

describe('messy tapes that mean the same', () => {
  it.each([
    ['oldest first', '09:00:00,1950.0,2,M\n09:00:00,1950.1,1,B\n14:45:00,1950.2,3,-\n'],
    ['newest first', '14:45:00,1950.2,3,-\n09:00:00,1950.1,1,B\n09:00:00,1950.0,2,M\n'],
    ['hours without a zero', '9:00:00,1950.0,2,M\n9:00:00,1950.1,1,B\n14:45:00,1950.2,3,-\n'],
    [
      'carriage returns, blank lines and blanks',
      '09:00:00,1950.0,2,M\r\n\r\n 09:00:00 , 1950.1 , 1 , B \r\n14:45:00,1950.2,3,-',
    ],
  ])('%s', (_, rows) => {
    expect(shown(read(rows))).toEqual(GOOD);
  });

  it('packed', () => {
    const tape = read(
      '09:00:00,1950.0,2,M\n09:00:00,1950.1,1,B\n14:45:00,1950.2,3,-\n',
      '2026-03-04_vn30f2603.csv.gz',
    );
    expect(shown(tape)).toEqual(GOOD);
    expect([tape.day, tape.code]).toEqual(['2026-03-04', 'VN30F2603']);
  });

  it('with a mark of the byte order and another case in the header', () => {
    const path = tapeFile('\uFEFFTIME,price,Volume,SIDE\r\n09:00:00,1950.0,2,M\r\n');
    expect(shown(readPrints(path, OPTIONS))).toEqual(GOOD.slice(0, 1));
  });

  it('in disorder: the order inside a second stays', () => {
    const rows = '09:00:01,1950.5,1,M\n09:00:00,1950.1,1,M\n09:00:00,1950.2,1,M\n09:00:02,1950.6,1,M\n';
    expect(read(rows).prints.map(({ price }) => price)).toEqual([19_501, 19_502, 19_505, 19_506]);
  });

  it('with nothing in them', () => {
    expect(read('').prints).toEqual([]);
  });
});

describe('tapes that are wrong', () => {
  it.each([
    [
      'a price between two ticks',
      '09:00:00,1950.05,2,M',
      'line 2: expected a price on the tick grid, was "1950.05"',
    ],
    ['a negative price', '09:00:00,-5.0,2,M', 'line 2: expected a price on the tick grid, was "-5.0"'],
    ['half a contract', '09:00:00,1950.0,1.5,M', 'line 2: expected a whole volume above 0, was "1.5"'],
    ['a side nobody knows', '09:00:00,1950.0,2,X', 'line 2: expected a side M, A, B or -, was "X"'],
    ['an hour that is none', '25:00:00,1950.0,2,M', 'line 2: expected a time like 09:00:00, was "25:00:00"'],
    ['a column too few', '09:00:00,1950.0,2', 'line 2: expected 4 columns, was "09:00:00,1950.0,2"'],
  ])('%s', (_, rows, message) => {
    expect(() => read(rows)).toThrow(InputFault);
    expect(() => read(rows)).toThrow(message);
  });

  it('another header', () => {
    const path = tapeFile('Date,Time,Price\n');
    expect(() => readPrints(path, OPTIONS)).toThrow(
      'line 1: expected the header Time,Price,Volume,Side, was "Date,Time,Price"',
    );
  });

  it.each(['vn30f2603.csv', '2026-02-30_vn30f2603.csv', '2026-03-04_vn30f2603.txt'])(
    'the name %s',
    (name) => {
      expect(() => read('', name)).toThrow('expected a name like 2026-03-04_vn30f2603.csv.gz');
    },
  );

  it('a packed file that was cut off', () => {
    const path = tapeFile('', '2026-03-04.csv.gz');
    writeFileSync(path, gzipSync('Time,Price,Volume,Side\n').subarray(0, 15));
    expect(() => readPrints(path, OPTIONS)).toThrow(/expected a whole gzip file, was not/);
  });
});
