/** Requests to the daemon, and the stream of its events. No answer for a while counts as a failure. */
import type { CockpitAnswer, CockpitSession } from '../../operator/cockpit/cockpit-model.ts';
import { t } from './text.ts';

const ANSWER_MS_MAX = 15_000;

/** Undefined without a session that lasts. */
export async function readSession(): Promise<CockpitSession | undefined> {
  const reply = await fetch('/session', { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
  return reply.ok ? reply.json() : undefined;
}

const PROBE_MS_MAX = 3_000;

/** Whether the daemon answers at all, whatever it says. */
export const answers = (): Promise<boolean> =>
  fetch('/session', { signal: AbortSignal.timeout(PROBE_MS_MAX) }).then(
    () => true,
    () => false,
  );

/** Exchanges the secret of a link for a session; throws with the reason. */
export async function enter(secret: string): Promise<CockpitSession> {
  const reply = await post('/session', { secret });
  if (!reply.ok) throw new Error(await messageOf(reply));
  return reply.json();
}

export const leave = (): Promise<Response> => fetch('/session', { method: 'DELETE' });

/** The daemon's answer, or why there is none; neither while it is asked. */
export interface RemoteValue<T> {
  readonly value: T | null;
  readonly trouble: string;
}

export const WAITING = { value: null, trouble: '' } as const;

export async function read<T>(
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<RemoteValue<T>> {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const suffix = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
  try {
    const reply = await fetch(`${path}${suffix}`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    if (!reply.ok) return { value: null, trouble: await messageOf(reply) };
    return { value: await reply.json(), trouble: '' };
  } catch (error) {
    return { value: null, trouble: textOf(error) };
  }
}

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Never throws: a command whose outcome is not known says so. */
export async function send(name: string, body: Readonly<Record<string, unknown>>): Promise<CockpitAnswer> {
  try {
    const reply = await post(`/commands/${name}`, body);
    const answer: CockpitAnswer = await reply.json();
    return { ok: reply.ok && answer.ok, message: answer.message };
  } catch (error) {
    return { ok: false, message: `${t.noAnswer} (${textOf(error)})` };
  }
}

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });

async function messageOf(reply: Response): Promise<string> {
  try {
    const answer: CockpitAnswer = await reply.json();
    return answer.message;
  } catch {
    return `HTTP ${reply.status}`;
  }
}

export interface ServerEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** The daemon beats every second. */
const SILENCE_MS_MAX = 6_000;

/** Follows the stream until it ends or falls silent; returns the code of a refusal, else null. Throws when it cannot be reached. */
export async function followOnce(
  lastId: string,
  onOpen: () => void,
  onEvent: (event: ServerEvent) => void,
): Promise<number | null> {
  const stop = new AbortController();
  let watch = setTimeout(() => stop.abort(), SILENCE_MS_MAX);
  try {
    const headers = lastId === '' ? {} : { 'last-event-id': lastId };
    const reply = await fetch('/events', { headers, signal: stop.signal });
    if (!reply.ok || reply.body === null) return reply.status;
    onOpen();
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return null;
      clearTimeout(watch);
      watch = setTimeout(() => stop.abort(), SILENCE_MS_MAX);
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) onEvent(parseEvent(block));
    }
  } finally {
    clearTimeout(watch);
    stop.abort();
  }
}

function parseEvent(block: string): ServerEvent {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const at = line.indexOf(':');
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1).trimStart());
  }
  return {
    event: fields.get('event') ?? 'message',
    id: fields.get('id') ?? '',
    data: fields.get('data') ?? '',
  };
}
