/** Collects rows in the order in which a file has them, and gives them back in the order of time. */
import {
  allocateTable,
  copyTable,
  type Layout,
  PART_ROWS,
  type RowTable,
  sliceTable,
} from '../columns/row-table.ts';
import { inOrder, isNewestFirst } from './in-order.ts';
import { mergeStretches, type Stretch } from './merge-spilled.ts';
import type { SpilledRows, SpillFile } from './spill-file.ts';

const FIRST_ROWS = 1 << 10;

export interface TimedRowsParts {
  readonly layout: Layout;
  readonly spillFile: SpillFile;
  /** More memory is held than before: perhaps something must be spilled. */
  readonly onGrow: () => void;
  /** New rows are to be written here from now on. */
  readonly onTail: (tail: RowTable) => void;
}

export class TimedRows {
  readonly #parts: TimedRowsParts;
  #tail: RowTable;
  #tailRows = 0;
  #spilled: SpilledRows[] = [];
  #isReversed = false;

  constructor(parts: TimedRowsParts) {
    this.#parts = parts;
    this.#tail = this.#newTail(FIRST_ROWS);
  }

  /** Rows for which memory is held. */
  get capacity(): number {
    return this.#tail.rows;
  }

  /** Makes room for one more row; returns its place in the tail. */
  next(): number {
    if (this.#tailRows === this.#tail.rows) this.#grow();
    this.#tailRows += 1;
    return this.#tailRows - 1;
  }

  /** Moves what is in memory to the disk. */
  spill(): void {
    if (this.#tailRows === 0) return;
    const { layout, spillFile } = this.#parts;
    const part = sliceTable(this.#tail, 0, this.#tailRows);
    if (this.#spilled.length === 0) this.#isReversed = isNewestFirst(part);
    this.#spilled.push(spillFile.write(inOrder(layout, part, this.#isReversed)));
    this.#tail = this.#newTail(FIRST_ROWS);
    this.#tailRows = 0;
  }

  /** In parts of `PART_ROWS`; may be asked for again. */
  *inOrder(): Generator<RowTable> {
    const { layout, spillFile } = this.#parts;
    if (this.#spilled.length === 0) {
      const part = sliceTable(this.#tail, 0, this.#tailRows);
      if (part.rows > 0) yield inOrder(layout, part, isNewestFirst(part));
      return;
    }
    this.spill();
    const stretches = this.#spilled.map((part): Stretch => ({
      rows: part.rows,
      read: (from, count) => spillFile.read(part, layout, from, count),
    }));
    yield* mergeStretches(this.#isReversed ? stretches.toReversed() : stretches, layout);
  }

  #grow(): void {
    if (this.#tailRows >= PART_ROWS) return this.spill();
    const grown = this.#newTail(2 * this.#tailRows);
    copyTable(grown, 0, this.#tail, 0, this.#tailRows);
    this.#tail = grown;
    this.#parts.onGrow();
  }

  #newTail(rows: number): RowTable {
    const tail = allocateTable(this.#parts.layout, rows);
    this.#parts.onTail(tail);
    return tail;
  }
}
