/** The base of all imports of tables: options, the head of the file, its rows, its bad rows, and the report. */
import { isTradingDay, tradingDay } from '../../domain/civil-date.ts';
import { CEILING_NONE } from '../../domain/contract.ts';
import { InputFault } from '../../domain/failure.ts';
import { US_PER_MINUTE } from '../../domain/units.ts';
import { DecimalReader, FinestStep } from '../../text/decimals.ts';
import { formatCount } from '../../text/numbers.ts';
import type { TimeZone } from '../../text/dates.ts';
import { Collector, type SpillableRows } from '../collect/collector.ts';
import type { StoreDayOptions } from '../collect/day-ticks.ts';
import type { StoredFile } from '../columns/whole-file.ts';
import { type ColumnMap, type ColumnRole, mapColumns, type NamedColumns, shown } from './column-map.ts';
import { cellText, type CsvRow, readTable, type TableHead } from './table-file.ts';
import { isSymbol, nameParts } from './file-kind.ts';
import { type DateOrder, type StampOptions, StampReader } from './stamp-reader.ts';

export interface ImportReport<Meta> {
  readonly rows: number;
  readonly badRows: number;
  readonly bad: readonly BadRow[];
  readonly steps: FileSteps;
  /** Rows at times at which the market is closed, and the lines of the first and the last one. */
  readonly outside: Readonly<RowOrder['outside']>;
  /** `finest step of prices 0.05 (line 7), of volumes 1 (line 2)`, and rows out of order. */
  readonly notes: readonly string[];
  /** Empty when the file had bad rows and they were not to be skipped. */
  readonly stored: readonly StoredFile<Meta>[];
}

interface TableImport<T extends SpillableRows, Meta> {
  reader(source: RowSource<T>): ImportRowReader<T>;
  readonly check?: (collected: readonly T[], bad: BadRows) => void;
  store(collected: T, badRows: number): StoredFile<Meta>;
}

export async function importTable<T extends SpillableRows, Meta>(
  file: string,
  options: ImportOptions,
  watch: ImportWatch,
  kind: TableImport<T, Meta>,
): Promise<ImportReport<Meta>> {
  const collector = new Collector<T>(options.dir);
  const steps = { prices: new FinestStep(options.tickSize), volumes: new FinestStep(options.lotSize) };
  const bad = new BadRows((row) => watch.bad(row), steps);
  const order = new RowOrder();
  let [rows, had] = [0, 'an empty file: export or download it again'];
  try {
    await readTable(file, {
      header: options.header,
      delimiter: options.delimiter,
      decimalComma: options.decimalComma,
      begin(head) {
        const found = rowSource(file, head, options);
        const reader = kind.reader({ ...found, head, options, collector, bad, steps, order });
        had = 'a header alone';
        return (row) => {
          if (!reader.add(row)) return;
          if (rows === 0) bad.good();
          rows += 1;
        };
      },
      progress: (bytes, size) => watch.progress({ bytes, size, rows }),
    });
    if (rows === 0 && bad.count === 0) throw new InputFault('file', `${file}: expected rows, was ${had}`);
    kind.check?.(collector.all, bad);
    const wanted = bad.count > 0 && options.skipBad !== true ? [] : collector.all;
    const stored = wanted.map((collected) => kind.store(collected, bad.count));
    const notes = [stepsText(steps), order.text].filter((note) => note !== '');
    return { rows, badRows: bad.count, bad: bad.kept, steps, outside: order.outside, notes, stored };
  } catch (error) {
    // A row does not know its file.
    if (error instanceof InputFault && !error.message.startsWith(file))
      error.message = `${file}: ${error.message}`;
    throw error;
  } finally {
    collector.close();
  }
}

type FileSteps = Readonly<Record<'prices' | 'volumes', FinestStep>>;

function stepsText(steps: FileSteps): string {
  const texts = Object.entries(steps).flatMap(([of, { text }]) =>
    text === null ? [] : [`of ${of} ${text}`],
  );
  return texts.length === 0 ? '' : `finest step ${texts.join(', ')}`;
}

/** Trading does not stop for as long within a day. */
const NIGHT_US = 240 * US_PER_MINUTE;

