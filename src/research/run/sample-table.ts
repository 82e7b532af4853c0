/**
 * Samples of a run: a row a moment, as columns. However long the run, at most `ROWS_MAX` rows stay: beyond them, of each stretch the rows
 * with the least and with the most equity stay, and the last one of each day. So a picture of them keeps its outline; figures that need
 * every sample are followed while the run goes on (`Drawdowns`).
 */
import { assert } from '../../domain/assert.ts';
import type { Samples } from '../backtest-result.ts';

const ROWS_MAX = 100_000;
/** Many contracts have many columns. */
const CELLS_MAX = 20_000_000;
/** Rows that stay of a stretch: the least and the most. */
const KEPT = 2;

/** Last price at each sample, and the range of the trades since the one before; 0 where nothing was traded. */
export class PriceColumns {
  readonly last: NumberColumn;
  readonly first: NumberColumn;
  readonly high: NumberColumn;
  readonly low: NumberColumn;

  constructor(rows: number) {
    this.last = new NumberColumn(rows);
    this.first = new NumberColumn(rows);
    this.high = new NumberColumn(rows);
    this.low = new NumberColumn(rows);
  }

  get columns(): readonly NumberColumn[] {
    return [this.last, this.first, this.high, this.low];
  }

  push(last: number, first: number, high: number, low: number): void {
    this.last.push(last);
    this.first.push(first);
    this.high.push(high);
    this.low.push(low);
  }

  /** The row goes: its trades belong to the next one. */
  join(row: number): void {
    if (this.high.at(row) === 0) return;
    const next = row + 1;
    const isTraded = this.high.at(next) > 0;
    this.first.set(next, this.first.at(row));
    this.high.set(next, Math.max(this.high.at(row), this.high.at(next)));
    this.low.set(next, isTraded ? Math.min(this.low.at(row), this.low.at(next)) : this.low.at(row));
  }

  ranges() {
    return { first: this.first.take(), high: this.high.take(), low: this.low.take() };
  }
}

export class SampleTable {
  readonly #tsUs = new NumberColumn();
  readonly #equity = new NumberColumn();
  readonly #isDayEnd = new NumberColumn();
  readonly #columns: NumberColumn[] = [this.#tsUs, this.#equity, this.#isDayEnd];
  readonly #prices: PriceColumns[] = [];
  /** Samples that make one row; rows are thinned where it is above 1. */
  #stride = 1;
  /** First row that was not thinned. */
  #tail = 0;
  #rowsMax = ROWS_MAX;
  #times: Float64Array | null = null;

