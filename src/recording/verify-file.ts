/** Reads a file of ours whole and compares its rows with its metadata. */
import { readBarMeta, readBarParts, tableOfBars } from './columns/bar-file.ts';
import { type RowTable, TotalsCounter } from './columns/row-table.ts';
import { tableOf } from './columns/tick-columns.ts';
import { readParts, readTickMeta } from './columns/tick-file.ts';

export interface Verified {
  readonly rows: number;
  readonly digest: string;
  /** Empty for a file that agrees with its metadata. */
  readonly problems: readonly string[];
}

/** Columns or an archive of a day. */
export const verifyTicks = (path: string): Verified =>
  verified(path, readTickMeta, function* () {
    for (const part of readParts(path)) yield tableOf(part);
  });

export const verifyBars = (path: string): Verified =>
  verified(path, readBarMeta, function* () {
    for (const part of readBarParts(path)) yield tableOfBars(part);
  });

interface Said {
  readonly rows: number;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly digest: string;
}

const NAMES = { rows: 'rows', firstUs: 'first time', lastUs: 'last time', digest: 'digest' } as const;

function verified(path: string, readSaid: (path: string) => Said, read: () => Iterable<RowTable>): Verified {
  const totals = new TotalsCounter();
  try {
    const said = readSaid(path);
    for (const table of read()) totals.add(table);
    const is = totals.totals();
    const problems = (['rows', 'firstUs', 'lastUs', 'digest'] as const)
      .filter((key) => said[key] !== is[key])
      .map((key) => `${NAMES[key]}: expected ${said[key]}, was ${is[key]}`);
    return { rows: is.rows, digest: is.digest, problems };
  } catch (error) {
    // A damaged footer may raise any error in the decoder: the file cannot be read.
    return { rows: 0, digest: '', problems: [error instanceof Error ? error.message : String(error)] };
  }
}
