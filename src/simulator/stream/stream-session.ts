/** One connection to the price stream: authentication, heartbeat, subscriptions, and the ways it ends (contract, 6). */
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { tokenExpiry, type TokenClaims } from '../auth/token-service.ts';
import type { CancelTimer, Clock, Timers } from '../../domain/clock.ts';
import { type DurationUs, durationUs, seconds } from '../../domain/units.ts';
import {
  decodeClientFrame,
  encodeAuthResult,
  encodeHeartbeatTimeout,
  PONG_FRAME,
  SERVER_BEAT_FRAME,
  type DataChannel,
} from '../../wire/stream/control-frame.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
import type { StreamSettings } from '../simulator-options.ts';

export interface AuthVerdict {
  readonly claims: TokenClaims | undefined;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** Services that a session needs from its server. */
export interface SessionHost {
  admit(session: StreamSession, token: string): AuthVerdict;
  /** A client has subscribed and is to get the current board. */
  subscribed(session: StreamSession, channels: readonly DataChannel[], codes: readonly string[]): void;
  /** The session no longer counts as a connection of its token. */
  released(session: StreamSession): void;
  count(what: string): void;
}

/** The part of a `ws` connection that a session uses. */
export type SessionSocket = Pick<
  WebSocket,
  'readyState' | 'OPEN' | 'bufferedAmount' | 'send' | 'on' | 'close' | 'terminate' | 'pause'
>;
export type Corkable = Pick<Duplex, 'cork' | 'uncork'>;

export interface SessionParts {
  readonly socket: SessionSocket;
  /** The stream under `socket`. */
  readonly raw: Corkable;
  readonly settings: StreamSettings;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly faults: FaultBoard;
  readonly host: SessionHost;
}

const NORMAL_CLOSURE = 1000;
const PROTOCOL_ERROR = 1002;
/** 1006 cannot be sent: it means that the connection was cut. */
const CUT = 1006;
const SERVER_BEAT_EVERY: DurationUs = seconds(5);

type TimerName = 'heartbeat' | 'ping' | 'expiry' | 'beat';

export class StreamSession {
  readonly #parts: SessionParts;
  readonly #subscriptions = new Set<string>();
  readonly #timers = new Map<TimerName, CancelTimer>();
  claims: TokenClaims | undefined;
  /** Half-open: sends nothing, reads nothing, and stays connected. */
  #mute = false;
  #corked = false;
  /** Messages so far. */
  sent = 0;
  #ended = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    const { socket, settings } = parts;
    socket.on('message', (data, isBinary) => this.#receive(isBinary ? undefined : textOf(data)));
    socket.on('ping', () => this.#pinged());
    socket.on('close', () => this.#end());
    // A broken frame: `ws` closes the connection itself.
    socket.on('error', () => parts.host.count('broken_connection'));
    this.#armHeartbeat();
    if (settings.controlOrder === 'live') {
      this.send(encodeHeartbeatTimeout(settings.heartbeatTimeoutSeconds));
      this.#beat();
    }
  }

  /** `key` is a `subscriptionKey`. */
  wants(key: string): boolean {
    return this.#subscriptions.has(key);
  }

  send(frame: string | Buffer): void {
    const { socket, settings, host } = this.#parts;
    if (this.#mute || socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > settings.bufferBytesMax) {
      host.count('slow_client');
      socket.terminate();
      return;
    }
    this.#cork();
    this.sent += 1;
    socket.send(frame, { binary: false });
  }

  /** Frames of one moment leave in one write: a system call a frame is the main cost of a busy market. */
  #cork(): void {
    if (this.#corked) return;
    const { raw } = this.#parts;
    this.#corked = true;
    raw.cork();
    process.nextTick(() => {
      this.#corked = false;
      raw.uncork();
    });
  }

  close(code: number, reason: string): void {
    const { socket } = this.#parts;
    this.#end();
    if (code === CUT) socket.terminate();
    else socket.close(code, reason);
  }

  halfOpen(): void {
    this.#mute = true;
    this.#parts.socket.pause();
  }

  terminate(): void {
    this.#parts.socket.terminate();
  }

  #receive(text: string | undefined): void {
    if (this.#mute || this.#ended) return;
    const frame = text === undefined ? undefined : decodeClientFrame(text);
    switch (frame?.kind) {
      case 'auth':
        return this.#authenticate(frame.token);
      case 'heartbeat':
        this.#armHeartbeat();
        if (!this.#parts.faults.strike('stop_pongs')) this.send(PONG_FRAME);
        return;
      case 'subscribe':
        return this.#subscribe(frame.channels, frame.codes);
      case 'unsubscribe':
        for (const key of keysOf(frame.channels, frame.codes)) this.#subscriptions.delete(key);
        return;
      case 'malformed':
      case undefined:
        this.#parts.host.count('malformed_frame');
        // A bare token in place of the auth frame is a failed authentication (notes, 7).
        if (this.claims === undefined && text?.startsWith('d|') === false) this.#authenticate('');
    }
  }

  #authenticate(token: string): void {
    const { host, settings, clock } = this.#parts;
    const { claims, error } = host.admit(this, token);
    this.send(encodeAuthResult(error));
    if (claims === undefined) return;
    this.claims = claims;
    const left = Math.max(0, tokenExpiry(claims) - clock.nowUs());
    this.#arm('expiry', durationUs(left), () => this.close(NORMAL_CLOSURE, 'token expired'));
    if (settings.controlOrder === 'contract') {
      this.send(encodeHeartbeatTimeout(settings.heartbeatTimeoutSeconds));
    }
  }

  #subscribe(channels: readonly DataChannel[], codes: readonly string[]): void {
    // Before the answer to the auth frame it may be rejected (contract, 5): it is.
    if (this.claims === undefined) return this.#parts.host.count('subscribed_too_early');
    for (const key of keysOf(channels, codes)) this.#subscriptions.add(key);
    this.#parts.host.subscribed(this, channels, codes);
  }

  #armHeartbeat(): void {
    this.#arm('heartbeat', seconds(this.#parts.settings.heartbeatTimeoutSeconds), () => {
      this.#parts.host.count('heartbeat_timeout');
      // A half-open connection is forgotten, as a server forgets one whose close frame does not arrive.
      if (this.#mute) this.#end();
      else this.close(NORMAL_CLOSURE, 'heartbeat timeout');
    });
  }

  /** Protocol pings are not the heartbeat (contract, 6.1). The first one decides. */
  #pinged(): void {
    if (this.#timers.has('ping')) return;
    this.#arm('ping', this.#parts.settings.protocolPingGrace, () =>
      this.close(PROTOCOL_ERROR, 'protocol ping'),
    );
  }

  #beat(): void {
    this.#arm('beat', SERVER_BEAT_EVERY, () => {
      this.send(SERVER_BEAT_FRAME);
      this.#beat();
    });
  }

  #arm(name: TimerName, span: DurationUs, run: () => void): void {
    this.#timers.get(name)?.();
    this.#timers.set(name, this.#parts.timers.after(span, run));
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#parts.host.released(this);
  }
}

export const subscriptionKey = (channel: DataChannel, code: string): string => `${channel}|${code}`;

function* keysOf(channels: readonly DataChannel[], codes: readonly string[]): Iterable<string> {
  for (const channel of channels) for (const code of codes) yield subscriptionKey(channel, code);
}

/** `ws` hands over one Buffer a message, unless configured otherwise. */
const textOf = (data: RawData): string => (Buffer.isBuffer(data) ? data.toString('utf8') : '');
