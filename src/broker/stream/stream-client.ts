/**
 * Keeps one authenticated, subscribed connection to the price stream. A finite state: the end of a connection is a value,
 * `ReconnectPolicy` decides the next step, and every end leads to a new connection or a signal that somebody must act (failure
 * cases, 21 and 22).
 */
import { Subject } from 'rxjs';
import type { CancelTimer, Clock, Timers } from '../../domain/clock.ts';
import type { Contract } from '../../domain/contract.ts';
import { type DurationUs, type InstrumentIndex, seconds, US_PER_SECOND } from '../../domain/units.ts';
import type { InputSink } from '../../engine/ports/engine-event.ts';
import { ALL_CHANNELS, encodeSubscribe, encodeUnsubscribe } from '../../wire/stream/control-frame.ts';
import type { AccessToken, TokenSource } from '../auth/access-token.ts';
import { type FeedPart, type FeedSignal, FeedWatch, type WatchedChannel } from './feed-watch.ts';
import {
  type PauseReason,
  type ReconnectDecision,
  ReconnectPolicy,
  type ReconnectStore,
  STABLE_AFTER,
} from './reconnect-policy.ts';
import {
  type Connection,
  type ConnectionEnd,
  describeEnd,
  type Dial,
  dialWebSocket,
  openConnection,
  type Send,
} from './stream-connection.ts';

interface StreamClientOptions {
  readonly url: string;
  readonly tokens: TokenSource;
  /** Real time, for `exp`: not the market's. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly store: ReconnectStore;
  /** Before it waits for a person. */
  readonly attemptsMax?: number | undefined;
  readonly sink: InputSink;
  /** Continuous trading: prices are expected. */
  readonly isContinuous: () => boolean;
  readonly onSignal: (signal: StreamSignal) => void;
  /** Receives how long the answer to a heartbeat took. */
  readonly onPong?: ((roundTrip: DurationUs) => void) | undefined;
  /** A real WebSocket unless it is given. */
  readonly dial?: Dial | undefined;
}

/** In a quiet market no frame may come: then the new connection takes over by itself. */
const OVERLAP_MAX = seconds(5);
const RETRY_AFTER = seconds(30);
const TRIES_MAX = 10;

export class StreamClient {
  readonly #options: StreamClientOptions;
  readonly #policy: ReconnectPolicy;
  readonly #feed: FeedWatch;
  readonly #subscriptions = new Subscriptions();
  readonly #whenGone: (() => void)[] = [];
  readonly #frames = new Subject<string>();
  /** Every data frame of the active connection, unchanged. Hot, and without replay. */
  readonly frames$ = this.#frames.asObservable();
  #state: StreamState = 'stopped';
  #active: Connection | undefined = undefined;
  /** With a renewed token, until it takes over. */
  #candidate: Connection | undefined = undefined;
  #candidateTimer: CancelTimer | undefined = undefined;
  /** Token whose tries as a candidate are counted. */
  #candidateJwt = '';
  #tries = 0;
  #isLivePosted = false;
  #wait: (() => void) | undefined = undefined;
  #stable: (() => void) | undefined = undefined;
  #stopTokens: (() => void) | undefined = undefined;
  #sockets = 0;
  #unknownControlFrames = 0;
  #framesDropped = 0;
  #connections = 0;

