/** What is known of the market: last trades, merged books, bands of the day, and how old each is. */
import type { PriceBand } from '../../domain/contract.ts';
import type { BookTick, TradeTick } from '../../domain/ticks.ts';
import type { InstrumentIndex, PriceTicks } from '../../domain/units.ts';
import type { BookUpdate, ReferencePrices } from '../ports/engine-event.ts';
import { type ChainLink, GapChain } from './gap-chain.ts';
import { MergedBook } from './merged-book.ts';

class InstrumentMarket {
  readonly chain = new GapChain();
  readonly book = new MergedBook();
  lastTrade: TradeTick | undefined = undefined;
  /** Time of the last market event; -Infinity when there was none. */
  seenUs = -Infinity;
  band: PriceBand | undefined = undefined;
  /** Last price as the reference read told it: the mark of a contract that has not traded since the start. */
  quotedPrice: PriceTicks | null = null;
}

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

  /** A duplicate changes nothing. */
  trade(tick: TradeTick): ChainLink {
    const market = this.#at(tick.instrument);
    const link = market.chain.check(tick.qty, tick.totalVolume);
    market.seenUs = tick.tsUs;
    if (link !== 'duplicate') market.lastTrade = tick;
    return link;
  }

  expectedTotal(instrument: InstrumentIndex): number {
    return this.#at(instrument).chain.expectedTotal;
  }

  book(update: BookUpdate): BookTick {
    const market = this.#at(update.instrument);
    market.seenUs = update.tsUs;
    return market.book.merge(update);
  }

  seen(instrument: InstrumentIndex, at: number): void {
    this.#at(instrument).seenUs = at;
  }

  reference({ rows }: ReferencePrices): void {
    for (const { instrument, ceiling, floor, reference, lastPrice } of rows) {
      const market = this.#at(instrument);
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
    return this.#instruments[instrument]?.lastTrade;
  }

  lastBook(instrument: InstrumentIndex): BookTick | undefined {
    return this.#instruments[instrument]?.book.last;
  }

  seenUs(instrument: InstrumentIndex): number {
    return this.#instruments[instrument]?.seenUs ?? -Infinity;
  }

  quotedPrice(instrument: InstrumentIndex): PriceTicks | null {
    return this.#instruments[instrument]?.quotedPrice ?? null;
  }

  #at(instrument: InstrumentIndex): InstrumentMarket {
    const known = this.#instruments[instrument];
    if (known !== undefined) return known;
    // Filled without holes: an array of one kind stays fast.
    for (let i = this.#instruments.length; i <= instrument; i += 1)
      this.#instruments.push(new InstrumentMarket());
    return this.#at(instrument);
  }
}
