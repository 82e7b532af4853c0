/** Monte Carlo on the trades of a run: in another order, and drawn again in blocks, many times, from one seed. */
import { quantileSorted } from 'simple-statistics';
import { assert } from '../../domain/assert.ts';
import { Random } from '../../venue/market/random.ts';

export type ResampledPaths = ReturnType<typeof foldPaths>;

export type MonteCarloResult = NonNullable<ReturnType<typeof monteCarlo>>;

const POINTS_MAX = 120;

/**
 * Undefined for fewer than two trades. `profits` net, in the order of their exits. `block`: trades that stay together in the bootstrap, of order
 * n^(1/3) (Hall, Horowitz and Jing, "On blocking rules for the bootstrap with dependent data", Biometrika 82, 1995).
 */
export function monteCarlo(
  profits: readonly number[],
  capital: number,
  { runs, seed }: Readonly<Record<'runs' | 'seed', number>>,
  block = Math.max(1, Math.round(Math.cbrt(profits.length))),
) {
  assert(runs >= 1, 'a simulation has a run');
  if (profits.length < 2) return undefined;
  const paths = (salt: number, path: (below: Below) => readonly number[]): ResampledPaths => {
    const random = new Random(seed + salt);
    const below: Below = (n) => random.below(n);
    return foldPaths(runs, capital, profits.length, () => path(below));
  };
  return {
    runs,
    seed,
    trades: profits.length,
    blockTrades: block,
    /** Other orders of the same trades: the end is the same, the way is not. */
    shuffled: paths(0, (below) => shuffled(profits, below)),
    /** Trades drawn with replacement in blocks of neighbours, which keeps their sequence. */
    bootstrapped: paths(1, (below) => blockBootstrap(profits, block, below)),
  };
}

function foldPaths(runs: number, capital: number, trades: number, next: () => readonly number[]) {
  const after = pointsTo(trades);
  const seen = after.map((): number[] => []);
  const ends: number[] = [];
  const falls: number[] = [];
  let ruined = 0;
  for (let run = 0; run < runs; run += 1) {
    const curve = curveOf(capital, next());
    after.forEach((count, i) => seen[i]?.push(curve[count] ?? capital));
    ends.push((curve.at(-1) ?? capital) - capital);
    falls.push(deepestFall(curve));
    if (curve.some((value) => value <= 0)) ruined += 1;
  }
  return {
    netProfit: confidenceBand(ends),
    /** Money below the highest equity so far, zero or more, at the ends of trades. */
    drawdownMax: confidenceBand(falls),
    /** Part of the paths that end below the capital, and that ever had nothing left. */
    lossShare: ends.filter((end) => end < 0).length / runs,
    ruinShare: ruined / runs,
    equity: { after, bands: seen.map((values) => confidenceBand(values)) },
  };
}

/** Zero, all, and evenly between. */
function pointsTo(trades: number): readonly number[] {
  const count = Math.min(trades, POINTS_MAX);
  return Array.from({ length: count + 1 }, (_, i) => Math.round((i * trades) / count));
}

function curveOf(capital: number, profits: readonly number[]): readonly number[] {
  let value = capital;
  return [capital, ...profits.map((profit) => (value += profit))];
}

function deepestFall(curve: readonly number[]): number {
  let [peak, deepest] = [-Infinity, 0];
  for (const value of curve) {
    peak = Math.max(peak, value);
    deepest = Math.max(deepest, peak - value);
  }
  return deepest;
}

/** Uniform over 0 .. n - 1. */
type Below = (n: number) => number;

/** The same values in a random order (Fisher and Yates). The end is the same; the way there is not. */
export function shuffled(values: readonly number[], below: Below): number[] {
  const result = [...values];
  for (let i = result.length - 1; i > 0; i -= 1) {
    const other = below(i + 1);
    const kept = result[i] ?? 0;
    result[i] = result[other] ?? 0;
    result[other] = kept;
  }
  return result;
}

/**
 * As many values, drawn with replacement in runs of `blockLength` neighbours that wrap around the end: the sequence within a block is kept
 * (Politis and Romano, "A circular block-resampling procedure", 1992).
 */
export function blockBootstrap(values: readonly number[], blockLength: number, below: Below): number[] {
  assert(Number.isSafeInteger(blockLength) && blockLength >= 1, 'a block has one value or more');
  const result: number[] = [];
  while (result.length < values.length) {
    const start = below(values.length);
    for (let i = 0; i < blockLength && result.length < values.length; i += 1) {
      result.push(values[(start + i) % values.length] ?? 0);
    }
  }
  return result;
}

export function confidenceBand(sample: readonly number[]) {
  const sorted = sample.toSorted((a, b) => a - b);
  return {
    p5: quantileSorted(sorted, 0.05),
    p25: quantileSorted(sorted, 0.25),
    p50: quantileSorted(sorted, 0.5),
    p75: quantileSorted(sorted, 0.75),
    p95: quantileSorted(sorted, 0.95),
  };
}
