/** The time of a row, in one column or in two. */
import type { ColumnMap } from './column-map.ts';
import { cellText, type CsvRow } from './csv-rows.ts';
import { StampReader, type StampOptions } from './stamp-reader.ts';

const NONE = -1;

export class RowTimes {
  /** Where it is, or the time of it. */
  readonly column: number;
  /** What a time must look like, for people. */
  readonly wanted: string;
  readonly #date: number;
  readonly #stamps: StampReader;

  constructor(columns: ColumnMap, options: StampOptions) {
    this.column = columns.time ?? NONE;
    this.#date = columns.date ?? NONE;
    this.#stamps = new StampReader(options);
    const dates = options.dateOrder === null ? ' (for 04/03/2026 say which order)' : '';
    this.wanted =
      options.day !== null && this.#date === NONE
        ? 'a time like 09:00:00'
        : `a date and time like 2026-03-04 09:00:00${dates}`;
  }

  /** NaN for what is no time. */
  read(row: CsvRow): number {
    const { column } = this;
    if (this.#date !== NONE) return this.#stamps.readPair(cellText(row, this.#date), cellText(row, column));
    const { bytes, bounds } = row;
    return this.#stamps.read(bytes, bounds[2 * column] ?? 0, bounds[2 * column + 1] ?? 0);
  }
}
