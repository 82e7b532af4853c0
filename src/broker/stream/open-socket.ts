/** One WebSocket as a cold observable of its frames: subscribing dials, unsubscribing closes. */
import { Observable, Subject } from 'rxjs';
import { WebSocket } from 'ws';
import type { Timers } from '../../domain/clock.ts';
import { type DurationUs, seq, tsUs } from '../../domain/units.ts';
import type { ControlFrame } from '../../wire/stream/control-frame.ts';
import { decodeServerFrame } from '../../wire/stream/server-frame.ts';

/** The part of a `ws` client that a connection uses. */
export type StreamSocket = Pick<WebSocket, 'readyState' | 'send' | 'on' | 'close' | 'terminate'>;
export type Dial = (url: string) => StreamSocket;

/** Writes one text frame; does nothing once the socket is not open. */
export type Send = (text: string) => void;

export type SocketEvent =
  | { readonly kind: 'open'; readonly send: Send }
  | { readonly kind: 'control'; readonly frame: ControlFrame }
  /** Decoded elsewhere. */
  | { readonly kind: 'data'; readonly text: string };

interface SocketOptions {
  readonly url: string;
  readonly dial: Dial;
  readonly timers: Timers;
  /** For the connection to open. */
  readonly connectDeadline: DurationUs;
  /** For the other side to answer our close; then the socket is torn down. */
  readonly closeDeadline: DurationUs;
  /** The socket is gone for good, also after an unsubscription. */
  readonly onGone: () => void;
}

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
    const stopDeadline = options.timers.after(options.connectDeadline, () =>
      end({ kind: 'connect_timeout' }),
    );
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
  const stop = options.timers.after(options.closeDeadline, () => socket.terminate());
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
export class ConnectionLost extends Error {
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
