/** A file that appears under its name when it is whole and on the disk, or not at all. */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { writing } from '../../domain/failure.ts';

export interface WholeFile {
  /** Bytes so far. */
  readonly position: number;
  write(bytes: NodeJS.ArrayBufferView): void;
  /** Renames it to its final name. */
  keep(): void;
  /** Deletes it; harmless after `keep`. */
  drop(): void;
}

export function createWholeFile(path: string, mode = 0o644): WholeFile {
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
    get position() {
      return position;
    },
    write(bytes) {
      let done = 0;
      writing(partial, () => {
        while (done < bytes.byteLength) done += writeSync(file, bytes, done, bytes.byteLength - done);
      });
      position += bytes.byteLength;
    },
    keep() {
      fsyncSync(file);
      close();
      renameSync(partial, path);
    },
    drop() {
      if (!isOpen) return;
      close();
      rmSync(partial, { force: true });
    },
  };
}
