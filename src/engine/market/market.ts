/** What is known of the market: last trades, merged books, bands of the day, and how old each is. */
import type { PriceBand } from '../../domain/contract.ts';
import type { BookTick, TradeTick } from '../../domain/ticks.ts';
import type { InstrumentIndex, PriceTicks } from '../../domain/units.ts';
import type { BookUpdate, ReferencePrices } from '../ports/engine-event.ts';
import { InstrumentMarket } from './instrument-market.ts';

export class Market {
  readonly #instruments: InstrumentMarket[] = [];
  #isLive = false;
  #isReferenceFresh = false;

  get isLive(): boolean {
    return this.#isLive;
  }

  /** The reference prices were read since the stream last came up (rulings, 20). */
  get isReferenceFresh(): boolean {
    return this.#isReferenceFresh;
  }

  book(update: BookUpdate): BookTick {
    const market = this.of(update.instrument);
    market.seenUs = update.tsUs;
    return market.book.merge(update);
  }

  seen(instrument: InstrumentIndex, at: number): void {
    this.of(instrument).seenUs = at;
  }

  reference({ rows }: ReferencePrices): void {
    for (const { instrument, ceiling, floor, reference, lastPrice } of rows) {
      const market = this.of(instrument);
      market.band = { ceiling, floor, reference };
      market.quotedPrice = lastPrice;
    }
    this.#isReferenceFresh = this.#isLive;
  }

  up(): void {
    this.#isLive = true;
    this.#isReferenceFresh = false;
  }

  /** Books are emptied: what was merged before cannot be merged into after (failure cases, 23). */
  down(): void {
    this.#isLive = false;
    this.#isReferenceFresh = false;
    for (const market of this.#instruments) market.book.empty();
  }

  /** A new trading day: yesterday's band and volume mean nothing any more. */
  newDay(): void {
    this.#isReferenceFresh = false;
    for (const market of this.#instruments) {
      market.band = undefined;
      market.quotedPrice = null;
      market.chain.restart();
    }
  }

  band(instrument: InstrumentIndex): PriceBand | undefined {
    return this.#instruments[instrument]?.band;
  }

  lastTrade(instrument: InstrumentIndex): TradeTick | undefined {
    return this.#instruments[instrument]?.last.tick(instrument);
  }

  /** Price of the last trade, or as the reference read told it; null when neither is known. */
  lastPrice(instrument: InstrumentIndex): PriceTicks | null {
    const market = this.#instruments[instrument];
    return market === undefined ? null : (market.last.price ?? market.quotedPrice);
  }

  lastBook(instrument: InstrumentIndex): BookTick | undefined {
    return this.#instruments[instrument]?.book.last;
  }

  seenUs(instrument: InstrumentIndex): number {
    return this.#instruments[instrument]?.seenUs ?? -Infinity;
  }

  /** What is known of one contract. */
  of(instrument: InstrumentIndex): InstrumentMarket {
    const known = this.#instruments[instrument];
    if (known !== undefined) return known;
    // Filled without holes: an array of one kind stays fast.
    for (let i = this.#instruments.length; i <= instrument; i += 1)
      this.#instruments.push(new InstrumentMarket());
    return this.of(instrument);
  }

  /** What prices mean may have changed: the next one of each contract is looked at. */
  invalidateBand(): void {
    for (let at = 0; at < this.#instruments.length; at += 1) this.#instruments[at]?.invalidateBand();
  }
}
