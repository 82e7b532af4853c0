/** Rows that wait on the disk because memory is for what comes next. The file has no name: it is gone with the process. */
import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from '../../domain/assert.ts';
import { allocateRows, int32Columns, type TickRows } from '../columns/tick-columns.ts';

/** Rows that lie in the file, in the order of time. */
export interface SpilledRows {
  readonly rows: number;
  readonly offset: number;
}

const BYTES = { time: 8, whole: 4, side: 1 } as const;

export class SpillFile {
  readonly #path: string;
  #file: number | undefined = undefined;
  #end = 0;

  constructor(dir: string) {
    this.#path = join(dir, `.spill-${process.pid}`);
    mkdirSync(dir, { recursive: true });
  }

  write(part: TickRows): SpilledRows {
    const spilled = { rows: part.rows, offset: this.#end };
    for (const column of [part.tsUs, ...int32Columns(part), part.side]) this.#append(column);
    return spilled;
  }

  /** Rows `from` to `from + count` of what was spilled. */
  read({ rows, offset }: SpilledRows, depth: number, from: number, count: number): TickRows {
    const into = allocateRows(depth, count);
    let at = offset;
    const take = (column: NodeJS.ArrayBufferView, width: number): void => {
      this.#readAt(column, at + from * width);
      at += rows * width;
    };
    take(into.tsUs, BYTES.time);
    for (const column of int32Columns(into)) take(column, BYTES.whole);
    take(into.side, BYTES.side);
    return into;
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
