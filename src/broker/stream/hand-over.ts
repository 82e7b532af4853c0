/**
 * A token renewed in mid-session (rulings, 22): a second connection is opened, authenticated and subscribed next to the first. Its first
 * frame switches over; until then the old one delivers, so that nothing is missed. A print on both is recognised by the chain of total
 * volumes. Where the service does not allow two connections, this becomes a planned reconnect.
 */
import type { CancelTimer, Timers } from '../../domain/clock.ts';
import { seconds } from '../../domain/units.ts';
import type { AccessToken } from '../auth/access-token.ts';
import type { ConnectionEnd, Send } from './open-socket.ts';
import type { Connection } from './stream-connection.ts';
import type { StreamSignal } from './stream-signal.ts';

interface HandOverOptions {
  readonly timers: Timers;
  readonly open: (token: AccessToken) => Connection;
  readonly subscribeAll: (send: Send) => void;
  /** The candidate is the active connection from here on. */
  readonly takeOver: (candidate: Connection) => void;
  readonly reconnect: () => void;
  /** Checks again whether a newer token needs a connection. */
  readonly retry: () => void;
  readonly reject: (jwt: string, detail: string) => void;
  readonly onSignal: (signal: StreamSignal) => void;
}

/** In a quiet market no frame may come: then the new connection takes over by itself. */
const OVERLAP_MAX = seconds(5);
const RETRY_AFTER = seconds(30);
const TRIES_MAX = 10;

export class HandOver {
  readonly #options: HandOverOptions;
  #candidate: Connection | undefined = undefined;
  #timer: CancelTimer | undefined = undefined;
  /** Token whose tries are counted. */
  #jwt = '';
  #tries = 0;

  constructor(options: HandOverOptions) {
    this.#options = options;
  }

  owns(connection: Connection): boolean {
    return connection === this.#candidate;
  }

  begin(token: AccessToken): void {
    if (this.#candidate?.token.jwt === token.jwt) return;
    if (this.#jwt !== token.jwt) this.#tries = 0;
    if (this.#tries >= TRIES_MAX) return;
    this.drop();
    this.#jwt = token.jwt;
    this.#tries += 1;
    this.#candidate = this.#options.open(token);
  }

  onLive(): void {
    const send = this.#candidate?.send;
    if (send === undefined) return;
    this.#options.subscribeAll(send);
    this.#timer = this.#options.timers.after(OVERLAP_MAX, () => this.complete());
  }

  /** The new connection's first data frame, or the end of the wait for it. */
  complete(): void {
    const candidate = this.promote();
    if (candidate !== undefined) this.#options.takeOver(candidate);
  }

  /** Hands the candidate to the client whose active connection has ended. */
  promote(): Connection | undefined {
    const candidate = this.#candidate;
    this.#candidate = undefined;
    this.#timer?.();
    this.#timer = undefined;
    return candidate;
  }

  onEnd(end: ConnectionEnd): void {
    const jwt = this.#candidate?.token.jwt ?? '';
    this.promote();
    switch (end.kind) {
      case 'token_rejected':
        this.#failed(end, 'none');
        return this.#options.reject(jwt, `${end.code} ${end.message}`);
      case 'token_expired':
        return this.#failed(end, 'none');
      case 'auth_refused':
        this.#failed(end, 'reconnect');
        return this.#options.reconnect();
      case 'connect_failed':
      case 'connect_timeout':
      case 'auth_timeout':
      case 'silent':
      case 'protocol_error':
      case 'closed':
        this.#failed(end, 'retry');
        this.#timer = this.#options.timers.after(RETRY_AFTER, () => this.#options.retry());
    }
  }

  /** Frames for a candidate that is already subscribed. */
  send(text: string): void {
    this.#candidate?.send?.(text);
  }

  drop(): void {
    this.promote()?.close();
  }

  #failed(end: ConnectionEnd, next: 'retry' | 'reconnect' | 'none'): void {
    this.#options.onSignal({ kind: 'hand_over_failed', end, next });
  }
}
