/** Rows as columns, whatever they mean. The first column is a time. */

/** `time`: whole microseconds in a double, 64-bit in a file. `double`, 8 bytes; `whole`, 4; `small`, 1. */
export type ColumnKind = 'time' | 'double' | 'whole' | 'small';
export type Column = Float64Array | Int32Array | Int8Array;

export interface Field {
  readonly name: string;
  readonly kind: ColumnKind;
}

export type Layout = readonly Field[];

export interface RowTable {
  readonly rows: number;
  /** In the order of the layout. */
  readonly columns: readonly Column[];
}

/** Rows of one record batch at most, so that a file of any length can be worked through in little memory. */
export const PART_ROWS = 1 << 20;

const BYTES: Readonly<Record<ColumnKind, number>> = { time: 8, double: 8, whole: 4, small: 1 };

export function columnOn(memory: ArrayBufferLike, kind: ColumnKind, offset: number, rows: number): Column {
  switch (kind) {
    case 'time':
    case 'double':
      return new Float64Array(memory, offset, rows);
    case 'whole':
      return new Int32Array(memory, offset, rows);
    case 'small':
      return new Int8Array(memory, offset, rows);
  }
}

/** Zeros on one piece of memory; `shared` where workers are to read them. */
export function allocateTable(layout: Layout, rows: number, memoryKind: 'own' | 'shared' = 'own'): RowTable {
  // Each column begins at a multiple of eight bytes.
  const padded = Math.ceil(rows / 8) * 8;
  const bytes = layout.reduce((sum, { kind }) => sum + BYTES[kind] * padded, 0);
  const memory = memoryKind === 'shared' ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
  let at = 0;
  const columns = layout.map(({ kind }) => {
    const column = columnOn(memory, kind, at, rows);
    at += BYTES[kind] * padded;
    return column;
  });
  return { rows, columns };
}

/** Rows `from` to `to`, on the same memory. */
export const sliceTable = ({ columns }: RowTable, from: number, to: number): RowTable => ({
  rows: to - from,
  columns: columns.map((column) => column.subarray(from, to)),
});

export function copyTable(
  into: RowTable,
  intoAt: number,
  from: RowTable,
  fromAt: number,
  count: number,
): void {
  for (const [i, column] of into.columns.entries()) {
    column.set(from.columns[i]?.subarray(fromAt, fromAt + count) ?? [], intoAt);
  }
}

const NO_TIMES = new Float64Array(0);

export function timesOf({ columns }: RowTable): Float64Array {
  const [times] = columns;
  return times instanceof Float64Array ? times : NO_TIMES;
}
