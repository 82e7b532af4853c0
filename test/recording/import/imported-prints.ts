/** A tape from text, imported into a directory of its own, and what became of it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { formatTime } from '../../../src/domain/civil-date.ts';
import { tsUs } from '../../../src/domain/units.ts';
import { openCatalogue } from '../../../src/recording/columns/catalogue.ts';
import { readColumns, type TickMeta } from '../../../src/recording/columns/tick-file.ts';
import type { BadRow, ImportOptions } from '../../../src/recording/import/import-table.ts';
import { importPrints } from '../../../src/recording/import/import-ticks.ts';
import { QUIET, vietnamese } from './import-settings.ts';
import { tempDir } from '../../support/temp-dir.ts';

export const HEAD = 'Time,Price,Volume,Side\n';

export const clock = (at: number): string => formatTime(tsUs(at), 420).slice(0, 8);

export interface Imported {
  readonly dir: string;
  readonly outcomes: readonly string[];
  readonly bad: readonly BadRow[];
  readonly notes: readonly string[];
  /** `VN30F2603 2026-03-04: 09:00:00 19500 x2 buy`. */
  readonly ticks: readonly string[];
  readonly metas: readonly TickMeta[];
}

const SIDES = ['sell', 'none', 'buy'];

export async function imported(
  text: string,
  { options = {}, name = '2026-03-04_vn30f2603.csv', dir = tempDir() }: Setting = {},
): Promise<Imported> {
  const file = join(tempDir(), name);
  writeFileSync(file, name.endsWith('.gz') ? gzipSync(text) : text);
  const bad: BadRow[] = [];
  const report = await importPrints(
    file,
    { ...vietnamese(dir), ...options },
    { ...QUIET, bad: (row) => bad.push(row) },
  );
  expect(report.badRows).toBe(bad.length);
  const days = openCatalogue(dir);
  return {
    dir,
    outcomes: report.stored.map(({ outcome }) => outcome),
    bad,
    notes: report.notes,
    ticks: days.flatMap(({ symbol, day, path }) => {
      const { rows, tsUs: at, priceTicks, qty, side } = readColumns(path);
      return Array.from(
        { length: rows },
        (_, i) => `${symbol} ${day}: ${clock(at[i]!)} ${priceTicks[i]} x${qty[i]} ${SIDES[side[i]! + 1]}`,
      );
    }),
    metas: days.map(({ meta }) => meta),
  };
}

export interface Setting {
  readonly options?: Partial<ImportOptions>;
  readonly name?: string;
  readonly dir?: string;
}
