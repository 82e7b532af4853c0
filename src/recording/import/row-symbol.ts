/** Whose row it is, where a column says. */
import type { ColumnMap } from './column-map.ts';
import { cellText, type CsvRow } from './csv-rows.ts';
import { isSymbol } from './file-name.ts';

export class RowSymbol {
  /** Null where all rows are of one symbol. */
  readonly column: number | null;
  #symbol: string;

  constructor(columns: ColumnMap, symbol: string) {
    this.column = columns.symbol ?? null;
    this.#symbol = symbol;
  }

  /** Undefined for what is no symbol. */
  read(row: CsvRow): string | undefined {
    if (this.column === null) return this.#symbol;
    const text = cellText(row, this.column);
    if (text !== this.#symbol) {
      if (!isSymbol(text)) return undefined;
      this.#symbol = text;
    }
    return this.#symbol;
  }
}
