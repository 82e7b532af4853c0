/** Rows in the order of time. Files are oldest first or newest first; within one stamp their order is the exchange's. */
import { allocateRows, int32Columns, type TickRows } from '../columns/tick-columns.ts';

export function isNewestFirst({ tsUs, rows }: TickRows): boolean {
  return rows > 1 && (tsUs[0] ?? 0) > (tsUs[rows - 1] ?? 0);
}

/** The rows turned round if the file is, then sorted by time, equal times staying as they are. */
export function inOrder(part: TickRows, isReversed: boolean): TickRows {
  const { rows, tsUs } = part;
  if (!isReversed && isSorted(tsUs, rows)) return part;
  const index = new Uint32Array(rows);
  for (let i = 0; i < rows; i += 1) index[i] = isReversed ? rows - 1 - i : i;
  if (!isSortedBy(tsUs, index)) {
    const sign = isReversed ? -1 : 1;
    index.sort((a, b) => (tsUs[a] ?? 0) - (tsUs[b] ?? 0) || sign * (a - b));
  }
  const sorted = allocateRows(part.book?.depth ?? 0, rows);
  for (let i = 0; i < rows; i += 1) {
    const from = index[i] ?? 0;
    sorted.tsUs[i] = tsUs[from] ?? 0;
    sorted.side[i] = part.side[from] ?? 0;
  }
  const into = int32Columns(sorted);
  for (const [c, column] of int32Columns(part).entries()) gather(into[c], column, index);
  return sorted;
}

function gather(into: Int32Array | undefined, column: Int32Array, index: Uint32Array): void {
  if (into === undefined) return;
  for (let i = 0; i < index.length; i += 1) into[i] = column[index[i] ?? 0] ?? 0;
}

function isSorted(tsUs: Float64Array, rows: number): boolean {
  for (let i = 1; i < rows; i += 1) if ((tsUs[i] ?? 0) < (tsUs[i - 1] ?? 0)) return false;
  return true;
}

function isSortedBy(tsUs: Float64Array, index: Uint32Array): boolean {
  for (let i = 1; i < index.length; i += 1) {
    if ((tsUs[index[i] ?? 0] ?? 0) < (tsUs[index[i - 1] ?? 0] ?? 0)) return false;
  }
  return true;
}
