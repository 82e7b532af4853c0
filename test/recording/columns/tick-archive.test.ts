import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ColumnFileError } from '../../../src/recording/columns/arrow-file.ts';
import { sliceTable } from '../../../src/recording/columns/row-table.ts';
import { writeArchive } from '../../../src/recording/columns/tick-archive.ts';
import { tableOf, ticksOf } from '../../../src/recording/columns/tick-columns.ts';
import {
  readColumns,
  readParts,
  readTickMeta,
  writeColumns,
} from '../../../src/recording/columns/tick-file.ts';
import { describe as describeTicks, plain, rowsOf, type TestTick, tickArbitrary } from './sample-ticks.ts';

function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-archive-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Writes both kinds of file, in parts of `partRows`. */
function written(dir: string, ticks: readonly TestTick[], depth = 0, partRows = 1_000) {
  const rows = rowsOf(ticks, depth);
  const parts = [];
  for (let from = 0; from < rows.rows; from += partRows) {
    parts.push(ticksOf(sliceTable(tableOf(rows), from, Math.min(from + partRows, rows.rows))));
  }
  const columns = join(dir, '2026-03-04.arrow');
  const archive = join(dir, '2026-03-04.ticks');
  const meta = writeColumns(columns, depth, parts, describeTicks({ depth }));
  writeArchive(archive, meta, readParts(columns));
  return { rows, meta, archive };
}

it('gives back every value, with a book and without, in parts of any size', () => {
  const dir = tempDir();
  fc.assert(
    fc.property(
      fc.array(tickArbitrary, { maxLength: 40 }),
      fc.integer({ min: 0, max: 2 }),
      fc.integer({ min: 1, max: 40 }),
      (ticks, depth, partRows) => {
        const { rows, meta, archive } = written(dir, ticks, depth, partRows);
        expect(plain(readColumns(archive))).toEqual(plain(rows));
        expect(readTickMeta(archive)).toEqual(meta);
      },
    ),
    { numRuns: 30 },
  );
});

it('needs a byte or two for a tick as it usually is', () => {
  const ticks = Array.from({ length: 5_000 }, (_, i): TestTick => ({
    afterUs: (i * 7_919) % 13 === 0 ? 1_000_000 : 0,
    price: 19_500 + ((i * 104_729) % 5),
    qty: 1 + ((i * 15_485_863) % 7),
    side: i % 3 === 0 ? 1 : -1,
  }));
  const { archive } = written(tempDir(), ticks);
  expect(statSync(archive).size).toBeLessThan(8 * ticks.length);
});

describe('an archive that is damaged', () => {
  const TICKS = Array.from({ length: 50 }, (_, i): TestTick => ({
    afterUs: 1,
    price: i,
    qty: i % 5,
    side: 1,
  }));

  it('is refused wherever it was cut', () => {
    const { archive } = written(tempDir(), TICKS, 1, 20);
    const whole = readFileSync(archive);
    for (let size = 0; size < whole.length; size += 11) {
      writeFileSync(archive, whole.subarray(0, size));
      expect(() => readColumns(archive)).toThrow(ColumnFileError);
    }
  });

  it('gives no tick that was not packed, whichever bit was turned', () => {
    const { archive, rows } = written(tempDir(), TICKS, 1, 20);
    const whole = readFileSync(archive);
    const expected = JSON.stringify(plain(rows));
    const outcomes = new Set<string>();
    for (let at = 12; at < whole.length; at += 5) {
      const turned = Buffer.from(whole);
      turned[at]! ^= 1 << (at % 8);
      writeFileSync(archive, turned);
      outcomes.add(outcome(archive, expected));
    }
    outcomes.delete('the same');
    expect([...outcomes]).toEqual(['refused']);
  });
});

function outcome(archive: string, expected: string): string {
  try {
    return JSON.stringify(plain(readColumns(archive))) === expected ? 'the same' : 'other ticks';
  } catch {
    return 'refused';
  }
}
