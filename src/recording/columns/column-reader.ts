/**
 * Reads tables from Arrow files into shared memory. What the file holds in four bytes or one, or as doubles, is used where it
 * was read, without a copy; times are turned from 64-bit whole numbers into doubles in their own place.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Schema } from 'apache-arrow';
import { type FileBlock, Footer } from 'apache-arrow/ipc/metadata/file';
import { Message } from 'apache-arrow/ipc/metadata/message';
import { arrowSchema, FILE_TAIL_BYTES, MAGIC, MESSAGE_HEAD_BYTES, META_KEY } from './arrow-layout.ts';
import { columnOn, type Layout, type RowTable } from './row-table.ts';

/** Thrown for a file that is not, or not wholly, one of ours. */
export class ColumnFileError extends Error {
  override readonly name = 'ColumnFileError';
}

/** Knows what the JSON in a file must be, and which columns belong to it. */
export interface TableKind<Meta> {
  readonly what: string;
  /** Undefined for what is not of this kind. */
  parse(text: string | undefined): Meta | undefined;
  layout(meta: Meta): Layout;
}

/** The rows of a file in its parts, each read when it is asked for. */
export function* readTables<Meta>(
  path: string,
  kind: TableKind<Meta>,
): Generator<{ readonly meta: Meta; readonly table: RowTable }> {
  const file = openSync(path, 'r');
  try {
    const { meta, blocks } = readFooter(file, path, kind);
    const layout = kind.layout(meta);
    for (const block of blocks) yield { meta, table: readBatch(file, path, block, layout) };
  } finally {
    closeSync(file);
  }
}

/** What the file says about itself, read without its rows. */
export function readMeta<Meta>(path: string, kind: TableKind<Meta>): Meta {
  const file = openSync(path, 'r');
  try {
    return readFooter(file, path, kind).meta;
  } finally {
    closeSync(file);
  }
}

function readFooter<Meta>(
  file: number,
  path: string,
  kind: TableKind<Meta>,
): { readonly meta: Meta; readonly blocks: readonly FileBlock[] } {
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
  const meta = kind.parse(footer.schema.metadata.get(META_KEY));
  if (meta === undefined || shape(footer.schema) !== shape(arrowSchema(kind.layout(meta)))) {
    throw new ColumnFileError(`${path}: expected ${kind.what} made by this program, was another Arrow file`);
  }
  return { meta, blocks: [...footer.recordBatches()] };
}

const shape = ({ fields }: Schema): string => fields.map(({ name, type }) => `${name} ${type}`).join(', ');

function readBatch(file: number, path: string, block: FileBlock, layout: Layout): RowTable {
  const head = readAt(file, path, new Uint8Array(block.metaDataLength), block.offset);
  const message = Message.decode(head.subarray(MESSAGE_HEAD_BYTES));
  if (!message.isRecordBatch()) throw new ColumnFileError(`${path}: its footer is damaged`);
  const { length: rows, buffers, nodes, compression } = message.header();
  const isPlain = nodes.every((node) => node.nullCount === 0) && buffers.length === 2 * layout.length;
  if (compression !== null || !isPlain) {
    throw new ColumnFileError(`${path}: expected plain columns without missing values`);
  }
  const memory = new SharedArrayBuffer(block.bodyLength);
  readAt(file, path, new Uint8Array(memory), block.offset + block.metaDataLength);
  const columns = layout.map(({ kind }, i) => {
    const offset = buffers[2 * i + 1]!.offset;
    if (kind === 'time') widen(memory, offset, rows);
    return columnOn(memory, kind, offset, rows);
  });
  return { rows, columns };
}

const TWO_32 = 2 ** 32;

/** 64-bit whole numbers into doubles, in place. */
function widen(memory: SharedArrayBuffer, offset: number, rows: number): void {
  const words = new Int32Array(memory, offset, 2 * rows);
  const doubles = new Float64Array(memory, offset, rows);
  for (let i = 0; i < rows; i += 1) doubles[i] = words[2 * i + 1]! * TWO_32 + (words[2 * i]! >>> 0);
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
