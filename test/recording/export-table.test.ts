/** An export holds the stored rows: read back by other readers, and by our own import. */
const tick = (afterUs: number, price: number, qty: number, side: number): TestTick => ({
  afterUs,
  price,
  qty,
  side,
});

/** 09:00:00, 09:00:00.000001, and a change of the book alone. */
const TICKS = [
  tick(0, 19_500, 2, 1),
  tick(1, 19_501, 1, -1),
  tick(999_999, 19_501, 0, 0),
  tick(0, 19_499, 7, 0),
];

function columnsOf(ticks: readonly TestTick[], depth = 0): string {
  const path = ticksPath(tempDir(), 'VN30F2603', DAY);
  writeColumns(path, depth, [rowsOf(ticks, depth)], described({ depth }));
  return path;
}

function tableOf(path: string, { depth = 0, tradesOnly = false } = {}): ExportTable {
  return {
    fields: tickFields('0.1', '1', depth),
    parts: [tickPart(readColumns(path), depth, tradesOnly)],
    utcOffsetMinutes: 420,
  };
}

it('writes CSV with times of the exchange, decimals and words', async () => {
  const out = join(tempDir(), 'deep', 'ticks.csv');
  await exportFile(out, tableOf(columnsOf(TICKS)));
  expect(readFileSync(out, 'utf8').split('\n')).toEqual([
    'time,price,volume,side',
    '2026-03-04T09:00:00+07:00,1950.0,2,buy',
    '2026-03-04T09:00:00.000001+07:00,1950.1,1,sell',
    '2026-03-04T09:00:01+07:00,1950.1,0,',
    '2026-03-04T09:00:01+07:00,1949.9,7,',
    '',
  ]);
  expect(readdirSync(join(out, '..'))).toEqual(['ticks.csv']);
});

it('leaves a level of the book empty that was not there', async () => {
  const out = join(tempDir(), 'ticks.csv');
  const path = columnsOf([tick(0, 19_500, 2, 1)], 1);
  await exportFile(out, tableOf(path, { depth: 2 }));
  expect(readFileSync(out, 'utf8').split('\n')[1]).toBe(
    '2026-03-04T09:00:00+07:00,1950.0,2,buy,1949.9,0,1950.1,0,,0,,0',
  );
});

const printArbitrary = fc.record({
  afterUs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 60_000_000 })),
  price: fc.integer({ min: 1, max: CEILING_NONE - 1 }),
  qty: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  side: fc.constantFrom(-1, 1),
});

it.each(['ticks.csv', 'ticks.csv.gz'])(
  'exports trades as %s that an import takes back to the bit',
  async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.array(printArbitrary, { minLength: 1, maxLength: 30 }), async (ticks) => {
        // After the opening auction, whose trades have no side.
        const [first, ...rest] = ticks;
        const path = columnsOf([{ ...first!, afterUs: 2_000_000 }, ...rest]);
        const out = join(tempDir(), name);
        await exportFile(out, tableOf(path, { tradesOnly: true }));
        const report = await importPrints(out, { ...vietnamese(tempDir()), symbol: 'VN30F2603' }, QUIET);
        expect(report.bad).toEqual([]);
        expect(report.stored.map(({ meta }) => meta.digest)).toEqual([readColumns(path).meta.digest]);
      }),
      { numRuns: 15 },
    );
  },
);

it('exports a day whose book is crossed for a moment, and an import takes it back to the bit', async () => {
  const rows = rowsOf([tick(2_000_000, 19_500, 7, 1), tick(1, 19_500, 0, 0), tick(1, 19_501, 7, 1)], 2);
  for (const levels of [rows.book!.bidQty, rows.book!.askQty]) for (const level of levels) level.fill(5);
  // The new bid came a frame before the ask that it took away.
  rows.book!.bidPrice[0]![1] = 19_502;
  const path = ticksPath(tempDir(), 'VN30F2603', DAY);
  writeColumns(path, 2, [rows], described({ depth: 2 }));
  const out = join(tempDir(), 'ticks.csv');
  await exportFile(out, tableOf(path, { depth: 2 }));
  const report = await importPrints(out, { ...vietnamese(tempDir()), symbol: 'VN30F2603' }, QUIET);
  expect(report.bad).toEqual([]);
  expect(report.stored.map(({ meta }) => meta.digest)).toEqual([readColumns(path).meta.digest]);
});

const at = (us: number): Date => new Date((START_US + us) / 1_000);

