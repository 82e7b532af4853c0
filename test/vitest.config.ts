import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { createRandom, SEED } from './support/seed.ts';

/**
 * These start the compiled program and wait for it, fake the clocks that all files of a process share, or count what its heap holds: each
 * file has a process of its own.
 */
const OWN_PROCESS = ['test/e2e/**/*.test.ts', 'test/daemon/schedule.test.ts', 'test/simulate/soak.test.ts'];

/** Without `TICKWRIGHT_STORIES=all` these stay out of a run of all tests: they live through kills, hangs and whole days of programs. */
const LONG = [
  'backtest-faults',
  'changed-*',
  'cockpit-*',
  'dying-strategy',
  'fast-tape',
  'full-disk',
  'halt-before-session',
  'kill*',
  'liars',
  'midnight',
  'pipes',
  'prometheus',
  'report-page',
  'run-messages',
  'simulator-kill',
  'sweep',
  'watchdog',
].map((name) => `test/e2e/${name}.test.ts`);
const areStoriesLeftOut =
  process.env['TICKWRIGHT_STORIES'] !== 'all' && !process.argv.some((word) => word.startsWith('test/e2e'));

/**
 * Files that take long begin first, so that none of them is left alone at the end; those that work and those that mostly wait are mixed, so
 * that the processor is never idle.
 */
const EARLY = [
  /\/e2e\/kill\.test/,
  /\/test\/(?:e2e|failure-cases|cluster|simulate|parity)\/|\/daemon\/feed-daemons/,
];

const place = ({ moduleId }: TestSpecification): number => {
  const found = EARLY.findIndex((part) => part.test(moduleId));
  return found < 0 ? EARLY.length : found;
};

/** Begins with the files of `EARLY`, in their order; the others follow in a random order. */
class LongFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const random = createRandom(SEED);
    const drawn = files
      .toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1))
      .map((file) => ({ file, at: place(file) + random() }));
    return Promise.resolve(drawn.toSorted((a, b) => a.at - b.at).map(({ file }) => file));
  }
}

export default defineConfig({
  root: join(import.meta.dirname, '..'),
  test: {
    reporters: ['default', ['./test/support/tally-reporter.ts', { areStoriesLeftOut }]],
    setupFiles: ['test/support/set-up.ts'],
    // Tests may not lean on their order.
    sequence: { shuffle: true, seed: SEED, sequencer: LongFirst },
    pool: 'forks',
    // Three times the cores: stories wait for most of their time. Left alone, vitest takes one less than cores.
    maxWorkers: 3 * availableParallelism(),
    allowOnly: false,
    restoreMocks: true,
    // A clock that leaped in one file would stay wrong for the next: they share a process.
    fakeTimers: { toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] },
    unstubEnvs: true,
    unstubGlobals: true,
    // For what hangs: a busy machine is no failure.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 10_000,
    projects: [
      {
        extends: true,
        test: { name: 'rooms', include: ['test/**/*.test.ts'], exclude: OWN_PROCESS, isolate: false },
      },
      {
        extends: true,
        test: { name: 'programs', include: OWN_PROCESS, exclude: areStoriesLeftOut ? LONG : [] },
      },
    ],
  },
});
