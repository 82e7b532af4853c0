import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { AlreadyRunning, isLockHeld, takeInstanceLock } from '../../src/journal/instance-lock.ts';
import { SQLITE_PACKAGE } from '../../src/sqlite/database.ts';
import { tempDir } from '../support/temp-dir.ts';

const MODULE = join(import.meta.dirname, '../../dist/src/journal/instance-lock.js');
const HOLDER = `
import { takeInstanceLock } from ${JSON.stringify(`file://${MODULE}`)};
takeInstanceLock(process.argv[1], process.pid);
process.stdout.write('held');
setInterval(() => undefined, 1e6);`;

/** No file is its own. */
const NOBODY = 65_534;

/** Another process that holds the lock. */
async function holder(path: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

it('keeps a second process out, names the first, and is free again when that one is killed', async () => {
  const path = join(tempDir(), 'daemon.lock');
  const child = await holder(path);
  const take = () => takeInstanceLock(path, process.pid);
  expect(take).toThrow(AlreadyRunning);
  expect(take).toThrow(`process ${child.pid}`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = take();
  lock.release();
});

it('keeps a second daemon of the same process out, until it is released', () => {
  const path = join(tempDir(), 'daemon.lock');
  const lock = takeInstanceLock(path, 1);
  expect(() => takeInstanceLock(path, 2)).toThrow(AlreadyRunning);
  lock.release();
  takeInstanceLock(path, 2).release();
});

it('is not taken where the file may only be read: it would keep nobody out', () => {
  const dir = tempDir();
  const path = join(dir, 'daemon.lock');
  takeInstanceLock(path, 1).release();
  chmodSync(dir, 0o755);
  chmodSync(path, 0o444);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  onTestFinished(() => void (isRoot && process.seteuid?.(0)));
  expect(() => takeInstanceLock(path, 2)).toThrow('attempt to write a readonly database');
});

it('waits while another program reads it', async () => {
  const path = join(tempDir(), 'daemon.lock');
  takeInstanceLock(path, 1).release();
  const looker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     const database = new (require(workerData.sqlite))(workerData.path);
     database.exec('BEGIN EXCLUSIVE');
     parentPort.postMessage('held');
     Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
     database.close();`,
    { eval: true, workerData: { path, sqlite: createRequire(import.meta.url).resolve(SQLITE_PACKAGE) } },
  );
  // Both may come in one turn of the loop.
  const ended = once(looker, 'exit');
  await once(looker, 'message');
  const lock = takeInstanceLock(path, 2);
  expect(isLockHeld(path)).toBe(true);
  lock.release();
  await ended;
});
