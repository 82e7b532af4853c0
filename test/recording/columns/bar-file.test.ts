/** A range of bars is read without the rest of its file, over the borders of its parts. */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  BAR_LAYOUT,
  readBarParts,
  readBars,
  tableOfBars,
  writeBars,
} from '../../../src/recording/columns/bar-file.ts';
import { allocateTable, type RowTable, type TableTotals } from '../../../src/recording/columns/row-table.ts';
import { tempDir } from '../../support/temp-dir.ts';

const describeBars = ({ rows, firstUs, lastUs, digest }: TableTotals) => ({
  kind: 'bars' as const,
  version: 1 as const,
  symbol: 'X',
  everyUs: 60_000_000,
  year: 2024,
  tickSize: '0.01',
  lotSize: '1',
  timeZone: 'UTC',
  rows,
  volume: 0,
  firstUs,
  lastUs,
  badRows: 0,
  source: 'x.csv',
  digest,
});

/** Every value differs, and times need more than 32 bits. */
function partOf(rows: number, from: number): RowTable {
  const table = allocateTable(BAR_LAYOUT, rows);
  for (const [place, column] of table.columns.entries()) {
    const isTime = place < 2;
    for (let i = 0; i < rows; i += 1)
      column[i] = isTime ? 1.7e15 + 6e7 * (from + i) + place : (from + i + place) % 100;
  }
  return table;
}

it('gives the bars of any range as the whole file has them', () => {
  const dir = tempDir();
  const path = join(dir, '2024.arrow');
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
      fc.nat(50),
      fc.nat(50),
      (parts, a, b) => {
        const starts = parts.map((_, place) => parts.slice(0, place).reduce((sum, rows) => sum + rows, 0));
        writeBars(
          path,
          parts.map((rows, place) => partOf(rows, starts[place] ?? 0)),
          describeBars,
        );
        const whole = [...readBarParts(path)].map(tableOfBars);
        const total = parts.reduce((sum, rows) => sum + rows, 0);
        const [from, to] = [Math.min(a, b, total), Math.max(a, b)];
        const read = tableOfBars(readBars(path, from, to));
        expect(read.rows).toBe(Math.min(to, total) - from);
        for (const [place, column] of read.columns.entries()) {
          const all = whole.flatMap(({ columns }) => [...columns[place]!]);
          expect([...column]).toEqual(all.slice(from, to));
        }
      },
    ),
  );
});
