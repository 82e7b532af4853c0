/** Server of the price stream: upgrades, sessions, one connection a token. */
import type { IncomingMessage, Server } from 'node:http';
import { WebSocketServer } from 'ws';
import type { TokenService } from '../auth/token-service.ts';
import type { Clock, Timers } from '../../domain/clock.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
import type { DataChannel } from '../../wire/stream/control-frame.ts';
import type { StreamSettings } from '../simulator-options.ts';
import {
  type AuthVerdict,
  type Corkable,
  type SessionHost,
  type SessionSocket,
  StreamSession,
} from './stream-session.ts';

export const STREAM_PATH = '/ws/thesis/v1/stream/derivative';

/** 211110 is the broker's; 211111 is ours [?], for a token that is connected already. */
const INVALID_JWT = { code: '211110', message: 'Invalid JWT' };
const CONNECTED = { code: '211111', message: 'This token is connected already' };

const NORMAL_CLOSURE = 1000;
const FRAME_BYTES_MAX = 64 * 1024;

interface StreamServerParts extends Pick<SessionHost, 'subscribed' | 'count'> {
  readonly settings: StreamSettings;
  readonly tokens: TokenService;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly faults: FaultBoard;
  /** There are no prices to connect for. */
  readonly isAway: () => boolean;
}

export class StreamServer implements SessionHost {
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

  admit(session: StreamSession, token: string): AuthVerdict {
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

  subscribed(session: StreamSession, channels: readonly DataChannel[], codes: readonly string[]): void {
    this.#parts.subscribed(session, channels, codes);
  }

  released(session: StreamSession): void {
    this.#sessions.delete(session);
  }

  count(what: string): void {
    this.#parts.count(what);
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
    const { settings, clock, timers, faults } = this.#parts;
    const session = new StreamSession({ socket, raw, settings, clock, timers, faults, host: this });
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