  /** To be pushed to before each `end`. */
  column(): NumberColumn {
    const column = new NumberColumn(this.#tsUs.length);
    this.#columns.push(column);
    return column;
  }

  /** Columns of a contract; its rows before are empty. */
  prices(): PriceColumns {
    const prices = new PriceColumns(this.#tsUs.length);
    this.#prices.push(prices);
    this.#columns.push(...prices.columns);
    this.#rowsMax = Math.min(ROWS_MAX, Math.floor(CELLS_MAX / this.#columns.length));
    return prices;
  }

  /** The row is complete. */
  end(atUs: number, equity: number, isDayEnd: boolean): void {
    this.#tsUs.push(atUs);
    this.#equity.push(equity);
    this.#isDayEnd.push(isDayEnd ? 1 : 0);
    const { length } = this.#tsUs;
    if (isDayEnd)
      for (const column of this.#columns) assert(column.length === length, 'each column has a value a row');
    if (this.#stride > 1 && (isDayEnd || length - this.#tail > KEPT * this.#stride))
      this.#thin(this.#tail, KEPT * this.#stride);
    if (this.#tsUs.length > this.#rowsMax) {
      this.#stride *= 2;
      this.#thin(0, 2 * KEPT);
      // Ends of days stay, be they as many as they may.
      this.#rowsMax = Math.max(this.#rowsMax, 2 * this.#tsUs.length);
    }
    if (isDayEnd) this.#tail = this.#tsUs.length;
  }

  get equity(): Samples {
    return this.samplesOf(this.#equity);
  }

  /** After the run. */
  samplesOf(column: NumberColumn): Samples {
    this.#times ??= this.#tsUs.take();
    return { tsUs: this.#times, values: column.take() };
  }

  /** Keeps `KEPT` rows of each stretch of so many, from `from` on, and the last one. */
  #thin(from: number, stretch: number): void {
    const last = this.#tsUs.length - 1;
    let kept = from;
    for (let first = from; first < last;) {
      const end = this.#endOf(first, Math.min(last, first + stretch));
      const [least, most] = this.#extremes(first, end);
      for (let row = first; row < end; row += 1) {
        if (row === least || row === most || this.#isDayEnd.at(row) === 1) {
          this.#move(row, kept);
          kept += 1;
        } else for (const prices of this.#prices) prices.join(row);
      }
      first = end;
    }
    this.#move(last, kept);
    this.#tail = kept;
    for (const column of this.#columns) column.cut(kept + 1);
  }

  /** A stretch ends with its day. */
  #endOf(first: number, end: number): number {
    for (let row = first; row < end; row += 1) if (this.#isDayEnd.at(row) === 1) return row + 1;
    return end;
  }

  #extremes(first: number, end: number): readonly [least: number, most: number] {
    let [least, most] = [first, first];
    for (let row = first; row < end; row += 1) {
      if (this.#equity.at(row) < this.#equity.at(least)) least = row;
      if (this.#equity.at(row) > this.#equity.at(most)) most = row;
    }
    return [least, most];
  }

  #move(row: number, to: number): void {
    if (row !== to) for (const column of this.#columns) column.set(to, column.at(row));
  }
}

/** Values that lie side by side. */
const CHUNK = 1_024;
const NOTHING = new Float64Array(0);

/** Grows by chunks: nothing is copied, and no more than one chunk is empty. */
export class NumberColumn {
  readonly #chunks: Float64Array<ArrayBuffer>[] = [];
  #last = NOTHING;
  #end = 0;

  /** Begins with so many zeros. */
  constructor(length = 0) {
    for (let i = 0; i < length; i += 1) this.push(0);
  }

  get length(): number {
    return this.#chunks.length * CHUNK - this.#last.length + this.#end;
  }

  push(value: number): void {
    if (this.#end === this.#last.length) this.#grow();
    this.#last[this.#end] = value;
    this.#end += 1;
  }

  /** Room for `count` more, side by side where it divides a chunk: returns the place of the first in `tail`. */
  extend(count: number): number {
    if (this.#end === this.#last.length) this.#grow();
    this.#end += count;
    return this.#end - count;
  }

  get tail(): Float64Array {
    return this.#last;
  }

  #grow(): void {
    this.#last = new Float64Array(CHUNK);
    this.#chunks.push(this.#last);
    this.#end = 0;
  }

  at(index: number): number {
    return this.#chunks[Math.floor(index / CHUNK)]?.[index % CHUNK] ?? 0;
  }

  set(index: number, value: number): void {
    const chunk = this.#chunks[Math.floor(index / CHUNK)];
    assert(chunk !== undefined && index < this.length, 'a value is changed where there is one');
    chunk[index % CHUNK] = value;
  }

  cut(length: number): void {
    const chunks = Math.ceil(length / CHUNK);
    this.#chunks.length = chunks;
    this.#last = this.#chunks.at(-1) ?? NOTHING;
    this.#end = this.#last.length - (chunks * CHUNK - length);
  }

  take(): Float64Array {
    const values = new Float64Array(this.length);
    for (const [place, chunk] of this.#chunks.entries())
      values.set(chunk === this.#last ? chunk.subarray(0, this.#end) : chunk, place * CHUNK);
    return values;
  }
}
