import type Fs from 'node:fs';
import { expect, test, vi } from 'vitest';
import { ColumnCache } from '../../../src/cluster/searches/column-cache.ts';
import { sha256 } from '../../../src/cluster/searches/job.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** A disk that is nearly full takes a part of a write, and refuses the next one alone. */
vi.mock(import('node:fs'), async (importOriginal) => {
  const fs = await importOriginal();
  const writeSync = (file: number, bytes: NodeJS.ArrayBufferView): number =>
    fs.writeSync(file, bytes, 0, Math.ceil(bytes.byteLength / 2));
  return { ...fs, writeSync: writeSync as typeof Fs.writeSync };
});

test('columns that the disk takes in parts are whole', async () => {
  const bytes = Uint8Array.from({ length: 1_000 }, (_, i) => i);
  const piece = { key: 'a', hash: sha256(bytes), bytes: bytes.length, rows: 1, depth: 0, isQuotes: false };
  const cache = new ColumnCache(tempDir(), 1e9);
  const found = await cache.read({ ...piece, everyUs: null }, async (_, write) => write(bytes));
  expect(new Uint8Array(found)).toEqual(bytes);
});
