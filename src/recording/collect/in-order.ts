/** Rows in the order of time. Files are oldest first or newest first; within one stamp their order is the exchange's. */
import { allocateTable, type Column, type Layout, type RowTable, timesOf } from '../columns/row-table.ts';

export function isNewestFirst(table: RowTable): boolean {
  const times = timesOf(table);
  return table.rows > 1 && (times[0] ?? 0) > (times[table.rows - 1] ?? 0);
}

/** The rows turned round if the file is, then sorted by time, equal times staying as they are. */
export function inOrder(layout: Layout, table: RowTable, isReversed: boolean): RowTable {
  const { rows } = table;
  const times = timesOf(table);
  if (!isReversed && isSorted(times)) return table;
  const index = new Uint32Array(rows);
  for (let i = 0; i < rows; i += 1) index[i] = isReversed ? rows - 1 - i : i;
  if (!isSortedBy(times, index)) {
    const sign = isReversed ? -1 : 1;
    index.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || sign * (a - b));
  }
  const sorted = allocateTable(layout, rows);
  for (const [i, column] of sorted.columns.entries()) gather(column, table.columns[i], index);
  return sorted;
}

/** One loop for each kind of column: a loop that has met several is several times as slow. */
function gather(into: Column, from: Column | undefined, index: Uint32Array): void {
  if (into instanceof Float64Array && from instanceof Float64Array) {
    for (let i = 0; i < index.length; i += 1) into[i] = from[index[i] ?? 0] ?? 0;
  } else if (into instanceof Int32Array && from instanceof Int32Array) {
    for (let i = 0; i < index.length; i += 1) into[i] = from[index[i] ?? 0] ?? 0;
  } else if (from instanceof Int8Array) {
    for (let i = 0; i < index.length; i += 1) into[i] = from[index[i] ?? 0] ?? 0;
  }
}

function isSorted(times: Float64Array): boolean {
  for (let i = 1; i < times.length; i += 1) if ((times[i] ?? 0) < (times[i - 1] ?? 0)) return false;
  return true;
}

function isSortedBy(times: Float64Array, index: Uint32Array): boolean {
  for (let i = 1; i < index.length; i += 1) {
    if ((times[index[i] ?? 0] ?? 0) < (times[index[i - 1] ?? 0] ?? 0)) return false;
  }
  return true;
}
