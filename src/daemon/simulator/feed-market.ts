/** The market of a paper account on real prices: trades and books of VN30 contracts as the frames of a feed have them. */
import type { FeedTerms } from '../../cluster/feed-messages.ts';
import type { FeedListener } from '../../cluster/feed-reader.ts';
import type { Config } from '../../config/config.ts';
import { tradingDay } from '../../domain/civil-date.ts';
import { codedForm, contractMonthOf, legacyCode } from '../../domain/contract-code.ts';
import type { Contract } from '../../domain/contract.ts';
import { type OrderCode, orderCode, streamCode } from '../../domain/ids.ts';
import {
  instrumentIndex,
  milliseconds,
  type PriceHundredths,
  priceTicks,
  qty,
  type TsUs,
} from '../../domain/units.ts';
import { MergedBook } from '../../engine/market/merged-book.ts';
import type { PrintSource } from '../../simulator/brokerage/print-feed.ts';
import type { FeedAccess } from '../../host/cluster-access.ts';
import { inTime } from '../../host/system-clock.ts';
import { type SimulatorOptions, VN30_FUTURE } from '../../simulator/simulator-options.ts';
import type { TapePrint } from '../../venue/venue-options.ts';
import { decodeServerFrame, type StampedFrame } from '../../wire/stream/server-frame.ts';

export type CodeForm = 'legacy' | 'coded';

/** The table of a paper daemon has the index; here a contract is its code. */
interface FollowedContract extends Contract {
  readonly book: MergedBook;
  /** Of the day, after the last trade. */
  totalVolume: number;
}

const NO_BOOK = { bids: [], asks: [] };
/** Frames that were taken leave the array in blocks. */
const TAKEN_MAX = 1_000;

export class FeedMarket implements PrintSource, FeedListener {
  readonly #form: CodeForm;
  readonly #log: (text: string) => void;
  #frames: StampedFrame[] = [];
  /** Place of the first that was not taken. */
  #next = 0;
  #afterUs: number = -Infinity;
  readonly #contracts = new Map<string, FollowedContract | undefined>();
  #more: () => void = () => {};
  #isRead: () => void = () => {};
  /** Everything that the feed had at the start has come. */
  readonly history = new Promise<void>((resolve) => {
    this.#isRead = resolve;
  });

  constructor(form: CodeForm, log: (text: string) => void) {
    this.#form = form;
    this.#log = log;
  }

  onRecords(records: readonly StampedFrame[]): void {
    const wasEmpty = this.nextDueUs() === Infinity;
    for (const record of records) this.#frames.push(record);
    if (wasEmpty) this.#more();
  }

