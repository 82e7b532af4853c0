import type Fs from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ColumnCache } from '../../../src/cluster/searches/worker.ts';
import { sha256 } from '../../../src/cluster/searches/job.ts';
import { tempDir } from '../../support/temp-dir.ts';

const disk = vi.hoisted(() => ({ isNearlyFull: false }));

/** A disk that is nearly full takes a part of a write. Files of later tests share the process: for them it is a disk like any other. */
vi.mock(import('node:fs'), async (importOriginal) => {
  const fs = await importOriginal();
  const writeSync = (file: number, bytes: NodeJS.ArrayBufferView, ...rest: readonly unknown[]): unknown =>
    disk.isNearlyFull
      ? fs.writeSync(file, bytes, 0, Math.ceil(bytes.byteLength / 2))
      : Reflect.apply(fs.writeSync, fs, [file, bytes, ...rest]);
  return { ...fs, writeSync: writeSync as typeof Fs.writeSync };
});

test('columns that the disk takes in parts are whole', async () => {
  const bytes = Uint8Array.from({ length: 1_000 }, (_, i) => i);
  const piece = { key: 'a', hash: sha256(bytes), bytes: bytes.length, rows: 1, depth: 0, isQuotes: false };
  const cache = new ColumnCache(tempDir(), 1e9);
  disk.isNearlyFull = true;
  onTestFinished(() => void (disk.isNearlyFull = false));
  const found = await cache.read({ ...piece, everyUs: null }, async (_, write) => write(bytes));
  expect(new Uint8Array(found)).toEqual(bytes);
});
