/** Broken frames and bodies against every reader of both sides, in this thread. */
import { DriftLog } from '../../src/wire/drift.ts';
import { Noise } from './noise.ts';
import { everyReader } from './readers.ts';
import { Tally } from './tally.ts';

/** The text that broke a reader, so that it can become a test. */
class ReaderBroke extends Error {
  override readonly name = 'ReaderBroke';

  constructor(reader: string, text: string, cause: unknown) {
    super(`${reader} threw on ${JSON.stringify(text)}: ${String(cause)}`, { cause });
  }
}

export interface ReaderRun {
  readonly tally: Tally;
  /** Kinds of deviation that were remembered: bounded, however mad the input. */
  readonly drifts: number;
}

export function fuzzReaders(cases: number, seed: number): ReaderRun {
  const noise = new Noise(seed);
  const tally = new Tally();
  const drift = new DriftLog();
  const readers = everyReader(drift);
  for (let i = 0; i < cases; i += 1) {
    const reader = noise.pick(readers);
    const right = noise.pick(reader.seeds);
    const text = reader.isJson ? noise.brokenJson(right) : noise.brokenText(right);
    try {
      tally.count(reader.name, reader.read(text));
    } catch (error) {
      throw new ReaderBroke(reader.name, text, error);
    }
  }
  return { tally, drifts: drift.all.length };
}
