import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import type { Layout, RowTable } from '../../../src/recording/columns/row-table.ts';
import { TimedRows, SpillFile } from '../../../src/recording/collect/collector.ts';

const LAYOUT: Layout = [
  { name: 'ts', kind: 'time' },
  { name: 'small', kind: 'small' },
  { name: 'number', kind: 'whole' },
];

function spillFile(): SpillFile {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-spill-'));
  const file = new SpillFile(dir, () => undefined);
  onTestFinished(() => {
    file.close();
    expect(readdirSync(dir)).toEqual([]);
    rmSync(dir, { recursive: true, force: true });
  });
  return file;
}

type Row = readonly [at: number, number: number];

const rowsOf = (tables: Iterable<RowTable>): Row[] =>
  [...tables].flatMap(({ rows, columns }) =>
    Array.from({ length: rows }, (_, i): Row => {
      expect(columns[1]![i]).toBe(columns[2]![i]! % 100);
      return [columns[0]![i]!, columns[2]![i]!];
    }),
  );

/** Pushes a row for each time, numbered from 0, and spills in front of the places given. */
function collected(times: readonly number[], spills: ReadonlySet<number>): TimedRows<RowTable> {
  const rows = new TimedRows(LAYOUT, (table) => table, spillFile());
  for (const [number, time] of times.entries()) {
    if (spills.has(number)) rows.spill();
    const i = rows.next();
    rows.tail.columns[0]![i] = time;
    rows.tail.columns[1]![i] = number % 100;
    rows.tail.columns[2]![i] = number;
  }
  return rows;
}

const byTime = (times: readonly number[]): Row[] =>
  times.map((time, number): Row => [time, number]).toSorted((a, b) => a[0] - b[0]);

const times = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 40 });
const spills = fc.array(fc.integer({ min: 0, max: 40 })).map((places) => new Set(places));

it('gives rows back by time, equal times as they came, wherever they waited', () => {
  fc.assert(
    fc.property(times, spills, (all, places) => {
      // A first row at the very beginning: the file is oldest first.
      const rows = collected([-1, ...all], places);
      expect(rowsOf(rows.inOrder())).toEqual(byTime([-1, ...all]));
      expect(rowsOf(rows.inOrder())).toEqual(byTime([-1, ...all]));
    }),
    { numRuns: 60 },
  );
});

it('turns a file round that is newest first, and keeps the order within a stamp', () => {
  fc.assert(
    fc.property(times, spills, (all, places) => {
      const newestFirst = [100, ...all.toSorted((a, b) => b - a), -1];
      // The first spilled rows decide; they must have two times.
      const rows = collected(newestFirst, new Set([...places].filter((place) => place > all.length)));
      const turned = newestFirst.map((time, number): Row => [time, number]).toReversed();
      expect(rowsOf(rows.inOrder())).toEqual(turned.toSorted((a, b) => a[0] - b[0]));
    }),
    { numRuns: 60 },
  );
});
