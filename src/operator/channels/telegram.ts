/** Telegram's bot API in three calls, and the channel that sends with it. The token is part of each address: no failure quotes one. */
import { isRecord, parseJson } from '../../domain/parsed.ts';
import type { AlertChannel, DeliveryResult } from '../alerts/alert-message.ts';
import { ask, jsonBody, pauseMsOf } from './http-post.ts';

export interface TelegramOptions {
  /** `https://api.telegram.org`, or a server of one's own. */
  readonly apiUrl: string;
  readonly token: string;
}

export type BotAnswer =
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
      const answer = await ask({ url, method: 'POST', body: jsonBody(body), timeoutMs, signal });
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
  const said = typeof description === 'string' ? `: ${description}` : '';
  return { ok: false, status, pauseMs, reason: `HTTP ${status}${said}` };
}

/** The data of the button below a message that waits to be acknowledged. */
export const SEEN = 'seen';

const SEND_TIMEOUT_MS = 15_000;
/** The service takes 4,096. */
const TEXT_MAX = 4_000;

export function createTelegramChannel(id: string, bot: TelegramBot, chat: number): AlertChannel {
  const closing = new AbortController();
  return {
    id,
    textMax: TEXT_MAX,
    async send({ text, isUrgent }): Promise<DeliveryResult> {
      const button = { inline_keyboard: [[{ text: 'Seen', callback_data: SEEN }]] };
      const body = { chat_id: chat, text, ...(isUrgent ? { reply_markup: button } : {}) };
      const answer = await bot.call('sendMessage', body, SEND_TIMEOUT_MS, closing.signal);
      if (answer.ok) return { status: 'sent' };
      const { status, pauseMs, reason } = answer;
      const mayPass = status === 0 || status === 429 || status >= 500;
      return mayPass ? { status: 'later', pauseMs, reason } : { status: 'refused', reason };
    },
    close: async () => closing.abort(),
  };
}
