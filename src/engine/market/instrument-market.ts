/** What is known of the market of one contract. */
import type { PriceBand } from '../../domain/contract.ts';
import type { TradeTick } from '../../domain/ticks.ts';
import type { PriceTicks } from '../../domain/units.ts';
import { type ChainLink, GapChain } from './gap-chain.ts';
import { LastTrade } from './last-trade.ts';
import { MergedBook } from './merged-book.ts';

export class InstrumentMarket {
  readonly chain = new GapChain();
  readonly book = new MergedBook();
  readonly last = new LastTrade();
  /** Time of the last market event; -Infinity when there was none. */
  seenUs = -Infinity;
  band: PriceBand | undefined = undefined;
  /** Last price as the reference read told it: the mark of a contract that has not traded since the start. */
  quotedPrice: PriceTicks | null = null;
  #noOpLow = Infinity;
  #noOpHigh = -Infinity;

  /** A duplicate changes nothing. */
  trade(tick: TradeTick): ChainLink {
    const link = this.chain.check(tick.qty, tick.totalVolume);
    this.seenUs = tick.tsUs;
    if (link !== 'duplicate') this.last.take(tick);
    return link;
  }

  /** A trade at this price touches no order of ours and reaches no limit. */
  isNoOp(price: number): boolean {
    return price >= this.#noOpLow && price <= this.#noOpHigh;
  }

  /** Prices in this band, both ends included, change nothing until `invalidateBand`. */
  setNoOpBand(low: number, high: number): void {
    this.#noOpLow = low;
    this.#noOpHigh = high;
  }

  invalidateBand(): void {
    this.#noOpLow = Infinity;
    this.#noOpHigh = -Infinity;
  }
}
