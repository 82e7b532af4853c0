/**
 * Worlds of the first seeds, a part of them in each test file so that files share the cores: every promise is held in each world, and
 * each is lived through twice the same way. `npm run simulate` goes through thousands, and asks that each named state was met.
 */
import { runSeeds } from './run-seeds.ts';

const PARTS = 3;
const STATES_MIN = 10;
const SEEDS = Math.ceil(Number(process.env['TICKWRIGHT_SEEDS'] ?? 300) / PARTS);

/** The story of the first world that broke a promise, or nothing. */
export async function brokenIn(part: 1 | 2 | 3): Promise<string> {
  let broken = '';
  let seed = (part - 1) * SEEDS;
  const last = seed + SEEDS;
  const seen = await runSeeds({
    next: () => (seed < last ? (seed += 1) : undefined),
    scale: 0.25,
    kills: false,
    without: [],
    isOnce: false,
    onFailure: (failed, story) => {
      broken = `seed ${failed}: ${story}`;
      return false;
    },
  });
  if (broken === '' && seen.counts.size <= STATES_MIN) return 'the worlds have met hardly any fault';
  return broken;
}
