/** Stores a file of columns without losing other data: only `replace` overwrites it. */

/** `kept`: other data is there already, and nothing was written. */
export type StoreOutcome = 'written' | 'replaced' | 'unchanged' | 'kept';

export interface StoredFile<Meta> {
  readonly outcome: StoreOutcome;
  /** Of the file that is there now. */
  readonly meta: Meta;
}

interface Described {
  readonly digest: string;
  readonly tickSize: string;
  readonly lotSize: string;
}

/**
 * Calls `write`, which passes the metadata of the new rows to `accept` before its file appears. `accept` ends the write when the
 * file in the same place, `before`, stays.
 */
export function storeFile<Meta extends Described>(
  before: Meta | undefined,
  replace: boolean | undefined,
  write: (accept: (now: Meta) => Meta) => Meta,
): StoredFile<Meta> {
  let kept: StoredFile<Meta> | null = null;
  const accept = (now: Meta): Meta => {
    if (before === undefined) return now;
    kept = keptFile(before, now, replace);
    if (kept !== null) throw new WriteEnded();
    return now;
  };
  try {
    return { meta: write(accept), outcome: before === undefined ? 'written' : 'replaced' };
  } catch (error) {
    if (!(error instanceof WriteEnded) || kept === null) throw error;
    return kept;
  }
}

/** Null when `now` takes the place of `stored`. */
function keptFile<Meta extends Described>(
  stored: Meta,
  now: Meta,
  replace: boolean | undefined,
): StoredFile<Meta> | null {
  const isSame =
    stored.digest === now.digest && stored.tickSize === now.tickSize && stored.lotSize === now.lotSize;
  // Replacing a file that has the same rows corrects its metadata.
  const isAsSaid = replace !== true || JSON.stringify(stored) === JSON.stringify(now);
  if (isSame && isAsSaid) return { outcome: 'unchanged', meta: stored };
  return replace === true ? null : { outcome: 'kept', meta: stored };
}

/** Ends a write whose result is not wanted. */
class WriteEnded extends Error {}
