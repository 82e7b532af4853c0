/** A channel that posts to an address: presets for known services, or a template. */
import type { AlertChannel, Delivery, DeliveryResult } from '../alerts/alert-message.ts';
import { sendRequest, jsonBody } from './http-post.ts';

export const WEBHOOK_PRESETS = ['slack', 'discord', 'ntfy', 'gotify'] as const;
export type WebhookPreset = (typeof WEBHOOK_PRESETS)[number];

export interface WebhookOptions {
  readonly id: string;
  /** Holds a secret. */
  readonly url: string;
  readonly format: { readonly preset: WebhookPreset } | { readonly template: string };
}

interface Post {
  readonly body: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ASK = { method: 'POST', timeoutMs: 15_000 } as const;
/** ntfy takes 4,096 bytes, up to three for a character, and sends a longer text as a file. */
const TEXT_MAX: Readonly<Record<WebhookPreset, number>> = {
  slack: 3_500,
  discord: 1_900,
  ntfy: 1_300,
  gotify: 8_000,
};
const TEMPLATE_TEXT_MAX = 3_500;

/** 5 makes a phone ring through, 3 is ordinary. */
const NTFY_PRIORITY = { info: '3', warning: '4', critical: '5' } as const;
const GOTIFY_PRIORITY = { info: 3, warning: 5, critical: 8 } as const;

const PRESETS: Readonly<Record<WebhookPreset, (delivery: Delivery) => Post>> = {
  slack: ({ text }) => ({ body: jsonBody({ text: slackText(text) }) }),
  // Mentions would ring for people who are named by accident.
  discord: ({ text }) => ({ body: jsonBody({ content: text, allowed_mentions: { parse: [] } }) }),
  ntfy: ({ title, text, severity }) => ({
    body: text,
    type: 'text/plain; charset=utf-8',
    headers: { title: ascii(title), priority: NTFY_PRIORITY[severity] },
  }),
  gotify: ({ title, text, severity }) => ({
    body: jsonBody({ title, message: text, priority: GOTIFY_PRIORITY[severity] }),
  }),
};

const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A header takes no other characters. */
const ascii = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?');

/** Fields of a template are inside a JSON text: their values are escaped for one. */
const filled = (template: string, { title, text, severity }: Delivery): string =>
  template.replaceAll(/\{(title|text|severity)\}/g, (_, name: string) => {
    const value = name === 'title' ? title : name === 'text' ? text : severity;
    return jsonBody(value).slice(1, -1);
  });

export function createWebhook({ id, url, format }: WebhookOptions): AlertChannel {
  const closing = new AbortController();
  const textMax = 'preset' in format ? TEXT_MAX[format.preset] : TEMPLATE_TEXT_MAX;
  return {
    id,
    textMax,
    async send(delivery): Promise<DeliveryResult> {
      const post =
        'preset' in format ? PRESETS[format.preset](delivery) : { body: filled(format.template, delivery) };
      const answer = await sendRequest({ url, ...ASK, ...post, signal: closing.signal });
      if ('failure' in answer) return { status: 'later', pauseMs: null, reason: answer.failure };
      return answered(answer.status, answer.retryAfterMs);
    },
    close: async () => closing.abort(),
  };
}

function answered(status: number, pauseMs: number | null): DeliveryResult {
  if (status >= 200 && status < 300) return { status: 'sent' };
  const reason = `HTTP ${status}`;
  const mayPass = status === 408 || status === 429 || status >= 500;
  return mayPass ? { status: 'later', pauseMs, reason } : { status: 'refused', reason };
}
