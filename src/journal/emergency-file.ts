/** Room for cancels and reductions on a full disk: 1 MiB, preallocated and synced (rulings, 30). The next start journals its lines. */
import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { isDiskFull } from '../domain/failure.ts';

const FILE_BYTES = 1024 * 1024;
/** Unit of `blocks` in the status of a file. */
const BLOCK_BYTES = 512;
const NEW_LINE = 10;

export type EmergencyFile = ReturnType<typeof openEmergencyFile>;

/** Throws where the disk has no room for the whole file: a shorter one would fail when it is needed. */
export function openEmergencyFile(path: string) {
  extend(path);
  const file = openSync(path, 'r+');
  const before = written(path);
  let offset = before.length;
  // A death in mid-write left half a line: the next one is a line of its own.
  if (offset > 0 && before.at(-1) !== NEW_LINE) offset += writeSync(file, '\n', offset);
  return {
    /** Writes one line durably. Throws when the file is full. */
    write(line: string): void {
      const bytes = Buffer.from(`${line.replaceAll('\n', ' ')}\n`);
      if (offset + bytes.length > FILE_BYTES) {
        throw new Error(`emergency file ${path} is full (${FILE_BYTES} bytes): free the disk and restart`);
      }
      if (fstatSync(file).nlink === 0) {
        throw new Error(`emergency file ${path} was deleted while the daemon runs: restart`);
      }
      writeSync(file, bytes, 0, bytes.length, offset);
      fsyncSync(file);
      offset += bytes.length;
    },
    /** Those written since the last `clear`. */
    lines: (): readonly string[] =>
      written(path)
        .toString('utf8')
        .split('\n')
        .filter((line) => line.length > 0),
    clear(): void {
      writeSync(file, Buffer.alloc(FILE_BYTES), 0, FILE_BYTES, 0);
      fsyncSync(file);
      offset = 0;
    },
    close: () => closeSync(file),
  };
}

/** A death in mid-write, a copy or a hole leaves a file without all its blocks; its lines stay. */
function extend(path: string): void {
  const { size, blocks } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0, blocks: 0 };
  if (size >= FILE_BYTES && blocks * BLOCK_BYTES >= FILE_BYTES) return;
  const file = openSync(path, size === 0 ? 'w' : 'r+', 0o600);
  try {
    const used = size === 0 ? 0 : written(path).length;
    const blank = Buffer.alloc(Math.max(0, FILE_BYTES - used));
    for (let done = 0; done < blank.length;)
      done += writeSync(file, blank, done, blank.length - done, used + done);
    fsyncSync(file);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    throw new Error(
      `emergency file ${path}: expected room for ${FILE_BYTES} bytes, which exits need when the disk is full; ` +
        'it is full now: make room on the disk and start again',
      { cause: error },
    );
  } finally {
    closeSync(file);
  }
}

/** Bytes: half a character is as long as it is. */
function written(path: string): Buffer {
  const bytes = readFileSync(path);
  const end = bytes.indexOf(0);
  return bytes.subarray(0, end === -1 ? bytes.length : end);
}
