/** Small files that only the owner may read, replaced whole or not at all. */
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;

export function writePrivateFile(path: string, text: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  const draft = `${path}.new`;
  const file = openSync(draft, 'w', OWNER_ONLY);
  try {
    // A draft left by a crash keeps its old mode.
    fchmodSync(file, OWNER_ONLY);
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  const parent = openSync(folder, 'r');
  try {
    fsyncSync(parent);
  } finally {
    closeSync(parent);
  }
}

export type PrivateFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  /** Others may read or write it: what it says is not trusted. */
  | { readonly kind: 'exposed'; readonly mode: string };

export function readPrivateFile(path: string): PrivateFile {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { kind: 'absent' };
  if ((stat.mode & 0o077) !== 0) return { kind: 'exposed', mode: (stat.mode & 0o777).toString(8) };
  return { kind: 'text', text: readFileSync(path, 'utf8') };
}
