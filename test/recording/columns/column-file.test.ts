import { InputFault } from '../../../src/domain/failure.ts';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sliceTable } from '../../../src/recording/columns/row-table.ts';
import { openCatalogue, ticksPath } from '../../../src/recording/columns/catalogue.ts';
import {
  readColumns,
  readParts,
  readTickMeta,
  writeColumns,
  rowTableOf,
  type TickColumns,
  type TickRows,
  ticksOf,
} from '../../../src/recording/columns/tick-file.ts';
import { DAY, describe as describeTicks, plain, rowsOf, START_US, tickArbitrary } from './sample-ticks.ts';
import { tempDir } from '../../support/temp-dir.ts';

const slice = (rows: TickRows, from: number, to: number): TickRows =>
  ticksOf(sliceTable(rowTableOf(rows), from, to));

const TICKS = [
  { afterUs: 0, price: 19_500, qty: 2, side: 1 },
  { afterUs: 0, price: 19_501, qty: 1, side: -1 },
  { afterUs: 5_000_001, price: 19_499, qty: 7, side: 0 },
];

function* failing() {
  yield rowsOf(TICKS);
  throw new Error('the disk is full');
}

function writtenFile(dir = tempDir()): string {
  const path = ticksPath(dir, 'VN30F2603', DAY);
  writeColumns(path, 0, [rowsOf(TICKS)], describeTicks());
  return path;
}

it('gives back every value, with a book and without', () => {
  const dir = tempDir();
  fc.assert(
    fc.property(
      fc.array(tickArbitrary, { maxLength: 40 }),
      fc.integer({ min: 0, max: 3 }),
      (ticks, depth) => {
        const path = join(dir, 'any.arrow');
        const rows = rowsOf(ticks, depth);
        const meta = writeColumns(path, depth, [rows], describeTicks({ depth }));
        expect(plain(readColumns(path))).toEqual(plain(rows));
        expect(readTickMeta(path)).toEqual(meta);
      },
    ),
    { numRuns: 30 },
  );
});

it('counts what the rows come to', () => {
  const { rows, trades, volume, firstUs, lastUs } = readTickMeta(writtenFile());
  expect({ rows, trades, volume, firstUs, lastUs }).toEqual({
    rows: 3,
    trades: 3,
    volume: 10,
    firstUs: START_US,
    lastUs: START_US + 5_000_001,
  });
});

it('reads several parts one by one or as one, on memory that workers share', () => {
  const path = join(tempDir(), 'parts.arrow');
  const rows = rowsOf(TICKS, 2);
  writeColumns(path, 2, [slice(rows, 0, 2), slice(rows, 2, 3)], describeTicks({ depth: 2 }));
  expect([...readParts(path)].map(({ rows }) => rows)).toEqual([2, 1]);
  const read = readColumns(path);
  expect(plain(read)).toEqual(plain(rows));
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(read);
  const { message } = receiveMessageOnPort(port2) as { message: TickColumns };
  message.qty[0] = 99;
  expect(read.qty[0]).toBe(99);
  port1.close();
});

it('shares one piece of memory between all columns of a day, where the file was read into', () => {
  const { tsUs, priceTicks, qty, side } = readColumns(writtenFile());
  expect(tsUs.buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(new Set([tsUs.buffer, priceTicks.buffer, qty.buffer, side.buffer]).size).toBe(1);
});

it('is an Arrow file as others read it', () => {
  const table = tableFromIPC(readFileSync(writtenFile()));
  expect(table.schema.fields.map(String)).toEqual([
    'ts: Timestamp<MICROSECOND, UTC>',
    'price_ticks: Int32',
    'qty: Int32',
    'side: Int8',
  ]);
  expect(table.numRows).toBe(3);
  expect(table.batches[0]?.data.children[0]?.values[2]).toBe(BigInt(START_US + 5_000_001));
});

describe('a file that is not whole', () => {
  it('is refused wherever it was cut', () => {
    const path = writtenFile();
    const whole = readFileSync(path);
    for (let size = 0; size < whole.length; size += 7) {
      writeFileSync(path, whole.subarray(0, size));
      expect(() => readColumns(path)).toThrow(InputFault);
    }
  });

  it('never takes the place of one that is', () => {
    const path = writtenFile();
    const before = readFileSync(path);
    expect(() => writeColumns(path, 0, failing(), describeTicks())).toThrow('the disk is full');
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(join(path, '..'))).toEqual([`${DAY}.arrow`]);
  });
});

it('refuses times that fall', () => {
  const path = join(tempDir(), 'falling.arrow');
  const rows = rowsOf(TICKS);
  rows.tsUs[2] = START_US - 1;
  expect(() => writeColumns(path, 0, [rows], describeTicks())).toThrow('times never fall from row to row');
  expect(existsSync(path)).toBe(false);
});

it('lists what is there, and nothing where nothing is', () => {
  const dir = tempDir();
  expect(openCatalogue(dir)).toEqual([]);
  const path = writtenFile(dir);
  writeFileSync(join(path, '..', 'notes.txt'), 'mine');
  expect(openCatalogue(dir)).toMatchObject([
    { symbol: 'VN30F2603', day: DAY, path, meta: { rows: 3, gaps: [] } },
  ]);
});
