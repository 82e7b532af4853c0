import { configureGlobal, readConfigureGlobal } from 'fast-check';
import { SEED } from './seed.ts';

configureGlobal({ ...readConfigureGlobal(), seed: SEED });
