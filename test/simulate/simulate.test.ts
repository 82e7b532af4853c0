/**
 * Worlds of the first seeds: every promise is held in each, and each is lived through twice the same way. `npm run simulate` goes
 * through thousands, and asks that each of the named states was met.
 */
import { expect, it } from 'vitest';
import { runSeeds } from './run-seeds.ts';

const SEEDS = Number(process.env['TICKWRIGHT_SEEDS'] ?? 30);

it(`keeps its promises through ${SEEDS} worlds`, { timeout: 1_200_000 }, async () => {
  const failures: string[] = [];
  let seed = 0;
  const seen = await runSeeds({
    next: () => (seed < SEEDS ? (seed += 1) : undefined),
    scale: 0.25,
    kills: false,
    without: [],
    isOnce: false,
    onFailure: (seed, story) => {
      failures.push(`seed ${seed}: ${story}`);
      return false;
    },
  });
  expect(failures.join('\n')).toBe('');
  expect(seen.counts.size, 'the worlds have met faults').toBeGreaterThan(10);
});
