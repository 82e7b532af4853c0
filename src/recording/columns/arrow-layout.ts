/** How our columns lie in an Arrow IPC file: fields, their order, and the bytes around them (Arrow columnar format, 1.5). */
import { Field, Int32, Int8, type DataType, Schema, TimestampMicrosecond } from 'apache-arrow';

export const MAGIC = Buffer.from('ARROW1');
/** Magic and padding in front of the first message. */
export const FILE_HEAD_BYTES = 8;
/** Length of the footer and magic behind it. */
export const FILE_TAIL_BYTES = 4 + MAGIC.length;
/** In front of each message: the continuation mark and the length of its metadata. */
export const MESSAGE_HEAD_BYTES = 8;
/** Buffers start at multiples of this, as the format recommends. */
const ALIGNMENT = 64;

export const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

const field = (name: string, type: DataType): Field => new Field(name, type, false);

/** `ts`, `price_ticks`, `qty`, `bid_price_1`, `bid_qty_1`, `ask_price_1`, `ask_qty_1`, ..., `side`. */
export function tickSchema(depth: number, metadata: Map<string, string>): Schema {
  const levels = Array.from({ length: depth }, (_, i) =>
    ['bid_price', 'bid_qty', 'ask_price', 'ask_qty'].map((name) => field(`${name}_${i + 1}`, new Int32())),
  );
  return new Schema(
    [
      field('ts', new TimestampMicrosecond('UTC')),
      field('price_ticks', new Int32()),
      field('qty', new Int32()),
      ...levels.flat(),
      field('side', new Int8()),
    ],
    metadata,
  );
}
