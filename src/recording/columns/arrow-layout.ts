/** How our columns lie in an Arrow IPC file: fields and the bytes around them (Arrow columnar format, 1.5). */
import {
  Field as ArrowField,
  type DataType,
  Float64,
  Int32,
  Int8,
  Schema,
  TimestampMicrosecond,
} from 'apache-arrow';
import type { ColumnKind, Layout } from './row-table.ts';

export const MAGIC = Buffer.from('ARROW1');
/** Magic and padding in front of the first message. */
export const FILE_HEAD_BYTES = 8;
/** Length of the footer and magic behind it. */
export const FILE_TAIL_BYTES = 4 + MAGIC.length;
/** In front of each message: the continuation mark and the length of its metadata. */
export const MESSAGE_HEAD_BYTES = 8;
/** Under this key a file has what it says about itself, as JSON. */
export const META_KEY = 'tickwright';
/** Buffers start at multiples of this, as the format recommends. */
const ALIGNMENT = 64;

export const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

function typeOf(kind: ColumnKind): DataType {
  switch (kind) {
    case 'time':
      return new TimestampMicrosecond('UTC');
    case 'double':
      return new Float64();
    case 'whole':
      return new Int32();
    case 'small':
      return new Int8();
  }
}

export const arrowSchema = (layout: Layout, metadata = new Map<string, string>()): Schema =>
  new Schema(
    layout.map(({ name, kind }) => new ArrowField(name, typeOf(kind), false)),
    metadata,
  );
