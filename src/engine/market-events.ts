/** What the price stream tells: the hot path. Nothing here makes more than the message it hands on. */
import type { DaySummary, TradeTick } from '../domain/ticks.ts';
import type { EngineParts } from './engine-parts.ts';
import type { BookUpdate } from './ports/engine-event.ts';

export class MarketEvents {
  readonly #parts: EngineParts;
  #gaps = 0;
  #duplicates = 0;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  get gaps(): number {
    return this.#gaps;
  }

  get duplicates(): number {
    return this.#duplicates;
  }

  trade(tick: TradeTick): void {
    const { market, orders, reads, roster, portfolio, keeper } = this.#parts;
    const before = market.lastTrade(tick.instrument);
    const link = market.trade(tick);
    if (link === 'duplicate') {
      this.#duplicates += 1;
      return;
    }
    if (link === 'gap') this.#gap(tick);
    if (orders.touch.isTouched(tick.instrument, tick.price)) {
      reads.want('book');
      if (orders.waiting > 0) reads.want('conditions');
    }
    if (roster.isStarted) {
      roster.begin().onTrade(tick);
      roster.end();
    }
    // What is held is worth the same as long as the price is.
    if (before?.price !== tick.price && portfolio.isHeld(tick.instrument)) keeper.afterEvent(tick);
  }

  book(update: BookUpdate): void {
    const { market, roster } = this.#parts;
    const tick = market.book(update);
    if (!roster.isStarted) return;
    roster.begin().onBook(tick);
    roster.end();
  }

  summary(summary: DaySummary): void {
    const { market, roster } = this.#parts;
    market.seen(summary.instrument, summary.tsUs);
    roster.dispatch((host) => host.onSummary(summary));
  }

  #gap({ seq, tsUs, instrument, totalVolume }: TradeTick): void {
    const { market, turn, roster } = this.#parts;
    this.#gaps += 1;
    const expectedTotalVolume = market.expectedTotal(instrument);
    const missed = totalVolume - expectedTotalVolume;
    turn.append({ kind: 'gap', cause: seq, tsUs: turn.nowUs, strategy: null, instrument, missed });
    roster.dispatch((host) =>
      host.onGap({ kind: 'gap', seq, tsUs, instrument, expectedTotalVolume, totalVolume }),
    );
  }
}
