/**
 * The background's belief of the index, in thousandths of a tick: a random walk with clustered volatility and slow trends, on a
 * fixed time grid, so that reading it more often does not change it.
 */
import {
  type PriceHundredths,
  priceHundredths,
  type TsUs,
  US_PER_MS,
  US_PER_SECOND,
} from '../../domain/units.ts';
import type { Random } from './random.ts';

/** Values of the index, split where the closing auction began. */
export interface IndexSamples {
  readonly continuous: readonly PriceHundredths[];
  readonly closing: readonly PriceHundredths[];
}

export const MILLI = 1000;
const STEP_US = 250 * US_PER_MS;
/** Usual standard deviation of one step: about 7 ticks a minute. */
const USUAL_VOLATILITY = 450;
const VOLATILITY_MIN = 150;
const VOLATILITY_MAX = 2_200;
/** One step in this many starts a burst. */
const BURST_EVERY_STEPS = 4_000;
/** Trends fade over about ten minutes; in millionths of a tick a step. */
const TREND_FADE_STEPS = 2_400;
const TREND_SHOCK = 330;
/** Beyond this distance from the reference, parts of 10,000, value comes back slowly: it stays inside the band. */
const WANDER_BPS_MAX = 400;
const PULL_BACK = 25;
/** After a longer pause the walk jumps instead. */
const STEPS_AT_ONCE_MAX = 14_400;
/** The index is sampled this often for the final settlement price (not published: our choice). */
const SAMPLE_EVERY_STEPS = 60;
const WINDOW_US = 1_800 * US_PER_SECOND;

export class FairValue {
  readonly #random: Random;
  #step = 0;
  #value = 0;
  #reference = 0;
  #volatility = USUAL_VOLATILITY;
  #trend = 0;
  #samples: { tsUs: number; value: number }[] = [];

  constructor(random: Random, value: number, at: TsUs) {
    this.#random = random;
    this.#value = value;
    this.#reference = value;
    this.#step = Math.floor(at / STEP_US);
  }

  /** The value at a moment that is not before the last one asked for. */
  at(us: number): number {
    const target = Math.floor(us / STEP_US);
    if (target - this.#step > STEPS_AT_ONCE_MAX) {
      this.#step = target - STEPS_AT_ONCE_MAX;
      this.#value += Math.trunc(this.#random.bell() * 8);
    }
    while (this.#step < target) this.#walk();
    return this.#value;
  }

  /** Volatility now against the usual, in parts of 1,000. */
  get heat(): number {
    return Math.round((this.#volatility * 1000) / USUAL_VOLATILITY);
  }

  /** A new day: the walk stays near its reference. */
  anchor(reference: number): void {
    this.#reference = reference;
  }

  /** Trades move the belief. */
  nudge(by: number): void {
    this.#value += Math.trunc(by);
  }

  samples(endUs: number, closingFromUs: number, hundredthsPerTick: number): IndexSamples {
    this.at(endUs);
    const window = this.#samples.filter(({ tsUs }) => tsUs >= endUs - WINDOW_US && tsUs < endUs);
    const prices = (rows: typeof window): PriceHundredths[] =>
      rows.map(({ value }) => priceHundredths(Math.round((value * hundredthsPerTick) / MILLI)));
    return {
      continuous: prices(window.filter(({ tsUs }) => tsUs < closingFromUs)),
      closing: prices(window.filter(({ tsUs }) => tsUs >= closingFromUs)),
    };
  }

  #walk(): void {
    const random = this.#random;
    this.#step += 1;
    const shock = Math.trunc((this.#volatility * random.bell()) / 40_000);
    const back = Math.trunc((USUAL_VOLATILITY - this.#volatility) / 300);
    let volatility = this.#volatility + shock + back;
    if (random.below(BURST_EVERY_STEPS) === 0) volatility *= 3;
    this.#volatility = Math.min(VOLATILITY_MAX, Math.max(VOLATILITY_MIN, volatility));
    this.#trend +=
      Math.trunc((random.bell() * TREND_SHOCK) / 1000) - Math.trunc(this.#trend / TREND_FADE_STEPS);
    this.#value += Math.trunc((this.#volatility * random.bell()) / 1000) + Math.trunc(this.#trend / 1000);
    const far = Math.trunc((this.#reference * WANDER_BPS_MAX) / 10_000);
    if (this.#value > this.#reference + far) this.#value -= PULL_BACK;
    if (this.#value < this.#reference - far) this.#value += PULL_BACK;
    if (this.#step % SAMPLE_EVERY_STEPS === 0) this.#sample();
  }

  #sample(): void {
    const tsUs = this.#step * STEP_US;
    this.#samples.push({ tsUs, value: this.#value });
    if (this.#samples.length > 512)
      this.#samples = this.#samples.filter((row) => row.tsUs > tsUs - 2 * WINDOW_US);
  }
}
