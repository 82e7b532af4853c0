/**
 * Names of strategies and their places, for as long as the process lives. Everything stored names strategies: a place is one of one
 * configuration, and the next start may order its strategies differently.
 */
import { assert } from './assert.ts';
import { OPERATOR_INDEX, type StrategyIndex, strategyIndex } from './units.ts';

/** Owner of orders and positions of no strategy. What concerns nobody's orders is of the `system`. */
export const OPERATOR = 'operator';

export class StrategyNames {
  readonly #names: string[];

  /** The configured names come first, in their order. */
  constructor(configured: readonly string[] = []) {
    this.#names = [...configured];
  }

  get all(): readonly string[] {
    return this.#names;
  }

  has(name: string): boolean {
    return name === OPERATOR || this.#names.includes(name);
  }

  nameOf(index: StrategyIndex): string {
    if (index === OPERATOR_INDEX) return OPERATOR;
    const name = this.#names[index];
    assert(name !== undefined, 'each strategy has a name');
    return name;
  }

  /** A name that is new, such as that of a strategy that left the configuration, gets the next place. */
  indexOf(name: string): StrategyIndex {
    if (name === OPERATOR) return OPERATOR_INDEX;
    const place = this.#names.indexOf(name);
    if (place !== -1) return strategyIndex(place);
    this.#names.push(name);
    return strategyIndex(this.#names.length - 1);
  }
}
