/** Files share processes, and with them modules: a hook that a shared module sets itself would run for the first file alone. */
type End = () => Promise<void> | void;

const ends: End[] = [];

/** Runs `end` when the tests of this file are over, the last one first. */
export const afterFile = (end: End): void => void ends.push(end);

export async function endFile(): Promise<void> {
  for (const end of ends.splice(0).toReversed()) await end();
}
