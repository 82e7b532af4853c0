/** Telegram's bot API: a channel, and a listener for messages. The token is part of each address, so no failure quotes one. */
import { dropOldest } from '../../domain/lists.ts';
import { isRecord, parseJson, type JsonRecord } from '../../domain/parsed.ts';
import type { Clock, Timers } from '../../domain/clock.ts';
import { errorText, thrownText } from '../../domain/failure.ts';
import {
  durationUs,
  milliseconds,
  minutes,
  type TsUs,
  tsUs,
  US_PER_DAY,
  US_PER_SECOND,
} from '../../domain/units.ts';
import type { AlertSeverity } from '../../engine/ports/journal-entry.ts';
import type { AlertChannel, DeliveryResult } from '../alerts/alert-message.ts';
import { oneLine } from '../terminal.ts';
import { sendRequest, jsonBody, pauseMsOf } from './http-post.ts';

interface TelegramOptions {
  /** `https://api.telegram.org`, or a server of one's own. */
  readonly apiUrl: string;
  readonly token: string;
}

type BotAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly status: number; readonly pauseMs: number | null; readonly reason: string };

export interface TelegramBot {
  call(
    method: 'getUpdates' | 'sendMessage' | 'answerCallbackQuery',
    body: object,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<BotAnswer>;
}

export function createTelegramBot({ apiUrl, token }: TelegramOptions): TelegramBot {
  const base = `${apiUrl.replace(/\/+$/, '')}/bot${token}`;
  return {
    async call(method, body, timeoutMs, signal) {
      const url = `${base}/${method}`;
      const answer = await sendRequest({ url, method: 'POST', body: jsonBody(body), timeoutMs, signal });
      if ('failure' in answer) return { ok: false, status: 0, pauseMs: null, reason: answer.failure };
      return read(answer.status, answer.text, answer.retryAfterMs);
    },
  };
}

function read(status: number, text: string, retryAfterMs: number | null): BotAnswer {
  const json = parseJson(text, 'answer');
  const body = json.ok && isRecord(json.value) ? json.value : {};
  if (status === 200 && body['ok'] === true) return { ok: true, result: body['result'] };
  const { parameters, description } = body;
  const pauseMs = (isRecord(parameters) ? pauseMsOf(parameters['retry_after']) : null) ?? retryAfterMs;
  const detail = typeof description === 'string' ? `: ${description}` : '';
  return { ok: false, status, pauseMs, reason: `HTTP ${status}${detail}` };
}

/** The data of the button below a message that waits to be acknowledged. */
const SEEN = 'seen';

const SEND_TIMEOUT_MS = 15_000;
/** The service takes 4,096. */
const TEXT_MAX = 4_000;

export function createTelegramChannel(id: string, bot: TelegramBot, chat: number): AlertChannel {
  const closing = new AbortController();
  return {
    id,
    textMax: TEXT_MAX,
    async send({ text, isUrgent }): Promise<DeliveryResult> {
      const body = { chat_id: chat, text, ...(isUrgent && buttonOf('Seen', SEEN)) };
      const answer = await bot.call('sendMessage', body, SEND_TIMEOUT_MS, closing.signal);
      if (answer.ok) return { status: 'sent' };
      const { pauseMs, reason } = answer;
      return mayPass(answer) ? { status: 'later', pauseMs, reason } : { status: 'refused', reason };
    },
    close: async () => closing.abort(),
  };
}

const mayPass = ({ status }: { readonly status: number }): boolean =>
  status === 0 || status === 429 || status >= 500;

const buttonOf = (text: string, data: string) => ({
  reply_markup: { inline_keyboard: [[{ text, callback_data: data }]] },
});

// Reads messages to the bot. A sender who is not on the list gets no answer; no message is taken twice, also after a kill.

/** Something that an allowed person wrote. */
export interface RemoteMessage {
  /** `telegram 4711 @name`. */
  readonly by: string;
  readonly text: string;
  /** As the service stamped it. */
  readonly sentUs: TsUs;
}

export interface RemoteReply {
  readonly text: string;
  /** A button sends it for the person; nothing else than the chat gets it. */
  readonly code?: string;
}

interface ListenerOptions {
  readonly bot: TelegramBot;
  readonly users: readonly number[];
  readonly clock: Clock;
  readonly timers: Timers;
  /** Updates that were taken, each with its stamp, 0 for none; durable before anything is done. */
  readonly taken: { stampOf(update: number): number; keep(update: number, stamp: number): void };
  /** Answers with the reply. */
  readonly take: (message: RemoteMessage) => Promise<RemoteReply>;
  /** The button below a message of that time; answers with a short text. */
  readonly seen: (by: string, sentUs: TsUs) => string;
  readonly alert: (severity: AlertSeverity, code: string, text: string) => void;
}

/** The service holds a poll open for this long while no message comes. */
const POLL_S = 50;
const POLL_TIMEOUT_MS = (POLL_S + 10) * 1_000;
const PATIENCE_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const;
/** A halt must not wait for half an hour. */
const ASKED_PAUSE_MS_MAX = 60_000;
/** An answer without news that comes sooner was not waited for. */
const SPIN = milliseconds(500);
const SPIN_PAUSE_MS = 500;
const DEAF_AFTER = minutes(1);
const REPLY_TRIES = 4;
/**
 * After a week without an update the service chooses the next number at random, and one that asks for higher numbers never gets it.
 * Updates are kept for a day, so this many quiet ones are less than a week since the last.
 */
const QUIET = durationUs(6 * US_PER_DAY);
/** A press is the same as these words and the code. */
const CONFIRM = '/confirm ';
/** A press of a button has no date of its own. */
const PRESSED = 1;
/** An answer holds at most 100, and confirms all of before. */
const RECENT_MAX = 1_000;
/** Strangers that are reported one by one; more are counted. */
const STRANGERS_MAX = 20;

export class TelegramListener {
  readonly #options: ListenerOptions;
  readonly #closing = new AbortController();
  readonly #strangers = new Set<number>();
  /** Updates of this run with their stamps, for a journal that cannot be written. */
  readonly #recent = new Map<number, number>();
  /** Null: all that the service has is asked for. */
  #offset: number | null = null;
  #heardUs: TsUs | null = null;
  #failures = 0;
  #failingSinceUs: TsUs | null = null;
  #isDeaf = false;
  #running: Promise<void> | undefined = undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#listen();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #listen(): Promise<void> {
    while (!this.#isClosed) {
      const askedUs = this.#options.clock.nowUs();
      if (this.#heardUs !== null && askedUs - this.#heardUs >= QUIET) this.#offset = null;
      const body = {
        timeout: POLL_S,
        allowed_updates: ['message', 'callback_query'],
        ...(this.#offset === null ? {} : { offset: this.#offset }),
      };
      const answer = await this.#options.bot.call('getUpdates', body, POLL_TIMEOUT_MS, this.#closing.signal);
      if (this.#isClosed) return;
      if (answer.ok) {
        this.#heard();
        const before = this.#offset;
        for (const update of Array.isArray(answer.result) ? answer.result : []) {
          const failure = thrownText(() => this.#update(update));
          if (failure !== null)
            this.#options.alert('warning', 'phone_failed', `a message could not be taken: ${failure}`);
        }
        // A service that holds no poll open, or repeats messages, must not be polled without end.
        const isSpinning = this.#offset === before && this.#options.clock.nowUs() - askedUs < SPIN;
        if (isSpinning) await this.#pause(SPIN_PAUSE_MS);
      } else await this.#pause(this.#failed(answer.status, answer.reason, answer.pauseMs));
    }
  }

  /** A method: the flag changes while a poll is open. */
  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #heard(): void {
    this.#failures = 0;
    this.#failingSinceUs = null;
    if (!this.#isDeaf) return;
    this.#isDeaf = false;
    this.#options.alert('info', 'phone_heard', 'commands by Telegram arrive again');
  }

  /** Returns the pause in milliseconds. */
  #failed(status: number, reason: string, askedMs: number | null): number {
    const now = this.#options.clock.nowUs();
    this.#failingSinceUs ??= now;
    const patience = PATIENCE_MS[Math.min(this.#failures, PATIENCE_MS.length - 1)] ?? 30_000;
    this.#failures += 1;
    const isSure = status === 401 || status === 404 || status === 409;
    if (!this.#isDeaf && (isSure || now - this.#failingSinceUs >= DEAF_AFTER)) {
      this.#isDeaf = true;
      const text = `commands by Telegram do not arrive: ${reason}${hintOf(status)}`;
      this.#options.alert('warning', 'phone_deaf', text);
    }
    return Math.max(patience, Math.min(askedMs ?? 0, ASKED_PAUSE_MS_MAX));
  }

  #pause(ms: number): Promise<void> {
    const { signal } = this.#closing;
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.#options.timers.after(milliseconds(ms), end);
      signal.addEventListener('abort', end);
      if (this.#isClosed) end();
    });
  }

  #update(update: unknown): void {
    if (!isRecord(update) || typeof update['update_id'] !== 'number') return;
    const id = update['update_id'];
    this.#offset = id + 1;
    this.#heardUs = this.#options.clock.nowUs();
    const { message, callback_query: query } = update;
    if (isRecord(message)) this.#message(id, message);
    if (isRecord(query)) this.#button(id, query);
  }

  /** Not awaited: a halt does not wait for a command before it. */
  #message(update: number, message: JsonRecord): void {
    const { text, date } = message;
    const who = this.#allowed(message['from'], message['chat']);
    if (who === null || typeof text !== 'string' || typeof date !== 'number') return;
    if (!this.#isNew(update, Math.round(date))) return;
    const { id, by } = who;
    this.#take(id, { by, text, sentUs: tsUs(Math.round(date) * US_PER_SECOND) });
  }

  #take(chat: number, message: RemoteMessage): void {
    void this.#options
      .take(message)
      .catch((error: unknown) => ({ text: `failed: ${errorText(error)}` }))
      .then((reply) => this.#reply(chat, reply));
  }

  #button(update: number, query: JsonRecord): void {
    const { id, data, from, message } = query;
    const { chat, date }: JsonRecord = isRecord(message) ? message : {};
    const who = this.#allowed(from, chat);
    if (who === null || typeof data !== 'string' || typeof id !== 'string') return;
    const isConfirmation = data.startsWith(CONFIRM);
    if ((data !== SEEN && !isConfirmation) || !this.#isNew(update, PRESSED)) return;
    // The code has a life of its own: a press that comes late meets one that is over.
    if (isConfirmation) this.#take(who.id, { by: who.by, text: data, sentUs: this.#options.clock.nowUs() });
    const sentUs = tsUs(Math.round(Number(date ?? 0)) * US_PER_SECOND);
    const body = { callback_query_id: id, text: isConfirmation ? '' : this.#options.seen(who.by, sentUs) };
    void this.#options.bot.call('answerCallbackQuery', body, SEND_TIMEOUT_MS, this.#closing.signal);
  }

  /** A doubtful one counts as new: a halt may come twice. Only of people on the list: a stranger must not keep the disk busy. */
  #isNew(update: number, stamp: number): boolean {
    const { taken } = this.#options;
    if ((this.#recent.get(update) ?? this.#stampOf(update)) === stamp) return false;
    this.#recent.set(update, stamp);
    dropOldest(this.#recent, RECENT_MAX);
    taken.keep(update, stamp);
    return true;
  }

  #stampOf(update: number): number {
    const { taken, alert } = this.#options;
    try {
      return taken.stampOf(update);
    } catch (error) {
      const text = `the journal does not show whether message ${update} was taken before: ${errorText(error)}; it counts as new`;
      alert('warning', 'phone_failed', text);
      return 0;
    }
  }

  /** A private chat with a person on the list: in a group, others read along and write. */
  #allowed(from: unknown, chat: unknown): { readonly id: number; readonly by: string } | null {
    if (!isRecord(from) || typeof from['id'] !== 'number') return null;
    const { id, username } = from;
    const name = typeof username === 'string' ? ` @${oneLine(username).slice(0, 40)}` : '';
    const isPrivate = isRecord(chat) && chat['type'] === 'private' && chat['id'] === id;
    if (this.#options.users.includes(id) && isPrivate) return { id, by: `telegram ${id}${name}` };
    this.#stranger(id, name, isPrivate);
    return null;
  }

  #stranger(id: number, name: string, isPrivate: boolean): void {
    if (this.#strangers.has(id) || this.#strangers.size >= STRANGERS_MAX) return;
    this.#strangers.add(id);
    const where = isPrivate ? '' : ' outside a private chat';
    const text = `user ${id}${name} wrote to the bot${where}: ignored, and ignored from now on without a word`;
    this.#options.alert('warning', 'phone_stranger', text);
  }

  async #reply(chat: number, { text, code }: RemoteReply): Promise<void> {
    const body = {
      chat_id: chat,
      text:
        text.length <= TEXT_MAX
          ? text
          : `${text.slice(0, TEXT_MAX)}\n… and more, which a message does not take`,
      ...(code !== undefined && buttonOf('Confirm', `${CONFIRM}${code}`)),
    };
    for (let tries = 1; tries <= REPLY_TRIES && !this.#isClosed; tries += 1) {
      const answer = await this.#options.bot.call('sendMessage', body, SEND_TIMEOUT_MS, this.#closing.signal);
      if (answer.ok || !mayPass(answer)) return;
      await this.#pause(Math.max(answer.pauseMs ?? 0, PATIENCE_MS[tries - 1] ?? 0));
    }
  }
}

function hintOf(status: number): string {
  if (status === 409)
    return '; another program reads the messages of this bot, and each one reaches only one of the two: give this daemon a bot of its own';
  return status === 401 || status === 404 ? '; look whether the token is the one that @BotFather gave' : '';
}
