/** The compiled program, since its threads are; in a process of its own, which a thread that ends at a bad moment takes along. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../dist/src/sqlite/database.js')).href;

const THREAD = `
  import { workerData } from 'node:worker_threads';
  import { loadSqlite } from ${JSON.stringify(MODULE)};
  Atomics.store(workerData, 0, 1);
  loadSqlite();
`;

/** A round ends its thread a little later than the one before, from the moment before the load on. */
const ROUNDS = `
  import { setImmediate as pause } from 'node:timers/promises';
  import { SqliteThread } from ${JSON.stringify(MODULE)};
  for (let ms = 0; ms < 5; ms += 0.2) {
    const workerData = new Int32Array(new SharedArrayBuffer(4));
    const thread = new SqliteThread(new URL('./thread.mjs', import.meta.url), { workerData });
    while (Atomics.load(workerData, 0) === 0) await pause();
    const until = performance.now() + ms;
    while (performance.now() < until);
    await thread.terminate();
  }
`;

it('ends while it loads SQLite, and the process goes on', async () => {
  const folder = tempDir();
  writeFileSync(join(folder, 'thread.mjs'), THREAD);
  writeFileSync(join(folder, 'rounds.mjs'), ROUNDS);
  const { stderr } = await promisify(execFile)(process.execPath, [join(folder, 'rounds.mjs')]);
  expect(stderr).toBe('');
});
