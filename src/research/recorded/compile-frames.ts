/** Compiles a log of frames into columns, by the decoder, the merged books and the chain of volumes of the engine. */
import { getOrCreate } from '../../domain/lists.ts';
import { basename } from 'node:path';
import { type TradingCalendar, tradingDayAt } from '../../domain/calendar.ts';
import { momentOf, type TradingDay, tradingDay } from '../../domain/civil-date.ts';
import type { Contract } from '../../domain/contract.ts';
import { orderCode, streamCode } from '../../domain/ids.ts';
import type { BookLevel, TradeTick } from '../../domain/ticks.ts';
import { instrumentIndex, type TsUs, US_PER_DAY } from '../../domain/units.ts';
import { GapChain, MergedBook } from '../../engine/market/market.ts';
import { Collector } from '../../recording/collect/collector.ts';
import {
  AuctionStamps,
  type DayTicks,
  openDay,
  storeDay,
  type StoreDayOptions,
} from '../../recording/collect/day-ticks.ts';
import type { TickGap, TickMeta } from '../../recording/columns/tick-file.ts';
import { frameDamageText, FrameRecords, readNote, type StreamNote } from '../../recording/frame-log.ts';
import { BadRows, type ImportReport, type ImportWatch } from '../../recording/import/import-table.ts';
import { isSymbol } from '../../recording/import/file-kind.ts';
import { chunksOf } from '../../recording/import/table-file.ts';
import type { BookUpdateFrame } from '../../wire/stream/data-frame.ts';
import { decodeServerFrame, type StampedFrame } from '../../wire/stream/server-frame.ts';
import { issuesText } from '../../domain/parsed.ts';
import { type RecordedMarket, specOfSymbol, stepsOf } from './recorded-market.ts';

export interface FrameOptions extends Pick<StoreDayOptions, 'dir' | 'silence' | 'replace'> {
  /** Frames of other markets are bad rows. */
  readonly market: RecordedMarket;
  /** Keep the good frames of a log that has bad ones. */
  readonly skipBad?: boolean;
}

/** Frames of a log by kind; the counts add up to all frames. */
interface FrameCounts {
  trades: number;
  books: number;
  /** Day summaries and channels that hold neither trades nor books. */
  others: number;
  /** Trades that came twice. */
  duplicates: number;
}

export interface FrameReport extends Omit<ImportReport<TickMeta>, 'steps' | 'outside' | 'notes'> {
  readonly file: string;
  readonly counts: FrameCounts;
  /** Bytes that are no whole frame, or null. */
  readonly damage: string | null;
}

const NO_WATCH: ImportWatch = { progress: () => undefined, bad: () => undefined };

export async function compileFrames(
  file: string,
  options: FrameOptions,
  watch: ImportWatch = NO_WATCH,
): Promise<FrameReport> {
  const collector = new Collector<DayTicks>(options.dir);
  try {
    const compiler = new FrameCompiler(options, collector, new BadRows((row) => watch.bad(row)));
    const records = new FrameRecords();
    const progress = (bytes: number, size: number): void =>
      watch.progress({ bytes, size, rows: compiler.rows });
    for await (const chunk of chunksOf(file, progress))
      for (const frame of records.read(chunk)) compiler.add(frame);
    for (const frame of records.finish()) compiler.add(frame);
    return { file, ...compiler.store(basename(file)), damage: frameDamageText(records.end) };
  } finally {
    collector.close();
  }
}

/** A recording needs no expiry. */
const NO_EXPIRY = tradingDay('9999-12-31');

class FrameCompiler {
  readonly #options: FrameOptions;
  readonly #collector: Collector<DayTicks>;
  readonly #bad: BadRows;
  readonly #contracts: ContractTicks[] = [];
  readonly #byCode = new Map<string, Contract | undefined>();
  readonly #counts: FrameCounts = { trades: 0, books: 0, others: 0, duplicates: 0 };
  #frames = 0;
  #lastSeq = 0;
  #lastUs = -Infinity;
  /** Since when there is no stream. */
  #cutUs: number | undefined = undefined;
  #state: StreamNote['state'] | undefined = undefined;

  constructor(options: FrameOptions, collector: Collector<DayTicks>, bad: BadRows) {
    this.#options = options;
    this.#collector = collector;
    this.#bad = bad;
  }

  get rows(): number {
    return this.#counts.trades + this.#counts.books;
  }

