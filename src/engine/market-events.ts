/** What the price stream tells: the hot path. Nothing here makes more than the message it hands on. */
import type { DaySummary, TradeTick } from '../domain/ticks.ts';
import type { EngineParts } from './engine-parts.ts';
import type { SessionProcedures } from './actions.ts';
import type { LossLimitBand } from './risk/loss-limit-band.ts';
import type { InstrumentMarket } from './market/instrument-market.ts';
import type { Market } from './market/market.ts';
import type { Orders } from './orders/orders.ts';
import type { TouchPrices } from './orders/touch-prices.ts';
import type { BookUpdate } from './ports/engine-event.ts';
import type { Snapshots } from './state/snapshots.ts';
import type { StrategyRegistry } from './state/strategy-registry.ts';
import type { EventContext } from './state/event-context.ts';

export class MarketEvents {
  readonly #market: Market;
  readonly #context: EventContext;
  readonly #registry: StrategyRegistry;
  readonly #snapshots: Snapshots;
  readonly #orders: Orders;
  readonly #touch: TouchPrices;
  readonly #lossBand: LossLimitBand;
  readonly #controller: SessionProcedures;
  #gaps = 0;
  #duplicates = 0;

  constructor({ market, context, registry, snapshots, orders, lossBand, controller }: EngineParts) {
    this.#market = market;
    this.#context = context;
    this.#registry = registry;
    this.#snapshots = snapshots;
    this.#orders = orders;
    this.#touch = orders.touch;
    this.#lossBand = lossBand;
    this.#controller = controller;
  }

  get gaps(): number {
    return this.#gaps;
  }

  get duplicates(): number {
    return this.#duplicates;
  }

  trade(tick: TradeTick): void {
    const market = this.#market.of(tick.instrument);
    const link = market.trade(tick);
    if (link === 'duplicate') {
      this.#duplicates += 1;
      return;
    }
    if (link === 'gap') this.#gap(tick, market.chain.expectedTotal);
    if (this.#registry.isStarted) {
      this.#registry.begin().onTrade(tick);
      this.#registry.end();
    }
    if (!market.isQuiet(tick.price)) this.#look(tick, market);
  }

  book(update: BookUpdate): void {
    const tick = this.#market.book(update);
    if (!this.#registry.isStarted) return;
    this.#registry.begin().onBook(tick);
    this.#registry.end();
  }

  summary(summary: DaySummary): void {
    this.#market.seen(summary.instrument, summary.tsUs);
    this.#registry.dispatch((host) => host.onSummary(summary));
  }

  /** To be called after each event that is not of the market. */
  watchLosses(): void {
    if (this.#lossBand.isValid) return;
    this.#controller.watchLosses();
    this.#lossBand.recompute();
  }

  /** The price may touch an order of ours or bring a loss to its limit; between which prices none does is kept for the next. */
  #look({ instrument, price }: TradeTick, market: InstrumentMarket): void {
    const touch = this.#touch;
    if (touch.isTouched(instrument, price)) this.#touched();
    if (!this.#lossBand.contains(instrument, price)) {
      this.#controller.watchLosses();
      this.#lossBand.recompute();
      // All contracts have new bands: none keeps a quiet one from before.
      this.#market.invalidateBand();
    }
    const low = Math.max(touch.buyOf(instrument) + 1, this.#lossBand.lowOf(instrument));
    market.quiet(low, Math.min(touch.sellOf(instrument) - 1, this.#lossBand.highOf(instrument)));
  }

  /** A print at the price of one of our orders: its fill may be in the book. */
  #touched(): void {
    this.#snapshots.want('book');
    if (this.#orders.waiting > 0) this.#snapshots.want('triggers');
  }

  #gap({ seq, tsUs, instrument, totalVolume }: TradeTick, expectedTotalVolume: number): void {
    this.#gaps += 1;
    const missed = totalVolume - expectedTotalVolume;
    const { nowUs } = this.#context;
    this.#context.append({ kind: 'gap', cause: seq, tsUs: nowUs, strategy: null, instrument, missed });
    this.#registry.dispatch((host) =>
      host.onGap({ kind: 'gap', seq, tsUs, instrument, expectedTotalVolume, totalVolume }),
    );
  }
}
