/** The page's knowledge, as signals shown at most 30 times a second, and its requests; no answer for a while is a failure. */
import { batch, computed, effect, signal } from '@preact/signals';
import {
  AT_ONCE,
  type CockpitBeat,
  type CockpitEntry,
  type CockpitPrices,
  type CockpitSession,
  type CockpitState,
  type ContractPrices,
  type CockpitAnswer,
} from '../../operator/cockpit/cockpit-model.ts';
import { errorText } from '../../domain/failure.ts';
import { localized, t } from './text.ts';

const TABS = ['now', 'market', 'steer', 'journal', 'results'] as const;
export type Tab = (typeof TABS)[number] | 'faults';

const FRAME_MS = 1_000 / 30;
const HIDDEN_FRAME_MS = 1_000;
const ENTRIES_MAX = 2_000;
const OUTCOMES_MAX = 20;
/** The daemon beats every second: it is asked as soon as one beat is late, and old are data after that. */
const PROBE_AFTER_MS = 1_500;
const SILENT_MS_MAX = 3_000;
/** An answer counts for this long. */
const ANSWERED_MS_MAX = 5_000;
const RETRY_MS_MAX = 5_000;

export interface SentCommand {
  readonly id: number;
  readonly atMs: number;
  readonly text: string;
  /** Null until the daemon answered. */
  readonly ok: boolean | null;
  readonly message: string;
}

/** Undefined until the daemon answered, null without a session. */
export const session = signal<CockpitSession | null | undefined>(undefined);
export const state = signal<CockpitState | null>(null);
export const prices = signal<ReadonlyMap<string, ContractPrices>>(new Map());
/** Oldest first. */
export const entries = signal<readonly CockpitEntry[]>([]);
export const outcomes = signal<readonly SentCommand[]>([]);
export const view = signal<Tab>('now');
/** The order whose story is shown, or null; `day` is null for one of the present session. */
export const story = signal<{ readonly id: string; readonly day: string | null } | null>(null);
/** Real time, once a second. */
export const nowMs = signal(Date.now());
const heardMs = signal(Date.now());
const answeredMs = signal(0);
const beat = signal<CockpitBeat & { readonly atMs: number }>({ marketMs: 0, atMs: 0 });

/** A simulated broker has faults. */
export const tabs = computed((): readonly Tab[] =>
  state.value?.faults === undefined ? TABS : [...TABS, 'faults'],
);
const contractOf = (code: string) => state.value?.contracts.find(({ contract }) => contract === code);
export const nameOf = (code: string): string => contractOf(code)?.name ?? code;
/** Smallest step of its price, in points. */
export const tickOf = (code: string): number => contractOf(code)?.tickPoints ?? 0.1;
export const canSteer = computed(() => session.value?.role === 'steer');
/** Seconds without a word of the daemon, or null while it speaks. */
export const silentSeconds = computed(() => {
  const silent = nowMs.value - heardMs.value;
  return silent <= SILENT_MS_MAX ? null : Math.floor(silent / 1_000);
});
/** Nothing comes and no question is answered: no button does anything now. */
export const isGone = computed(
  () => silentSeconds.value !== null && nowMs.value - answeredMs.value > ANSWERED_MS_MAX,
);
/** Market time goes on from the last beat. */
export const marketMs = computed(() => {
  const { marketMs: from, atMs } = beat.value;
  const speed = state.value?.session.speed ?? 1;
  return from === 0 ? null : from + (nowMs.value - atMs) * speed;
});

const nothing = () => ({
  state: null as CockpitState | null,
  prices: new Map<string, ContractPrices>(),
  entries: [] as CockpitEntry[],
  isReset: false,
});

let pending = nothing();
let timer: ReturnType<typeof setTimeout> | undefined;
let lastId = '';

/** A block of the stream: lines of `field: value`. */
function take(block: string): void {
  heardMs.value = Date.now();
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const at = line.indexOf(':');
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1).trimStart());
  }
  const data = fields.get('data') ?? '';
  switch (fields.get('event') ?? '') {
    case 'state': {
      const newest: CockpitState = JSON.parse(data);
      const { version } = pending.state ?? state.value ?? newest;
      // A page of an older program may not read the state of a newer one.
      if (newest.version !== version) location.reload();
      pending.state = newest;
      break;
    }
    case 'price': {
      const changed: CockpitPrices = JSON.parse(data);
      for (const each of changed) pending.prices.set(each.contract, each);
      break;
    }
    case 'entry':
      pending.entries.push(JSON.parse(data));
      lastId = fields.get('id') ?? '';
      break;
    case 'reset':
      pending.entries = [];
      pending.isReset = true;
      lastId = '';
      break;
    case 'beat': {
      const latest: CockpitBeat = JSON.parse(data);
      beat.value = { ...latest, atMs: Date.now() };
      break;
    }
    default: // of a newer daemon
  }
  timer ??= setTimeout(show, document.hidden ? HIDDEN_FRAME_MS : FRAME_MS);
}

function show(): void {
  timer = undefined;
  const { state: newest, prices: changed, entries: added, isReset } = pending;
  pending = nothing();
  batch(() => {
    if (newest !== null) state.value = newest;
    if (changed.size > 0) prices.value = new Map([...prices.value, ...changed]);
    if (added.length > 0 || isReset) {
      const before = isReset ? [] : entries.value;
      entries.value = [...before, ...added].slice(-ENTRIES_MAX);
    }
  });
}

