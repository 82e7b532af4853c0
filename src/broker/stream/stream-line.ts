/** One connection with one token: the observable with its parts in order, and what the client must know about it. */
import type { Observable } from 'rxjs';
import type { Clock, Timers } from '../../domain/clock.ts';
import { type DurationUs, seconds } from '../../domain/units.ts';
import type { AccessToken } from '../auth/token-source.ts';
import { authenticate, type LiveEvent } from './authenticate.ts';
import { type ConnectionEnd, ConnectionLost } from './connection-end.ts';
import type { ControlFrame } from './control-frame.ts';
import { detectSilence } from './detect-silence.ts';
import { keepAlive } from './keep-alive.ts';
import { openSocket, type Send } from './open-socket.ts';

export interface StreamTiming {
  readonly connect: DurationUs;
  readonly authAnswer: DurationUs;
  readonly heartbeat: DurationUs;
  readonly close: DurationUs;
}

export const STREAM_TIMING: StreamTiming = {
  connect: seconds(10),
  authAnswer: seconds(10),
  heartbeat: seconds(2),
  close: seconds(3),
};

/** The server's clock and ours differ: a close this near to `exp` is the token's end, not the link's. */
const EXPIRY_SLACK = seconds(5);

export interface LineOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly timing: StreamTiming;
  readonly token: AccessToken;
  readonly onData: (text: string) => void;
  readonly onGone: () => void;
}

const openLine = (options: LineOptions): Observable<LiveEvent> => {
  const { timers, timing, token } = options;
  return openSocket({
    url: options.url,
    timers,
    connectDeadline: timing.connect,
    closeDeadline: timing.close,
    onData: options.onData,
    onGone: options.onGone,
  }).pipe(
    authenticate(token.jwt, timers, timing.authAnswer),
    keepAlive(timers, timing.heartbeat),
    detectSilence(timers),
  );
};

export interface LineEvents {
  readonly onLive: (send: Send) => void;
  readonly onEnd: (end: ConnectionEnd) => void;
  readonly onUnknownControl: () => void;
}

/** A subscribed line. `close` says nothing more; `onEnd` comes at most once and never after `close`. */
export interface Line {
  readonly token: AccessToken;
  close(): void;
}

export function startLine(options: LineOptions, events: LineEvents): Line {
  const subscription = openLine(options).subscribe({
    next: (event) => {
      if (event.kind === 'live') events.onLive(event.send);
      else if (event.kind === 'control' && isUnknown(event.frame)) events.onUnknownControl();
    },
    error: (error: unknown) => {
      if (!(error instanceof ConnectionLost)) throw error;
      const hasExpired = options.token.expiresAt <= options.clock.nowUs() + EXPIRY_SLACK;
      events.onEnd(hasExpired ? { kind: 'token_expired' } : error.end);
    },
  });
  return { token: options.token, close: () => subscription.unsubscribe() };
}

const isUnknown = (frame: ControlFrame): boolean => frame.kind === 'control' || frame.kind === 'malformed';
