/** Imports a tape of prints: one file of columns for each symbol and day in it. */
import { basename } from 'node:path';
import { isTradingDay, tradingDay, type TradingDay } from '../../domain/civil-date.ts';
import { TickCollector } from '../collect/tick-collector.ts';
import { type ImportedDay, storeDay } from '../collect/store-day.ts';
import { BadRows, type BadRow } from './bad-rows.ts';
import { mapColumns, shown } from './column-map.ts';
import { nameParts } from './file-name.ts';
import type { ImportOptions, ImportWatch } from './import-options.ts';
import { PrintRows } from './print-rows.ts';
import { readTable, type TableHead } from './table-file.ts';

/** Thrown for a file whose rows cannot even be looked at. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

export interface ImportReport {
  readonly file: string;
  /** Good rows. */
  readonly rows: number;
  readonly badRows: number;
  /** The first of them. */
  readonly bad: readonly BadRow[];
  /** Empty when the file had bad rows and they were not to be skipped. */
  readonly days: readonly ImportedDay[];
}

export async function importPrints(
  file: string,
  options: ImportOptions,
  watch: ImportWatch,
): Promise<ImportReport> {
  const collector = new TickCollector(options.dir, 0);
  const bad = new BadRows((row) => watch.bad(row));
  let prints: PrintRows | undefined = undefined;
  try {
    await readTable(file, {
      hasHeader: options.hasHeader,
      delimiter: options.delimiter,
      begin(head) {
        const reader = printRows(file, head, options, collector, bad);
        prints = reader;
        return (row) => reader.add(row);
      },
      progress: (bytes, size) => watch.progress({ bytes, size, rows: prints?.rows ?? 0 }),
    });
    const days = bad.count > 0 && !options.skipBad ? [] : collector.days;
    return {
      file,
      rows: rowsOf(prints),
      badRows: bad.count,
      bad: bad.kept,
      days: days.map((ticks) =>
        storeDay(ticks, options, { source: basename(file), badRows: bad.count, sides: 'source' }),
      ),
    };
  } finally {
    collector.close();
  }
}

/** A function of its own: what a closure has assigned is not seen by the compiler. */
const rowsOf = (prints: PrintRows | undefined): number => prints?.rows ?? 0;

function printRows(
  file: string,
  head: TableHead,
  options: ImportOptions,
  collector: TickCollector,
  bad: BadRows,
): PrintRows {
  const mapped = mapColumns(head.header, options.columns, head.width);
  if (!mapped.ok) throw new ImportError(`${file}, line 1: ${mapped.problem}`);
  const { columns } = mapped;
  for (const role of ['time', 'price', 'volume'] as const) {
    if (columns[role] === undefined) {
      throw new ImportError(
        `${file}, line 1: expected a column for ${role}, was: ${shown(head.header, head.width)}`,
      );
    }
  }
  const name = nameParts(file);
  const symbol = options.symbol ?? name.symbol;
  if (symbol === null && columns.symbol === undefined) {
    throw new ImportError(`${file}: expected a symbol in its name or in a column; say which one it is`);
  }
  const stamps = { zone: options.zone, day: dayOf(options) ?? name.day, dateOrder: options.dateOrder };
  // A symbol that was said holds, whatever a column says.
  const { symbol: column, ...others } = columns;
  const kept = options.symbol === null && column !== undefined ? columns : others;
  return new PrintRows({ options, stamps, columns: kept, symbol: symbol ?? '', collector, bad });
}

function dayOf({ day }: ImportOptions): TradingDay | null {
  if (day === null) return null;
  if (!isTradingDay(day)) throw new ImportError(`expected a day like 2026-03-04, was ${JSON.stringify(day)}`);
  return tradingDay(day);
}
