/** Runs before each file of tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configureGlobal, readConfigureGlobal } from 'fast-check';
import { afterAll } from 'vitest';
import { endFile } from './after-file.ts';
import { SEED } from './seed.ts';

configureGlobal({ ...readConfigureGlobal(), seed: SEED });
afterAll(endFile);

// Locks and lists of this user's daemons are no matter of the tests.
const shared = mkdtempSync(join(tmpdir(), 'tickwright-user-'));
process.env['XDG_STATE_HOME'] = shared;
afterAll(() => rmSync(shared, { recursive: true, force: true }));
