/**
 * Tables in Arrow IPC files (Arrow columnar format, 1.5), one record batch a part, so that a file of any length needs little
 * memory. A file is read into shared memory: columns are used where they were read, without a copy; times are turned from 64-bit
 * whole numbers into doubles in place.
 */
// The parts that are used: the whole library takes longer to load than a year of bars to play.
import { InputFault } from '../../domain/failure.ts';
import { MetadataVersion } from 'apache-arrow/enum';
import { FileBlock, Footer } from 'apache-arrow/ipc/metadata/file';
import { BufferRegion, FieldNode, Message, RecordBatch } from 'apache-arrow/ipc/metadata/message';
import { Field as ArrowField, Schema } from 'apache-arrow/schema';
import { type DataType, Float64, Int32, Int8, TimestampMicrosecond } from 'apache-arrow/type';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import {
  allocateTable,
  COLUMN_TYPES,
  type ColumnKind,
  type Layout,
  type RowTable,
  type TableTotals,
  TotalsCounter,
} from './row-table.ts';
import { createWholeFile, type WholeFile, withFile } from './whole-file.ts';

const MAGIC = Buffer.from('ARROW1');
const FILE_HEAD_BYTES = 8;
/** Length of the footer and magic behind it. */
const FILE_TAIL_BYTES = 4 + MAGIC.length;
/** In front of each message: the continuation mark and the length of its metadata. */
const MESSAGE_HEAD_BYTES = 8;
const META_KEY = 'tickwright';
/** Buffers start at multiples of this, as the format recommends. */
const ALIGNMENT = 64;

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

const TYPES: Readonly<Record<ColumnKind, DataType>> = {
  time: new TimestampMicrosecond('UTC'),
  double: new Float64(),
  whole: new Int32(),
  small: new Int8(),
};

const arrowSchema = (layout: Layout, metadata = new Map<string, string>()): Schema =>
  new Schema(
    layout.map(({ name, kind }) => new ArrowField(name, TYPES[kind], false)),
    metadata,
  );

