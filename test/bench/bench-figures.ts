/** What a measured process prints, ours or a peer's. */
export interface BenchFigures {
  readonly crosses: number;
  /** Over places and prices of the crosses: equal sums, equal crosses. */
  readonly sum: number;
  readonly orders: number;
  readonly fills: number;
  readonly events: number;
  readonly denials: number;
  /** Of the whole journal; empty for peers. */
  readonly digest: string;
  /** Of each round in the process; the first warms the compiler up. */
  readonly seconds: readonly number[];
  /** The processor's part of it, helper threads included: what a busy machine does not stretch. */
  readonly cpuSeconds: readonly number[];
}

/** Ticks of the two averages: about 32 thousand crosses in 2 million ticks. */
export const FAST = 22;
export const SLOW = 86;
