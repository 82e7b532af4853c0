/** Makes one order of several stretches that are each in order, in parts of `PART_ROWS`, holding little of each in memory. */
import {
  allocateTable,
  copyTable,
  type Layout,
  PART_ROWS,
  type RowTable,
  timesOf,
} from '../columns/row-table.ts';

/** Rows in order that can be read piece by piece. */
export interface Stretch {
  readonly rows: number;
  read(from: number, count: number): RowTable;
}

const WINDOW_ROWS = 1 << 16;

/** Of equal times the earlier stretch of the list comes first. */
export function* mergeStretches(
  stretches: readonly Stretch[],
  layout: Layout,
  partRows = PART_ROWS,
  windowRows = WINDOW_ROWS,
): Generator<RowTable> {
  const cursors = stretches
    .map((stretch, place) => new Cursor(stretch, place, windowRows))
    .filter(({ isDone }) => !isDone);
  let left = stretches.reduce((rows, stretch) => rows + stretch.rows, 0);
  let part = allocateTable(layout, Math.min(left, partRows));
  let filled = 0;
  while (cursors.length > 0) {
    cursors.sort((a, b) => a.at - b.at || a.place - b.place);
    const [first, second] = cursors;
    if (first === undefined) return;
    const count = Math.min(first.runBefore(second), part.rows - filled);
    copyTable(part, filled, first.window, first.index, count);
    first.skip(count);
    filled += count;
    if (first.isDone) cursors.shift();
    if (filled < part.rows) continue;
    yield part;
    left -= filled;
    part = allocateTable(layout, Math.min(left, partRows));
    filled = 0;
  }
}

class Cursor {
  readonly place: number;
  window: RowTable;
  /** Next row, in the window. */
  index = 0;
  readonly #stretch: Stretch;
  readonly #windowRows: number;
  /** Rows of the stretch before the window. */
  #before = 0;
  #times: Float64Array;

  constructor(stretch: Stretch, place: number, windowRows: number) {
    this.#windowRows = windowRows;
    this.#stretch = stretch;
    this.place = place;
    this.window = stretch.read(0, Math.min(windowRows, stretch.rows));
    this.#times = timesOf(this.window);
  }

  get isDone(): boolean {
    return this.#before + this.index >= this.#stretch.rows;
  }

  /** Time of the next row. */
  get at(): number {
    return this.#times[this.index] ?? Infinity;
  }

  /** How many rows of the window come before the next one of `other`. */
  runBefore(other: Cursor | undefined): number {
    const { rows } = this.window;
    if (other === undefined) return rows - this.index;
    const times = this.#times;
    const { at, place } = other;
    let end = this.index + 1;
    for (; end < rows; end += 1) {
      const next = times[end] ?? 0;
      if (next > at || (next === at && this.place > place)) break;
    }
    return end - this.index;
  }

  skip(count: number): void {
    this.index += count;
    if (this.index < this.window.rows || this.isDone) return;
    this.#before += this.window.rows;
    this.index = 0;
    const left = this.#stretch.rows - this.#before;
    this.window = this.#stretch.read(this.#before, Math.min(this.#windowRows, left));
    this.#times = timesOf(this.window);
  }
}
