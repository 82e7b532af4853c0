/** Rows that wait on the disk because memory is for what comes next. The file has no name: it is gone with the process. */
import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from '../../domain/assert.ts';
import { allocateTable, type Layout, type RowTable } from '../columns/row-table.ts';

/** Rows that lie in the file, in the order of time. */
export interface SpilledRows {
  readonly rows: number;
  readonly offset: number;
}

export class SpillFile {
  readonly #path: string;
  #file: number | undefined = undefined;
  #end = 0;

  constructor(dir: string) {
    this.#path = join(dir, `.spill-${process.pid}`);
    mkdirSync(dir, { recursive: true });
  }

  write(part: RowTable): SpilledRows {
    const spilled = { rows: part.rows, offset: this.#end };
    for (const column of part.columns) this.#append(column);
    return spilled;
  }

  /** Rows `from` to `from + count` of what was spilled. */
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
    let done = 0;
    while (done < column.byteLength) {
      done += writeSync(this.#file, column, done, column.byteLength - done, this.#end + done);
    }
    this.#end += done;
  }

  #readAt(column: NodeJS.ArrayBufferView, position: number): void {
    assert(this.#file !== undefined, 'what is read was written');
    const bytes = new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
    let done = 0;
    while (done < bytes.length) {
      const read = readSync(this.#file, bytes, done, bytes.length - done, position + done);
      assert(read > 0, 'what was spilled is there');
      done += read;
    }
  }
}

function nameless(path: string): number {
  const file = openSync(path, 'w+', 0o600);
  rmSync(path);
  return file;
}
