/**
 * Detects prices that stop while heartbeats go on (failure cases, 20). Feed and trades are watched by their own pace: a silence in which
 * thirty messages were to be expected is not the market's. It is reported, then everything is subscribed again, and the stream reconnects.
 */
import type { CancelTimer, Timers } from '../../domain/clock.ts';
import { durationUs, type DurationUs, seconds } from '../../domain/units.ts';

interface FeedWatchOptions {
  readonly timers: Timers;
  /** Trading goes on: in an auction, a break and at night prices may stop for ever. */
  readonly isContinuous: () => boolean;
  readonly resubscribe: () => void;
  /** `silence` is how long nothing came. */
  readonly onStale: (what: FeedPart, silence: DurationUs) => void;
  /** Quotes come and no trade did since the connection began: a dead channel, or a contract that hardly trades. */
  readonly onNoTrades: (silence: DurationUs) => void;
  /** `hasReconnected`: the connection whose silence was reported has ended since. */
  readonly onFresh: (hasReconnected: boolean) => void;
  readonly reconnect: () => void;
}

export type FeedPart = 'prices' | 'trades';

const CHECK_EVERY = seconds(1);
/** Sixteen real days of the front month had no silence of trades that these numbers take for a fault. */
const EXPECTED_MIN = 30;
const SILENT_CHECKS_MIN = 10;
/** Of the whole feed. Trades of a far month stay away for hours while its book lives, and nothing may stop for that. */
const SILENT_CHECKS_MAX = 300;
/** Checks over which the pace is averaged. */
const PACE_MEMORY = 60;
/** Prices that stay away so long after the report are worth a new connection, but not a login every half minute. */
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

  seen(): void {
    this.#seen += 1;
  }

  rest(): void {
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
    this.rest();
  }

  get limit(): number {
    if (this.#pace === null) return this.#unknownLimit;
    return Math.min(this.#limitMax, Math.max(SILENT_CHECKS_MIN, EXPECTED_MIN / this.#pace));
  }
}

export class FeedWatch {
  readonly #options: FeedWatchOptions;
  readonly #prices = new Pulse(SILENT_CHECKS_MIN, SILENT_CHECKS_MAX);
  readonly #trades = new Pulse(Infinity, Infinity);
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
  start(): void {
    this.#stop?.();
    this.#prices.rest();
    this.#trades.rest();
    this.#isNoTradesReported = false;
    this.#arm();
  }

  /** The connection is gone, which has its own report. */
  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#staleBefore = this.#stale ?? this.#staleBefore;
    this.#stale = null;
  }

  /** A decoded price of any contract. */
  seen(isTrade: boolean): void {
    this.#prices.seen();
    if (isTrade) this.#trades.seen();
    const reported = this.#stale ?? this.#staleBefore;
    if (reported === null || (reported === 'trades' && !isTrade)) return;
    const hasReconnected = this.#stale === null;
    this.#stale = null;
    this.#staleBefore = null;
    this.#options.onFresh(hasReconnected);
  }

  #arm(): void {
    this.#stop = this.#options.timers.after(CHECK_EVERY, () => {
      this.#arm();
      this.#check();
    });
  }

  #check(): void {
    if (!this.#options.isContinuous()) {
      this.#prices.rest();
      this.#trades.rest();
      this.#staleChecks = 0;
      return;
    }
    this.#connectedChecks += 1;
    this.#prices.check();
    this.#trades.check();
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
    this.#options.onNoTrades(durationUs(silentChecks * CHECK_EVERY));
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
