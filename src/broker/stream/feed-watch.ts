/**
 * Detects prices that stop while heartbeats go on (failure cases, 20). Feed and trades are watched by their own pace: a silence in which
 * thirty messages were to be expected is not the market's. It is reported, then everything is subscribed again, and the stream reconnects.
 * One side of one book may be silent for minutes. No acknowledgement of a subscription exists, so its contract is then subscribed once
 * more, and the side is reported when that does not help (rulings, 19).
 */
import { every, type CancelTimer, type Timers } from '../../domain/clock.ts';
import type { Contract } from '../../domain/contract.ts';
import type { StreamCode } from '../../domain/ids.ts';
import { durationUs, type DurationUs, type InstrumentIndex, seconds } from '../../domain/units.ts';

export type WatchedChannel = 'trades' | 'bids' | 'asks';
export type FeedPart = 'prices' | 'trades';

export type FeedSignal =
  /** `channel_stale`: still silent after a new subscription. Alert. */
  | {
      readonly kind: 'channel_resubscribed' | 'channel_stale' | 'channel_fresh';
      readonly code: StreamCode;
      readonly channel: WatchedChannel;
    }
  /** Quotes come, trades never did on this connection. Alert. */
  | { readonly kind: 'no_trades'; readonly silence: DurationUs };

interface FeedWatchOptions {
  readonly timers: Timers;
  /** Trading goes on: in an auction, a break and at night prices may stop for ever. */
  readonly isContinuous: () => boolean;
  /** One contract alone where it is given. */
  readonly resubscribe: (contract?: Contract) => void;
  /** `silence` is how long nothing came. */
  readonly onStale: (what: FeedPart, silence: DurationUs) => void;
  readonly onSignal: (signal: FeedSignal) => void;
  /** `hasReconnected`: the connection whose silence was reported has ended since. */
  readonly onFresh: (hasReconnected: boolean) => void;
  readonly reconnect: () => void;
}

const CHECK_EVERY = seconds(1);
/** Sixteen real days of the front month had no silence of trades that these numbers take for a fault. */
const EXPECTED_MIN = 30;
const SILENT_CHECKS_MIN = 10;
/** For the whole feed. Trades of a far month stay away for hours while its book lives, and nothing may stop for that. */
const SILENT_CHECKS_MAX = 300;
/** Of one side of one book. */
const QUOTES_SILENT_CHECKS_MAX = 300;
/** Checks over which the pace is averaged. */
const PACE_MEMORY = 60;
/** Prices that stay away this long after the report are worth a new connection, but not a login every half minute. */
const RECONNECT_AFTER_CHECKS = 10;
const RECONNECT_EVERY_CHECKS = 300;

/** Messages of one kind: their pace, and how long none came. Ages are counted in checks, so that no clock can step under them. */
class Pulse {
  /** Messages a check; null while none is known. */
  #pace: number | null = null;
  #seen = 0;
  silentChecks = 0;
  readonly #unknownLimit: number;
  readonly #limitMax: number;

  constructor(unknownLimit: number, limitMax: number) {
    this.#unknownLimit = unknownLimit;
    this.#limitMax = limitMax;
  }

  get isKnown(): boolean {
    return this.#pace !== null;
  }

  onMessage(): void {
    this.#seen += 1;
  }

  clear(): void {
    this.#seen = 0;
    this.silentChecks = 0;
  }

  check(): void {
    const checks = this.silentChecks + 1;
    if (this.#seen === 0) {
      this.silentChecks = checks;
      return;
    }
    const pace = this.#seen / checks;
    this.#pace =
      this.#pace === null ? pace : this.#pace + (pace - this.#pace) * Math.min(1, checks / PACE_MEMORY);
    this.clear();
  }