/** Counts rows that are out of order (a file is oldest first or newest first), and those of a closed market. */
class RowOrder {
  /** `ends`: of the market's hours, those that trading crosses: both in a file of all hours, one where its zone is mistaken. */
  readonly outside = { rows: 0, first: 0, last: 0, ends: new Set<'open' | 'close'>() };
  #beforeAt = -Infinity;
  #wasClosed = false;
  #earlier = { rows: 0, line: 0 };
  #later = { rows: 0, line: 0 };

  add(rows: SpillableRows, at: number, line: number, isClosed = false): void {
    if (isClosed) {
      this.outside.rows += 1;
      this.outside.first ||= line;
      this.outside.last = line;
    }
    if (isClosed !== this.#wasClosed && Math.abs(at - this.#beforeAt) < NIGHT_US)
      this.outside.ends.add(isClosed === at > this.#beforeAt ? 'close' : 'open');
    this.#beforeAt = at;
    this.#wasClosed = isClosed;
    if (at === rows.lastUs) return;
    const isFirst = rows.lastUs === -Infinity;
    const those = at < rows.lastUs ? this.#earlier : this.#later;
    rows.lastUs = at;
    if (isFirst) return;
    if (those.rows === 0) those.line = line;
    those.rows += 1;
  }

  get text(): string {
    const { rows, line } = this.#earlier.rows > this.#later.rows ? this.#later : this.#earlier;
    return rows === 0 ? '' : `${formatCount(rows, 'row')} out of order, the first in line ${line}: sorted`;
  }
}

function rowSource(file: string, head: TableHead, options: ImportOptions) {
  const mapped = mapColumns(head.header, options.columns, head.width);
  if (!mapped.ok) throw new InputFault('arguments', `${file}, line 1: ${mapped.problem}`);
  const { columns } = mapped;
  const columnOf = (role: ColumnRole): number => {
    const found = columns[role];
    if (found !== undefined) return found;
    throw new InputFault(
      'arguments',
      `${file}, line 1: expected a column for ${role}, was: ${shown(head.header, head.width)}`,
    );
  };
  const name = nameParts(file);
  const symbol = options.symbol ?? (columns.symbol === undefined ? name.symbol : '');
  if (symbol === null) {
    throw new InputFault(
      'arguments',
      `${file}: expected a symbol in its name or in a column; say which one it is`,
    );
  }
  const { zone, stampZone = zone, dateOrder } = options;
  if (options.day !== undefined && !isTradingDay(options.day))
    throw new InputFault('arguments', `expected a day like 2026-03-04, was ${JSON.stringify(options.day)}`);
  const day = options.day === undefined ? name.day : tradingDay(options.day);
  const stamps = { zone: stampZone, day, dateOrder };
  const isByColumn = options.symbol === undefined && columns.symbol !== undefined;
  return { columns, columnOf, stamps, symbol: isByColumn ? '' : symbol };
}

/** Options of a backtest file or the command line, under the same names. */
export interface ImportOptions extends StoreDayOptions {
  /** Absent: taken from the file's name or a column of it. */
  readonly symbol?: string | undefined;
  /** Date of times without one; absent: taken from the file's name. */
  readonly day?: string | undefined;
  readonly zone: TimeZone;
  /** Of times that name none; absent: `zone`. */
  readonly stampZone?: TimeZone | undefined;
  readonly isClosed?: (at: number) => boolean;
  readonly dateOrder?: DateOrder | undefined;
  /** A price between two ticks counts as the nearest. */
  readonly round?: boolean;
  readonly columns: NamedColumns;
  readonly sides: SideWords;
  readonly header: boolean;
  /** Numbers have a comma for the point. */
  readonly decimalComma?: boolean;
  /** Absent: found out from the first line. */
  readonly delimiter?: string | undefined;
  /** Keep the good rows of a file that has bad ones. */
  readonly skipBad?: boolean;
}

export interface ImportWatch {
  /** Bytes of the file that were read, of how many, and rows so far. */
  progress(done: { readonly bytes: number; readonly size: number; readonly rows: number }): void;
  bad(row: BadRow): void;
}

export interface BadRow {
  readonly line: number;
  readonly reason: string;
}

/** Bad rows kept for the report; all are counted and passed to the watch. */
const KEPT_MAX = 1_000;
const BAD_ROWS_MAX = 1_000;

/** Rows that could not be read: each is reported with its line and the reason, none is dropped silently. */
export class BadRows {
  readonly kept: BadRow[] = [];
  readonly #onBad: (row: BadRow) => void;
  readonly #steps: FileSteps | null;
  count = 0;
  #hasGood = false;

  constructor(onBad: (row: BadRow) => void, steps: FileSteps | null = null) {
    this.#onBad = onBad;
    this.#steps = steps;
  }

  good(): void {
    this.#hasGood = true;
  }

  add(line: number, reason: string): void {
    const row = { line, reason };
    this.count += 1;
    if (this.kept.length < KEPT_MAX) this.kept.push(row);
    this.#onBad(row);
    // It is read by the wrong rules.
    if (!this.#hasGood && this.count >= BAD_ROWS_MAX) {
      const steps = this.#steps === null ? '' : stepsText(this.#steps);
      const found = steps === '' ? '' : `; ${steps}`;
      const { line: at, reason: why } = this.kept[0] ?? row;
      throw new InputFault('rows', `the first ${this.count} rows are all bad; line ${at}: ${why}${found}`);
    }
  }
}

export interface RowSource<T extends SpillableRows> {
  readonly options: ImportOptions;
  readonly head: TableHead;
  readonly stamps: StampOptions;
  readonly columns: ColumnMap;
  readonly columnOf: (role: ColumnRole) => number;
  /** Symbol of all rows, whatever a column calls it; empty where the column has it. */
  readonly symbol: string;
  readonly collector: Collector<T>;
  readonly bad: BadRows;
  readonly steps: FileSteps;
  readonly order: RowOrder;
}

export const INT32_MAX = 2 ** 31 - 1;
/** In ticks: an order at the market is a limit above it. */
const PRICE_MAX = CEILING_NONE - 1;
export const NONE = -1;

/** Reads rows of one kind; a bad one is refused with the first cell that is wrong. */
export abstract class ImportRowReader<T extends SpillableRows> {
  protected readonly source: RowSource<T>;
  readonly #stamps: StampReader;
  readonly #time: number;
  readonly #date: number;
  /** In the row before. */
  #symbol = '';
  readonly #ticks: DecimalReader;
  readonly #rounded: DecimalReader | null;
  readonly #lots: DecimalReader;
  readonly #cellsMin: number;

  constructor(source: RowSource<T>) {
    const { options, columns, stamps, columnOf } = source;
    this.source = source;
    this.#stamps = new StampReader(stamps);
    this.#time = columnOf('time');
    this.#date = columns.date ?? NONE;
    const { tickSize, lotSize, round = false, decimalComma: hasComma = false } = options;
    this.#ticks = new DecimalReader(tickSize, { hasComma });
    this.#rounded = round ? new DecimalReader(tickSize, { hasComma, isRounding: true }) : null;
    this.#lots = new DecimalReader(lotSize, { hasComma });
    this.#cellsMin = Math.max(...Object.values(columns)) + 1;
  }

  /** False for a row that it refused. */
  add(row: CsvRow): boolean {
    if (row.cells < this.#cellsMin) return this.refuse(row, `${this.#cellsMin} columns or more`, NONE);
    const { width } = this.source.head;
    if (row.cells > width && cellText(row, row.cells - 1) !== '')
      return this.refuse(row, `at most ${width} columns, as in the first line`, NONE);
    const at = this.#timeOf(row);
    return Number.isNaN(at) ? this.refuse(row, this.#timeWanted(), this.#time) : this.take(row, at);
  }

  /** In one column or in two; NaN for a cell that is no time. */
  #timeOf(row: CsvRow): number {
    if (this.#date !== NONE)
      return this.#stamps.readPair(cellText(row, this.#date), cellText(row, this.#time));
    const { bytes, bounds } = row;
    return this.#stamps.read(bytes, bounds[2 * this.#time] ?? 0, bounds[2 * this.#time + 1] ?? 0);
  }

  #timeWanted(): string {
    const { day, dateOrder } = this.source.stamps;
    if (day !== null && this.#date === NONE) return 'a time like 09:00:00';
    const dates = dateOrder === undefined ? ' (for 04/03/2026 say which order)' : '';
    return `a date and time like 2026-03-04 09:00:00${dates}`;
  }

  /** Collects a row with a time; false for a row that it refused. */
  protected abstract take(row: CsvRow, at: number): boolean;

  /** Whole ticks; NaN for a row that it refused. */
  protected price(row: CsvRow, cell: number): number {
    const price = this.#number(row, cell, this.#ticks, this.source.steps.prices, this.#rounded);
    if (price > 0 && price <= PRICE_MAX) return price;
    const { tickSize } = this.source.options;
    const expected =
      price > PRICE_MAX
        ? `a price of at most ${PRICE_MAX} ticks of ${tickSize} (a larger tick makes them fewer)`
        : `a price above 0 on the grid of ${tickSize}`;
    this.refuse(row, expected, cell);
    return NaN;
  }

  /** Whole lots; NaN for a cell that is none. */
  protected lots(row: CsvRow, cell: number): number {
    return this.#number(row, cell, this.#lots, this.source.steps.volumes, null);
  }

  #number(
    row: CsvRow,
    cell: number,
    reader: DecimalReader,
    finest: FinestStep,
    rounded: DecimalReader | null,
  ): number {
    const from = row.bounds[2 * cell] ?? 0;
    const to = row.bounds[2 * cell + 1] ?? 0;
    const value = reader.read(row.bytes, from, to);
    if (Number.isNaN(value)) {
      finest.addFiner(cellText(row, cell), row.line);
      return rounded === null ? NaN : rounded.read(row.bytes, from, to);
    }
    finest.add(value, row.line);
    return value;
  }

  /** Undefined for a row that it refused: its cell is no symbol, or another one in a file of one. */
  protected symbol(row: CsvRow): string | undefined {
    const { columns, symbol: named } = this.source;
    if (columns.symbol === undefined) return named;
    const text = cellText(row, columns.symbol);
    const isWrong = named === '' ? !isSymbol(text) : this.#symbol !== '';
    if (text !== this.#symbol && isWrong) {
      this.refuse(row, this.#symbolWanted(), columns.symbol);
      return undefined;
    }
    this.#symbol = text;
    return named === '' ? text : named;
  }

  #symbolWanted(): string {
    return this.source.symbol === ''
      ? 'a symbol'
      : `the symbol of the rows before, ${JSON.stringify(this.#symbol)} (a file of several is read without the name of one; columns: { symbol: none } ignores the column)`;
  }

  protected refuse(row: CsvRow, expected: string, cell: number): false {
    const name = this.source.head.header?.[cell] ?? '';
    const was =
      cell === NONE
        ? `, was ${row.cells}`
        : ` in column ${name === '' ? cell + 1 : name}, was ${JSON.stringify(cellText(row, cell))}`;
    this.source.bad.add(row.line, `expected ${expected}${was}`);
    return false;
  }
}

export type SideWords = Readonly<Record<'buy' | 'sell' | 'none', readonly string[]>>;

/** As the Vietnamese exchanges' tapes have it: `M` (or `A`) the buyer, `B` the seller, `-` or nothing in an auction. */
export const VIETNAMESE_SIDES: SideWords = { buy: ['M', 'A', 'buy'], sell: ['B', 'sell'], none: ['-', ''] };

/** Words that mean the same everywhere; `A` does not. */
export const PLAIN_SIDES: SideWords = { buy: ['buy', 'B'], sell: ['sell', 'S'], none: ['-', ''] };

const UNKNOWN = 2;

/** Reads the side that crossed the spread. */
export class SideCodes {
  readonly #byByte = new Int8Array(256).fill(UNKNOWN);
  readonly #byWord = new Map<string, number>();

  constructor({ buy, sell, none }: SideWords) {
    for (const word of buy) this.#add(word, 1);
    for (const word of sell) this.#add(word, -1);
    for (const word of none) this.#add(word, 0);
  }

  /** 1, -1, 0; NaN for an unknown word. */
  read(row: CsvRow, cell: number): number {
    const from = row.bounds[2 * cell] ?? 0;
    const isByte = (row.bounds[2 * cell + 1] ?? 0) - from === 1;
    const code = isByte
      ? this.#byByte[row.bytes[from] ?? 0]
      : this.#byWord.get(cellText(row, cell).toLowerCase());
    return code === undefined || code === UNKNOWN ? NaN : code;
  }

  #add(word: string, side: number): void {
    this.#byWord.set(word.toLowerCase(), side);
    if (word.length !== 1) return;
    this.#byByte[word.toLowerCase().charCodeAt(0) & 255] = side;
    this.#byByte[word.toUpperCase().charCodeAt(0) & 255] = side;
  }
}
