/** `d|` frames of server and client, and their channels (contract, 6.2; notes, 7). The client reads those that matter to it. */
import { type Issue, shown, parseJson, isRecord } from '../../domain/parsed.ts';
import { type DriftCounter, numberFromText } from '../drift.ts';

export type ControlFrame =
  /** `code` and `message` are empty on success. */
  | {
      readonly kind: 'auth_result';
      readonly success: boolean;
      readonly code: string;
      readonly message: string;
    }
  | { readonly kind: 'heartbeat_timeout'; readonly seconds: number }
  | { readonly kind: 'pong' }
  /** Any other frame, such as `d|34|1`; ignored. */
  | { readonly kind: 'control'; readonly text: string }
  | MalformedFrame;

/** An unreadable frame, of either side. */
export interface MalformedFrame {
  readonly kind: 'malformed';
  readonly issues: readonly [Issue, ...Issue[]];
}

export const PONG_FRAME = 'd|p|||';
/** Sent by the live service about every 5 s. */
export const SERVER_BEAT_FRAME = 'd|34|1';

export const encodeAuthResult = (error: { readonly code: string; readonly message: string } | null): string =>
  `d|0|${JSON.stringify({ success: error === null, error: error && { code: error.code, message: error.message } })}`;

export const encodeHeartbeatTimeout = (seconds: number): string => `d|33|${seconds}`;

const PONG: ControlFrame = { kind: 'pong' };

/** `text` begins with `d|`. */
export function decodeControlFrame(text: string, drift: DriftCounter): ControlFrame {
  if (text === PONG_FRAME || text.startsWith('d|p|')) return PONG;
  if (text.startsWith('d|0|')) return decodeAuthResult(text.slice(4), drift);
  if (text.startsWith('d|33|')) return decodeHeartbeatTimeout(text.slice(5));
  return { kind: 'control', text };
}

/** The contract has 15 s. A deadline of days would take a dead link for a living one; one of 1e300 s is no time. */
const HEARTBEAT_SECONDS = { least: 1, most: 3_600 };

function decodeHeartbeatTimeout(text: string): ControlFrame {
  const seconds = numberFromText(text.split('|', 1)[0] ?? '');
  const { least, most } = HEARTBEAT_SECONDS;
  if (seconds === undefined || seconds < least || seconds > most)
    return malformed('heartbeat timeout', `${least} to ${most} seconds`, text);
  return { kind: 'heartbeat_timeout', seconds };
}

/** The contract prints the answer with bare keys, `{success: true, error: null}`; both spellings are read. */
const BARE_KEY = /([{,]\s*)([A-Za-z_]\w*)(\s*:)/g;

function decodeAuthResult(text: string, drift: DriftCounter): ControlFrame {
  let json = parseJson(text, 'auth result');
  if (!json.ok) {
    json = parseJson(text.replace(BARE_KEY, '$1"$2"$3'), 'auth result');
    if (!json.ok) return { kind: 'malformed', issues: json.issues };
    drift.count('auth result', 'keys without quotes');
  }
  const answer = isRecord(json.value) ? json.value : {};
  const success = answer['success'];
  if (typeof success !== 'boolean') return malformed('auth result.success', 'true or false', success);
  const error = isRecord(answer['error']) ? answer['error'] : {};
  return {
    kind: 'auth_result',
    success,
    code: textOf(error['code']),
    message: textOf(error['message']),
  };
}

/** Codes arrive as text or number; both are read. */
const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

export const malformed = (path: string, expected: string, received: unknown): MalformedFrame => ({
  kind: 'malformed',
  issues: [{ path, expected, received: shown(received) }],
});

// Frames of the client: authentication, heartbeat, subscriptions. Read by the simulator.

type ClientFrame =
  /** An authentication in a wrong form has an empty token: it is to be refused like any invalid one (notes, 7). */
  | { readonly kind: 'auth'; readonly token: string }
  | { readonly kind: 'heartbeat' }
  | ({ readonly kind: 'subscribe' } & Subscription)
  | ({ readonly kind: 'unsubscribe' } & Subscription)
  | MalformedFrame;

interface Subscription {
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
    const channel = BY_CODE.get(word.trim());
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

// The channels: our names, the codes of a subscription, the ids of frames.

export type DataChannel = 'trade' | 'bid' | 'offer' | 'summary';
/** Channels that are accepted and silent on this endpoint (contract, 6.2). */
type SilentChannel = 'base' | 'foreign';
type StreamChannel = DataChannel | SilentChannel;

interface ChannelWords {
  readonly code: string;
  readonly id: string;
}

export const CHANNEL_WORDS: Readonly<Record<StreamChannel, ChannelWords>> = {
  base: { code: 'bp', id: '26' },
  bid: { code: 'bi', id: '23' },
  trade: { code: 'tm', id: '21' },
  summary: { code: 'mp', id: '27' },
  offer: { code: 'op', id: '24' },
  foreign: { code: 'fe', id: '25' },
};

/** The full set, in the order of the contract. */
export const ALL_CHANNELS: readonly StreamChannel[] = ['base', 'bid', 'trade', 'summary', 'offer', 'foreign'];

export const isDataChannel = (channel: StreamChannel): channel is DataChannel =>
  channel !== 'base' && channel !== 'foreign';

const BY_CODE = new Map(ALL_CHANNELS.map((channel) => [CHANNEL_WORDS[channel].code, channel]));