  onGap(reason: string): void {
    this.#log(reason);
    for (const contract of this.#contracts.values()) contract?.book.empty();
  }

  onCaughtUp(): void {
    this.#isRead();
  }

  onDown(reason: string): void {
    this.#log(reason);
  }

  begin(after: TsUs | undefined): TsUs | undefined {
    this.#afterUs = after ?? -Infinity;
    return this.#frames[0]?.tsUs;
  }

  onMore(run: () => void): void {
    this.#more = run;
  }

  nextDueUs(): number {
    return this.#frames[this.#next]?.tsUs ?? Infinity;
  }

  take(nowUs: TsUs): TapePrint | undefined {
    if (this.#next >= TAKEN_MAX) {
      this.#frames = this.#frames.slice(this.#next);
      this.#next = 0;
    }
    for (let frame = this.#frames[this.#next]; frame !== undefined; frame = this.#frames[this.#next]) {
      if (frame.tsUs > nowUs) return undefined;
      this.#next += 1;
      const print = this.#printOf(frame);
      if (print !== undefined && frame.tsUs > this.#afterUs) return print;
    }
    return undefined;
  }

  #printOf({ text, seq, tsUs }: StampedFrame): TapePrint | undefined {
    const frame = decodeServerFrame(text, this, seq, tsUs);
    if (frame.kind !== 'market' || frame.event.kind === 'summary') return undefined;
    const { event } = frame;
    const contract = this.#last;
    if (contract === undefined) return undefined;
    const { orderCode: code, book } = contract;
    if (event.kind === 'book_update') {
      book.merge(event);
      return {
        tsUs,
        orderCode: code,
        price: priceTicks(0),
        qty: qty(0),
        aggressor: null,
        book: book.last ?? NO_BOOK,
      };
    }
    // Sent twice.
    if (event.totalVolume === contract.totalVolume) return undefined;
    contract.totalVolume = event.totalVolume;
    const { price, qty: traded } = event;
    return { tsUs, orderCode: code, price, qty: traded, aggressor: null, book: book.last ?? NO_BOOK };
  }

  #last: FollowedContract | undefined = undefined;

  /** For the decoder; contracts of other indexes are not traded on paper. */
  byStreamCode(code: string): Contract | undefined {
    if (!this.#contracts.has(code)) this.#contracts.set(code, followed(code, this.#form));
    this.#last = this.#contracts.get(code);
    return this.#last;
  }
}

/** Its expiry is the venue's to know. */
const ANY_DAY = tradingDay('2099-12-31');

function followed(code: string, form: CodeForm): FollowedContract | undefined {
  const month = contractMonthOf(code);
  if (month?.underlying !== VN30_FUTURE.underlying) return undefined;
  const own: OrderCode = orderCode(form === 'coded' ? codedForm(month) : legacyCode(month));
  const index = instrumentIndex(0);
  const terms = { index, orderCode: own, streamCode: streamCode(code), expiry: ANY_DAY, spec: VN30_FUTURE };
  return { ...terms, book: new MergedBook(), totalVolume: -1 };
}

/** Plain data: one process hands it to another, by its arguments, so without a secret. */
export interface FeedPlan {
  readonly config: Pick<Config, 'cluster' | 'mode'>;
  readonly form: CodeForm;
  readonly startPoints: number;
  readonly references: readonly (readonly [OrderCode, PriceHundredths])[];
}

/** The forms in which the feed has its contracts. */
export function codesOf({ contracts }: FeedTerms): Pick<SimulatorOptions, 'codes' | 'streamCodes'> {
  const [first] = contracts;
  const month = contractMonthOf(first?.orderCode ?? '');
  return {
    codes: month !== undefined && first?.orderCode === legacyCode(month) ? 'legacy' : 'coded',
    streamCodes: first?.orderCode === first?.streamCode ? 'same' : 'internal',
  };
}

export function feedPlan(config: FeedPlan['config'], terms: FeedTerms): FeedPlan {
  const references = terms.references.flatMap(({ instrument, reference }) => {
    const contract = terms.contracts[instrument];
    return contract === undefined ? [] : [[contract.orderCode, reference] as const];
  });
  const front = references.find(([code]) => contractMonthOf(code)?.underlying === VN30_FUTURE.underlying);
  const { hundredthsPerTick: tick } = VN30_FUTURE;
  const startPoints = (Math.round((front?.[1] ?? 0) / tick) * tick) / 100;
  return { config, form: codesOf(terms).codes, startPoints, references };
}

const HISTORY_MS_MAX = 10_000;

/** Reads the feed from `from` on; resolves once its history is there, or after a moment. */
export async function openFeedMarket(
  { form, startPoints, references }: FeedPlan,
  { name, open }: Pick<FeedAccess, 'name' | 'open'>,
  from: TsUs,
  log: (text: string) => void,
): Promise<Extract<SimulatorOptions['market'], { kind: 'feed' }>> {
  const { FeedReader } = await import('../../cluster/feed-reader.ts');
  const market = new FeedMarket(form, log);
  new FeedReader({ feed: name, open, from, listener: market });
  await inTime(market.history, milliseconds(HISTORY_MS_MAX));
  return { kind: 'feed', source: market, startPoints, references: new Map(references) };
}
