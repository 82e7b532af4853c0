/**
 * Reads files of ticks into shared memory. What the file holds in four bytes or one is used where it was read, without a
 * copy; times are turned from 64-bit whole numbers into the doubles that JavaScript counts in, in their own place.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Schema } from 'apache-arrow';
import { type FileBlock, Footer } from 'apache-arrow/ipc/metadata/file';
import { Message } from 'apache-arrow/ipc/metadata/message';
import { assert } from '../../domain/assert.ts';
import { FILE_TAIL_BYTES, MAGIC, MESSAGE_HEAD_BYTES, tickSchema } from './arrow-layout.ts';
import { allocateRows, copyRows, type TickColumns, type TickRows } from './tick-columns.ts';
import { META_KEY, parseTickMeta, type TickMeta } from './tick-meta.ts';

/** Thrown for a file that is not, or not wholly, one of ours. */
export class ColumnFileError extends Error {
  override readonly name = 'ColumnFileError';
}

/** All ticks of the file. A file of one part, which is any ordinary day, is not copied. */
export function readColumns(path: string): TickColumns {
  const parts = [...readParts(path)];
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return first;
  const meta = first?.meta ?? readTickMeta(path);
  return { meta, ...joined(meta, parts) };
}

/** The ticks of the file in parts of at most `PART_ROWS` rows, each read when it is asked for. */
export function* readParts(path: string): Generator<TickColumns> {
  const file = openSync(path, 'r');
  try {
    const { meta, blocks } = readFooter(file, path);
    for (const block of blocks) yield { meta, ...readBatch(file, path, block, meta.depth) };
  } finally {
    closeSync(file);
  }
}

/** What the file says about itself, read without its ticks. */
export function readTickMeta(path: string): TickMeta {
  const file = openSync(path, 'r');
  try {
    return readFooter(file, path).meta;
  } finally {
    closeSync(file);
  }
}

interface ReadFooter {
  readonly meta: TickMeta;
  readonly blocks: readonly FileBlock[];
}

function readFooter(file: number, path: string): ReadFooter {
  const size = fstatSync(file).size;
  const tail = readAt(file, path, new Uint8Array(FILE_TAIL_BYTES), size - FILE_TAIL_BYTES);
  if (!MAGIC.equals(tail.subarray(4))) {
    throw new ColumnFileError(
      `${path}: expected an Arrow file that ends with ARROW1, was cut off or is none`,
    );
  }
  const length = Buffer.from(tail.buffer).readInt32LE(0);
  if (length <= 0 || length > size) throw new ColumnFileError(`${path}: its footer is damaged`);
  const footer = Footer.decode(readAt(file, path, new Uint8Array(length), size - FILE_TAIL_BYTES - length));
  const meta = parseTickMeta(footer.schema.metadata.get(META_KEY));
  if (meta === undefined || shape(footer.schema) !== shape(tickSchema(meta.depth, new Map()))) {
    throw new ColumnFileError(
      `${path}: expected a file of ticks made by this program, was another Arrow file`,
    );
  }
  return { meta, blocks: [...footer.recordBatches()] };
}

const shape = ({ fields }: Schema): string => fields.map(({ name, type }) => `${name} ${type}`).join(', ');

function readBatch(file: number, path: string, block: FileBlock, depth: number): TickRows {
  const head = readAt(file, path, new Uint8Array(block.metaDataLength), block.offset);
  const message = Message.decode(head.subarray(MESSAGE_HEAD_BYTES));
  assert(message.isRecordBatch(), 'the footer points to record batches');
  const { length: rows, buffers, nodes, compression } = message.header();
  const fields = 4 + 4 * depth;
  if (compression !== null || buffers.length !== 2 * fields || nodes.some((node) => node.nullCount !== 0)) {
    throw new ColumnFileError(`${path}: expected plain columns without missing values`);
  }
  const memory = new SharedArrayBuffer(block.bodyLength);
  readAt(file, path, new Uint8Array(memory), block.offset + block.metaDataLength);
  const at = (index: number): number => buffers[2 * index + 1]!.offset;
  const int32 = (index: number): Int32Array => new Int32Array(memory, at(index), rows);
  const levels = (kind: number): Int32Array[] =>
    Array.from({ length: depth }, (_, level) => int32(3 + 4 * level + kind));
  return {
    rows,
    tsUs: widened(memory, at(0), rows),
    priceTicks: int32(1),
    qty: int32(2),
    side: new Int8Array(memory, at(fields - 1), rows),
    book:
      depth === 0
        ? null
        : { depth, bidPrice: levels(0), bidQty: levels(1), askPrice: levels(2), askQty: levels(3) },
  };
}

const TWO_32 = 2 ** 32;

function widened(memory: SharedArrayBuffer, offset: number, rows: number): Float64Array {
  const words = new Int32Array(memory, offset, 2 * rows);
  const doubles = new Float64Array(memory, offset, rows);
  for (let i = 0; i < rows; i += 1) doubles[i] = words[2 * i + 1]! * TWO_32 + (words[2 * i]! >>> 0);
  return doubles;
}

function readAt(file: number, path: string, into: Uint8Array, position: number): Uint8Array {
  let done = 0;
  while (done < into.byteLength) {
    const read = position < 0 ? 0 : readSync(file, into, done, into.byteLength - done, position + done);
    if (read === 0) throw new ColumnFileError(`${path}: expected more bytes, the file was cut off`);
    done += read;
  }
  return into;
}

function joined({ depth }: TickMeta, parts: readonly TickRows[]): TickRows {
  const all = allocateRows(
    depth,
    parts.reduce((rows, part) => rows + part.rows, 0),
    'shared',
  );
  let at = 0;
  for (const part of parts) {
    copyRows(all, at, part, 0, part.rows);
    at += part.rows;
  }
  return all;
}
