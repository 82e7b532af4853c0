/**
 * One WebSocket as a cold observable: subscribing dials, unsubscribing closes. Control frames come out of it; data
 * frames take the short way, straight to `onData`, because there are thousands of them and nobody else waits for one.
 */
import { Observable } from 'rxjs';
import { WebSocket } from 'ws';
import type { Timers } from '../../domain/clock.ts';
import type { DurationUs } from '../../domain/units.ts';
import { type ConnectionEnd, ConnectionLost } from './connection-end.ts';
import { type ControlFrame, readControlFrame } from './control-frame.ts';

/** Writes one text frame; does nothing once the socket is not open. */
export type Send = (text: string) => void;

export type SocketEvent =
  | { readonly kind: 'open'; readonly send: Send }
  | { readonly kind: 'control'; readonly frame: ControlFrame };

export interface SocketOptions {
  readonly url: string;
  readonly timers: Timers;
  /** For the connection to stand. */
  readonly connectDeadline: DurationUs;
  /** For the other side to answer our close; then the socket is torn down. */
  readonly closeDeadline: DurationUs;
  readonly onData: (text: string) => void;
  /** The socket is gone for good, also after an unsubscription. */
  readonly onGone: () => void;
}

const CLOSE_NORMAL = 1000;
const CLOSE_PROTOCOL_ERROR = 1002;
/** Frames are below 1 KiB. */
const FRAME_BYTES_MAX = 1024 * 1024;

export const openSocket = (options: SocketOptions): Observable<SocketEvent> =>
  new Observable((subscriber) => {
    // `ws` sends protocol pings only when told to; the server closes with 1002 when it gets one.
    const socket = new WebSocket(options.url, {
      perMessageDeflate: false,
      followRedirects: false,
      maxPayload: FRAME_BYTES_MAX,
    });
    let failure: string | undefined;
    let opened = false;
    const end = (reason: ConnectionEnd): void => subscriber.error(new ConnectionLost(reason));
    const stopDeadline = options.timers.after(options.connectDeadline, () =>
      end({ kind: 'connect_timeout' }),
    );
    const send: Send = (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    };

    socket.on('open', () => {
      opened = true;
      stopDeadline();
      subscriber.next({ kind: 'open', send });
    });
    socket.on('message', (data, isBinary) => {
      if (subscriber.closed) return;
      const text = Buffer.isBuffer(data) && !isBinary ? data.toString('utf8') : undefined;
      const frame = text === undefined ? undefined : readControlFrame(text);
      if (frame !== undefined) subscriber.next({ kind: 'control', frame });
      else if (text !== undefined) options.onData(text);
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
  // With an error of our own the code is ours as well, and says nothing about what the server thinks of us.
  if (code === CLOSE_PROTOCOL_ERROR && failure === undefined) return { kind: 'protocol_error' };
  return { kind: 'closed', code, reason: failure ?? reason };
}

/** Says goodbye, and does not wait for ever: a half-open link never answers, and `ws` alone would sit in CLOSING. */
function hangUp(socket: WebSocket, options: SocketOptions): void {
  if (socket.readyState === WebSocket.CLOSED) return;
  const stop = options.timers.after(options.closeDeadline, () => socket.terminate());
  socket.on('close', stop);
  socket.close(CLOSE_NORMAL);
}
