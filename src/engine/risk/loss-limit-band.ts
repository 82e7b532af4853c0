/**
 * The prices within which no limit on the day's loss can be reached, so that a trade pays one comparison. A loss changes with
 * the price of a held contract by a fixed amount a tick: the room up to a limit, shared among the contracts held, gives each a
 * band around its price. The first price outside a band has all losses measured again; any other change of a loss or a halt
 * invalidates the bands.
 */
import { assert } from '../../domain/assert.ts';
import { valueOf } from '../../domain/contract.ts';
import { PriceBands } from '../../domain/price-bands.ts';
import type { EngineSettings } from '../../domain/settings.ts';
import { type InstrumentIndex, instrumentIndex, priceTicks, strategyIndex } from '../../domain/units.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { ContractTable } from '../state/contract-table.ts';
import type { EntryHalt } from './entry-halt.ts';
import type { LossMeasure } from './loss-measure.ts';
import type { Market } from '../market/market.ts';
import type { Portfolio } from '../positions/portfolio.ts';

export interface LossLimitBandParts {
  readonly contracts: ContractTable;
  readonly market: Market;
  readonly portfolio: Portfolio;
  readonly halt: EntryHalt;
  readonly losses: LossMeasure;
}

const NO_VERSION = -1;

export class LossLimitBand {
  readonly #parts: LossLimitBandParts;
  readonly #portfolio: Portfolio;
  readonly #settings: EngineSettings;
  readonly #bands = new PriceBands();
  #version = NO_VERSION;

  constructor(parts: LossLimitBandParts, settings: EngineSettings) {
    this.#parts = parts;
    this.#portfolio = parts.portfolio;
    this.#settings = settings;
  }

  /** Nothing but prices changed since the bands were computed. */
  get isValid(): boolean {
    return this.#version === this.#portfolio.version;
  }

  /** At this price no limit is reached that was not reached before. */
  contains(instrument: InstrumentIndex, price: number): boolean {
    return this.isValid && this.#bands.has(instrument, price);
  }

  lowOf(instrument: InstrumentIndex): number {
    return this.#bands.lowOf(instrument);
  }

  highOf(instrument: InstrumentIndex): number {
    return this.#bands.highOf(instrument);
  }

  /** Call after losses were measured: the bands hold from here on. */
  recompute(): void {
    const { losses, halt } = this.#parts;
    const { risk, strategies } = this.#settings;
    this.#version = this.#portfolio.version;
    this.#bands.clear(this.#portfolio.instrumentCount);
    if (halt.reason === null) this.#limit(null, risk.accountDailyLossMax - losses.ofAccount());
    for (let place = 0; place < strategies.length; place += 1) {
      const strategy = strategyIndex(place);
      const max = strategies[place]?.risk.dailyLossMax;
      assert(max !== undefined, 'each strategy has a limit on its loss');
      if (halt.strategyReason(strategy) === null) this.#limit(strategy, max - losses.of(strategy));
    }
  }

  /** An event happened that is not a price. */
  invalidate(): void {
    this.#version = NO_VERSION;
  }

  /** `room`: money to the limit of a strategy, or of the account. */
  #limit(strategy: StrategyIndex | null, room: number): void {
    const { instrumentCount } = this.#portfolio;
    let held = 0;
    for (let at = 0; at < instrumentCount; at += 1)
      if (this.#portfolio.pricedQty(strategy, instrumentIndex(at)) !== 0) held += 1;
    for (let at = 0; at < instrumentCount; at += 1) {
      const instrument = instrumentIndex(at);
      const qty = Math.abs(this.#portfolio.pricedQty(strategy, instrument));
      if (qty !== 0) this.#narrow(instrument, qty, room / held);
    }
  }

  /** A contract without a price may be at its limit with any price. */
  #narrow(instrument: InstrumentIndex, qty: number, room: number): void {
    const { contracts, market } = this.#parts;
    const contract = contracts.at(instrument);
    const price = market.lastPrice(instrument);
    if (contract === undefined || price === null) return this.#bands.shut(instrument);
    this.#bands.narrow(instrument, price, room, valueOf(contract.spec, priceTicks(1), qty));
  }
}