  get limit(): number {
    if (this.#pace === null) return this.#unknownLimit;
    return Math.min(this.#limitMax, Math.max(SILENT_CHECKS_MIN, EXPECTED_MIN / this.#pace));
  }
}

interface QuoteSide {
  readonly contract: Contract;
  readonly channel: 'bids' | 'asks';
  silentChecks: number;
  stage: 'fresh' | 'resubscribed' | 'stale';
}

const freshQuotes = (contract: Contract, channel: QuoteSide['channel']): QuoteSide => ({
  contract,
  channel,
  silentChecks: 0,
  stage: 'fresh',
});

export class FeedWatch {
  readonly #options: FeedWatchOptions;
  readonly #prices = new Pulse(SILENT_CHECKS_MIN, SILENT_CHECKS_MAX);
  readonly #trades = new Pulse(Infinity, Infinity);
  readonly #quotes = new Map<InstrumentIndex, Readonly<Record<QuoteSide['channel'], QuoteSide>>>();
  #isNoTradesReported = false;
  #stale: FeedPart | null = null;
  /** Reported of a connection that has ended: it is over with the first price of the next one. */
  #staleBefore: FeedPart | null = null;
  #staleChecks = 0;
  #connectedChecks = RECONNECT_EVERY_CHECKS;
  #stop: CancelTimer | undefined = undefined;

  constructor(options: FeedWatchOptions) {
    this.#options = options;
  }

  get isStale(): boolean {
    return this.#stale !== null;
  }

  /** After a (re)connect or a new subscription silence counts from now; the pace is kept. */
  start(contracts: readonly Contract[]): void {
    this.#stop?.();
    this.#clearAll();
    this.#quotes.clear();
    for (const contract of contracts) {
      const [bids, asks] = [freshQuotes(contract, 'bids'), freshQuotes(contract, 'asks')];
      this.#quotes.set(contract.index, { bids, asks });
    }
    this.#isNoTradesReported = false;
    this.#stop = every(this.#options.timers, CHECK_EVERY, () => this.#check());
  }

  /** The connection is gone, which has its own report. */
  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#staleBefore = this.#stale ?? this.#staleBefore;
    this.#stale = null;
  }

  /** A decoded price of any contract. */
  onMessage(instrument: InstrumentIndex, channel: WatchedChannel): void {
    const isTrade = channel === 'trades';
    this.#prices.onMessage();
    if (isTrade) this.#trades.onMessage();
    else this.#onQuotes(this.#quotes.get(instrument)?.[channel]);
    const reported = this.#stale ?? this.#staleBefore;
    if (reported === null || (reported === 'trades' && !isTrade)) return;
    const hasReconnected = this.#stale === null;
    this.#stale = null;
    this.#staleBefore = null;
    this.#options.onFresh(hasReconnected);
  }

  #onQuotes(quotes: QuoteSide | undefined): void {
    if (quotes === undefined) return;
    quotes.silentChecks = 0;
    if (quotes.stage === 'stale') this.#signal('channel_fresh', quotes);
    quotes.stage = 'fresh';
  }

  #clearAll(): void {
    this.#prices.clear();
    this.#trades.clear();
    for (const { bids, asks } of this.#quotes.values()) bids.silentChecks = asks.silentChecks = 0;
  }

  #check(): void {
    if (!this.#options.isContinuous()) {
      this.#clearAll();
      this.#staleChecks = 0;
      return;
    }
    this.#connectedChecks += 1;
    this.#prices.check();
    this.#trades.check();
    for (const { bids, asks } of this.#quotes.values()) {
      const [bidsAsked, asksAsked] = [this.#checkQuotes(bids), this.#checkQuotes(asks)];
      if (bidsAsked || asksAsked) this.#options.resubscribe(bids.contract);
    }
    if (this.#stale !== null) return this.#stayStale();
    this.#checkPart('prices', this.#prices);
    if (this.#prices.silentChecks === 0) this.#checkTrades();
  }

  #checkTrades(): void {
    const { isKnown, silentChecks } = this.#trades;
    if (isKnown) return this.#checkPart('trades', this.#trades);
    if (this.#isNoTradesReported || silentChecks < SILENT_CHECKS_MAX) return;
    this.#isNoTradesReported = true;
    this.#options.resubscribe();
    this.#options.onSignal({ kind: 'no_trades', silence: durationUs(silentChecks * CHECK_EVERY) });
  }

  /** True where its contract is to be subscribed again. */
  #checkQuotes(quotes: QuoteSide): boolean {
    quotes.silentChecks += 1;
    if (quotes.silentChecks <= QUOTES_SILENT_CHECKS_MAX || quotes.stage === 'stale') return false;
    quotes.silentChecks = 0;
    quotes.stage = quotes.stage === 'fresh' ? 'resubscribed' : 'stale';
    this.#signal(quotes.stage === 'stale' ? 'channel_stale' : 'channel_resubscribed', quotes);
    return quotes.stage === 'resubscribed';
  }

  #signal(kind: Exclude<FeedSignal['kind'], 'no_trades'>, quotes: QuoteSide): void {
    this.#options.onSignal({ kind, code: quotes.contract.streamCode, channel: quotes.channel });
  }

  #checkPart(what: FeedPart, { silentChecks, limit }: Pulse): void {
    if (this.#stale !== null) return;
    if (silentChecks === Math.ceil(limit / 2)) this.#options.resubscribe();
    if (silentChecks < limit) return;
    this.#stale = what;
    this.#staleChecks = 0;
    this.#options.onStale(what, durationUs(silentChecks * CHECK_EVERY));
  }

  #stayStale(): void {
    this.#staleChecks += 1;
    const isEarly = this.#connectedChecks < RECONNECT_EVERY_CHECKS;
    if (this.#staleChecks < RECONNECT_AFTER_CHECKS || isEarly) return;
    this.#connectedChecks = 0;
    this.#options.reconnect();
  }
}
