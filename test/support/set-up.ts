/** Runs before each file of tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configureGlobal, readConfigureGlobal } from 'fast-check';
import { afterAll, vi } from 'vitest';
import { endFile } from './after-file.ts';
import { SEED } from './seed.ts';

configureGlobal({ ...readConfigureGlobal(), seed: SEED });
afterAll(endFile);

// One second by default: a busy machine is no failure.
const { waitFor } = vi;
const PATIENT = { timeout: 60_000 };
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { ...PATIENT, ...options });

// Locks and lists of this user's daemons are no matter of the tests.
const shared = mkdtempSync(join(tmpdir(), 'tickwright-user-'));
process.env['XDG_STATE_HOME'] = shared;
afterAll(() => rmSync(shared, { recursive: true, force: true }));
