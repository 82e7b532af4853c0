/** One request of a channel to a service of others: bounded in time and size, redirects not followed, nothing thrown. */
import { type Dispatcher, request } from 'undici';
import { errorText } from '../../domain/failure.ts';

export interface ChannelRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly body?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

const ANSWER_BYTES_MAX = 1_000_000;
/** A service that asks for a longer pause is asked earlier all the same: it may have meant something else. */
const PAUSE_MS_MAX = 30 * 60_000;

/** The pause that a service asks for in seconds, in milliseconds; null without one. Any number may come: no timer takes one below zero. */
export function pauseMsOf(seconds: unknown): number | null {
  const ms = Number(seconds ?? Number.NaN) * 1_000;
  return Number.isNaN(ms) ? null : Math.min(PAUSE_MS_MAX, Math.max(0, ms));
}

/** Half of a character, where a text was cut or came so, is replaced: a service would refuse that message for ever. */
export const jsonBody = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'string' ? each.replaceAll(/\p{Cs}/gu, '\ufffd') : each,
  );

/** The failure never quotes the address: it may hold a secret. */
export async function sendRequest(
  what: ChannelRequest,
): Promise<Awaited<ReturnType<typeof sendUnbounded>> | { readonly failure: string }> {
  const { timeoutMs, signal, url } = what;
  // Not `AbortSignal.any`: a signal that lives as long as the process would remember each of its parts.
  const limit = new AbortController();
  const end = (): void => limit.abort();
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener('abort', end);
  if (signal?.aborted === true) end();
  try {
    return await sendUnbounded(what, limit.signal);
  } catch (error) {
    if (limit.signal.aborted) return { failure: 'no answer in time' };
    const code =
      error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
    return { failure: (code === '' ? errorText(error) : code).replaceAll(url, '[address]') };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

async function sendUnbounded(
  { url, method, body, type = 'application/json', headers, timeoutMs }: ChannelRequest,
  signal: AbortSignal,
) {
  const answer = await request(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': type }) },
    body: body ?? null,
    signal,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  const { statusCode: status, headers: got } = answer;
  return {
    status,
    text: await limited(answer.body),
    /** Of the header `retry-after`. */
    retryAfterMs: pauseMsOf(got['retry-after']),
  };
}

async function limited(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`the answer is larger than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
