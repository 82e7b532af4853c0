/** Files that are closed after use, and files that appear under their name when they are whole and on the disk, or not at all. */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  existsSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { withPath } from '../../domain/failure.ts';
import type { FileMeta } from './row-table.ts';

export function withFile<T>(path: string, use: (file: number) => T): T {
  const file = openSync(path, 'r');
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

export type WholeFile = ReturnType<typeof createWholeFile>;

export function createWholeFile(path: string, mode = 0o644) {
  mkdirSync(dirname(path), { recursive: true });
  const partial = `${path}.partial`;
  const file = openSync(partial, 'w', mode);
  let position = 0;
  let isOpen = true;
  const close = (): void => {
    closeSync(file);
    isOpen = false;
  };
  return {
    get position(): number {
      return position;
    },
    write(bytes: NodeJS.ArrayBufferView): void {
      withPath(partial, () => writeFileSync(file, bytes));
      position += bytes.byteLength;
    },
    keep(): void {
      fsyncSync(file);
      close();
      renameSync(partial, path);
    },
    /** Deletes it; harmless after `keep`. */
    drop(): void {
      if (!isOpen) return;
      close();
      rmSync(partial, { force: true });
    },
  };
}

// Files of columns are stored without losing other data: only `replace` overwrites it.

/** `kept`: other data is there already, and nothing was written. */
type StoreOutcome = 'written' | 'replaced' | 'unchanged' | 'kept';

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
  readonly replace?: boolean;
}

type RowsIdentity = Pick<FileMeta, 'digest' | 'tickSize' | 'lotSize'>;

/** `write` passes the metadata of the new rows to `accept`, which ends the write where the file that is there stays. */
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
