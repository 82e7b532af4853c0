/** Many collections of rows at once, in memory that does not grow with the file. */
import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from '../../domain/assert.ts';
import { writing } from '../../domain/failure.ts';
import { allocateTable, type Layout, type RowTable, timesOf } from '../columns/row-table.ts';

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
    let held = this.#held.get(key);
    if (held === undefined) {
      held = create(this.#spillFile);
      this.#held.set(key, held);
    }
    return held;
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
export type SpilledRows = Readonly<Record<'rows' | 'offset' | 'firstUs' | 'lastUs', number>>;

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
    this.#file ??= nameless(this.#path);
    const file = this.#file;
    // At the place that readers are told, also after a write that failed halfway.
    let done = 0;
    writing(this.#path, () => {
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

function nameless(path: string): number {
  const file = openSync(path, 'w+', 0o600);
  rmSync(path);
  return file;
}
