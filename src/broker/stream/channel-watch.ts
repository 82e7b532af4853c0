/**
 * Zombie channels: open, heartbeats fine, no data. No acknowledgement of a subscription exists, so a channel that is
 * silent too long for its session phase is subscribed once more, and reported when that does not help (rulings, 19).
 */
import type { CancelTimer, Timers } from '../../domain/clock.ts';
import type { Contract } from '../../domain/contract.ts';
import { type DurationUs, type InstrumentIndex, seconds } from '../../domain/units.ts';
import type { StreamSignal, WatchedChannel } from './stream-signal.ts';

/** How long a channel may be silent now; undefined while it may be silent for ever (closed, break, auction). */
export type QuietLimit = (contract: Contract, channel: WatchedChannel) => DurationUs | undefined;

export interface ChannelWatchOptions {
  readonly timers: Timers;
  readonly quietLimit: QuietLimit;
  readonly resubscribe: (contract: Contract) => void;
  readonly onSignal: (signal: StreamSignal) => void;
}

const CHECK_EVERY = seconds(5);
const CHANNELS: readonly WatchedChannel[] = ['trades', 'bids', 'asks'];

interface Watched {
  readonly contract: Contract;
  readonly channel: WatchedChannel;
  /** Ages are counted in checks, so that no clock can step under them. */
  quietChecks: number;
  stage: 'fresh' | 'resubscribed' | 'stale';
}

export class ChannelWatch {
  readonly #options: ChannelWatchOptions;
  #watched: readonly Watched[] = [];
  #byIndex: (Record<WatchedChannel, Watched> | undefined)[] = [];
  #stop: CancelTimer | undefined = undefined;

  constructor(options: ChannelWatchOptions) {
    this.#options = options;
  }

  /** Restarts: after a (re)connect nothing is known of any channel. */
  start(contracts: readonly Contract[]): void {
    this.stop();
    this.#byIndex = [];
    for (const contract of contracts) {
      const fresh = (channel: WatchedChannel): Watched => ({
        contract,
        channel,
        quietChecks: 0,
        stage: 'fresh',
      });
      this.#byIndex[contract.index] = { trades: fresh('trades'), bids: fresh('bids'), asks: fresh('asks') };
    }
    this.#watched = this.#byIndex.flatMap((row) =>
      row === undefined ? [] : CHANNELS.map((name) => row[name]),
    );
    this.#arm();
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Called for every decoded market frame: one look into an array. */
  seen(instrument: InstrumentIndex, channel: WatchedChannel): void {
    const watched = this.#byIndex[instrument]?.[channel];
    if (watched === undefined) return;
    watched.quietChecks = 0;
    if (watched.stage === 'fresh') return;
    if (watched.stage === 'stale') this.#signal('channel_fresh', watched);
    watched.stage = 'fresh';
  }

  #arm(): void {
    this.#stop = this.#options.timers.after(CHECK_EVERY, () => {
      this.#arm();
      this.#check();
    });
  }

  #check(): void {
    const silent = new Set<Contract>();
    for (const watched of this.#watched) {
      const limit = this.#options.quietLimit(watched.contract, watched.channel);
      watched.quietChecks = limit === undefined ? 0 : watched.quietChecks + 1;
      if (limit === undefined || watched.quietChecks * CHECK_EVERY <= limit || watched.stage === 'stale')
        continue;
      watched.quietChecks = 0;
      if (watched.stage === 'fresh') silent.add(watched.contract);
      watched.stage = watched.stage === 'fresh' ? 'resubscribed' : 'stale';
      this.#signal(watched.stage === 'stale' ? 'channel_stale' : 'channel_resubscribed', watched);
    }
    for (const contract of silent) this.#options.resubscribe(contract);
  }

  #signal(kind: 'channel_stale' | 'channel_resubscribed' | 'channel_fresh', watched: Watched): void {
    this.#options.onSignal({ kind, code: watched.contract.streamCode, channel: watched.channel });
  }
}
