/**
 * Archives of ticks, `ticks/<symbol>/<day>.ticks`: the same rows as in the columns, in about a byte each. Every column of a
 * part is packed by itself: differences in as few bytes as they need, then Brotli. The unpacked rows are checked against the
 * digest that both kinds of file have.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { assert } from '../../domain/assert.ts';
import { ColumnFileError } from './arrow-file.ts';
import {
  allocateTable,
  type Column,
  type ColumnKind,
  PART_ROWS,
  type RowTable,
  TotalsCounter,
} from './row-table.ts';
import {
  parseTickMeta,
  isQuotes,
  tableOf,
  type TickColumns,
  tickLayout,
  type TickMeta,
  type TickRows,
  ticksOf,
} from './tick-columns.ts';
import { createWholeFile } from './whole-file.ts';

export const ARCHIVE = '.ticks';

const MAGIC = Buffer.from('TWTICKS1');
/** As fast as an import, and a tenth larger than the slowest. */
const QUALITY = 4;
const WORD_BYTES = 4;
/** Larger than any piece we write: a longer one proves damage. */
const PIECE_BYTES_MAX = 1 << 28;

/** Bytes written. */
export function writeArchive(path: string, meta: TickMeta, parts: Iterable<TickRows>): number {
  const file = createWholeFile(path);
  const layout = tickLayout(meta.depth);
  const piece = (bytes: Uint8Array): void => {
    file.write(Uint32Array.of(bytes.length));
    file.write(bytes);
  };
  try {
    file.write(MAGIC);
    piece(Buffer.from(JSON.stringify(meta)));
    for (const part of parts) {
      file.write(Uint32Array.of(part.rows));
      for (const [i, column] of tableOf(part).columns.entries()) {
        piece(compressed(packed(column, layout[i]?.kind, meta.stampUs)));
      }
    }
    const { position } = file;
    file.keep();
    return position;
  } finally {
    file.drop();
  }
}

/** The ticks of the archive in its parts; throws at the end when the digest differs. */
export function* readArchiveParts(path: string): Generator<TickColumns> {
  const file = openSync(path, 'r');
  try {
    const pieces = new PieceReader(file, path);
    const meta = pieces.meta();
    const layout = tickLayout(meta.depth);
    const totals = new TotalsCounter();
    for (let rows = 0; rows < meta.rows;) {
      const count = pieces.word();
      if (count > Math.min(PART_ROWS, meta.rows - rows)) throw pieces.damaged();
      const table = allocateTable(layout, count, 'shared');
      for (const [i, { kind }] of layout.entries()) unpack(pieces, table, i, kind, meta.stampUs);
      totals.add(table);
      rows += table.rows;
      yield { meta, ...ticksOf(table, isQuotes(meta)) };
    }
    if (totals.totals().digest !== meta.digest) throw pieces.damaged();
  } finally {
    closeSync(file);
  }
}

export function readArchiveMeta(path: string): TickMeta {
  const file = openSync(path, 'r');
  try {
    return new PieceReader(file, path).meta();
  } finally {
    closeSync(file);
  }
}

class PieceReader {
  readonly #file: number;
  readonly #path: string;
  #at = 0;

  constructor(file: number, path: string) {
    this.#file = file;
    this.#path = path;
  }

  damaged(): ColumnFileError {
    return new ColumnFileError(`${this.#path}: expected an archive of ticks, was damaged, cut off or none`);
  }

