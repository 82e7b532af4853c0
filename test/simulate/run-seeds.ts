/** Many seeds, one after the other. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlanOptions } from './plan.ts';
import { runSeed } from './run-seed.ts';
import { Sightings } from './sometimes.ts';

export interface SeedsOptions extends PlanOptions {
  /** The next seed, or undefined after the last. */
  readonly next: () => number | undefined;
  /** Each so many-th seed is lived through twice and has to come to the same; 0: none. */
  readonly againEvery: number;
  /** Receives the seed and its story; true goes on with the next one. */
  readonly onFailure: (seed: number, story: string) => boolean;
}

/** In memory where the system offers it: the files of a world are written a thousand times a second. */
const MEMORY_DIR = '/dev/shm';

export async function runSeeds({
  next,
  againEvery,
  onFailure,
  ...options
}: SeedsOptions): Promise<Sightings> {
  const root = mkdtempSync(join(existsSync(MEMORY_DIR) ? MEMORY_DIR : tmpdir(), 'tickwright-simulate-'));
  const seen = new Sightings();
  try {
    for (let seed = next(); seed !== undefined; seed = next()) {
      const first = await runSeed(seed, root, options);
      seen.add(first.seen.counts);
      const second = seed % againEvery === 0 ? await runSeed(seed, root, options) : first;
      const story =
        first.hash === second.hash
          ? first.story
          : `two runs of one seed differ: ${first.hash} and ${second.hash}\n${first.story}`;
      if (story !== '' && !onFailure(seed, story)) break;
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return seen;
}