/** Reads the metadata of one kind of file, and names its columns. */
export interface TableKind<Meta> {
  readonly what: string;
  /** Undefined for metadata of another kind. */
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

/** Rows `from` up to `to`, or to the end of the file, read without the others. */
export function readRange<Meta>(path: string, kind: TableKind<Meta>, from: number, to: number): RowTable {
  return withFile(path, (file) => {
    const { meta, blocks } = readFooter(file, path, kind);
    const layout = kind.layout(meta);
    const heads = blocks.map((block) => ({ block, ...readHead(file, path, block, layout) }));
    const total = heads.reduce((sum, { rows }) => sum + rows, 0);
    const into = allocateTable(layout, Math.max(0, Math.min(to, total) - from));
    let before = 0;
    for (const { block, rows, offsets } of heads) {
      const first = Math.max(from, before);
      const count = Math.min(from + into.rows, before + rows) - first;
      const body = block.offset + block.metaDataLength;
      for (const [i, column] of count > 0 ? into.columns.entries() : []) {
        const part = column.subarray(first - from, first - from + count);
        const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
        readAt(file, path, bytes, body + offsets[i]! + (first - before) * column.BYTES_PER_ELEMENT);
        if (layout[i]?.kind === 'time') widen(part.buffer, part.byteOffset, count);
      }
      before += rows;
    }
    return into;
  });
}

export const readMeta = <Meta>(path: string, kind: TableKind<Meta>): Meta =>
  withFile(path, (file) => readFooter(file, path, kind).meta);

function readFooter<Meta>(file: number, path: string, kind: TableKind<Meta>) {
  const size = fstatSync(file).size;
  const tail = readAt(file, path, new Uint8Array(FILE_TAIL_BYTES), size - FILE_TAIL_BYTES);
  if (!MAGIC.equals(tail.subarray(4))) {
    throw new InputFault(
      'file',
      `${path}: expected an Arrow file that ends with ARROW1, was cut off or is none`,
    );
  }
  const length = Buffer.from(tail.buffer).readInt32LE(0);
  if (length <= 0 || length > size) throw new InputFault('file', `${path}: its footer is damaged`);
  const footer = Footer.decode(readAt(file, path, new Uint8Array(length), size - FILE_TAIL_BYTES - length));
  const meta = kind.parse(footer.schema.metadata.get(META_KEY));
  if (meta === undefined || shape(footer.schema) !== shape(arrowSchema(kind.layout(meta)))) {
    throw new InputFault(
      'file',
      `${path}: expected ${kind.what} made by this program, was another Arrow file`,
    );
  }
  return { meta, blocks: [...footer.recordBatches()] };
}

const shape = ({ fields }: Schema): string => fields.map(({ name, type }) => `${name} ${type}`).join(', ');

/** The rows of a part, and the places of its columns in its body. */
function readHead(file: number, path: string, block: FileBlock, layout: Layout) {
  const head = readAt(file, path, new Uint8Array(block.metaDataLength), block.offset);
  const message = Message.decode(head.subarray(MESSAGE_HEAD_BYTES));
  if (!message.isRecordBatch()) throw new InputFault('file', `${path}: its footer is damaged`);
  const { length: rows, buffers, nodes, compression } = message.header();
  const isPlain = nodes.every((node) => node.nullCount === 0) && buffers.length === 2 * layout.length;
  if (compression !== null || !isPlain) {
    throw new InputFault('file', `${path}: expected plain columns without missing values`);
  }
  return { rows, offsets: layout.map((_, i) => buffers[2 * i + 1]!.offset) };
}

function readBatch(file: number, path: string, block: FileBlock, layout: Layout): RowTable {
  const { rows, offsets } = readHead(file, path, block, layout);
  const memory = new SharedArrayBuffer(block.bodyLength);
  readAt(file, path, new Uint8Array(memory), block.offset + block.metaDataLength);
  const columns = layout.map(({ kind }, i) => {
    const offset = offsets[i]!;
    if (kind === 'time') widen(memory, offset, rows);
    return new COLUMN_TYPES[kind](memory, offset, rows);
  });
  return { rows, columns };
}

const TWO_32 = 2 ** 32;

/** 64-bit whole numbers into doubles, in place. */
function widen(memory: ArrayBufferLike, offset: number, rows: number): void {
  const words = new Int32Array(memory, offset, 2 * rows);
  const doubles = new Float64Array(memory, offset, rows);
  for (let i = 0; i < rows; i += 1) doubles[i] = words[2 * i + 1]! * TWO_32 + (words[2 * i]! >>> 0);
}

function readAt(file: number, path: string, into: Uint8Array, position: number): Uint8Array {
  let done = 0;
  while (done < into.byteLength) {
    const read = position < 0 ? 0 : readSync(file, into, done, into.byteLength - done, position + done);
    if (read === 0) throw new InputFault('file', `${path}: expected more bytes, the file was cut off`);
    done += read;
  }
  return into;
}

/** Writes `parts` (all but the last have `PART_ROWS` rows), then the metadata of `describe`. The file appears when it is whole. */
export function writeTable<Meta>(
  path: string,
  layout: Layout,
  parts: Iterable<RowTable>,
  describe: (totals: TableTotals) => Meta,
): Meta {
  const file = createWholeFile(path);
  try {
    const totals = new TotalsCounter();
    const blocks: FileBlock[] = [];
    file.write(Buffer.concat([MAGIC], FILE_HEAD_BYTES));
    writeMessage(file, Message.from(arrowSchema(layout)));
    for (const part of parts) {
      if (part.rows === 0) continue;
      totals.add(part);
      blocks.push(writeBatch(file, layout, part));
    }
    file.write(Int32Array.of(-1, 0));
    const meta = describe(totals.totals());
    const schema = arrowSchema(layout, new Map([[META_KEY, JSON.stringify(meta)]]));
    const footer = Footer.encode(new Footer(schema, MetadataVersion.V5, blocks, []));
    file.write(footer);
    file.write(Int32Array.of(footer.byteLength));
    file.write(MAGIC);
    file.keep();
    return meta;
  } finally {
    file.drop();
  }
}

function writeBatch(file: WholeFile, layout: Layout, part: RowTable): FileBlock {
  const columns = part.columns.map((column, i) => (layout[i]?.kind === 'time' ? int64Of(column) : column));
  const regions: BufferRegion[] = [];
  let at = 0;
  for (const column of columns) {
    // No value is missing, so the bitmap of missing values has no bytes.
    regions.push(new BufferRegion(at, 0), new BufferRegion(at, column.byteLength));
    at += aligned(column.byteLength);
  }
  const nodes = columns.map(() => new FieldNode(part.rows, 0));
  const offset = file.position;
  writeMessage(file, Message.from(new RecordBatch(part.rows, nodes, regions, null), at));
  const block = new FileBlock(file.position - offset, at, offset);
  for (const column of columns) {
    file.write(column);
    file.write(new Uint8Array(aligned(column.byteLength) - column.byteLength));
  }
  return block;
}

function writeMessage(file: WholeFile, message: Message): void {
  const bytes = Message.encode(message);
  const size = aligned(file.position + MESSAGE_HEAD_BYTES + bytes.byteLength) - file.position;
  file.write(Int32Array.of(-1, size - MESSAGE_HEAD_BYTES));
  file.write(bytes);
  file.write(new Uint8Array(size - MESSAGE_HEAD_BYTES - bytes.byteLength));
}

/** 64-bit whole numbers as pairs of 32 bits, the low half first: the layout of `BigInt64Array`, without its cost. */
function int64Of(values: ArrayLike<number>): Uint32Array {
  const words = new Uint32Array(values.length * 2);
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? 0;
    const high = Math.floor(value / TWO_32);
    words[2 * i] = value - high * TWO_32;
    words[2 * i + 1] = high;
  }
  return words;
}
