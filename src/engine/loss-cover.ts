/**
 * Within which prices no limit on the day's loss can be reached, so that a trade pays one comparison for it. A loss changes
 * with the price of what is held, by a fixed amount a tick: what is left up to a limit, shared among the contracts held, gives
 * each a band around its price. Inside all bands no limit is reached; the first price outside has everything measured anew. What
 * else changes a loss, or a latch, drops the bands.
 */
import { valueOf } from '../domain/contract.ts';
import type { EngineSettings } from '../domain/settings.ts';
import { type InstrumentIndex, instrumentIndex, priceTicks, strategyIndex } from '../domain/units.ts';
import type { StrategyIndex } from '../domain/units.ts';
import type { ContractTable } from './contract-table.ts';
import type { EntryLatch } from './entry-latch.ts';
import type { LossMeasure } from './loss-measure.ts';
import type { Market } from './market/market.ts';
import type { Portfolio } from './positions/portfolio.ts';

export interface LossCoverParts {
  readonly contracts: ContractTable;
  readonly market: Market;
  readonly portfolio: Portfolio;
  readonly latch: EntryLatch;
  readonly losses: LossMeasure;
}

const NO_VERSION = -1;

export class LossCover {
  readonly #parts: LossCoverParts;
  readonly #portfolio: Portfolio;
  readonly #settings: EngineSettings;
  /** By instrument, inclusive. */
  readonly #low: number[] = [];
  readonly #high: number[] = [];
  #version = NO_VERSION;

  constructor(parts: LossCoverParts, settings: EngineSettings) {
    this.#parts = parts;
    this.#portfolio = parts.portfolio;
    this.#settings = settings;
  }

  /** Nothing but prices changed since the bands were drawn. */
  get isKept(): boolean {
    return this.#version === this.#portfolio.version;
  }

  /** At this price no limit is reached that was not reached before. */
  isCovered(instrument: InstrumentIndex, price: number): boolean {
    return this.isKept && price >= this.lowOf(instrument) && price <= this.highOf(instrument);
  }

  lowOf(instrument: InstrumentIndex): number {
    return this.#low[instrument] ?? -Infinity;
  }

  highOf(instrument: InstrumentIndex): number {
    return this.#high[instrument] ?? Infinity;
  }

  /** To be called when losses were looked at: from here on the bands hold. */
  cover(): void {
    const { losses, latch } = this.#parts;
    const { risk, strategies } = this.#settings;
    this.#version = this.#portfolio.version;
    this.#clear();
    if (latch.reason === null) this.#limit(null, risk.accountDailyLossMax - losses.ofAccount());
    for (let place = 0; place < strategies.length; place += 1) {
      const strategy = strategyIndex(place);
      const max = strategies[place]?.risk.dailyLossMax ?? 0;
      if (latch.strategyReason(strategy) === null) this.#limit(strategy, max - losses.of(strategy));
    }
  }

  /** Something happened that is not a price. */
  drop(): void {
    this.#version = NO_VERSION;
  }

  #clear(): void {
    for (let at = 0; at < this.#portfolio.instrumentCount; at += 1) {
      this.#low[at] = -Infinity;
      this.#high[at] = Infinity;
    }
  }

  /** `room`: money to the limit of a strategy, or of the account. */
  #limit(strategy: StrategyIndex | null, room: number): void {
    let held = 0;
    for (let at = 0; at < this.#low.length; at += 1)
      if (this.#portfolio.pricedQty(strategy, instrumentIndex(at)) !== 0) held += 1;
    for (let at = 0; at < this.#low.length; at += 1) {
      const instrument = instrumentIndex(at);
      const qty = Math.abs(this.#portfolio.pricedQty(strategy, instrument));
      if (qty !== 0) this.#narrow(instrument, qty, room / held);
    }
  }

  #narrow(instrument: InstrumentIndex, qty: number, room: number): void {
    const { contracts, market } = this.#parts;
    const contract = contracts.at(instrument);
    const price = market.lastPrice(instrument);
    const tick = contract === undefined ? 0 : valueOf(contract.spec, priceTicks(1), qty);
    // The limit itself is outside; with no room at all, so is every price.
    const ticks = price === null || tick === 0 ? -1 : Math.ceil(room / tick) - 1;
    this.#low[instrument] = Math.max(this.#low[instrument] ?? -Infinity, (price ?? 0) - ticks);
    this.#high[instrument] = Math.min(this.#high[instrument] ?? Infinity, (price ?? 0) + ticks);
  }
}
