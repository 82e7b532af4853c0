/** One connection with one token: socket, authentication, heartbeat and silence, one stage after the other. */
import { Observable, type OperatorFunction, type Subscriber, Subscription } from 'rxjs';
import type { CancelTimer, Clock, Timers } from '../../domain/clock.ts';
import { durationUs, type DurationUs, milliseconds, seconds, type TsUs } from '../../domain/units.ts';
import { type ControlFrame, encodeAuth, HEARTBEAT_FRAME } from '../../wire/stream/control-frame.ts';
import type { AccessToken } from '../auth/access-token.ts';
import {
  type ConnectionEnd,
  ConnectionLost,
  type Dial,
  openSocket,
  type Send,
  type SocketEvent,
} from './open-socket.ts';

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

interface StreamConnectionOptions {
  readonly url: string;
  readonly dial: Dial;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly timing: StreamTiming;
  readonly token: AccessToken;
  readonly onGone: () => void;
  readonly onLive: (from: Connection) => void;
  readonly onData: (from: Connection, text: string) => void;
  readonly onEnd: (from: Connection, end: ConnectionEnd) => void;
  readonly onUnknownControl: () => void;
  /** Receives how long the answer to a heartbeat took. */
  readonly onPong: (roundTrip: DurationUs) => void;
}

/** A subscribed line. After `close` nothing is sent; `onEnd` comes at most once and never after `close`. */
export interface Connection {
  readonly token: AccessToken;
  /** Once it is authenticated. */
  send: Send | undefined;
  close(): void;
}

export function openConnection(options: StreamConnectionOptions): Connection {
  const { url, dial, clock, timers, timing, token, onGone } = options;
  const deadlines = { connectDeadline: timing.connect, closeDeadline: timing.close };
  const events$ = openSocket({ url, dial, timers, ...deadlines, onGone }).pipe(
    authenticate(token.jwt, timers, timing.authAnswer),
    keepAlive(options),
    detectSilence(timers),
  );
  const subscription = new Subscription();
  const connection: Connection = { token, send: undefined, close: () => subscription.unsubscribe() };
  subscription.add(
    events$.subscribe({
      next: (event) => {
        if (event.kind === 'data') options.onData(connection, event.text);
        else if (event.kind === 'live') {
          connection.send = event.send;
          options.onLive(connection);
        } else if (event.kind === 'control' && isUnknown(event.frame)) options.onUnknownControl();
      },
      error: (error: unknown) => {
        if (!(error instanceof ConnectionLost)) throw error;
        const hasExpired = token.expiresAt <= clock.nowUs() + EXPIRY_SLACK;
        options.onEnd(connection, hasExpired ? { kind: 'token_expired' } : error.end);
      },
    }),
  );
  return connection;
}

const isUnknown = (frame: ControlFrame): boolean => frame.kind === 'control' || frame.kind === 'malformed';

type LiveEvent = SocketEvent | { readonly kind: 'live'; readonly send: Send };

/** A stage of the line: handles each event and passes it on; `stop` ends its timer. */
interface ConnectionStage<In> {
  readonly next: (event: In) => void;
  readonly stop: () => void;
}

const stage =
  <In>(create: (out: Subscriber<LiveEvent>) => ConnectionStage<In>): OperatorFunction<In, LiveEvent> =>
  (source) =>
    new Observable((out) => {
      const { next, stop } = create(out);
      const subscription = source.subscribe({
        next,
        error: (error: unknown) => out.error(error),
        complete: () => out.complete(),
      });
      return () => {
        stop();
        subscription.unsubscribe();
      };
    });

/** The code that makes a token useless for good; any other refusal is worth another attempt (rulings, 17). */
const INVALID_TOKEN = '211110';

/** Sends the token as the first frame; nothing else is sent until the answer (contract, 5). */
const authenticate = (token: string, timers: Timers, deadline: DurationUs) =>
  stage<SocketEvent>((out) => {
    let send: Send | undefined;
    let answered = false;
    let stop: CancelTimer | undefined;
    return {
      next: (event) => {
        out.next(event);
        if (event.kind === 'open') {
          send = event.send;
          stop = timers.after(deadline, () => out.error(new ConnectionLost({ kind: 'auth_timeout' })));
          send(encodeAuth(token));
        } else if (
          event.kind === 'control' &&
          event.frame.kind === 'auth_result' &&
          !answered &&
          send !== undefined
        ) {
          answered = true;
          stop?.();
          const { success, code, message } = event.frame;
          if (success) return out.next({ kind: 'live', send });
          const kind = code === INVALID_TOKEN ? 'token_rejected' : 'auth_refused';
          out.error(new ConnectionLost({ kind, code, message }));
        }
      },
      stop: () => stop?.(),
    };
  });

/** Sends the text heartbeat, on a timer of its own that begins when the connection is authenticated. */
const keepAlive = ({ clock, timers, timing, onPong }: StreamConnectionOptions) =>
  stage<LiveEvent>((out) => {
    let stop: CancelTimer | undefined;
    /** Time of the oldest unanswered heartbeat. */
    let sentUs: TsUs | undefined;
    const beat = (send: Send): void => {
      stop = timers.after(timing.heartbeat, () => {
        send(HEARTBEAT_FRAME);
        sentUs ??= clock.nowUs();
        beat(send);
      });
    };
    return {
      next: (event) => {
        if (event.kind === 'live') beat(event.send);
        if (event.kind === 'control' && event.frame.kind === 'pong' && sentUs !== undefined) {
          onPong(durationUs(clock.nowUs() - sentUs));
          sentUs = undefined;
        }
        out.next(event);
      },
      stop: () => stop?.(),
    };
  });

/** Until the server has announced another. */
const DEADLINE_SECONDS = 15;
/**
 * After a stall of our own thread the timers run before the sockets are read: frames that had arrived in time get this
 * much to be seen.
 */
const READ_GRACE = milliseconds(50);

/**
 * Ends a connection that seems open and is not. A thin contract can be silent for minutes, so the age of control frames counts, measured
 * against the deadline that the server announces (notes, 7; rulings, 19).
 */
const detectSilence = (timers: Timers) =>
  stage<LiveEvent>((out) => {
    let stop: CancelTimer | undefined;
    let isLive = false;
    let deadlineSeconds = DEADLINE_SECONDS;
    const arm = (): void => {
      stop?.();
      stop = timers.after(seconds(deadlineSeconds), () => {
        stop = timers.after(READ_GRACE, () =>
          out.error(new ConnectionLost({ kind: 'silent', deadlineSeconds })),
        );
      });
    };
    return {
      next: (event) => {
        if (event.kind === 'live') isLive = true;
        if (event.kind === 'control' && event.frame.kind === 'heartbeat_timeout') {
          deadlineSeconds = event.frame.seconds;
        }
        if (isLive && event.kind !== 'data') arm();
        out.next(event);
      },
      stop: () => stop?.(),
    };
  });
