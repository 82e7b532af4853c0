/**
 * The next step after a connection ended: a small state that survives restarts, and one table (rulings, 17 to 19).
 * An attempt is counted when it is announced, so that a restart repeats it, after its delay, and cannot win a new one.
 */
import { type DurationUs, seconds } from '../../domain/units.ts';
import type { ConnectionEnd } from './stream-connection.ts';

const ATTEMPTS_MAX = 10;
/** Authenticated this long, a connection has proven itself: the count starts again. */
export const STABLE_AFTER = seconds(30);
const DELAY_MAX_SECONDS = 30;

/** 1, 2, 4, 8, 16, 30, 30, ... seconds for attempt 1, 2, 3 ... */
const reconnectDelay = (attempt: number): DurationUs =>
  seconds(Math.min(2 ** (attempt - 1), DELAY_MAX_SECONDS));

export type PauseReason = 'attempts_used_up' | 'protocol_error';

export interface ReconnectState {
  /** Attempts since a connection was last stable. */
  readonly attempts: number;
  /** Closes with 1002 since then: our bug, worth one try. */
  readonly protocolErrors: number;
  readonly paused: PauseReason | null;
}

export const FRESH_STATE: ReconnectState = { attempts: 0, protocolErrors: 0, paused: null };

/** Keeps the state across restarts. */
export interface ReconnectStore {
  load(): ReconnectState;
  save(state: ReconnectState): void;
}

export type ReconnectDecision =
  | { readonly kind: 'retry'; readonly attempt: number; readonly after: DurationUs }
  | { readonly kind: 'pause'; readonly reason: PauseReason }
  /** Terminal until there is a new token; costs no attempt. */
  | { readonly kind: 'await_token' };

export class ReconnectPolicy {
  readonly #store: ReconnectStore;
  readonly #attemptsMax: number;
  state: ReconnectState;

  constructor(store: ReconnectStore, attemptsMax = ATTEMPTS_MAX) {
    this.#store = store;
    this.#attemptsMax = attemptsMax;
    this.state = store.load();
  }

  /** At a start: undefined (dial at once) when nothing had failed, else the attempt that was under way, after its delay. */
  onStart(): ReconnectDecision | undefined {
    const { attempts, paused } = this.state;
    if (paused !== null) return { kind: 'pause', reason: paused };
    return attempts === 0 ? undefined : { kind: 'retry', attempt: attempts, after: reconnectDelay(attempts) };
  }

  onEnd(end: ConnectionEnd): ReconnectDecision {
    if (end.kind === 'token_rejected' || end.kind === 'token_expired') return { kind: 'await_token' };
    const protocolErrors = this.state.protocolErrors + (end.kind === 'protocol_error' ? 1 : 0);
    if (end.kind === 'protocol_error' && protocolErrors > 1)
      return this.#pause('protocol_error', protocolErrors);
    const attempt = this.state.attempts + 1;
    if (attempt > this.#attemptsMax) return this.#pause('attempts_used_up', protocolErrors);
    this.#keep({ attempts: attempt, protocolErrors, paused: null });
    return { kind: 'retry', attempt, after: reconnectDelay(attempt) };
  }

  /** The connection is stable, or a person (or the next open) resumed. */
  reset(): void {
    const { attempts, protocolErrors, paused } = this.state;
    if (attempts === 0 && protocolErrors === 0 && paused === null) return;
    this.#keep(FRESH_STATE);
  }

  /** An orderly end: the next start connects at once. A process that dies leaves its count, or a crash loop would win attempts. */
  forget(): void {
    if (this.state.paused === null) this.reset();
  }

  #pause(reason: PauseReason, protocolErrors: number): ReconnectDecision {
    this.#keep({ attempts: this.state.attempts, protocolErrors, paused: reason });
    return { kind: 'pause', reason };
  }

  #keep(state: ReconnectState): void {
    this.state = state;
    this.#store.save(state);
  }
}
