/** Trades that only strategies see: nothing is due or waits before `untilUs`, and from `low` to `high` no order or limit of ours is met. */
import type { TradeTick } from '../domain/ticks.ts';
import type { Seq, TsUs } from '../domain/units.ts';
import type { EngineCore } from './engine-core.ts';
import type { ContractListeners } from './ports/strategy-port.ts';
import type { StrategyRegistry } from './session/strategy-registry.ts';
import type { DueWork, EventContext } from './state/event-context.ts';
import type { InstrumentMarket, DeferredBook } from './market/market.ts';

/**
 * Makes the message where it is handed out: one that no strategy keeps needs no memory then. It is no getter: the compiler counts calls of
 * functions alone, and inlines last what it has not counted.
 */
export interface TradeSource {
  trade(): TradeTick;
}

export class QuietStretch {
  untilUs = -Infinity;
  low = Infinity;
  high = -Infinity;
  readonly #context: EventContext;
  readonly #dueWork: DueWork;
  readonly #registry: StrategyRegistry;
  readonly #market: InstrumentMarket;
  readonly #listeners: ContractListeners;

  constructor(
    state: Pick<EngineCore, 'context' | 'dueWork' | 'registry'>,
    market: InstrumentMarket,
    listeners: ContractListeners,
  ) {
    this.#context = state.context;
    this.#dueWork = state.dueWork;
    this.#registry = state.registry;
    this.#market = market;
    this.#listeners = listeners;
  }

  /** False while something is due or waits, or where the last trade did not leave a total volume of `totalVolume`. */
  enter(totalVolume: number): boolean {
    const { quietUntilUs } = this.#dueWork;
    if (this.#context.nowUs >= quietUntilUs) return false;
    if (!this.#registry.isRunning || this.#market.chain.total !== totalVolume) return false;
    this.untilUs = quietUntilUs;
    this.low = this.#market.quietPrices.low;
    this.high = this.#market.quietPrices.high;
    return true;
  }

  has(at: number, price: number): boolean {
    return at < this.untilUs && price >= this.low && price <= this.high;
  }

  /** A strategy listens to the book of this contract. */
  get hasBookListener(): boolean {
    return this.#registry.isRunning && this.#listeners.hasBookListener;
  }

  /** A change of a book that no strategy listens to, while nothing is due: merged on the next read of the book. */
  deferBook(late: DeferredBook): void {
    this.#market.book.defer(late);
  }

  /** Merges the changes that wait. */
  mergeDeferredBook(): void {
    this.#market.book.mergeDeferred();
  }

  /** The next trade of `source`; false when a strategy left work, and the stretch is over. */
  next(source: TradeSource): boolean {
    this.trade(source.trade());
    return !this.#dueWork.hasPending;
  }

  trade(tick: TradeTick): void {
    this.#context.begin(tick.seq, tick.tsUs);
    this.#market.onQuietTrade(tick);
    this.#registry.begin();
    this.#listeners.trade(tick);
    this.#registry.end();
  }

  /** Number and time of the last event. */
  leave(seq: Seq, at: TsUs): void {
    this.#context.begin(seq, at);
    this.#market.seenUs = at;
  }
}
