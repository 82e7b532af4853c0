/** What the price stream tells: the hot path. Nothing here makes more than the message it hands on. */
import type { DaySummary, TradeTick } from '../domain/ticks.ts';
import type { EngineParts } from './engine-parts.ts';
import type { Keeper } from './actions.ts';
import type { LossLimitBand } from './risk/loss-limit-band.ts';
import type { InstrumentMarket } from './market/instrument-market.ts';
import type { Market } from './market/market.ts';
import type { Orders } from './orders/orders.ts';
import type { TouchPrices } from './orders/touch-prices.ts';
import type { BookUpdate } from './ports/engine-event.ts';
import type { Reads } from './state/snapshots.ts';
import type { StrategyRegistry } from './state/strategy-registry.ts';
import type { EventContext } from './state/event-context.ts';

export class MarketEvents {
  readonly #market: Market;
  readonly #turn: EventContext;
  readonly #roster: StrategyRegistry;
  readonly #reads: Reads;
  readonly #orders: Orders;
  readonly #touch: TouchPrices;
  readonly #cover: LossLimitBand;
  readonly #keeper: Keeper;
  #gaps = 0;
  #duplicates = 0;

  constructor({ market, turn, roster, reads, orders, cover, keeper }: EngineParts) {
    this.#market = market;
    this.#turn = turn;
    this.#roster = roster;
    this.#reads = reads;
    this.#orders = orders;
    this.#touch = orders.touch;
    this.#cover = cover;
    this.#keeper = keeper;
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
    if (this.#roster.isStarted) {
      this.#roster.begin().onTrade(tick);
      this.#roster.end();
    }
    if (!market.isQuiet(tick.price)) this.#look(tick, market);
  }

  book(update: BookUpdate): void {
    const tick = this.#market.book(update);
    if (!this.#roster.isStarted) return;
    this.#roster.begin().onBook(tick);
    this.#roster.end();
  }

  summary(summary: DaySummary): void {
    this.#market.seen(summary.instrument, summary.tsUs);
    this.#roster.dispatch((host) => host.onSummary(summary));
  }

  /** To be called after each event that is not of the market. */
  watchLosses(): void {
    if (this.#cover.isKept) return;
    this.#keeper.watchLosses();
    this.#cover.cover();
  }

  /** The price may touch an order of ours or bring a loss to its limit; between which prices none does is kept for the next. */
  #look({ instrument, price }: TradeTick, market: InstrumentMarket): void {
    const touch = this.#touch;
    if (touch.isTouched(instrument, price)) this.#touched();
    if (!this.#cover.isCovered(instrument, price)) {
      this.#keeper.watchLosses();
      this.#cover.cover();
      // All contracts have new bands: none keeps a quiet one from before.
      this.#market.heed();
    }
    const low = Math.max(touch.buyOf(instrument) + 1, this.#cover.lowOf(instrument));
    market.quiet(low, Math.min(touch.sellOf(instrument) - 1, this.#cover.highOf(instrument)));
  }

  /** A print at the price of one of our orders: its fill may be in the book. */
  #touched(): void {
    this.#reads.want('book');
    if (this.#orders.waiting > 0) this.#reads.want('triggers');
  }

  #gap({ seq, tsUs, instrument, totalVolume }: TradeTick, expectedTotalVolume: number): void {
    this.#gaps += 1;
    const missed = totalVolume - expectedTotalVolume;
    const { nowUs } = this.#turn;
    this.#turn.append({ kind: 'gap', cause: seq, tsUs: nowUs, strategy: null, instrument, missed });
    this.#roster.dispatch((host) =>
      host.onGap({ kind: 'gap', seq, tsUs, instrument, expectedTotalVolume, totalVolume }),
    );
  }
}
