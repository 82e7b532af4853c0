/**
 * The chain of total volumes of one contract: each trade's total is the one before plus its own quantity (notes, section
 * 7). A break is a trade that was missed, whatever the connection looks like.
 */
export type ChainLink = 'first' | 'next' | 'duplicate' | 'reset' | 'gap';

/** What the first trade after a start or a reset is measured against. */
const UNKNOWN = -1;

export class GapChain {
  #total = UNKNOWN;
  #expected = 0;

  /** The total that the trade last checked should have had. */
  get expectedTotal(): number {
    return this.#expected;
  }

  check(qty: number, totalVolume: number): ChainLink {
    const before = this.#total;
    this.#expected = before === UNKNOWN ? totalVolume : before + qty;
    if (totalVolume === before) return 'duplicate';
    this.#total = totalVolume;
    if (before === UNKNOWN) return 'first';
    if (totalVolume === this.#expected) return 'next';
    // Volume never shrinks within a day: a new day, or another contract behind the code.
    return totalVolume < before ? 'reset' : 'gap';
  }

  /** A new trading day: the next trade has nothing before it. */
  restart(): void {
    this.#total = UNKNOWN;
  }
}