  constructor(options: StreamClientOptions) {
    this.#options = options;
    this.#policy = new ReconnectPolicy(options.store, options.attemptsMax);
    this.#feed = new FeedWatch({
      timers: options.timers,
      isContinuous: options.isContinuous,
      resubscribe: (contract) => this.resubscribe(contract),
      onStale: (what, silence) => this.#onStale(what, silence),
      onSignal: options.onSignal,
      onFresh: (hasReconnected) => this.#onFresh(hasReconnected),
      reconnect: () => this.#plannedReconnect('prices stay away'),
    });
  }

  start(): void {
    if (this.#state !== 'stopped') return;
    this.#stopTokens = this.#options.tokens.onChange(() => this.#onToken());
    const decision = this.#policy.onStart();
    if (decision === undefined) this.#dial();
    else this.#carryOut(decision, 'none');
  }

  /** Replaces the subscribed contracts, on the running connection too. */
  subscribe(contracts: readonly Contract[]): void {
    const frames = this.#subscriptions.replace(contracts);
    const active = this.#active?.send;
    if (active === undefined) return;
    for (const frame of frames) {
      active(frame);
      this.#candidate?.send?.(frame);
    }
    this.#feed.start(contracts);
    this.#postLive();
  }

  /** Reports a decoded frame to the watch. */
  seen(instrument: InstrumentIndex, channel: WatchedChannel): void {
    this.#feed.onMessage(instrument, channel);
  }

  /** Goes on after a pause without a delay; called by a person or at the next open. */
  resume(): void {
    if (this.#state !== 'paused' && this.#state !== 'waiting') return;
    this.#policy.reset();
    this.#dial();
  }

  status(): StreamStatus {
    return {
      state: this.#state,
      isStale: this.#feed.isStale,
      attempts: this.#policy.state.attempts,
      connections: this.#connections,
      unknownControlFrames: this.#unknownControlFrames,
      framesDropped: this.#framesDropped,
    };
  }

  /** Closes; resolves when no socket is left. */
  async stop(): Promise<void> {
    this.#stopTokens?.();
    this.#wait?.();
    this.#promote()?.close();
    this.#dropActive('stopped');
    this.#policy.forget();
    this.#state = 'stopped';
    if (this.#sockets > 0) await new Promise<void>((resolve) => this.#whenGone.push(resolve));
  }

  #dial(): void {
    this.#wait?.();
    this.#wait = undefined;
    const token = this.#options.tokens.current();
    if (token === undefined) return this.#carryOut({ kind: 'await_token' }, 'none');
    this.#state = 'connecting';
    this.#options.onSignal({ kind: 'connecting' });
    this.#active = this.#open(token);
  }

  #open(token: AccessToken): Connection {
    const { url, dial = dialWebSocket, clock, timers } = this.#options;
    this.#sockets += 1;
    return openConnection({
      url,
      dial,
      clock,
      timers,
      token,
      onGone: () => this.#onGone(),
      onPong: (roundTrip) => this.#options.onPong?.(roundTrip),
      onData: (from, text) => this.#onData(from, text),
      onLive: (from) => this.#onLive(from),
      onEnd: (from, end) =>
        from === this.#candidate ? this.#onCandidateEnd(from, end) : this.#onEnd(from, end),
      onUnknownControl: () => {
        this.#unknownControlFrames += 1;
      },
    });
  }

  #onGone(): void {
    this.#sockets -= 1;
    if (this.#sockets === 0) for (const resolve of this.#whenGone.splice(0)) resolve();
  }

  #onData(from: Connection, text: string): void {
    if (from === this.#candidate && from.send !== undefined) this.#completeHandOver();
    if (from === this.#active && from.send !== undefined) this.#frames.next(text);
    else this.#framesDropped += 1;
  }

  #onLive(from: Connection): void {
    if (from.send !== undefined) this.#subscriptions.sendAll(from.send);
    if (from === this.#candidate) {
      this.#candidateTimer = this.#options.timers.after(OVERLAP_MAX, () => this.#completeHandOver());
      return;
    }
    this.#becomeLive();
    this.#renew();
  }

  #becomeLive(): void {
    this.#state = 'live';
    this.#connections += 1;
    this.#options.onSignal({ kind: 'live' });
    this.#stable = this.#options.timers.after(STABLE_AFTER, () => this.#policy.reset());
    if (this.#subscriptions.contracts.length > 0) this.#feed.start(this.#subscriptions.contracts);
    this.#postLive();
  }

  #postLive(): void {
    if (this.#isLivePosted || this.#subscriptions.contracts.length === 0) return;
    this.#isLivePosted = true;
    this.#options.sink.post({ kind: 'stream', state: 'live', reason: 'authenticated and subscribed' });
  }

  /** Asks for everything again, or for one contract: the answer brings whole books. */
  resubscribe(contract?: Contract): void {
    const send = this.#active?.send;
    if (send === undefined) return;
    if (contract === undefined) this.#subscriptions.sendAll(send);
    else send(this.#subscriptions.frameFor(contract));
  }

  #onStale(what: FeedPart, silence: DurationUs): void {
    this.#options.onSignal({ kind: 'feed_stale', what, silence });
    const reason = `no ${what} for ${silence / US_PER_SECOND} s on a connection that is alive`;
    this.#options.sink.post({ kind: 'stream', state: 'stale', reason });
  }

  /** A new connection has said that it is live. */
  #onFresh(hasReconnected: boolean): void {
    this.#options.onSignal({ kind: 'feed_fresh' });
    if (hasReconnected) return;
    this.#options.sink.post({ kind: 'stream', state: 'live', reason: 'prices come again' });
  }

  #onEnd(from: Connection, end: ConnectionEnd): void {
    if (from !== this.#active) return;
    const { token } = from;
    this.#dropActive(describeEnd(end));
    this.#options.onSignal({ kind: 'ended', end });
    // A renewed token makes this the planned end of the old connection: it costs no attempt.
    if (this.#completeHandOver()) return;
    const decision = this.#newerThan(token) === undefined ? this.#policy.onEnd(end) : undefined;
    if (decision === undefined) this.#dial();
    else this.#carryOut(decision, end.kind === 'token_rejected' ? 'rejected' : 'expired');
    if (end.kind === 'token_rejected')
      this.#options.tokens.reject(token.jwt, 'stream', `${end.code} ${end.message}`);
  }

  #carryOut(decision: ReconnectDecision, why: 'none' | 'expired' | 'rejected'): void {
    switch (decision.kind) {
      case 'retry':
        this.#state = 'waiting';
        this.#options.onSignal({ kind: 'retrying', attempt: decision.attempt, after: decision.after });
        this.#wait = this.#options.timers.after(decision.after, () => this.#dial());
        return;
      case 'pause':
        this.#state = 'paused';
        this.#options.onSignal({ kind: 'paused', reason: decision.reason });
        return;
      case 'await_token':
        this.#state = 'awaiting_token';
        this.#options.onSignal({ kind: 'awaiting_token', why });
        return;
    }
  }

  #onToken(): void {
    if (this.#options.tokens.current() === undefined) return;
    if (this.#state === 'awaiting_token') this.#dial();
    else if (this.#state === 'live') this.#renew();
  }

  /**
   * A token renewed in mid-session (rulings, 22): a second connection is opened, authenticated and subscribed next to the first. Its first
   * frame switches over; until then the old one delivers, so that nothing is missed. A print on both is recognised by the chain of total
   * volumes. Where the service does not allow two connections, this becomes a planned reconnect.
   */
  #renew(): void {
    const token = this.#active?.token;
    const newer = token === undefined ? undefined : this.#newerThan(token);
    if (newer === undefined || this.#state !== 'live' || this.#candidate?.token.jwt === newer.jwt) return;
    if (this.#candidateJwt !== newer.jwt) this.#tries = 0;
    if (this.#tries >= TRIES_MAX) return;
    this.#promote()?.close();
    this.#candidateJwt = newer.jwt;
    this.#tries += 1;
    this.#candidate = this.#open(newer);
  }

  /** The new connection's first data frame, the end of the wait for it, or of the active one. False without a new connection. */
  #completeHandOver(): boolean {
    const candidate = this.#promote();
    if (candidate !== undefined) this.#takeOver(candidate);
    return candidate !== undefined;
  }

  /** The candidate is none any more. */
  #promote(): Connection | undefined {
    const candidate = this.#candidate;
    this.#candidate = undefined;
    this.#candidateTimer?.();
    this.#candidateTimer = undefined;
    return candidate;
  }

  #onCandidateEnd({ token }: Connection, end: ConnectionEnd): void {
    const { onSignal, timers, tokens } = this.#options;
    this.#promote();
    switch (end.kind) {
      case 'token_rejected':
        onSignal({ kind: 'hand_over_failed', end, next: 'none' });
        return tokens.reject(token.jwt, 'stream', `${end.code} ${end.message}`);
      case 'token_expired':
        return onSignal({ kind: 'hand_over_failed', end, next: 'none' });
      case 'auth_refused':
        onSignal({ kind: 'hand_over_failed', end, next: 'reconnect' });
        return this.#plannedReconnect('planned reconnect with a renewed token');
      case 'connect_failed':
      case 'connect_timeout':
      case 'auth_timeout':
      case 'silent':
      case 'protocol_error':
      case 'closed':
        onSignal({ kind: 'hand_over_failed', end, next: 'retry' });
        this.#candidateTimer = timers.after(RETRY_AFTER, () => this.#renew());
    }
  }

  #newerThan(token: AccessToken): AccessToken | undefined {
    const current = this.#options.tokens.current();
    return current?.jwt === token.jwt ? undefined : current;
  }

  #takeOver(candidate: Connection): void {
    const seamless = this.#active !== undefined;
    this.#active?.close();
    this.#active = candidate;
    if (seamless) this.#options.onSignal({ kind: 'handed_over' });
    else if (candidate.send === undefined) this.#state = 'connecting';
    else this.#becomeLive();
  }

  /** Reconnects without a delay; costs no attempt. */
  reconnect(reason: string): void {
    if (this.#state === 'live') this.#plannedReconnect(reason);
  }

  #plannedReconnect(reason: string): void {
    this.#dropActive(reason);
    this.#dial();
  }

  #dropActive(reason: string): void {
    const active = this.#active;
    this.#active = undefined;
    this.#stable?.();
    this.#feed.stop();
    if (this.#isLivePosted) {
      this.#isLivePosted = false;
      this.#options.sink.post({ kind: 'stream', state: 'down', reason });
    }
    active?.close();
  }
}

