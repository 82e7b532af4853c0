/** How busy a contract is, by its place in the list: the front month carries most of the trading. */
import { US_PER_MS, US_PER_SECOND } from '../../domain/units.ts';
import type { Random } from './random.ts';

export interface FlowProfile {
  /** Mean time between two actions of the street. */
  readonly actionEveryUs: number;
  /** Of 1,000 actions, so many are trades. */
  readonly tradePermille: number;
  /** The longest silence between two trades. */
  readonly silenceUsMax: number;
  /** Distance of the makers' quotes from fair value, thousandths of a tick. */
  readonly halfSpread: number;
  /** Orders of the street that usually stand in the book. */
  readonly usualOrders: number;
  /** Sizes are divided by this. */
  readonly thinness: number;
  /** How much a traded contract moves the index, thousandths of a tick. */
  readonly impact: number;
  /** Standard deviation of the shocks to its own basis, thousandths of a tick an action. */
  readonly basisShock: number;
}

const PROFILES: readonly [FlowProfile, FlowProfile, FlowProfile] = [
  {
    actionEveryUs: 60 * US_PER_MS,
    tradePermille: 190,
    silenceUsMax: 3 * US_PER_SECOND,
    halfSpread: 600,
    usualOrders: 140,
    thinness: 1,
    impact: 9,
    basisShock: 4,
  },
  {
    actionEveryUs: 280 * US_PER_MS,
    tradePermille: 150,
    silenceUsMax: 7 * US_PER_SECOND,
    halfSpread: 800,
    usualOrders: 70,
    thinness: 3,
    impact: 4,
    basisShock: 40,
  },
  {
    actionEveryUs: 900 * US_PER_MS,
    tradePermille: 130,
    silenceUsMax: 8 * US_PER_SECOND,
    halfSpread: 1_100,
    usualOrders: 40,
    thinness: 6,
    impact: 2,
    basisShock: 90,
  },
];

export const profileOf = (rank: number): FlowProfile => PROFILES[rank] ?? PROFILES[2];

/** Sizes of orders, counted in the real prints: nearly half of them are of one contract, a few are large. */
const SIZES = [
  [430, 1, 1],
  [180, 2, 2],
  [90, 3, 3],
  [100, 4, 5],
  [110, 6, 10],
  [60, 11, 20],
  [25, 21, 50],
  [5, 51, 100],
] as const;

export function drawSize(random: Random, thinness: number): number {
  let left = random.below(1000);
  for (const [permille, from, to] of SIZES) {
    if (left < permille) return Math.max(1, Math.floor((from + random.below(to - from + 1)) / thinness));
    left -= permille;
  }
  return 1;
}
