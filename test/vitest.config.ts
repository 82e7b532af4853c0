import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: join(import.meta.dirname, '..'),
  test: {
    include: ['test/**/*.test.ts'],
    typecheck: { include: ['test/**/*.test-d.ts'], tsconfig: './tsconfig.json' },
    benchmark: { include: ['test/bench/**/*.bench.ts'] },
    reporters: ['default', './test/support/tally-reporter.ts'],
    // A process for each file: native modules and worker threads stay apart.
    pool: 'forks',
    // Tests may not lean on their order. The run prints its seed: repeat it with --sequence.seed=<seed>.
    sequence: { shuffle: true },
    allowOnly: false,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    // For what hangs: a busy machine is no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
  },
});
