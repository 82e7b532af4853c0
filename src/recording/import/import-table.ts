/** What all imports of tables have in common: the head of the file, its bad rows, and what is told in the end. */
import { isTradingDay, type TradingDay, tradingDay } from '../../domain/civil-date.ts';
import { Collector, type Held } from '../collect/collector.ts';
import { BadRows, type BadRow } from './bad-rows.ts';
import { type ColumnRole, mapColumns, shown } from './column-map.ts';
import type { CsvRow } from './csv-rows.ts';
import { nameParts } from './file-name.ts';
import type { ImportOptions, ImportWatch } from './import-options.ts';
import type { RowsParts } from './print-rows.ts';
import { readTable, type TableHead } from './table-file.ts';

/** Thrown for a file whose rows cannot even be looked at. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

export interface ImportReport<Stored> {
  readonly file: string;
  /** Good rows. */
  readonly rows: number;
  readonly badRows: number;
  /** The first of them. */
  readonly bad: readonly BadRow[];
  /** Empty when the file had bad rows and they were not to be skipped. */
  readonly stored: readonly Stored[];
}

/** Takes rows of one kind. */
export interface RowTaker {
  readonly rows: number;
  add(row: CsvRow): void;
}

export interface TableImport<T extends Held, Stored> {
  readonly needs: readonly ColumnRole[];
  take(parts: RowsParts<T>): RowTaker;
  /** Looks at what was collected before any of it is stored. */
  check(collected: readonly T[], bad: BadRows): void;
  store(collected: T, badRows: number): Stored;
}

export async function importTable<T extends Held, Stored>(
  file: string,
  options: ImportOptions,
  watch: ImportWatch,
  kind: TableImport<T, Stored>,
): Promise<ImportReport<Stored>> {
  const collector = new Collector<T>(options.dir);
  const bad = new BadRows((row) => watch.bad(row));
  const taken: { by: RowTaker | undefined } = { by: undefined };
  try {
    await readTable(file, {
      hasHeader: options.hasHeader,
      delimiter: options.delimiter,
      begin(head) {
        const taker = kind.take({ ...rowsParts(file, head, options, kind.needs), options, collector, bad });
        taken.by = taker;
        return (row) => taker.add(row);
      },
      progress: (bytes, size) => watch.progress({ bytes, size, rows: taken.by?.rows ?? 0 }),
    });
    kind.check(collector.all, bad);
    const wanted = bad.count > 0 && !options.skipBad ? [] : collector.all;
    const stored = wanted.map((collected) => kind.store(collected, bad.count));
    return { file, rows: taken.by?.rows ?? 0, badRows: bad.count, bad: bad.kept, stored };
  } finally {
    collector.close();
  }
}

type HeadParts = Pick<RowsParts<Held>, 'columns' | 'stamps' | 'symbol'>;

function rowsParts(
  file: string,
  head: TableHead,
  options: ImportOptions,
  needs: readonly ColumnRole[],
): HeadParts {
  const mapped = mapColumns(head.header, options.columns, head.width);
  if (!mapped.ok) throw new ImportError(`${file}, line 1: ${mapped.problem}`);
  const { columns } = mapped;
  const missing = needs.find((role) => columns[role] === undefined);
  if (missing !== undefined) {
    throw new ImportError(
      `${file}, line 1: expected a column for ${missing}, was: ${shown(head.header, head.width)}`,
    );
  }
  const name = nameParts(file);
  const symbol = options.symbol ?? (columns.symbol === undefined ? name.symbol : '');
  if (symbol === null) {
    throw new ImportError(`${file}: expected a symbol in its name or in a column; say which one it is`);
  }
  const stamps = { zone: options.zone, day: dayOf(options) ?? name.day, dateOrder: options.dateOrder };
  // A symbol that was said holds, whatever a column says.
  const { symbol: column, ...others } = columns;
  const isByColumn = options.symbol === null && column !== undefined;
  return { columns: isByColumn ? columns : others, stamps, symbol };
}

function dayOf({ day }: ImportOptions): TradingDay | null {
  if (day === null) return null;
  if (!isTradingDay(day)) throw new ImportError(`expected a day like 2026-03-04, was ${JSON.stringify(day)}`);
  return tradingDay(day);
}
