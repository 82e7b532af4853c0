/** Server of the price stream: upgrades, sessions, one connection a token. */
import type { IncomingMessage, Server } from 'node:http';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { type TokenClaims, tokenExpiry, type TokenService } from '../auth/token-service.ts';
import type { CancelTimer, Clock, Timers } from '../../domain/clock.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
import {
  type DataChannel,
  decodeClientFrame,
  encodeAuthResult,
  encodeHeartbeatTimeout,
  PONG_FRAME,
  SERVER_BEAT_FRAME,
} from '../../wire/stream/control-frame.ts';
import type { StreamSettings } from '../simulator-options.ts';
import type { Duplex } from 'node:stream';
import { type DurationUs, durationUs, seconds } from '../../domain/units.ts';

export const STREAM_PATH = '/ws/thesis/v1/stream/derivative';

/** 211110 is the broker's; 211111 is ours [?], for a token that is connected already. */
const INVALID_JWT = { code: '211110', message: 'Invalid JWT' };
const CONNECTED = { code: '211111', message: 'This token is connected already' };

const NORMAL_CLOSURE = 1000;
const FRAME_BYTES_MAX = 64 * 1024;

interface StreamServerParts {
  readonly settings: StreamSettings;
  readonly tokens: TokenService;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly faults: FaultBoard;
  /** There are no prices to connect for. */
  readonly isAway: () => boolean;
  readonly count: (what: string) => void;
  /** A client has subscribed and is to get the current board. */
  readonly subscribed: (
    session: StreamSession,
    channels: readonly DataChannel[],
    codes: readonly string[],
  ) => void;
}