  add(frame: StampedFrame): void {
    const { text, seq, tsUs } = frame;
    const note = readNote(frame);
    if (note !== undefined) return this.#note(note);
    this.#frames += 1;
    // Numbers begin again where a journal was lost, and time goes back where a clock was set: both at once are a second copy of the log.
    if (seq <= this.#lastSeq && tsUs <= this.#lastUs)
      return this.#bad.add(this.#frames, `expected a frame after number ${this.#lastSeq}, was ${seq} again`);
    this.#lastSeq = seq;
    this.#lastUs = tsUs;
    const read = decodeServerFrame(text, this, seq, tsUs);
    if (read.kind === 'malformed') return this.#bad.add(this.#frames, issuesText(read.issues));
    if (read.kind === 'unknown_symbol') {
      const expected = 'expected a contract of the configured market';
      return this.#bad.add(this.#frames, `${expected}, was ${JSON.stringify(read.symbol)}`);
    }
    if (read.kind !== 'market') {
      this.#counts.others += 1;
      return;
    }
    this.#bad.good();
    const { event } = read;
    const ticks = this.#contracts[event.instrument];
    if (event.kind === 'summary') this.#counts.others += 1;
    else if (event.kind === 'book_update') {
      this.#counts.books += 1;
      ticks?.book(event);
    } else if (ticks?.trade(event) === true) this.#counts.trades += 1;
    else this.#counts.duplicates += 1;
  }

  /** Live twice: a process began again, and the one before could say nothing after its last frame. Stale prices are no cut. */
  #note({ state, tsUs }: StreamNote): void {
    if (state === 'down') this.#cutUs ??= tsUs;
    const isCut = this.#cutUs !== undefined || this.#state === 'live';
    this.#state = state;
    if (state !== 'live' || !isCut) return;
    for (const ticks of this.#contracts) ticks.cut(this.#cutUs ?? this.#lastUs, tsUs);
    this.#cutUs = undefined;
  }

  byStreamCode(code: string): Contract | undefined {
    if (!this.#byCode.has(code)) this.#byCode.set(code, this.#newContract(code));
    return this.#byCode.get(code);
  }

  store(source: string): Omit<FrameReport, 'file' | 'damage'> {
    const { market, skipBad } = this.#options;
    const { calendar } = market;
    const { count, kept } = this.#bad;
    const zone = { offsetAtMoment: () => calendar.utcOffsetMinutes };
    const wanted = count > 0 && skipBad !== true ? [] : this.#contracts;
    const stored = wanted.flatMap(({ contract: { spec }, days }) => {
      const options = { ...this.#options, calendar, zone, ...stepsOf(spec) };
      return [...days.values()].map(({ ticks, gaps }) =>
        storeDay(ticks, options, { source, badRows: count, sides: 'touch', gaps }),
      );
    });
    return { rows: this.rows, badRows: count, bad: kept, stored, counts: this.#counts };
  }

  #newContract(code: string): Contract | undefined {
    const { market } = this.#options;
    const spec = isSymbol(code) ? specOfSymbol(market, code) : undefined;
    if (spec === undefined) return undefined;
    const contract: Contract = {
      index: instrumentIndex(this.#contracts.length),
      orderCode: orderCode(code),
      streamCode: streamCode(code),
      expiry: NO_EXPIRY,
      spec,
    };
    this.#contracts.push(new ContractTicks(contract, market.calendar, this.#collector));
    return contract;
  }
}

const STREAM_LEVELS = 3;
const NO_BOOK: Readonly<Record<'bids' | 'asks', readonly BookLevel[]>> = { bids: [], asks: [] };

interface GappedDay {
  readonly ticks: DayTicks;
  readonly gaps: TickGap[];
}

/** Turns the frames of one contract into rows, with its merged book and the gaps in its chain of volumes. */
class ContractTicks {
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
    const link = this.#chain.take(qty, totalVolume);
    if (link === 'duplicate') return false;
    const day = this.#dayOf(tsUs);
    if (link === 'gap') {
      const missed = totalVolume - this.#chain.expectedTotal;
      day.gaps.push({ fromUs: this.#lastTradeUs, toUs: tsUs, kind: 'missed', qty: missed });
      // The book before a gap cannot be merged with frames after it (failure cases, 23).
      this.#book.empty();
    }
    const { bids, asks } = this.#book.last ?? NO_BOOK;
    day.ticks.push(tsUs, price, qty, this.#side(tsUs, price, bids[0], asks[0]));
    day.ticks.setBook(bids, asks);
    this.#lastPrice = price;
    this.#lastTradeUs = tsUs;
    return true;
  }

  cut(fromUs: number, toUs: TsUs): void {
    this.#dayOf(toUs).gaps.push({ fromUs, toUs, kind: 'cut', qty: null });
  }

  book(update: BookUpdateFrame): void {
    const { bids, asks } = this.#book.merge(update);
    const day = this.#dayOf(update.tsUs);
    day.ticks.push(update.tsUs, this.#lastPrice, 0, 0);
    day.ticks.setBook(bids, asks);
  }

  /** The stream does not name the aggressor; the touch before the trade does. */
  #side(at: TsUs, price: number, bid: BookLevel | undefined, ask: BookLevel | undefined): number {
    if (this.#auctions.isUncross(at)) return 0;
    if (ask !== undefined && price >= ask.price) return 1;
    return bid !== undefined && price <= bid.price ? -1 : 0;
  }

  #dayOf(at: TsUs): GappedDay {
    if (this.#open !== undefined && at < this.#dayEndUs) return this.#open;
    const { utcOffsetMinutes } = this.#calendar;
    const day = tradingDayAt(this.#calendar, at);
    if (this.#open !== undefined) this.#lastPrice = 0;
    this.#dayEndUs = momentOf(day, 0, utcOffsetMinutes) + US_PER_DAY;
    return (this.#open = getOrCreate(this.days, day, () => ({
      ticks: openDay(this.#collector, { symbol: this.contract.orderCode, day, depth: STREAM_LEVELS }),
      gaps: [],
    })));
  }
}
