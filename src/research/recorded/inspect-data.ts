/** Lists and verifies the files of a data directory. */
import { errorText } from '../../domain/failure.ts';
import { statSync } from 'node:fs';
import { type BarMeta, readBarMeta, readBarParts, tableOfBars } from '../../recording/columns/bar-file.ts';
import { type BarFile, barFiles, dayFiles, openCatalogue } from '../../recording/columns/catalogue.ts';
import { type RowTable, TotalsCounter } from '../../recording/columns/row-table.ts';
import { rowTableOf, type TickMeta, readParts, readTickMeta } from '../../recording/columns/tick-file.ts';

type OnDisk = ReturnType<typeof onDisk>;

/** A day of ticks, and a year of bars. */
export type TickListing = TickMeta & OnDisk;
export type BarListing = BarFile & Omit<BarMeta, 'year'> & OnDisk;

export type DataListing = ReturnType<typeof listData>;

const ofSymbol =
  (symbol: string | null) =>
  (file: { readonly symbol: string }): boolean =>
    symbol === null || file.symbol === symbol;

const onDisk = (path: string) => ({ bytes: statSync(path).size, path });

/** `symbol` null: all of them. */
export function listData(dir: string, symbol: string | null) {
  return {
    ticks: openCatalogue(dir)
      .filter(ofSymbol(symbol))
      .map(({ path, meta }) => ({ ...meta, ...onDisk(path) })),
    bars: barFiles(dir)
      .filter(ofSymbol(symbol))
      .map((file) => ({ ...readBarMeta(file.path), ...file, ...onDisk(file.path) })),
  };
}

export interface VerifiedFile {
  readonly symbol: string;
  /** A day of ticks, or length and year of bars. */
  readonly period: string;
  readonly kind: 'columns' | 'bars';
  readonly rows: number;
  /** Empty for a file that agrees with its metadata. */
  readonly problems: readonly string[];
  readonly path: string;
}

/** Reads every file whole and yields it with its problems; `symbol` null takes all. */
export function* verifyData(dir: string, symbol: string | null): Generator<VerifiedFile> {
  for (const { symbol: of, day, path } of dayFiles(dir).filter(ofSymbol(symbol))) {
    const { rows, problems } = verified(path, readTickMeta, function* () {
      for (const part of readParts(path)) yield rowTableOf(part);
    });
    yield { symbol: of, period: day, kind: 'columns', rows, problems, path };
  }
  for (const { symbol: of, length, year, path } of barFiles(dir).filter(ofSymbol(symbol))) {
    const { rows, problems } = verified(path, readBarMeta, function* () {
      for (const part of readBarParts(path)) yield tableOfBars(part);
    });
    yield { symbol: of, period: `${length} ${year}`, kind: 'bars', rows, problems, path };
  }
}

export const filesToVerify = (dir: string, symbol: string | null): number =>
  dayFiles(dir).filter(ofSymbol(symbol)).length + barFiles(dir).filter(ofSymbol(symbol)).length;

const NAMES = { rows: 'rows', firstUs: 'first time', lastUs: 'last time', digest: 'digest' } as const;

/** Reads a file whole and compares its rows with its metadata. */
function verified(
  path: string,
  readMeta: (path: string) => Pick<TickMeta, keyof typeof NAMES>,
  read: () => Iterable<RowTable>,
): Pick<VerifiedFile, 'rows' | 'problems'> {
  const totals = new TotalsCounter();
  try {
    const said = readMeta(path);
    for (const table of read()) totals.add(table);
    const is = totals.totals();
    const problems = (['rows', 'firstUs', 'lastUs', 'digest'] as const)
      .filter((key) => said[key] !== is[key])
      .map((key) => `${NAMES[key]}: expected ${said[key]}, was ${is[key]}`);
    return { rows: is.rows, problems };
  } catch (error) {
    // A damaged footer may raise any error in the decoder: the file cannot be read.
    return { rows: 0, problems: [errorText(error)] };
  }
}
