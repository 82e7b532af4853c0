/**
 * Space for exits when the disk is full: a preallocated file of 1 MiB, written in place and synced, for cancels and reductions only
 * (rulings, 30). The next start journals its lines.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

const EMERGENCY_BYTES = 1024 * 1024;

export interface EmergencyFile {
  /** Writes one line durably. Throws when the file is full. */
  write(line: string): void;
  /** The lines written since the last `clear`. */
  lines(): readonly string[];
  clear(): void;
  close(): void;
}

export function openEmergencyFile(path: string): EmergencyFile {
  if (!existsSync(path)) fill(path, 'w');
  const file = openSync(path, 'r+');
  let offset = Buffer.byteLength(written(path));
  return {
    write(line) {
      const bytes = Buffer.from(`${line.replaceAll('\n', ' ')}\n`);
      if (offset + bytes.length > EMERGENCY_BYTES) {
        throw new Error(
          `emergency file ${path} is full (${EMERGENCY_BYTES} bytes): free the disk and restart`,
        );
      }
      writeSync(file, bytes, 0, bytes.length, offset);
      fsyncSync(file);
      offset += bytes.length;
    },
    lines: () =>
      written(path)
        .split('\n')
        .filter((line) => line.length > 0),
    clear() {
      fill(path, 'r+');
      offset = 0;
    },
    close: () => {
      closeSync(file);
    },
  };
}

function fill(path: string, flags: 'w' | 'r+'): void {
  const file = openSync(path, flags, 0o600);
  writeSync(file, Buffer.alloc(EMERGENCY_BYTES), 0, EMERGENCY_BYTES, 0);
  fsyncSync(file);
  closeSync(file);
}

function written(path: string): string {
  const bytes = readFileSync(path);
  const end = bytes.indexOf(0);
  return bytes.subarray(0, end === -1 ? bytes.length : end).toString('utf8');
}
