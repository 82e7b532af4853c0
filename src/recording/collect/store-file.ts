/** Stores a file of columns without losing other data: only `replace` overwrites it. */
import { existsSync } from 'node:fs';
import type { FileMeta } from '../columns/row-table.ts';

/** `kept`: other data is there already, and nothing was written. */
export type StoreOutcome = 'written' | 'replaced' | 'unchanged' | 'kept';

export interface StoredFile<Meta> {
  readonly path: string;
  readonly outcome: StoreOutcome;
  readonly meta: Meta;
}

export interface StoreOptions {
  readonly dir: string;
  /** Decimals: a price is a whole number of ticks, a quantity one of lots. */
  readonly tickSize: string;
  readonly lotSize: string;
  /** Overwrite stored data that differ. */
  readonly replace?: boolean;
}

/** Identity of stored rows. */
type RowsIdentity = Pick<FileMeta, 'digest' | 'tickSize' | 'lotSize'>;

/**
 * Calls `write`, which passes the metadata of the new rows to `accept` before its file appears. `accept` ends the write when the
 * file that is there stays.
 */
export function storeFile<Meta extends RowsIdentity>(
  path: string,
  readMeta: (path: string) => Meta,
  replace: boolean | undefined,
  write: (accept: (now: Meta) => Meta) => Meta,
): StoredFile<Meta> {
  const before = existsSync(path) ? readMeta(path) : undefined;
  let kept: 'unchanged' | 'kept' | null = null;
  const accept = (now: Meta): Meta => {
    kept = before === undefined ? null : whyKept(before, now, replace);
    if (kept !== null) throw new WriteEnded();
    return now;
  };
  try {
    return { path, meta: write(accept), outcome: before === undefined ? 'written' : 'replaced' };
  } catch (error) {
    if (!(error instanceof WriteEnded) || kept === null || before === undefined) throw error;
    return { path, meta: before, outcome: kept };
  }
}

/** Null when `now` takes the place of `stored`. */
function whyKept(stored: RowsIdentity, now: RowsIdentity, replace: boolean | undefined) {
  const isSame =
    stored.digest === now.digest && stored.tickSize === now.tickSize && stored.lotSize === now.lotSize;
  // Replacing a file that has the same rows corrects its metadata.
  const isAsSaid = replace !== true || JSON.stringify(stored) === JSON.stringify(now);
  if (isSame && isAsSaid) return 'unchanged';
  return replace === true ? null : 'kept';
}

class WriteEnded extends Error {}
