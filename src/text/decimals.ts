/** Decimals in text and as whole numbers of a step: with a step of `0.1`, `1950.1` is 19,501 steps and back, exactly. */
import { assert } from '../domain/assert.ts';

/** `0.1`, `0.25`, `1`, `100`: a decimal above 0, without an exponent. */
export const isStep = (text: string): boolean => /^\d{1,9}(\.\d{1,9})?$/.test(text) && Number(text) > 0;

/** Digits behind the point in the shortest text of a number: 2 for 0.25. */
export function decimalsOf(value: number): number {
  const [mantissa = '', exponent = '0'] = value.toString().split('e');
  return Math.max(0, (mantissa.split('.')[1]?.length ?? 0) - Number(exponent));
}

/** A decimal as a whole number of its `decimals`-th digits; undefined where it has more digits. */
export function wholeOf(value: number, decimals: number): number | undefined {
  const whole = Math.round(value * 10 ** decimals);
  return Number.isSafeInteger(whole) && Math.abs(whole / 10 ** decimals - value) <= Math.abs(value) * 1e-12
    ? whole
    : undefined;
}

/** A step has at most this many digits behind the point. */
const STEP_DECIMALS_MAX = 9;

/** A number without an exponent: `0.0000001`, not `1e-7`. */
export function decimalText(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(STEP_DECIMALS_MAX).replace(/0+$/, '') : text;
}

/** The decimals of a step, and the step in units of its last decimal. */
function stepParts(step: string): { readonly decimals: number; readonly units: number } {
  assert(isStep(step), 'a step is a decimal above 0');
  const decimals = (step.split('.')[1] ?? '').replace(/0+$/, '').length;
  return { decimals, units: Math.round(Number(step) * 10 ** decimals) };
}

const ZERO = 48;
const DOT = 46;
const COMMA = 44;
/** Longer numbers are not exact in a double. */
const DIGITS_MAX = 15;
/** Some programs print 1950.1 as `1950.1000000001`. */
const NOISE = 1e-6;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;

/** Bytes of text to whole steps. */
export class DecimalReader {
  readonly #decimals: number;
  readonly #units: number;
  readonly #isRounding: boolean;
  readonly #mark: number;

  constructor(step: string, { isRounding = false, hasComma = false } = {}) {
    const { decimals, units } = stepParts(step);
    this.#decimals = decimals;
    this.#units = units;
    this.#isRounding = isRounding;
    this.#mark = hasComma ? COMMA : DOT;
  }

  /** NaN for text that is no number, or that lies between two steps where it does not round to the nearest. */
  read(bytes: Uint8Array, from: number, to: number): number {
    const decimals = this.#decimals;
    const mark = this.#mark;
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
      } else if (byte === mark && seen === -1 && i > from) {
        seen = 0;
        if (decimals === 0) seen = decimals;
      } else {
        return this.#readSlowly(bytes, from, to);
      }
    }
    for (let i = Math.max(seen, 0); i < decimals; i += 1) value *= 10;
    const steps = value / this.#units;
    if (Number.isInteger(steps)) return steps;
    return this.#isRounding ? Math.round(steps) : NaN;
  }

  #readSlowly(bytes: Uint8Array, from: number, to: number): number {
    const raw = Buffer.from(bytes.subarray(from, to)).toString('latin1');
    const text = this.#mark === COMMA ? pointed(raw) : raw;
    if (!NUMBER.test(text)) return NaN;
    const steps = (Number(text) * 10 ** this.#decimals) / this.#units;
    const whole = Math.round(steps);
    if (this.#isRounding) return Number.isSafeInteger(whole) ? whole : NaN;
    return Number.isSafeInteger(whole) && Math.abs(steps - whole) <= NOISE + Math.abs(steps) * Number.EPSILON
      ? whole
      : NaN;
  }
}

/** `1950,1` as `1950.1`; a text with a point is no number then. */
const pointed = (text: string): string => (text.includes('.') ? '' : text.replace(',', '.'));

/** The finest step that numbers of a file have, of a reader's step or finer, and the line of the first that has it. */
export class FinestStep {
  /** Digits behind the point that the numbers so far have. */
  #decimals: number;
  /** One step of the reader, and the finest of the numbers, in units of the last of these digits; 0 before the first number. */
  #units: number;
  #finest = 0;
  #line = 0;
  /** A number lay between two steps of the reader. */
  isFiner = false;

  constructor(step: string) {
    ({ decimals: this.#decimals, units: this.#units } = stepParts(step));
  }

  /** A whole number of steps. */
  add(steps: number, line: number): void {
    const value = steps * this.#units;
    if (value % this.#finest !== 0) this.#refine(value, line);
  }

  /** The text of a number between two steps; of others nothing is kept. */
  addFiner(text: string, line: number): void {
    const value = Number(text.replace(',', '.'));
    const more = Math.max(0, decimalsOf(value) - this.#decimals);
    const units = Math.round(value * 10 ** (this.#decimals + more));
    if (this.#decimals + more > STEP_DECIMALS_MAX || !Number.isSafeInteger(units) || units === 0) return;
    this.isFiner = true;
    this.#decimals += more;
    this.#units *= 10 ** more;
    this.#finest *= 10 ** more;
    this.#refine(units, line);
  }

  #refine(units: number, line: number): void {
    let [a, b] = [this.#finest, Math.abs(units)];
    while (b !== 0) [a, b] = [b, a % b];
    if (a === this.#finest) return;
    this.#finest = a;
    this.#line = line;
  }

  /** `0.05`. */
  get step(): string {
    return decimalText(this.#finest / 10 ** this.#decimals);
  }

  /** `0.05 (line 7)`; null without a number. */
  get text(): string | null {
    return this.#line === 0 ? null : `${this.step} (line ${this.#line})`;
  }
}

/** Whole steps to text and to doubles. */
export class DecimalStep {
  readonly #decimals: number;
  readonly #units: number;
  readonly #scale: number;

  constructor(step: string) {
    const { decimals, units } = stepParts(step);
    this.#decimals = decimals;
    this.#units = units;
    this.#scale = 10 ** decimals;
  }

  text(steps: number): string {
    const units = steps * this.#units;
    return this.#decimals === 0 ? String(units) : (units / this.#scale).toFixed(this.#decimals);
  }

  /** The nearest double. */
  number(steps: number): number {
    return (steps * this.#units) / this.#scale;
  }
}
