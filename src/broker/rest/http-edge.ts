/**
 * Bytes to one origin and back, with a verdict that can be trusted: `not_sent` only when nothing was written, `lost` whenever something may
 * have been. undici calls `onRequestStart` after the connection is open and before the first byte of a request, and writes nothing when the
 * request is aborted there: the halt is checked at that point for the last time. Redirects are answers like any other: no second host is
 * ever contacted.
 */
import { type Dispatcher, Pool } from 'undici';
import type { Timers } from '../../domain/clock.ts';
import { type DurationUs, US_PER_MS } from '../../domain/units.ts';
import type { Lane } from './rate-limiter.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Sent as JSON; undefined sends none. */
  readonly body: unknown;
  readonly token: string | undefined;
}

export interface HttpHooks {
  /** Last check before the first byte: a text refuses, and nothing is sent. */
  readonly refuse?: () => string | null;
  /** The first byte is about to leave. */
  readonly onStart?: () => void;
}

export type HttpResult =
  | {
      readonly kind: 'reply';
      readonly status: number;
      readonly text: string;
      readonly date: string | undefined;
      readonly retryAfter: string | undefined;
    }
  | { readonly kind: 'not_sent'; readonly reason: string }
  | { readonly kind: 'lost'; readonly reason: string };

export interface HttpTimeouts {
  readonly connect: DurationUs;
  /** From the request to the first byte of the answer. */
  readonly headers: DurationUs;
  /** Between two pieces of the answer. */
  readonly body: DurationUs;
  /** For the whole request, waiting for a connection included. */
  readonly total: DurationUs;
}

interface HttpEdgeOptions {
  /** Origin and optional path prefix, `https://host/prefix`. */
  readonly baseUrl: string;
  readonly timers: Timers;
  readonly timeouts: HttpTimeouts;
  readonly connections: Readonly<Record<Lane, number>>;
}

export type HttpEdge = ReturnType<typeof createHttpEdge>;

/** A book of a few hundred orders is below 1 MiB; more is not an answer. */
const REPLY_BYTES_MAX = 8 * 1024 * 1024;

const ms = (span: DurationUs): number => Math.ceil(span / US_PER_MS);

export function createHttpEdge({ baseUrl, timers, timeouts, connections }: HttpEdgeOptions) {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const open = (lane: Lane): Pool =>
    new Pool(base.origin, {
      connections: connections[lane],
      // One request at a time on a connection: a failure belongs to that request.
      pipelining: 1,
      allowH2: false,
      connect: { timeout: ms(timeouts.connect) },
      headersTimeout: ms(timeouts.headers),
      bodyTimeout: ms(timeouts.body),
      maxResponseSize: REPLY_BYTES_MAX,
    });
  // Hanging reads cannot take the connections that exits need.
  const pools: Readonly<Record<Lane, Pool>> = { orders: open('orders'), reads: open('reads') };
  return {
    send: (lane: Lane, request: HttpRequest, hooks: HttpHooks) =>
      new Promise<HttpResult>((resolve) => {
        const exchange = new HttpExchange(request.token, hooks, resolve);
        exchange.onSettled = timers.after(timeouts.total, () => exchange.timeOut('no answer in time'));
        try {
          pools[lane].dispatch(dispatchOptions(base.origin, prefix, request), exchange);
        } catch (error) {
          // undici refuses a request it cannot write (closed pool, bad header) before it touches a connection.
          exchange.fail(error);
        }
      }),
    close: async (): Promise<void> => {
      await Promise.all([pools.orders.destroy(), pools.reads.destroy()]);
    },
  };
}

function dispatchOptions(origin: string, prefix: string, request: HttpRequest): Dispatcher.DispatchOptions {
  const query = new URLSearchParams(request.query).toString();
  const headers: Record<string, string> = { accept: 'application/json' };
  if (request.token !== undefined) headers['authorization'] = `Bearer ${request.token}`;
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  return {
    origin,
    path: `${prefix}${request.path}${query === '' ? '' : `?${query}`}`,
    method: request.method,
    headers,
    body: request.body === undefined ? null : JSON.stringify(request.body),
    idempotent: request.method === 'GET',
  };
}

/** One request on its way. Settles exactly once. */
class HttpExchange implements Dispatcher.DispatchHandler {
  onSettled: (() => void) | undefined = undefined;
  readonly #token: string | undefined;
  readonly #hooks: HttpHooks;
  readonly #resolve: (result: HttpResult) => void;
  readonly #decoder = new TextDecoder();
  #settled = false;
  #started = false;
  #controller: Dispatcher.DispatchController | undefined = undefined;
  #status = 0;
  #date: string | undefined = undefined;
  #retryAfter: string | undefined = undefined;
  #text = '';

  constructor(token: string | undefined, hooks: HttpHooks, resolve: (result: HttpResult) => void) {
    this.#token = token;
    this.#hooks = hooks;
    this.#resolve = resolve;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) return controller.abort(new Error('given up'));
    if (this.#started) {
      // undici may offer a request to a second connection: a request that left once is not sent again.
      this.#settle({ kind: 'lost', reason: 'the connection was replaced under the request' });
      return controller.abort(new Error('not sent twice'));
    }
    const refusal = this.#hooks.refuse?.() ?? null;
    if (refusal !== null) {
      this.#settle({ kind: 'not_sent', reason: refusal });
      return controller.abort(new Error('refused'));
    }
    this.#controller = controller;
    this.#hooks.onStart?.();
    this.#started = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    if (status < 200) return;
    this.#status = status;
    this.#date = textOf(headers['date']);
    this.#retryAfter = textOf(headers['retry-after']);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#text += this.#decoder.decode(chunk, { stream: true });
  }

  onResponseEnd(): void {
    this.#text += this.#decoder.decode();
    this.#settle({
      kind: 'reply',
      status: this.#status,
      // A server that quotes our headers must not bring the token into the journal.
      text: hidden(this.#text, this.#token),
      date: this.#date,
      retryAfter: this.#retryAfter,
    });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  fail(error: unknown): void {
    this.#settle({ kind: this.#started ? 'lost' : 'not_sent', reason: errorLabel(error) });
  }

  timeOut(reason: string): void {
    this.#settle({ kind: this.#started ? 'lost' : 'not_sent', reason });
    this.#controller?.abort(new Error(reason));
  }

  #settle(result: HttpResult): void {
    if (this.#settled) return;
    this.#settled = true;
    this.onSettled?.();
    this.#resolve(result);
  }
}

/** Shorter than any token: blanking such a text out would change the answer. */
const TOKEN_CHARACTERS_MIN = 8;

const hidden = (text: string, token = ''): string =>
  token.length < TOKEN_CHARACTERS_MIN ? text : text.replaceAll(token, '[hidden]');

const textOf = (header: unknown): string | undefined => (typeof header === 'string' ? header : undefined);

/** `ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:1`; never more of the request than undici says itself. */
function errorLabel(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  const inner = error instanceof AggregateError ? error.errors.map(errorLabel).join('; ') : error.message;
  return `${code}: ${inner}`;
}