/** The subscribed contracts: one frame each, all channels, sent again on every new connection. */
class Subscriptions {
  contracts: readonly Contract[] = [];

  frameFor(contract: Contract): string {
    return encodeSubscribe(ALL_CHANNELS, [contract.streamCode]);
  }

  sendAll(send: Send): void {
    for (const contract of this.contracts) send(this.frameFor(contract));
  }

  /** Frames that change the present subscription into this one. */
  replace(contracts: readonly Contract[]): readonly string[] {
    const before = new Set(this.contracts.map(({ streamCode }) => streamCode));
    const after = new Set(contracts.map(({ streamCode }) => streamCode));
    const gone = [...before].filter((code) => !after.has(code));
    const added = contracts.filter(({ streamCode }) => !before.has(streamCode));
    this.contracts = contracts;
    return [
      ...gone.map((code) => encodeUnsubscribe(ALL_CHANNELS, [code])),
      ...added.map((contract) => this.frameFor(contract)),
    ];
  }
}

// Signals of the stream client to the operator's side, which makes alerts, logs and metrics of them.

export type StreamSignal =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'ended'; readonly end: ConnectionEnd }
  | { readonly kind: 'retrying'; readonly attempt: number; readonly after: DurationUs }
  /** The process stays up; `resume()` goes on. Alert. */
  | { readonly kind: 'paused'; readonly reason: PauseReason }
  /** Nothing is dialled until there is another token. Alert inside the session. */
  | { readonly kind: 'awaiting_token'; readonly why: 'none' | 'expired' | 'rejected' }
  | { readonly kind: 'handed_over' }
  /** The renewed token could not connect next to the old one; the old one still streams. */
  | {
      readonly kind: 'hand_over_failed';
      readonly end: ConnectionEnd;
      readonly next: 'retry' | 'reconnect' | 'none';
    }
  | FeedSignal
  /** Prices stopped while heartbeats go on. Alert. */
  | { readonly kind: 'feed_stale'; readonly what: FeedPart; readonly silence: DurationUs }
  | { readonly kind: 'feed_fresh' };

type StreamState = 'stopped' | 'connecting' | 'live' | 'waiting' | 'paused' | 'awaiting_token';

interface StreamStatus {
  readonly state: StreamState;
  /** Prices stopped while heartbeats go on. */
  readonly isStale: boolean;
  readonly attempts: number;
  /** Connections since the start that were authenticated; a renewed token that takes over without a gap makes none. */
  readonly connections: number;
  readonly unknownControlFrames: number;
  /** Data frames of a connection that was not (or no longer) the active one. */
  readonly framesDropped: number;
}
