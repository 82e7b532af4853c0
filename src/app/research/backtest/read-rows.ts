/** The rows of a day from its file: ticks as they lie there, bars as the trades that a run plays for them. */
import { barTicks } from '../../../backtest/bars/bar-ticks.ts';
import { BAR_LAYOUT, type BarRows, barsOf, tableOfBars } from '../../../recording/bars/bar-columns.ts';
import { readBarParts } from '../../../recording/bars/bar-file.ts';
import { allocateTable, copyTable } from '../../../recording/columns/row-table.ts';
import type { TickRows } from '../../../recording/columns/tick-columns.ts';
import { readColumns } from '../../../recording/columns/tick-file.ts';
import type { Backtest } from './load-backtest.ts';
import type { SourceDay } from './source-days.ts';

interface OpenFile {
  readonly path: string;
  readonly parts: readonly BarRows[];
}

/** Reads days in any order; the file of bars that was read last stays open for the day after. */
export function rowReader({ read }: Pick<Backtest, 'read'>): (source: SourceDay) => TickRows {
  let file: OpenFile | null = null;
  return ({ path, bars }) => {
    if (bars === null) return readColumns(path);
    if (file?.path !== path) file = { path, parts: [...readBarParts(path)] };
    const found = barsBetween(file.parts, bars.from, bars.to);
    return barTicks(found, read.models.path);
  };
}

/** Copies: a day may lie in two parts of its file. */
function barsBetween(parts: readonly BarRows[], from: number, to: number): BarRows {
  const into = allocateTable(BAR_LAYOUT, to - from);
  let before = 0;
  for (const part of parts) {
    const first = Math.max(from, before);
    const last = Math.min(to, before + part.rows);
    if (first < last) copyTable(into, first - from, tableOfBars(part), first - before, last - first);
    before += part.rows;
  }
  return barsOf(into);
}