it('writes Parquet that another reader reads', async () => {
  const out = join(tempDir(), 'ticks.parquet');
  await exportFile(out, tableOf(columnsOf(TICKS, 1), { depth: 1 }));
  const file = readFileSync(out);
  const buffer = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
  const rows = await parquetReadObjects({ file: buffer });
  expect(rows.map(({ time, price, volume, side }) => [time, price, volume, side])).toEqual([
    [at(0), 1950, 2, 'buy'],
    [at(0), 1950.1, 1, 'sell'],
    [at(1_000_000), 1950.1, 0, ''],
    [at(1_000_000), 1949.9, 7, ''],
  ]);
  expect(rows[1]).toMatchObject({ bid_price_1: 1950, bid_volume_1: 1, ask_price_1: 1950.2, ask_volume_1: 0 });
  const { schema, num_rows: count } = parquetMetadata(buffer);
  expect([Number(count), schema[1]]).toEqual([
    4,
    expect.objectContaining({
      name: 'time',
      type: 'INT64',
      logical_type: expect.objectContaining({ unit: 'MICROS' }),
    }),
  ]);
});

it('keeps each microsecond in Parquet, over several row groups', async () => {
  const out = join(tempDir(), 'ticks.parquet');
  const count = 140_000;
  expect(count).toBeLessThan(PART_ROWS);
  const path = columnsOf(Array.from({ length: count }, (_, i) => tick(1, 19_000 + (i % 700), 1, 1)));
  await exportFile(out, tableOf(path));
  const file = readFileSync(out);
  const buffer = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
  expect(parquetMetadata(buffer).row_groups.map(({ num_rows: rows }) => Number(rows))).toEqual([
    131_072, 8_928,
  ]);
  const parsers = { timestampFromMicroseconds: (us: bigint) => us };
  const last = await parquetReadObjects({
    file: buffer,
    rowStart: count - 2,
    rowEnd: count,
    parsers,
  });
  expect(last.map(({ time }) => Number(time) - START_US)).toEqual([count - 1, count]);
});

it('leaves nothing behind when its rows cannot be read', async () => {
  const dir = tempDir();
  const failing: ExportTable['parts'] = {
    [Symbol.iterator]() {
      throw new Error('the disk is gone');
    },
  };
  const table = { ...tableOf(columnsOf(TICKS)), parts: failing };
  for (const name of ['a.csv', 'a.csv.gz', 'a.parquet']) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- one after the other, for the message
    await expect(exportFile(join(dir, name), table)).rejects.toThrow('the disk is gone');
  }
  expect(readdirSync(dir)).toEqual([]);
});

/** Polars reads both kinds of file as they are, where there is a Python that has it (`TICKWRIGHT_PYTHON`). */
const PYTHON = process.env['TICKWRIGHT_PYTHON'] ?? 'python3';
const POLARS = `
import sys, polars as pl
arrow, parquet = pl.read_ipc(sys.argv[1]), pl.read_parquet(sys.argv[2])
print(arrow.columns, [str(t) for t in arrow.dtypes])
print(arrow['ts'].cast(pl.Int64).to_list(), arrow['price_ticks'].to_list(), arrow['qty'].to_list(), arrow['side'].to_list())
print(parquet['time'].cast(pl.Int64).to_list() == arrow['ts'].cast(pl.Int64).to_list(), parquet['price'].to_list())
`;
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { expect, it } from 'vitest';
import { CEILING_NONE } from '../../src/domain/contract.ts';
import { PART_ROWS } from '../../src/recording/columns/row-table.ts';
import { ticksPath } from '../../src/recording/columns/catalogue.ts';
import { readColumns, writeColumns } from '../../src/recording/columns/tick-file.ts';
import { exportFile, type ExportTable, tickFields, tickPart } from '../../src/recording/export-table.ts';
import { importPrints } from '../../src/recording/import/import-ticks.ts';
import { describe as described, DAY, rowsOf, START_US, type TestTick } from './columns/sample-ticks.ts';
import { QUIET, vietnamese } from './import/import-settings.ts';
import { tempDir } from '../support/temp-dir.ts';

it('is read by Polars as it is', async (context) => {
  const hasPolars = spawnSync(PYTHON, ['-c', 'import polars']).status === 0;
  context.skip(!hasPolars, 'needs a Python with Polars: name one in TICKWRIGHT_PYTHON');
  const path = columnsOf(TICKS);
  const out = join(tempDir(), 'ticks.parquet');
  await exportFile(out, tableOf(path));
  const { stdout, stderr } = spawnSync(PYTHON, ['-c', POLARS, path, out], { encoding: 'utf8' });
  const times = [0, 1, 1_000_000, 1_000_000].map((us) => START_US + us).join(', ');
  expect([stdout.split('\n'), stderr]).toEqual([
    [
      "['ts', 'price_ticks', 'qty', 'side'] [\"Datetime(time_unit='us', time_zone='UTC')\", 'Int32', 'Int32', 'Int8']",
      `[${times}] [19500, 19501, 19501, 19499] [2, 1, 0, 7] [1, -1, 0, 0]`,
      'True [1950.0, 1950.1, 1950.1, 1949.9]',
      '',
    ],
    '',
  ]);
});
