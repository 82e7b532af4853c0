/**
 * The seed of every draw: of properties, of moments to kill a process, and of the order of tests. It is fixed, so that a run that
 * fails can be repeated. `TICKWRIGHT_SEED=<whole number>` chooses another.
 */
export const SEED = readSeed(process.env['TICKWRIGHT_SEED']);

/** Park and Miller's generator: numbers from 0 to 1, the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed % 2_147_483_647;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function readSeed(text: string | undefined): number {
  if (text === undefined || text === '') return 20_260_318;
  const seed = Number(text);
  if (!Number.isSafeInteger(seed) || seed < 1)
    throw new Error(`TICKWRIGHT_SEED: expected a whole number above 0, was "${text}"`);
  return seed;
}