export class StreamServer {
  readonly #parts: StreamServerParts;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: FRAME_BYTES_MAX,
  });
  readonly #sessions = new Set<StreamSession>();
  /** Also those that count no longer but whose connection is still open. */
  readonly #open = new Set<StreamSession>();

  constructor(parts: StreamServerParts) {
    this.#parts = parts;
    parts.tokens.onEnded(() => this.#closeEnded());
  }

  /** Takes the upgrades of this server. */
  attach(server: Server): void {
    const { faults } = this.#parts;
    server.on('connection', (socket) => {
      if (faults.strike('refuse_connections', { scope: 'all' })) socket.destroy();
    });
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  get sessions(): ReadonlySet<StreamSession> {
    return this.#sessions;
  }

  get newest(): StreamSession | undefined {
    return [...this.#sessions].at(-1);
  }

  admit(session: StreamSession, token: string) {
    const claims = this.#parts.tokens.check(token);
    if (claims === undefined) {
      this.#parts.count('auth_refused');
      return { claims: undefined, error: INVALID_JWT };
    }
    const { secondConnection } = this.#parts.settings;
    const older = [...this.#sessions].filter(
      (other) => other !== session && other.claims?.jti === claims.jti,
    );
    if (older.length > 0 && secondConnection !== 'allow') {
      this.#parts.count('second_connection');
      if (secondConnection === 'refuse') return { claims: undefined, error: CONNECTED };
      for (const other of older) other.close(NORMAL_CLOSURE, 'replaced');
    }
    return { claims, error: null };
  }

  /** The session no longer counts as a connection of its token. */
  released(session: StreamSession): void {
    this.#sessions.delete(session);
  }

  /** A frame to everybody, whatever they asked for. */
  sendAll(frame: string): void {
    for (const session of this.#sessions) session.send(frame);
  }

  closeAll(code: number, reason = ''): void {
    for (const session of this.#sessions) session.close(code, reason);
  }

  halfOpenAll(): void {
    for (const session of this.#sessions) session.halfOpen();
  }

  shutDown(): void {
    for (const session of this.#open) session.terminate();
    this.#sockets.close();
  }

  #upgrade(
    request: IncomingMessage,
    socket: Parameters<WebSocketServer['handleUpgrade']>[1],
    head: Buffer,
  ): void {
    if (this.#parts.faults.strike('refuse_connections', { scope: 'stream' })) return void socket.destroy();
    const path = (request.url ?? '').split('?', 1)[0];
    const refusal =
      path !== STREAM_PATH ? '404 Not Found' : this.#parts.isAway() ? '503 Service Unavailable' : null;
    if (refusal !== null) {
      socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (client) => this.accept(client, socket));
  }

  /** An open connection; `raw` is the stream under it. */
  accept(socket: SessionSocket, raw: Corkable): void {
    const session = new StreamSession(socket, raw, this, this.#parts);
    this.#sessions.add(session);
    this.#open.add(session);
    socket.on('close', () => this.#open.delete(session));
  }

  #closeEnded(): void {
    for (const session of this.#sessions) {
      const { claims } = session;
      if (claims !== undefined && !this.#parts.tokens.isLive(claims.jti))
        session.close(NORMAL_CLOSURE, 'token ended');
    }
  }
}

/** The part of a `ws` connection that a session uses. */
export type SessionSocket = Pick<
  WebSocket,
  'readyState' | 'OPEN' | 'bufferedAmount' | 'send' | 'on' | 'close' | 'terminate' | 'pause'
>;
type Corkable = Pick<Duplex, 'cork' | 'uncork'>;

const PROTOCOL_ERROR = 1002;
/** 1006 cannot be sent: it means that the connection was cut. */
const CUT = 1006;
const SERVER_BEAT_EVERY: DurationUs = seconds(5);

type TimerName = 'heartbeat' | 'ping' | 'expiry' | 'beat';

/** One connection to the price stream: authentication, heartbeat, subscriptions, and the ways it ends (contract, 6). */
export class StreamSession {
  readonly #socket: SessionSocket;
  readonly #raw: Corkable;
  readonly #server: StreamServer;
  readonly #parts: StreamServerParts;
  readonly #subscriptions = new Set<string>();
  readonly #timers = new Map<TimerName, CancelTimer>();
  claims: TokenClaims | undefined;
  /** Half-open: sends nothing, reads nothing, and stays connected. */
  #mute = false;
  #corked = false;
  sent = 0;
  #ended = false;

  constructor(socket: SessionSocket, raw: Corkable, server: StreamServer, parts: StreamServerParts) {
    this.#socket = socket;
    this.#raw = raw;
    this.#server = server;
    this.#parts = parts;
    const { settings } = parts;
    socket.on('message', (data, isBinary) => this.#receive(isBinary ? undefined : textOf(data)));
    socket.on('ping', () => this.#pinged());
    socket.on('close', () => this.#end());
    // A broken frame: `ws` closes the connection itself.
    socket.on('error', () => parts.count('broken_connection'));
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
    const socket = this.#socket;
    const { settings, count } = this.#parts;
    if (this.#mute || socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > settings.bufferBytesMax) {
      count('slow_client');
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
    this.#corked = true;
    this.#raw.cork();
    process.nextTick(() => {
      this.#corked = false;
      this.#raw.uncork();
    });
  }

  close(code: number, reason: string): void {
    this.#end();
    if (code === CUT) this.#socket.terminate();
    else this.#socket.close(code, reason);
  }

  halfOpen(): void {
    this.#mute = true;
    this.#socket.pause();
  }

  terminate(): void {
    this.#socket.terminate();
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
        this.#parts.count('malformed_frame');
        // A bare token in place of the auth frame is a failed authentication (notes, 7).
        if (this.claims === undefined && text?.startsWith('d|') === false) this.#authenticate('');
    }
  }

  #authenticate(token: string): void {
    const { settings, clock } = this.#parts;
    const { claims, error } = this.#server.admit(this, token);
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
    if (this.claims === undefined) return this.#parts.count('subscribed_too_early');
    for (const key of keysOf(channels, codes)) this.#subscriptions.add(key);
    this.#parts.subscribed(this, channels, codes);
  }

  #armHeartbeat(): void {
    this.#arm('heartbeat', seconds(this.#parts.settings.heartbeatTimeoutSeconds), () => {
      this.#parts.count('heartbeat_timeout');
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
    this.#server.released(this);
  }
}

export const subscriptionKey = (channel: DataChannel, code: string): string => `${channel}|${code}`;

function* keysOf(channels: readonly DataChannel[], codes: readonly string[]): Iterable<string> {
  for (const channel of channels) for (const code of codes) yield subscriptionKey(channel, code);
}

/** `ws` hands over one Buffer a message, unless configured otherwise. */
const textOf = (data: RawData): string => (Buffer.isBuffer(data) ? data.toString('utf8') : '');