async function follow(): Promise<void> {
  for (let tries = 0; session.value !== null; tries += 1) {
    try {
      const refusal = await followOnce(() => {
        tries = 0;
      });
      if (refusal === 401) session.value = null;
    } catch {
      // Unreachable: the page says how old its data are.
    }
    if (session.value !== null) await retryWait(Math.min(RETRY_MS_MAX, 250 * 2 ** tries));
  }
}

/** Ends early when the network or the reader is back. */
const retryWait = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(wait);
      removeEventListener('online', end);
      document.removeEventListener('visibilitychange', end);
      resolve();
    };
    const wait = setTimeout(end, ms);
    addEventListener('online', end);
    document.addEventListener('visibilitychange', end);
  });

export function begin(known: CockpitSession): void {
  session.value = known;
  void follow();
}

let commands = 0;

export async function command(
  text: string,
  name: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<boolean> {
  commands += 1;
  const id = commands;
  const sent: SentCommand = { id, atMs: Date.now(), text, ok: null, message: t.sent };
  outcomes.value = [sent, ...outcomes.value].slice(0, OUTCOMES_MAX);
  const shown = haltsOf(state.value);
  const fresh = AT_ONCE.has(name) ? '' : await confirmCode();
  const confirm = fresh ?? state.value?.confirm ?? '';
  // Whoever resumes lifts the halt that the page has shown, not one that was made behind its back.
  const isUnsure = name === 'resume' && (fresh === null || haltsOf(state.value) !== shown);
  const answer = isUnsure
    ? { ok: false, message: t.haltsChanged }
    : await send(name, confirm === '' ? body : { ...body, confirm });
  const message = !answer.ok && isGone.value ? `${t.daemonGone} ${t.mayArrive}` : localized(answer.message);
  outcomes.value = outcomes.value.map((each) => (each.id === id ? { ...sent, ...answer, message } : each));
  if (!answer.ok && (await readSession().catch(() => null)) === undefined) session.value = null;
  return answer.ok;
}

const haltsOf = (now: CockpitState | null): string =>
  JSON.stringify([now?.halted, now?.strategies.map(({ id, halted }) => [id, halted])]);

/** A page whose stream was cut has an old one, and asks; null without an answer. */
async function confirmCode(): Promise<string | null> {
  if (silentSeconds.value === null) return state.value?.confirm ?? '';
  try {
    const reply = await fetch('/state', { signal: AbortSignal.timeout(3_000) });
    const fresh: CockpitState = await reply.json();
    state.value = fresh;
    return fresh.confirm;
  } catch {
    return null;
  }
}

export const REASON = 'by the page';

/** One press: no question, no code. */
export const halt = (): Promise<boolean> => command(t.halt, 'halt', { reason: REASON });

let isProbing = false;

async function probe(): Promise<void> {
  if (isProbing) return;
  isProbing = true;
  if (await answers()) answeredMs.value = Date.now();
  isProbing = false;
}

setInterval(() => {
  nowMs.value = Date.now();
  if (session.value !== null && nowMs.value - heardMs.value > PROBE_AFTER_MS) void probe();
}, 1_000);

effect(() => {
  const { value } = state;
  const place = value === null ? '' : ` · ${t.mode[value.mode]}`;
  const halted = typeof value?.halted === 'string' ? `${t.halted} · ` : '';
  document.title = `${halted}Tickwright${place}`;
});

const ANSWER_MS_MAX = 15_000;

/** Undefined without a session that lasts. */
export async function readSession(): Promise<CockpitSession | undefined> {
  const reply = await fetch('/session', { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
  return reply.ok ? reply.json() : undefined;
}

const PROBE_MS_MAX = 3_000;

/** Whether the daemon answers at all, whatever it says. */
const answers = (): Promise<boolean> =>
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
    return { value: null, trouble: errorText(error) };
  }
}

/** Never throws: a command whose outcome is not known says so. */
async function send(name: string, body: Readonly<Record<string, unknown>>): Promise<CockpitAnswer> {
  try {
    const reply = await post(`/commands/${name}`, body);
    const answer: CockpitAnswer = await reply.json();
    return { ok: reply.ok && answer.ok, message: answer.message };
  } catch (error) {
    return { ok: false, message: `${t.noAnswer} (${errorText(error)})` };
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

const SILENCE_MS_MAX = 6_000;

/** Follows the stream until it ends or falls silent; returns the code of a refusal, else null. Throws when it cannot be reached. */
async function followOnce(onOpen: () => void): Promise<number | null> {
  const stop = new AbortController();
  let watch = setTimeout(() => stop.abort(), SILENCE_MS_MAX);
  try {
    const headers = lastId === '' ? {} : { 'last-event-id': lastId };
    const reply = await fetch('/events', { headers, signal: stop.signal });
    if (!reply.ok || reply.body === null) return reply.status;
    onOpen();
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    let partial = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return null;
      clearTimeout(watch);
      watch = setTimeout(() => stop.abort(), SILENCE_MS_MAX);
      const blocks = (partial + value).split('\n\n');
      partial = blocks.pop() ?? '';
      for (const block of blocks) take(block);
    }
  } finally {
    clearTimeout(watch);
    stop.abort();
  }
}
