/** Frames of the client: authentication, heartbeat, subscriptions (contract, 6.2). Read by the simulator. */
import {
  type StreamChannel,
  CHANNEL_WORDS,
  channelFromCode,
  type DataChannel,
  isDataChannel,
  type SilentChannel,
} from './stream-channel.ts';
import { type MalformedFrame, malformed } from './control-frame.ts';

export { ALL_CHANNELS } from './stream-channel.ts';

type ClientFrame =
  /** An authentication in a wrong form has an empty token: it is to be refused like any invalid one (notes, 7). */
  | { readonly kind: 'auth'; readonly token: string }
  | { readonly kind: 'heartbeat' }
  | ({ readonly kind: 'subscribe' } & Subscription)
  | ({ readonly kind: 'unsubscribe' } & Subscription)
  | MalformedFrame;

export interface Subscription {
  readonly channels: readonly DataChannel[];
  /** Also subscribed; these channels send no frames. */
  readonly silent: readonly SilentChannel[];
  readonly codes: readonly string[];
}

export const HEARTBEAT_FRAME = 'd|p|||';

export const encodeAuth = (token: string): string => `d|a|||${Buffer.from(token).toString('base64')}`;

export const encodeSubscribe = (channels: readonly StreamChannel[], codes: readonly string[]): string =>
  `d|s|tk|${channelList(channels)}|${codes.join(',')}`;

export const encodeUnsubscribe = (channels: readonly StreamChannel[], codes: readonly string[]): string =>
  `d|u|tk|${channelList(channels)}|${codes.join(',')}`;

const channelList = (channels: readonly StreamChannel[]): string =>
  channels.map((channel) => CHANNEL_WORDS[channel].code).join('+');

const AUTH = 'd|a|||';
const WRONG_AUTH: ClientFrame = { kind: 'auth', token: '' };
const HEARTBEAT: ClientFrame = { kind: 'heartbeat' };
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** A JWT on its own, not base64-encoded as a whole. */
const RAW_JWT = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/;

export function decodeClientFrame(text: string): ClientFrame {
  if (text === HEARTBEAT_FRAME) return HEARTBEAT;
  // It is never malformed: no token is ever quoted.
  if (text.startsWith('d|a')) return decodeAuth(text);
  if (text.startsWith('d|s|')) return decodeSubscription('subscribe', text);
  if (text.startsWith('d|u|')) return decodeSubscription('unsubscribe', text);
  if (RAW_JWT.test(text)) return WRONG_AUTH;
  return malformed('frame', 'an auth, subscribe, unsubscribe or heartbeat frame', text);
}

function decodeAuth(text: string): ClientFrame {
  const encoded = text.slice(AUTH.length).trim();
  if (!text.startsWith(AUTH) || !BASE64.test(encoded)) return WRONG_AUTH;
  return { kind: 'auth', token: Buffer.from(encoded, 'base64').toString('utf8') };
}

/** `d|s|tk|bi+tm|A,B`; blanks around any part are seen. */
function decodeSubscription(kind: 'subscribe' | 'unsubscribe', text: string): ClientFrame {
  const parts = text.split('|');
  const [, , topic = '', channelText = '', codeText = ''] = parts;
  if (parts.length !== 5 || topic.trim() !== 'tk') {
    return malformed('frame', `d|${kind === 'subscribe' ? 's' : 'u'}|tk|<channels>|<symbols>`, text);
  }
  const channels: DataChannel[] = [];
  const silent: SilentChannel[] = [];
  for (const word of channelText.split('+')) {
    const channel = channelFromCode(word.trim());
    if (channel === undefined) return malformed('channels', 'bp, bi, tm, mp, op or fe, joined by +', word);
    if (isDataChannel(channel)) channels.push(channel);
    else silent.push(channel);
  }
  const codes = codeText
    .split(',')
    .map((code) => code.trim())
    .filter((code) => code !== '');
  if (codes.length === 0) return malformed('symbols', 'at least one symbol', codeText);
  return { kind, channels, silent, codes };
}
