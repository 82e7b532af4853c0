/** Whole steps as the decimals they stand for: 19,501 steps of `0.1` are `1950.1`, exactly. */
import { assert } from '../../domain/assert.ts';
import { isStep } from '../import/decimal-reader.ts';

export class DecimalStep {
  readonly #decimals: number;
  readonly #units: number;
  readonly #scale: number;

  constructor(step: string) {
    assert(isStep(step), 'a step is a decimal above 0');
    this.#decimals = (step.split('.')[1] ?? '').replace(/0+$/, '').length;
    this.#scale = 10 ** this.#decimals;
    this.#units = Math.round(Number(step) * this.#scale);
  }

  text(steps: number): string {
    const units = steps * this.#units;
    return this.#decimals === 0 ? String(units) : (units / this.#scale).toFixed(this.#decimals);
  }

  /** The double next to it. */
  number(steps: number): number {
    return (steps * this.#units) / this.#scale;
  }
}
