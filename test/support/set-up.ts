/** Runs before each file of tests. */
import { configureGlobal, readConfigureGlobal } from 'fast-check';
import { afterAll } from 'vitest';
import { endFile } from './after-file.ts';
import { SEED } from './seed.ts';

configureGlobal({ ...readConfigureGlobal(), seed: SEED });
afterAll(endFile);
