/**
 * Seeded random numbers from 32-bit whole numbers (xoshiro128**, seeded by splitmix32). Distributions come from tables and
 * sums, not from `Math.log` or `Math.exp`, whose last digit may differ from one build of the runtime to another.
 */
import { assert } from '../../domain/assert.ts';

/** -ln(1 - (i + 0.5) / 32), in thousandths. */
const EXPONENTIAL = [
  16, 48, 81, 116, 152, 189, 227, 267, 309, 353, 398, 446, 495, 547, 602, 659, 721, 786, 855, 929, 1009, 1096,
  1190, 1294, 1411, 1542, 1693, 1869, 2085, 2367, 2773, 4159,
] as const;

const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by));

export class Random {
  #a = 0;
  #b = 0;
  #c = 0;
  #d = 0;

  constructor(seed: number) {
    assert(Number.isSafeInteger(seed), 'a seed is a whole number');
    let state = seed >>> 0;
    // The upper half of a large seed counts too.
    state ^= Math.imul(Math.floor(seed / 0x1_0000_0000), 0x9e3779b1);
    const mixed = (): number => {
      state = (state + 0x9e3779b9) | 0;
      let z = state ^ (state >>> 16);
      z = Math.imul(z, 0x21f0aaad);
      z ^= z >>> 15;
      z = Math.imul(z, 0x735a2d97);
      return (z ^ (z >>> 15)) | 0;
    };
    this.#a = mixed();
    this.#b = mixed();
    this.#c = mixed();
    this.#d = mixed() | 1;
  }

  /** Uniform over 0 .. 2^32 - 1. */
  next(): number {
    const result = Math.imul(rotate(Math.imul(this.#b, 5), 7), 9) >>> 0;
    const t = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= t;
    this.#d = rotate(this.#d, 11);
    return result;
  }

  /** Uniform over 0 .. n - 1. */
  below(n: number): number {
    return Math.floor((this.next() * n) / 0x1_0000_0000);
  }

  chance(permille: number): boolean {
    return this.below(1000) < permille;
  }

  /** About exponential with the given mean, a whole number, at least 1. */
  exponential(mean: number): number {
    const slot = this.next() >>> 27;
    const thousandths = (EXPONENTIAL[slot] ?? 1000) + this.below(32) - 16;
    return Math.max(1, Math.round((mean * thousandths) / 1000));
  }

  /** About normal with standard deviation 1,000: a sum of twelve uniform numbers. */
  bell(): number {
    let sum = 0;
    for (let i = 0; i < 6; i += 1) {
      const pair = this.next();
      sum += (pair & 0xffff) + (pair >>> 16);
    }
    return Math.trunc(((sum - 6 * 65_535) * 1000) / 65_536);
  }
}
