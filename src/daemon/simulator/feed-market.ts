/** The market of a paper account on real prices: the frames of a feed, for its clients as they are, for its venue as trades and books. */
import type { FeedTerms } from '../../cluster/feed-messages.ts';
import { readNote } from '../../recording/frame-log.ts';
import type { FeedListener } from '../../cluster/feed-reader.ts';
import type { Config } from '../../config/config.ts';
import { tradingDay } from '../../domain/civil-date.ts';
import { codedForm, contractMonthOf, legacyCode } from '../../domain/contract-code.ts';
import type { Contract } from '../../domain/contract.ts';
import { orderCode, streamCode } from '../../domain/ids.ts';
import { instrumentIndex, milliseconds, priceTicks, qty, type TsUs } from '../../domain/units.ts';
import { MergedBook } from '../../engine/market/market.ts';
import type { FeedAccess } from '../../host/cluster-access.ts';
import { systemTimers, withTimeout } from '../../host/system-clock.ts';
import {
  type MarketSource,
  type SimulatorOptions,
  type SourceListener,
  type SourcePrint,
  VN30_FUTURE,
} from '../../simulator/simulator-options.ts';
import { decodeServerFrame, type StampedFrame, timedFrame } from '../../wire/stream/server-frame.ts';

type Codes = Pick<SimulatorOptions, 'codes' | 'streamCodes'>;

interface FollowedContract extends Contract {
  readonly book: MergedBook;
  /** Of the day, after the last trade. */
  totalVolume: number;
}

const NO_BOOK = { bids: [], asks: [] };

class FeedMarket implements MarketSource, FeedListener {
  readonly #codes: Codes['codes'];
  readonly #log: (text: string) => void;
  /** Null where what follows does not continue what came before. */
  #frames: (StampedFrame | null)[] = [];
  #next = 0;
  #afterUs: number = -Infinity;
  readonly #contracts = new Map<string, FollowedContract | undefined>();
  /** Of the frame that is decoded. */
  #contract: FollowedContract | undefined = undefined;
  #listener: SourceListener | undefined = undefined;
  #isCaughtUp = false;
  /** Undefined before it said so, or has sent a price. */
  #isPublisherLive: boolean | undefined = undefined;
  isLive = false;
  #isRead: () => void = () => {};
  /** Everything that the feed had at the start has come. */
  readonly history = new Promise<void>((resolve) => {
    this.#isRead = resolve;
  });

  constructor({ codes }: Codes, log: (text: string) => void) {
    this.#codes = codes;
    this.#log = log;
  }

  onRecords(records: readonly StampedFrame[]): void {
    for (const record of records) {
      const note = readNote(record);
      if (note === undefined) {
        this.#frames.push(record);
        if (this.#isPublisherLive === undefined) this.#setPublisher(true, 'prices come');
      } else {
        this.#listener?.onMore();
        if (note.state !== 'live') this.#frames.push(null);
        this.#setPublisher(note.state === 'live', note.reason);
      }
    }
    this.#listener?.onMore();
  }

  onGap(reason: string): void {
    this.#frames.push(null);
    this.#set(false, reason);
    this.#judge(reason);
  }

  #emptyBooks(): undefined {
    for (const contract of this.#contracts.values()) contract?.book.empty();
  }

  onCaughtUp(silence: string | null): void {
    this.#isCaughtUp = silence === null;
    // One that was never live says so too.
    if (silence !== null && !this.isLive) this.#log(`the feed is down: ${silence}`);
    this.#isRead();
    this.#judge(silence ?? 'caught up');
  }

  onDown(reason: string): void {
    this.#isCaughtUp = false;
    this.#judge(reason);
  }

  #setPublisher(isLive: boolean, reason: string): void {
    this.#isPublisherLive = isLive;
    this.#judge(`publisher: ${reason}`);
  }

