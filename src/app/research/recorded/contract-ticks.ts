/** The frames of one contract as rows: its merged book, its chain of volumes, and what is missing in it. */
import { type TradingCalendar, tradingDayAt } from '../../../domain/calendar.ts';
import { momentOf, type TradingDay } from '../../../domain/civil-date.ts';
import type { Contract } from '../../../domain/contract.ts';
import type { BookLevel, TradeTick } from '../../../domain/ticks.ts';
import { US_PER_DAY, type TsUs } from '../../../domain/units.ts';
import { GapChain } from '../../../engine/market/gap-chain.ts';
import { MergedBook } from '../../../engine/market/merged-book.ts';
import type { Collector } from '../../../recording/collect/collector.ts';
import { DayTicks } from '../../../recording/collect/day-ticks.ts';
import type { TickGap } from '../../../recording/columns/tick-meta.ts';
import { AuctionStamps } from '../../../recording/import/auction-stamps.ts';
import type { BookUpdateFrame } from '../../../wire/stream/data-frame.ts';

/** Levels that the stream has. */
const DEPTH = 3;
const NO_LEVELS: readonly BookLevel[] = [];

export interface GappedDay {
  readonly ticks: DayTicks;
  readonly gaps: TickGap[];
}

export class ContractTicks {
  readonly contract: Contract;
  readonly days = new Map<TradingDay, GappedDay>();
  readonly #calendar: TradingCalendar;
  readonly #collector: Collector<DayTicks>;
  readonly #auctions: AuctionStamps;
  readonly #chain = new GapChain();
  readonly #book = new MergedBook();
  #open: GappedDay | undefined = undefined;
  #dayEndUs = -Infinity;
  #lastPrice = 0;
  #lastTradeUs = 0;

  constructor(contract: Contract, calendar: TradingCalendar, collector: Collector<DayTicks>) {
    this.contract = contract;
    this.#calendar = calendar;
    this.#collector = collector;
    this.#auctions = new AuctionStamps(calendar);
  }

  /** False for a trade that came twice. */
  trade({ tsUs, price, qty, totalVolume }: TradeTick): boolean {
    const link = this.#chain.check(qty, totalVolume);
    if (link === 'duplicate') return false;
    const day = this.#dayOf(tsUs);
    if (link === 'gap') {
      const missed = totalVolume - this.#chain.expectedTotal;
      day.gaps.push({ fromUs: this.#lastTradeUs, toUs: tsUs, kind: 'missed', qty: missed });
      // What stood before cannot be merged with what comes after (failure cases, 23).
      this.#book.empty();
    }
    const { bids, asks } = this.#levels();
    day.ticks.push(tsUs, price, qty, this.#side(tsUs, price, bids[0], asks[0]));
    day.ticks.setBook(bids, asks);
    this.#lastPrice = price;
    this.#lastTradeUs = tsUs;
    return true;
  }

  book(update: BookUpdateFrame): void {
    const { bids, asks } = this.#book.merge(update);
    const day = this.#dayOf(update.tsUs);
    day.ticks.push(update.tsUs, this.#lastPrice, 0, 0);
    day.ticks.setBook(bids, asks);
  }

  #levels(): { readonly bids: readonly BookLevel[]; readonly asks: readonly BookLevel[] } {
    return this.#book.last ?? { bids: NO_LEVELS, asks: NO_LEVELS };
  }

  /** The stream does not say who crossed the spread; the touch that stood before the trade does. */
  #side(at: TsUs, price: number, bid: BookLevel | undefined, ask: BookLevel | undefined): number {
    if (this.#auctions.isUncross(at)) return 0;
    if (ask !== undefined && price >= ask.price) return 1;
    return bid !== undefined && price <= bid.price ? -1 : 0;
  }

  #dayOf(at: TsUs): GappedDay {
    if (this.#open !== undefined && at < this.#dayEndUs) return this.#open;
    const { utcOffsetMinutes } = this.#calendar;
    const day = tradingDayAt(this.#calendar, at);
    const symbol = this.contract.orderCode;
    const known = this.days.get(day) ?? {
      ticks: this.#collector.at(
        `${symbol} ${day}`,
        (spillFile, onGrow) => new DayTicks({ symbol, day, depth: DEPTH }, spillFile, onGrow),
      ),
      gaps: [],
    };
    this.days.set(day, known);
    if (this.#open !== undefined) this.#lastPrice = 0;
    this.#open = known;
    this.#dayEndUs = momentOf(day, 0, utcOffsetMinutes) + US_PER_DAY;
    return known;
  }
}