  meta(): TickMeta {
    if (!MAGIC.equals(this.#read(MAGIC.length))) throw this.damaged();
    const meta = parseTickMeta(this.piece().toString('utf8'));
    if (meta === undefined) throw this.damaged();
    return meta;
  }

  word(): number {
    const word = this.#read(WORD_BYTES).readUInt32LE(0);
    if (word === 0 || word > PIECE_BYTES_MAX) throw this.damaged();
    return word;
  }

  piece(): Buffer {
    return this.#read(this.word());
  }

  #read(count: number): Buffer {
    const bytes = Buffer.alloc(count);
    if (readSync(this.#file, bytes, 0, count, this.#at) !== count) throw this.damaged();
    this.#at += count;
    return bytes;
  }
}

function compressed(bytes: Uint8Array): Uint8Array {
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });
}

function packed(column: Column, kind: ColumnKind | undefined, unit: number): Uint8Array {
  if (column instanceof Int32Array) return packChanges(column);
  if (column instanceof Float64Array && kind === 'time') return packRising(column, unit);
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

function unpack(
  pieces: PieceReader,
  { columns }: RowTable,
  at: number,
  kind: ColumnKind,
  unit: number,
): void {
  const column = columns[at];
  let bytes: Buffer;
  try {
    bytes = brotliDecompressSync(pieces.piece());
    if (column instanceof Int32Array) unpackChanges(bytes, column);
    else if (column instanceof Float64Array && kind === 'time') unpackRising(bytes, unit, column);
    else column?.set(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
  } catch (error) {
    if (error instanceof ColumnFileError) throw error;
    throw pieces.damaged();
  }
}

// Whole numbers in as few bytes as they need: seven bits a byte, the last one without the high bit.

const LOW_BITS = 128;
/** A whole number of 53 bits needs as many. */
const BYTES_MAX = 8;

/** Differences from value to value, in `unit`s: small where values change little. They never fall. */
function packRising(values: Float64Array, unit: number): Uint8Array {
  const bytes = new Uint8Array(values.length * BYTES_MAX);
  let at = 0;
  let before = 0;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? 0;
    let left = (value - before) / unit;
    before = value;
    for (; left >= LOW_BITS; at += 1) {
      bytes[at] = (left % LOW_BITS) | LOW_BITS;
      left = Math.floor(left / LOW_BITS);
    }
    bytes[at] = left;
    at += 1;
  }
  return bytes.subarray(0, at);
}

function unpackRising(bytes: Uint8Array, unit: number, into: Float64Array): void {
  let at = 0;
  let value = 0;
  for (let i = 0; i < into.length; i += 1) {
    let factor = 1;
    let difference = 0;
    let byte = bytes[at] ?? NaN;
    for (; byte >= LOW_BITS; factor *= LOW_BITS) {
      difference += (byte - LOW_BITS) * factor;
      at += 1;
      byte = bytes[at] ?? NaN;
    }
    at += 1;
    value += (difference + byte * factor) * unit;
    into[i] = value;
  }
  assert(at === bytes.length, 'a packed column has as many values as rows');
}

/** Differences from value to value, of either sign. */
function packChanges(values: Int32Array): Uint8Array {
  const bytes = new Uint8Array(values.length * 5);
  let at = 0;
  let before = 0;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? 0;
    // Around zero: 0, -1, 1, -2, 2. Differences wrap within 32 bits, and back again.
    const change = (value - before) | 0;
    before = value;
    let left = ((change << 1) ^ (change >> 31)) >>> 0;
    for (; left >= LOW_BITS; at += 1) {
      bytes[at] = (left & (LOW_BITS - 1)) | LOW_BITS;
      left >>>= 7;
    }
    bytes[at] = left;
    at += 1;
  }
  return bytes.subarray(0, at);
}

function unpackChanges(bytes: Uint8Array, into: Int32Array): void {
  let at = 0;
  let value = 0;
  for (let i = 0; i < into.length; i += 1) {
    let shift = 0;
    let packed = 0;
    let byte = bytes[at] ?? 0;
    for (; byte >= LOW_BITS; shift += 7) {
      packed |= (byte - LOW_BITS) << shift;
      at += 1;
      byte = bytes[at] ?? 0;
    }
    at += 1;
    packed |= byte << shift;
    value = (value + ((packed >>> 1) ^ -(packed & 1))) | 0;
    into[i] = value;
  }
  assert(at === bytes.length, 'a packed column has as many values as rows');
}