  #judge(reason: string): void {
    this.#set(this.#isCaughtUp && this.#isPublisherLive === true, reason);
  }

  #set(isLive: boolean, reason: string): void {
    if (isLive === this.isLive) return;
    this.isLive = isLive;
    this.#log(`the feed is ${isLive ? 'live' : 'down'}: ${reason}`);
    if (!isLive) this.#listener?.onCut(reason);
  }

  follow(listener: SourceListener): void {
    this.#listener = listener;
  }

  begin(after: TsUs | undefined): TsUs | undefined {
    this.#afterUs = after ?? -Infinity;
    return this.#frames.find((frame) => frame !== null)?.tsUs;
  }

  /** At once: their time has come where they come from. */
  nextDueUs(): number {
    return this.#next < this.#frames.length ? -Infinity : Infinity;
  }

  take(): SourcePrint | undefined {
    for (let frame = this.#frames[this.#next]; frame !== undefined; frame = this.#frames[this.#next]) {
      this.#next += 1;
      const print = frame === null ? this.#emptyBooks() : this.#printOf(frame);
      if (print !== undefined && print.tsUs > this.#afterUs) return print;
    }
    this.#frames = [];
    this.#next = 0;
    return undefined;
  }

  #printOf({ text, seq, tsUs }: StampedFrame): SourcePrint | undefined {
    const frame = decodeServerFrame(text, this, seq, tsUs);
    const contract = this.#contract;
    if (frame.kind !== 'market' || contract === undefined) return undefined;
    const { event } = frame;
    const channel = event.kind !== 'book_update' ? event.kind : event.side === 'bid' ? 'bid' : 'offer';
    const symbol = contract.streamCode;
    const passed = this.isLive ? ({ channel, symbol, text: timedFrame(text, tsUs) } as const) : undefined;
    if (event.kind === 'book_update') contract.book.merge(event);
    const book = contract.book.last ?? NO_BOOK;
    const change = { tsUs, orderCode: contract.orderCode, aggressor: null, book, passed };
    // A trade that was sent twice is none for the venue.
    if (event.kind !== 'trade' || event.totalVolume === contract.totalVolume)
      return { ...change, price: priceTicks(0), qty: qty(0) };
    contract.totalVolume = event.totalVolume;
    return { ...change, price: event.price, qty: event.qty };
  }

  /** For the decoder: contracts that paper trades. */
  byStreamCode(code: string): Contract | undefined {
    if (!this.#contracts.has(code)) this.#contracts.set(code, followed(code, this.#codes));
    this.#contract = this.#contracts.get(code);
    return this.#contract;
  }
}

/** The venue knows its expiry. */
const ANY_DAY = tradingDay('2099-12-31');

function followed(code: string, form: Codes['codes']): FollowedContract | undefined {
  const month = contractMonthOf(code);
  if (month?.underlying !== VN30_FUTURE.underlying) return undefined;
  const own = orderCode(form === 'coded' ? codedForm(month) : legacyCode(month));
  const names = { index: instrumentIndex(0), orderCode: own, streamCode: streamCode(code), expiry: ANY_DAY };
  return { ...names, spec: VN30_FUTURE, book: new MergedBook(), totalVolume: -1 };
}

/** Plain data: one process hands it to another by its arguments, so without a secret. */
export interface FeedPlan {
  readonly config: Pick<Config, 'cluster' | 'mode'>;
  readonly terms: FeedTerms;
}

/** The forms in which the feed has its contracts. */
export function codesOf({ orderCode: code, streamCode: shown }: FeedTerms): Codes {
  const month = contractMonthOf(code);
  const isLegacy = month !== undefined && code === legacyCode(month);
  return { codes: isLegacy ? 'legacy' : 'coded', streamCodes: code === shown ? 'same' : 'internal' };
}

const HISTORY_MAX = milliseconds(10_000);

/** Reads the feed from `from` on; resolves once its history is there, or after a moment. */
export async function openFeedMarket(
  terms: FeedTerms,
  { name, open }: Pick<FeedAccess, 'name' | 'open'>,
  from: TsUs,
  log: (text: string) => void,
): Promise<Extract<SimulatorOptions['market'], { kind: 'feed' }>> {
  const { FeedReader } = await import('../../cluster/feed-reader.ts');
  const source = new FeedMarket(codesOf(terms), log);
  // oxlint-disable-next-line no-new -- it reads as long as this process lives
  new FeedReader({ name, open, from, listener: source, timers: systemTimers });
  await withTimeout(source.history, HISTORY_MAX);
  const { hundredthsPerTick: tick } = VN30_FUTURE;
  return { kind: 'feed', source, startPoints: (Math.round(terms.reference / tick) * tick) / 100 };
}
