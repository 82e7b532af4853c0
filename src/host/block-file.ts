/** Small files in allocated blocks of the disk. They are written in place and never shrink, so that a full disk takes each new version. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { ifThere } from '../domain/failure.ts';

export const BLOCK_BYTES = 4096;
const OWNER_ONLY = 0o600;

export const block = (text: string): Buffer =>
  Buffer.alloc(BLOCK_BYTES, ' ').fill(text, 0, Buffer.byteLength(text));

/** From the first block on; durable when it returns. Throws for a new file on a full disk. */
export function writeBlocks(path: string, texts: readonly string[]): void {
  const file = openSync(path, existsSync(path) ? 'r+' : 'w', OWNER_ONLY);
  try {
    writeSync(file, Buffer.concat(texts.map(block)), 0, texts.length * BLOCK_BYTES, 0);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The text of each block; undefined without the file. */
export function readBlocks(path: string): readonly string[] | undefined {
  const bytes = ifThere(() => readFileSync(path));
  if (bytes === undefined) return undefined;
  const count = Math.ceil(bytes.length / BLOCK_BYTES);
  return Array.from({ length: count }, (_, i) =>
    bytes.toString('utf8', i * BLOCK_BYTES, (i + 1) * BLOCK_BYTES).trim(),
  );
}
