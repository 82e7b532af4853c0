/** Measures candidates against each other: round by round in turn, so that a busy moment of the machine meets all of them. */

/** One way to do the work; `run` gives nanoseconds for one item. */
export interface Candidate {
  readonly name: string;
  readonly run: () => number | Promise<number>;
}

export interface Measured {
  readonly name: string;
  /** Median, least and most of the rounds, nanoseconds for one item. */
  readonly ns: number;
  readonly min: number;
  readonly max: number;
}

/** What is not counted is for the compiler; who starts again with each round needs none of it. */
export async function measure(
  candidates: readonly Candidate[],
  rounds: number,
  notCounted = 1,
): Promise<Measured[]> {
  const samples = candidates.map((): number[] => []);
  for (let round = -notCounted; round < rounds; round += 1) {
    for (const [at, { run }] of candidates.entries()) {
      const ns = await run();
      if (round >= 0) samples[at]?.push(ns);
    }
  }
  return candidates.map(({ name }, at) => {
    const sorted = (samples[at] ?? []).toSorted((a, b) => a - b);
    return { name, ns: median(sorted), min: sorted[0] ?? NaN, max: sorted.at(-1) ?? NaN };
  });
}

/** Of sorted numbers. */
function median(sorted: readonly number[]): number {
  const half = sorted.length / 2;
  return ((sorted[Math.floor(half)] ?? NaN) + (sorted[Math.ceil(half) - 1] ?? NaN)) / 2;
}

export const medianOf = (samples: readonly number[]): number => median(samples.toSorted((a, b) => a - b));

/** Nanoseconds that `work` takes for one of `items`. */
export function timed(items: number, work: () => void): number {
  const start = performance.now();
  work();
  return ((performance.now() - start) * 1e6) / items;
}
