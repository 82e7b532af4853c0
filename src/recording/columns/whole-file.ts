/** Files that are closed after use, and files that appear under their name when they are whole and on the disk, or not at all. */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { writing } from '../../domain/failure.ts';

/** Opens a file for reading, and closes it in the end. */
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
    /** Bytes so far. */
    get position(): number {
      return position;
    },
    write(bytes: NodeJS.ArrayBufferView): void {
      writing(partial, () => writeFileSync(file, bytes));
      position += bytes.byteLength;
    },
    /** Renames it to its final name. */
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
