import { assert } from '../domain/assert.ts';
import type { PriceTicks } from '../domain/units.ts';

/**
 * The level at which a position is given up. It may be tightened and is never widened. It has no size of its own: it closes the position as
 * proven when the level is reached. It lives in this process and dies with it.
 */
export class ProtectiveStop {
  #protects: 'long' | 'short' | null = null;
  #level: PriceTicks | null = null;

  /** The level, or null when nothing is protected. */
  get level(): PriceTicks | null {
    return this.#level;
  }

  /** Starts to protect a position; protecting the same side again can only tighten. */
  protect(side: 'long' | 'short', level: PriceTicks): void {
    if (this.#protects === side) {
      this.tighten(level);
      return;
    }
    this.#protects = side;
    this.#level = level;
  }

  /** Moves the level nearer to the market; true when it moved. */
  tighten(level: PriceTicks): boolean {
    assert(this.#level !== null, 'only a set stop can be tightened');
    const isTighter = this.#protects === 'long' ? level > this.#level : level < this.#level;
    if (isTighter) this.#level = level;
    return isTighter;
  }

  isHit(price: PriceTicks): boolean {
    if (this.#level === null) return false;
    return this.#protects === 'long' ? price <= this.#level : price >= this.#level;
  }

  clear(): void {
    this.#protects = null;
    this.#level = null;
  }
}
