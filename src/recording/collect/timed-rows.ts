/** Collects rows in the order in which a file has them, and gives them back in the order of time. */
import {
  allocateTable,
  type Column,
  copyTable,
  type Layout,
  PART_ROWS,
  partRows,
  rowBytes,
  type RowTable,
  sliceTable,
  timesOf,
} from '../columns/row-table.ts';
import type { SpilledRows, SpillFile } from './collector.ts';

const FIRST_ROWS = 1 << 10;

/** `T` is how rows are written and read: a table, or a struct of its columns by name. */
export class TimedRows<T> {
  /** New rows are written here, at the place that `next` gives. */
  tail: T;
  readonly #layout: Layout;
  readonly #partRows: number;
  readonly #view: (table: RowTable) => T;
  readonly #spillFile: SpillFile;
  /** More memory is held than before: the collector may have to spill. */
  readonly #onGrow: () => void;
  #table: RowTable;
  #tailRows = 0;
  #spilled: SpilledRows[] = [];
  #isReversed = false;

  constructor(layout: Layout, view: (table: RowTable) => T, spillFile: SpillFile, onGrow: () => void) {
    this.#layout = layout;
    this.#partRows = partRows(layout);
    this.#view = view;
    this.#spillFile = spillFile;
    this.#onGrow = onGrow;
    this.#table = allocateTable(layout, FIRST_ROWS);
    this.tail = view(this.#table);
  }

  /** Bytes of memory held. */
  get capacity(): number {
    return this.#table.rows * rowBytes(this.#layout);
  }

  /** Makes room for one more row; returns its place in the tail. */
  next(): number {
    if (this.#tailRows === this.#table.rows) this.#grow();
    this.#tailRows += 1;
    return this.#tailRows - 1;
  }

  /** Moves the rows in memory to the disk. */
  spill(): void {
    if (this.#tailRows === 0) return;
    const part = sliceTable(this.#table, 0, this.#tailRows);
    if (this.#spilled.length === 0) this.#isReversed = isNewestFirst(part);
    this.#spilled.push(this.#spillFile.write(inOrder(this.#layout, part, this.#isReversed)));
    this.#setTail(allocateTable(this.#layout, FIRST_ROWS));
    this.#tailRows = 0;
  }

  /** In parts of as many rows as fit one; may be asked for again. */
  *inOrder(): Generator<T> {
    for (const part of this.#tables()) yield this.#view(part);
  }

  *#tables(): Generator<RowTable> {
    const layout = this.#layout;
    if (this.#spilled.length === 0) {
      const part = sliceTable(this.#table, 0, this.#tailRows);
      if (part.rows > 0) yield inOrder(layout, part, isNewestFirst(part));
      return;
    }
    this.spill();
    const stretches = this.#spilled.map((part): Stretch => ({
      rows: part.rows,
      read: (from, count) => this.#spillFile.read(part, layout, from, count),
    }));
    yield* mergeStretches(this.#isReversed ? stretches.toReversed() : stretches, layout, this.#partRows);
  }

  #grow(): void {
    if (this.#tailRows >= this.#partRows) return this.spill();
    const grown = allocateTable(this.#layout, 2 * this.#tailRows);
    copyTable(grown, 0, this.#table, 0, this.#tailRows);
    this.#setTail(grown);
    this.#onGrow();
  }

  #setTail(table: RowTable): void {
    this.#table = table;
    this.tail = this.#view(table);
  }
}

// Files are oldest first or newest first; within one stamp their order is the exchange's.

function isNewestFirst(table: RowTable): boolean {
  const times = timesOf(table);
  return table.rows > 1 && (times[0] ?? 0) > (times[table.rows - 1] ?? 0);
}

/** The rows turned round if the file is, then sorted by time, equal times staying as they are. */
function inOrder(layout: Layout, table: RowTable, isReversed: boolean): RowTable {
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

/** Rows in order that can be read piece by piece. */
interface Stretch {
  readonly rows: number;
  read(from: number, count: number): RowTable;
}

const WINDOW_ROWS = 1 << 16;

/**
 * Merges stretches that are each in order, with little of those in memory that have come to their turn. Of equal times the earlier
 * stretch of the list comes first.
 */
export function* mergeStretches(
  stretches: readonly Stretch[],
  layout: Layout,
  most = PART_ROWS,
  windowRows = WINDOW_ROWS,
): Generator<RowTable> {
  const cursors = stretches
    .map((stretch, place) => new Cursor(stretch, place, windowRows))
    .filter(({ isDone }) => !isDone);
  let left = stretches.reduce((rows, stretch) => rows + stretch.rows, 0);
  let part = allocateTable(layout, Math.min(left, most));
  let filled = 0;
  while (cursors.length > 0) {
    cursors.sort((a, b) => a.at - b.at || a.place - b.place);
    const [first, second] = cursors;
    if (first === undefined) return;
    first.open();
    const count = Math.min(first.runBefore(second), part.rows - filled);
    copyTable(part, filled, first.window, first.index, count);
    first.skip(count);
    filled += count;
    if (first.isDone) cursors.shift();
    if (filled < part.rows) continue;
    yield part;
    left -= filled;
    part = allocateTable(layout, Math.min(left, most));
    filled = 0;
  }
}

class Cursor {
  readonly place: number;
  window: RowTable;
  /** Next row, in the window. */
  index = 0;
  readonly #stretch: Stretch;
  readonly #windowRows: number;
  /** Rows of the stretch before the window. */
  #before = 0;
  #times: Float64Array;

  constructor(stretch: Stretch, place: number, windowRows: number) {
    this.#windowRows = windowRows;
    this.#stretch = stretch;
    this.place = place;
    // Until its turn the time of its first row is enough.
    this.window = stretch.read(0, Math.min(1, stretch.rows));
    this.#times = timesOf(this.window);
  }

  /** Its turn has come. */
  open(): void {
    const rows = Math.min(this.#windowRows, this.#stretch.rows);
    if (this.#before + this.index > 0 || this.window.rows === rows) return;
    this.window = this.#stretch.read(0, rows);
    this.#times = timesOf(this.window);
  }

  get isDone(): boolean {
    return this.#before + this.index >= this.#stretch.rows;
  }

  /** Time of the next row. */
  get at(): number {
    return this.#times[this.index] ?? Infinity;
  }

  /** How many rows of the window come before the next one of `other`. */
  runBefore(other: Cursor | undefined): number {
    const { rows } = this.window;
    if (other === undefined) return rows - this.index;
    const times = this.#times;
    const { at, place } = other;
    let end = this.index + 1;
    for (; end < rows; end += 1) {
      const next = times[end] ?? 0;
      if (next > at || (next === at && this.place > place)) break;
    }
    return end - this.index;
  }

  skip(count: number): void {
    this.index += count;
    if (this.index < this.window.rows || this.isDone) return;
    this.#before += this.window.rows;
    this.index = 0;
    const left = this.#stretch.rows - this.#before;
    this.window = this.#stretch.read(this.#before, Math.min(this.#windowRows, left));
    this.#times = timesOf(this.window);
  }
}
