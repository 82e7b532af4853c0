/** Reads decimals as whole numbers of a step: `1950.1` with a step of `0.1` is 19,501. What is between two steps is no number. */
import { assert } from '../../domain/assert.ts';

/** `0.1`, `0.25`, `1`, `100`: a decimal above 0, without an exponent. */
export const isStep = (text: string): boolean => /^\d{1,9}(\.\d{1,9})?$/.test(text) && Number(text) > 0;

const ZERO = 48;
const DOT = 46;
/** So many digits are counted exactly. */
const DIGITS_MAX = 15;
/** `1950.1000000001` is how some programs print 1950.1. */
const NOISE = 1e-6;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;

export class DecimalReader {
  /** Decimals of the step, and the step in units of its last decimal. */
  readonly #decimals: number;
  readonly #step: number;

  constructor(step: string) {
    assert(isStep(step), 'a step is a decimal above 0');
    this.#decimals = (step.split('.')[1] ?? '').replace(/0+$/, '').length;
    this.#step = Math.round(Number(step) * 10 ** this.#decimals);
  }

  /** Whole steps; NaN for what is no number or lies between two. */
  read(bytes: Uint8Array, from: number, to: number): number {
    const decimals = this.#decimals;
    let value = 0;
    let seen = -1;
    if (from === to || to - from > DIGITS_MAX) return this.#readSlowly(bytes, from, to);
    for (let i = from; i < to; i += 1) {
      const byte = bytes[i] ?? 0;
      const digit = byte - ZERO;
      if (digit >= 0 && digit <= 9) {
        if (seen < decimals) {
          value = value * 10 + digit;
          if (seen >= 0) seen += 1;
        } else if (digit !== 0) {
          return this.#readSlowly(bytes, from, to);
        }
      } else if (byte === DOT && seen === -1 && i > from) {
        seen = 0;
        if (decimals === 0) seen = decimals;
      } else {
        return this.#readSlowly(bytes, from, to);
      }
    }
    for (let i = Math.max(seen, 0); i < decimals; i += 1) value *= 10;
    const steps = value / this.#step;
    return Number.isInteger(steps) ? steps : NaN;
  }

  #readSlowly(bytes: Uint8Array, from: number, to: number): number {
    const text = Buffer.from(bytes.subarray(from, to)).toString('latin1');
    if (!NUMBER.test(text)) return NaN;
    const steps = (Number(text) * 10 ** this.#decimals) / this.#step;
    const whole = Math.round(steps);
    return Number.isSafeInteger(whole) && Math.abs(steps - whole) <= NOISE + Math.abs(steps) * Number.EPSILON
      ? whole
      : NaN;
  }
}
