/** Rows as columns of any meaning. The first column is a time. */
import { createHash } from 'node:crypto';
import { assert } from '../../domain/assert.ts';

/** `time`: whole microseconds in a double, 64-bit in a file. `double`, 8 bytes; `whole`, 4; `small`, 1. */
export type ColumnKind = 'time' | 'double' | 'whole' | 'small';
export type ColumnArray = Float64Array | Int32Array | Int8Array;

export interface ColumnSpec {
  readonly name: string;
  readonly kind: ColumnKind;
}

export type Layout = readonly ColumnSpec[];

export interface RowTable {
  readonly rows: number;
  /** In the order of the layout. */
  readonly columns: readonly ColumnArray[];
}

/** Rows of one record batch at most, so that a file of any length can be worked through in little memory. */
export const PART_ROWS = 1 << 20;

const PART_BYTES_MAX = 80_000_000;

/** Rows of one part: fewer where rows are wide, so that memory does not grow with them. */
export function partRows(layout: Layout): number {
  let rows = PART_ROWS;
  while (rows * rowBytes(layout) > PART_BYTES_MAX) rows /= 2;
  return rows;
}

export const rowBytes = (layout: Layout): number => layout.reduce((sum, { kind }) => sum + bytesOf(kind), 0);

interface ColumnType {
  readonly BYTES_PER_ELEMENT: number;
  new (memory: ArrayBufferLike, offset: number, rows: number): ColumnArray;
}

export const COLUMN_TYPES: Readonly<Record<ColumnKind, ColumnType>> = {
  time: Float64Array,
  double: Float64Array,
  whole: Int32Array,
  small: Int8Array,
};

const bytesOf = (kind: ColumnKind): number => COLUMN_TYPES[kind].BYTES_PER_ELEMENT;

/** Zeros on one piece of memory; `shared` where workers are to read them. */
export function allocateTable(layout: Layout, rows: number, memoryKind: 'own' | 'shared' = 'own'): RowTable {
  const bytes = tableBytes(layout, rows);
  return tableOn(
    memoryKind === 'shared' ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes),
    layout,
    rows,
  );
}

/** Each column begins at a multiple of eight bytes. */
const padded = (rows: number): number => Math.ceil(rows / 8) * 8;

export const tableBytes = (layout: Layout, rows: number): number => rowBytes(layout) * padded(rows);

/** A table that lies on `memory`, from its first byte. */
export function tableOn(memory: ArrayBufferLike, layout: Layout, rows: number): RowTable {
  let at = 0;
  const columns = layout.map(({ kind }) => {
    const column = new COLUMN_TYPES[kind](memory, at, rows);
    at += bytesOf(kind) * padded(rows);
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

export function columnAs<T extends ColumnArray>(
  column: ColumnArray | undefined,
  type: abstract new (...of: never[]) => T,
): T {
  assert(column instanceof type, 'a column has the type of its layout');
  return column;
}

export const timesOf = ({ columns }: RowTable): Float64Array => columnAs(columns[0], Float64Array);

/** Metadata as `JSON.stringify` wrote it into a file of this kind; undefined for any other text. */
export function parseMeta<Meta extends { readonly kind: string; readonly version: 1 }>(
  text: string | undefined,
  kind: Meta['kind'],
): Meta | undefined {
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const meta = value as Meta; // oxlint-disable-line typescript/no-unsafe-type-assertion -- our own file, checked by kind and version
  return (meta as Partial<Meta>).kind === kind && (meta as Partial<Meta>).version === 1 ? meta : undefined;
}

/** Totals of the rows, counted part by part. The digest does not depend on the kind of file. */
export type TableTotals = ReturnType<TotalsCounter['totals']>;

/** Metadata of each kind of file, as JSON inside the file, so that no second file can be lost. */
export interface FileMeta extends TableTotals {
  readonly version: 1;
  readonly symbol: string;
  /** A decimal, as people write it: `0.1` point in one tick of price, `1` contract in one lot of quantity. */
  readonly tickSize: string;
  readonly lotSize: string;
  /** Traded quantity, in lots. */
  readonly volume: number;
  /** Rows of the source that could not be read and are not here. */
  readonly badRows: number;
  /** Name of the file it was made of, or of the command. */
  readonly source: string;
}

export class TotalsCounter {
  readonly #hash = createHash('sha256');
  #rows = 0;
  #firstUs = 0;
  #lastUs = -Infinity;

  add(part: RowTable): void {
    const times = timesOf(part);
    if (this.#rows === 0) this.#firstUs = times[0] ?? 0;
    let last = this.#lastUs;
    for (let i = 0; i < part.rows; i += 1) {
      const at = times[i] ?? NaN;
      assert(at >= last, 'times never fall from row to row');
      last = at;
    }
    this.#lastUs = last;
    this.#rows += part.rows;
    for (const column of part.columns) {
      this.#hash.update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
    }
  }

  /** Call once, at the end. */
  totals() {
    return {
      rows: this.#rows,
      firstUs: this.#firstUs,
      lastUs: this.#rows === 0 ? 0 : this.#lastUs,
      /** SHA-256 over the columns, part by part. */
      digest: this.#hash.digest('hex'),
    };
  }
}
