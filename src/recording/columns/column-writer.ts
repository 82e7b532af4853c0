/** Writes rows as an Arrow IPC file, one record batch a part, so that a file of any length needs little memory. */
import { MetadataVersion, type Schema } from 'apache-arrow';
import { FileBlock, Footer } from 'apache-arrow/ipc/metadata/file';
import { BufferRegion, FieldNode, Message, RecordBatch } from 'apache-arrow/ipc/metadata/message';
import {
  aligned,
  arrowSchema,
  FILE_HEAD_BYTES,
  MAGIC,
  MESSAGE_HEAD_BYTES,
  META_KEY,
} from './arrow-layout.ts';
import type { Layout, RowTable } from './row-table.ts';
import { type TableTotals, TotalsCounter } from './table-totals.ts';
import { createWholeFile, type WholeFile } from './whole-file.ts';

/**
 * Writes `parts` in their order (all but the last have `PART_ROWS` rows) and, behind them, what `describe` says of them. The
 * file appears when it is whole; a crash leaves what was there before.
 */
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
    writeFooter(file, arrowSchema(layout, new Map([[META_KEY, JSON.stringify(meta)]])), blocks);
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
    pad(file, column.byteLength);
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

function writeFooter(file: WholeFile, schema: Schema, blocks: FileBlock[]): void {
  const footer = Footer.encode(new Footer(schema, MetadataVersion.V5, blocks, []));
  file.write(footer);
  file.write(Int32Array.of(footer.byteLength));
  file.write(MAGIC);
}

function pad(file: WholeFile, bytes: number): void {
  const padding = aligned(bytes) - bytes;
  if (padding > 0) file.write(new Uint8Array(padding));
}

const TWO_32 = 2 ** 32;

/** 64-bit whole numbers as pairs of 32 bits, the low half first: what `BigInt64Array` holds, without its cost. */
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
