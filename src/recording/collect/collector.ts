/** Collects rows in the order of a file, many collections at once, in bounded memory, and gives them back in the order of time. */
import { getOrCreate } from '../../domain/lists.ts';
import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from '../../domain/assert.ts';
import { withPath } from '../../domain/failure.ts';
import {
  allocateTable,
  type Layout,
  type RowTable,
  timesOf,
  type ColumnArray,
  copyTable,
  partRows,
  rowBytes,
  sliceTable,
} from '../columns/row-table.ts';

/** Bytes of rows in memory; more go to the disk, the largest collection first. */
const BYTES_IN_MEMORY_MAX = 100_000_000;

export interface SpillableRows {
  /** Bytes of memory held. */
  readonly capacity: number;
  /** Time of the row that was collected last. */
  lastUs: number;
  spill(): void;
}

export class Collector<T extends SpillableRows> {
  readonly #spillFile: SpillFile;
  readonly #held = new Map<string, T>();

  /** `dir` is where rows wait that do not fit. */
  constructor(dir: string) {
    this.#spillFile = new SpillFile(dir, () => this.#makeRoom());
  }

  /** In the order of their keys. */
  get all(): readonly T[] {
    return [...this.#held.keys()].toSorted().flatMap((key) => this.#held.get(key) ?? []);
  }

  at(key: string, create: (spillFile: SpillFile) => T): T {
    return getOrCreate(this.#held, key, () => create(this.#spillFile));
  }

  close(): void {
    this.#spillFile.close();
    this.#held.clear();
  }

  #makeRoom(): void {
    const all = [...this.#held.values()];
    const bytes = all.reduce((sum, { capacity }) => sum + capacity, 0);
    if (bytes > BYTES_IN_MEMORY_MAX) all.toSorted((a, b) => b.capacity - a.capacity)[0]?.spill();
  }
}

/** Rows that lie in the file, in the order of time. */
type SpilledRows = Readonly<Record<'rows' | 'offset' | 'firstUs' | 'lastUs', number>>;

/** Rows on the disk that do not fit into memory. The file has no name: it is gone with the process. */
export class SpillFile {
  /** More rows are in memory than before: some may have to be spilled. */
  readonly onGrow: () => void;
  readonly #path: string;
  #file: number | undefined = undefined;
  #end = 0;

  constructor(dir: string, onGrow: () => void) {
    this.onGrow = onGrow;
    this.#path = join(dir, `.spill-${process.pid}`);
    mkdirSync(dir, { recursive: true });
  }

  write(part: RowTable): SpilledRows {
    const times = timesOf(part);
    const [firstUs, lastUs] = [times[0] ?? 0, times.at(-1) ?? 0];
    const spilled = { rows: part.rows, offset: this.#end, firstUs, lastUs };
    for (const column of part.columns) this.#append(column);
    return spilled;
  }

  read({ rows, offset }: SpilledRows, layout: Layout, from: number, count: number): RowTable {
    const table = allocateTable(layout, count);
    let at = offset;
    for (const column of table.columns) {
      this.#readAt(column, at + from * column.BYTES_PER_ELEMENT);
      at += rows * column.BYTES_PER_ELEMENT;
    }
    return table;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #append(column: NodeJS.ArrayBufferView): void {
    if (this.#file === undefined) {
      this.#file = openSync(this.#path, 'w+', 0o600);
      rmSync(this.#path);
    }
    const file = this.#file;
    // At the place that readers get, also after a write that failed halfway.
    let done = 0;
    withPath(this.#path, () => {
      while (done < column.byteLength)
        done += writeSync(file, column, done, column.byteLength - done, this.#end + done);
    });
    this.#end += done;
  }

  #readAt(column: NodeJS.ArrayBufferView, position: number): void {
    assert(this.#file !== undefined, 'spilled rows are read after they were written');
    const bytes = new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
    let done = 0;
    while (done < bytes.length) {
      const read = readSync(this.#file, bytes, done, bytes.length - done, position + done);
      assert(read > 0, 'spilled rows stay on the disk');
      done += read;
    }
  }
}

const FIRST_ROWS = 1 << 10;

/** `T` is how rows are written and read: a table, or a struct of its columns by name. */
export class TimedRows<T> {
  lastUs = -Infinity;
  /** New rows are written here, at the place that `next` gives. */
  tail: T;
  readonly #layout: Layout;
  readonly #partRows: number;
  readonly #view: (table: RowTable) => T;
  readonly #spillFile: SpillFile;
  #table: RowTable;
  #tailRows = 0;
  #spilled: SpilledRows[] = [];
  #isReversed = false;

  constructor(layout: Layout, view: (table: RowTable) => T, spillFile: SpillFile) {
    this.#layout = layout;
    this.#partRows = partRows(layout);
    this.#view = view;
    this.#spillFile = spillFile;
    this.#table = allocateTable(layout, FIRST_ROWS);
    this.tail = view(this.#table);
  }

  get capacity(): number {
    return this.#table.rows * rowBytes(this.#layout);
  }

  /** Makes room for one more row; returns its place in the tail. */
  next(): number {
    if (this.#tailRows === this.#table.rows) this.#grow();
    this.#tailRows += 1;
    return this.#tailRows - 1;
  }

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
    const pieces = this.#isReversed ? this.#spilled.toReversed() : this.#spilled;
    if (pieces.every(({ firstUs }, i) => firstUs >= (pieces[i - 1]?.lastUs ?? -Infinity)))
      return yield* this.#joined(pieces, this.#partRows);
    // Pieces overlap where rows are far from their place: all of them are sorted in memory.
    for (const all of this.#joined(pieces, Infinity)) {
      const sorted = inOrder(layout, all, false);
      for (let from = 0; from < sorted.rows; from += this.#partRows)
        yield sliceTable(sorted, from, Math.min(sorted.rows, from + this.#partRows));
    }
  }

  /** Pieces one after the other, in parts of `most` rows. */
  *#joined(pieces: readonly SpilledRows[], most: number): Generator<RowTable> {
    let left = pieces.reduce((sum, { rows }) => sum + rows, 0);
    let part = allocateTable(this.#layout, Math.min(left, most));
    let filled = 0;
    for (const piece of pieces) {
      for (let from = 0; from < piece.rows;) {
        const count = Math.min(piece.rows - from, part.rows - filled);
        copyTable(part, filled, this.#spillFile.read(piece, this.#layout, from, count), 0, count);
        from += count;
        filled += count;
        if (filled < part.rows) continue;
        yield part;
        left -= filled;
        part = allocateTable(this.#layout, Math.min(left, most));
        filled = 0;
      }
    }
  }

  #grow(): void {
    if (this.#tailRows >= this.#partRows) return this.spill();
    const grown = allocateTable(this.#layout, 2 * this.#tailRows);
    copyTable(grown, 0, this.#table, 0, this.#tailRows);
    this.#setTail(grown);
    this.#spillFile.onGrow();
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
function inOrder(layout: Layout, { rows, columns }: RowTable, isReversed: boolean): RowTable {
  const table = { rows, columns: isReversed ? columns.map((column) => column.toReversed()) : columns };
  const times = timesOf(table);
  if (isSorted(times)) return table;
  const index = new Uint32Array(rows);
  for (let i = 0; i < rows; i += 1) index[i] = i;
  index.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b);
  const sorted = allocateTable(layout, rows);
  for (const [i, column] of sorted.columns.entries()) gather(column, table.columns[i], index);
  return sorted;
}

/** One loop for each kind of column: a loop that has met several is several times as slow. */
function gather(into: ColumnArray, from: ColumnArray | undefined, index: Uint32Array): void {
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
