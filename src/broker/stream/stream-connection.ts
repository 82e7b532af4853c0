/** One connection with one token: socket, authentication, heartbeat and silence, one stage after the other. */
import { Observable, type OperatorFunction, Subject, type Subscriber, Subscription } from 'rxjs';
import { every, type CancelTimer, type Clock, type Timers } from '../../domain/clock.ts';
import {
  type DurationUs,
  durationUs,
  milliseconds,
  seconds,
  seq,
  type TsUs,
  tsUs,
} from '../../domain/units.ts';
import { type ControlFrame, encodeAuth, HEARTBEAT_FRAME } from '../../wire/stream/control-frame.ts';
import type { AccessToken } from '../auth/access-token.ts';
import { WebSocket } from 'ws';
import { decodeServerFrame } from '../../wire/stream/server-frame.ts';

/** For the connection to open. */
const CONNECT_MAX = seconds(10);
const AUTH_ANSWER_MAX = seconds(10);
const HEARTBEAT_EVERY = seconds(2);
/** For the other side to answer our close; then the socket is torn down. */
const CLOSE_MAX = seconds(3);

/** The server's clock and ours differ: a close this near to `exp` is the token's end, not the link's. */
const EXPIRY_SLACK = seconds(5);

interface StreamConnectionOptions {
  readonly url: string;
  readonly dial: Dial;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly token: AccessToken;
  /** The socket is gone for good, also after a `close`. */
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
  const { clock, timers, token } = options;
  const events$ = openSocket(options).pipe(
    authenticate(token.jwt, timers, AUTH_ANSWER_MAX),
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
const keepAlive = ({ clock, timers, onPong }: StreamConnectionOptions) =>
  stage<LiveEvent>((out) => {
    let stop: CancelTimer | undefined;
    /** Time of the oldest unanswered heartbeat. */
    let sentUs: TsUs | undefined;
    const beat = (send: Send): void => {
      send(HEARTBEAT_FRAME);
      sentUs ??= clock.nowUs();
    };
    return {
      next: (event) => {
        if (event.kind === 'live') stop = every(timers, HEARTBEAT_EVERY, () => beat(event.send));
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
/** After a stall of our thread the timers run before the sockets are read: frames that came in time get this long to be seen. */
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

// One WebSocket as a cold observable of its frames: subscribing dials, unsubscribing closes.

/** The part of a `ws` client that a connection uses. */
export type StreamSocket = Pick<WebSocket, 'readyState' | 'send' | 'on' | 'close' | 'terminate'>;
export type Dial = (url: string) => StreamSocket;

/** Writes one text frame; does nothing once the socket is not open. */
export type Send = (text: string) => void;

type SocketEvent =
  | { readonly kind: 'open'; readonly send: Send }
  | { readonly kind: 'control'; readonly frame: ControlFrame }
  /** Decoded elsewhere. */
  | { readonly kind: 'data'; readonly text: string };

type SocketOptions = Pick<StreamConnectionOptions, 'url' | 'dial' | 'timers' | 'onGone'>;

const CLOSE_NORMAL = 1000;
const CLOSE_PROTOCOL_ERROR = 1002;
/** Frames are below 1 KiB. */
const FRAME_BYTES_MAX = 1024 * 1024;

/** `ws` sends protocol pings only on request; the server closes with 1002 when it gets one. */
export const dialWebSocket: Dial = (url) =>
  new WebSocket(url, { perMessageDeflate: false, followRedirects: false, maxPayload: FRAME_BYTES_MAX });

export const openSocket = (options: SocketOptions): Observable<SocketEvent> =>
  new Observable((subscriber) => {
    const socket = options.dial(options.url);
    let failure: string | undefined;
    let opened = false;
    // RxJS in the thread of an engine loses errors outside of a Subject.
    const events$ = new Subject<SocketEvent>();
    events$.subscribe(subscriber);
    const end = (reason: ConnectionEnd): void => events$.error(new ConnectionLost(reason));
    const stopDeadline = options.timers.after(CONNECT_MAX, () => end({ kind: 'connect_timeout' }));
    const send: Send = (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    };

    socket.on('open', () => {
      opened = true;
      stopDeadline();
      events$.next({ kind: 'open', send });
    });
    socket.on('message', (data, isBinary) => {
      const text = Buffer.isBuffer(data) && !isBinary ? data.toString('utf8') : undefined;
      if (text === undefined) return;
      const frame = readControlFrame(text);
      events$.next(frame === undefined ? { kind: 'data', text } : { kind: 'control', frame });
    });
    // `ws` reports the error first and the close after it.
    socket.on('error', (error) => {
      failure = error.message;
    });
    socket.on('close', (code, reason) => {
      stopDeadline();
      options.onGone();
      end(endOf(opened, failure, code, reason.toString('utf8')));
    });
    return () => {
      stopDeadline();
      hangUp(socket, options);
    };
  });

function endOf(opened: boolean, failure: string | undefined, code: number, reason: string): ConnectionEnd {
  if (!opened) return { kind: 'connect_failed', reason: failure ?? `closed with ${code}` };
  // After an error of our own the close code is ours as well, so it is no verdict of the server.
  if (code === CLOSE_PROTOCOL_ERROR && failure === undefined) return { kind: 'protocol_error' };
  return { kind: 'closed', code, reason: failure ?? reason };
}

/** Closes, and does not wait for ever: a half-open link never answers, and `ws` alone would stay in CLOSING. */
function hangUp(socket: StreamSocket, options: SocketOptions): void {
  if (socket.readyState === WebSocket.CLOSED) return;
  const stop = options.timers.after(CLOSE_MAX, () => socket.terminate());
  socket.on('close', stop);
  socket.close(CLOSE_NORMAL);
}

/** The reason why a connection ended: a closed set, because the next step depends on it. */
export type ConnectionEnd =
  /** Never opened: refused, no such host, no upgrade. */
  | { readonly kind: 'connect_failed'; readonly reason: string }
  | { readonly kind: 'connect_timeout' }
  | { readonly kind: 'auth_timeout' }
  /** The answer 211110: terminal until there is a new token. */
  | { readonly kind: 'token_rejected'; readonly code: string; readonly message: string }
  /** The token's own `exp` has passed; nothing was dialled, or the server closed because of it. */
  | { readonly kind: 'token_expired' }
  /** Any other refusal, also "already connected" after a half-open drop: costs one attempt. */
  | { readonly kind: 'auth_refused'; readonly code: string; readonly message: string }
  /** No control frame within the announced deadline: a link that seems open and is not. */
  | { readonly kind: 'silent'; readonly deadlineSeconds: number }
  /** Close 1002: the fault is ours. */
  | { readonly kind: 'protocol_error' }
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string };

/** Carries the end through the error channel of an observable. */
class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  readonly end: ConnectionEnd;

  constructor(end: ConnectionEnd) {
    super(describeEnd(end));
    this.end = end;
  }
}

export function describeEnd(end: ConnectionEnd): string {
  switch (end.kind) {
    case 'connect_failed':
      return `could not connect: ${end.reason}`;
    case 'connect_timeout':
      return 'no connection in time';
    case 'auth_timeout':
      return 'no answer to the authentication in time';
    case 'token_rejected':
      return `token rejected: ${end.code} ${end.message}`;
    case 'token_expired':
      return 'token expired';
    case 'auth_refused':
      return `authentication refused: ${end.code} ${end.message}`;
    case 'silent':
      return `no control frame for ${end.deadlineSeconds} s`;
    case 'protocol_error':
      return 'closed with 1002, protocol error';
    case 'closed':
      return `closed with ${end.code}${end.reason === '' ? '' : `, ${end.reason}`}`;
  }
}

// Separates control frames from data frames by the first letter; only the few control frames are decoded here.

const CONTROL = 'd'.charCodeAt(0);
const NO_CONTRACTS = { byStreamCode: () => undefined };
const NO_SEQ = seq(0);
const NO_TIME = tsUs(0);

/** Undefined for a data frame and for any other frame that is recorded and decoded elsewhere. */
function readControlFrame(text: string): ControlFrame | undefined {
  if (text.charCodeAt(0) !== CONTROL) return undefined;
  const frame = decodeServerFrame(text, NO_CONTRACTS, NO_SEQ, NO_TIME);
  return frame.kind === 'market' || frame.kind === 'ignored' || frame.kind === 'unknown_symbol'
    ? undefined
    : frame;
}
