/** Frames from client to server (contract, 6.2). */

/** What a channel code stands for; base price and foreign exchange produce no frames here. */
export type DataChannel = 'trade' | 'bid' | 'offer' | 'summary';
export type ChannelCode = 'bp' | 'bi' | 'tm' | 'mp' | 'op' | 'fe';

export const ALL_CHANNELS: readonly ChannelCode[] = ['bp', 'bi', 'tm', 'mp', 'op', 'fe'];

const CHANNELS: Readonly<Record<ChannelCode, DataChannel | undefined>> = {
  bp: undefined,
  bi: 'bid',
  tm: 'trade',
  mp: 'summary',
  op: 'offer',
  fe: undefined,
};

export const HEARTBEAT_FRAME = 'd|p|||';

/** The whole token, base64-encoded once more. */
export const encodeAuth = (token: string): string => `d|a|||${btoa(token)}`;

export const encodeSubscribe = (channels: readonly ChannelCode[], codes: readonly string[]): string =>
  `d|s|tk|${channels.join('+')}|${codes.join(',')}`;

export const encodeUnsubscribe = (channels: readonly ChannelCode[], codes: readonly string[]): string =>
  `d|u|tk|${channels.join('+')}|${codes.join(',')}`;

export type ClientFrame =
  /** An auth frame of a wrong form carries an empty token: it is answered, with `Invalid JWT`. */
  | { readonly kind: 'auth'; readonly token: string }
  | { readonly kind: 'heartbeat' }
  | {
      readonly kind: 'subscribe';
      readonly channels: readonly DataChannel[];
      readonly codes: readonly string[];
    }
  | {
      readonly kind: 'unsubscribe';
      readonly channels: readonly DataChannel[];
      readonly codes: readonly string[];
    }
  | { readonly kind: 'malformed'; readonly reason: string };

/** Never throws: whatever arrives is one of the kinds. */
export function decodeClientFrame(text: string): ClientFrame {
  if (text === HEARTBEAT_FRAME) return { kind: 'heartbeat' };
  if (text.startsWith('d|a|')) return { kind: 'auth', token: tokenOf(text) };
  const parts = text.split('|');
  if (parts[0] === 'd' && (parts[1] === 's' || parts[1] === 'u')) return subscription(parts);
  return { kind: 'malformed', reason: 'expected d|a|||<token>, d|s|tk|<channels>|<symbol> or d|p|||' };
}

const AUTH_FORM = /^d\|a\|\|\|([A-Za-z0-9+/]+={0,2})$/;

function tokenOf(text: string): string {
  const encoded = AUTH_FORM.exec(text.trim())?.[1];
  if (encoded === undefined || encoded.length % 4 !== 0) return '';
  return atob(encoded);
}

function subscription(parts: readonly string[]): ClientFrame {
  const [, action, topic, channelText = '', codeText = ''] = parts;
  if (topic !== 'tk' || parts.length !== 5) {
    return { kind: 'malformed', reason: 'expected d|s|tk|<channels>|<symbol>' };
  }
  const channels: DataChannel[] = [];
  for (const code of channelText.trim().split('+')) {
    if (!isChannelCode(code))
      return { kind: 'malformed', reason: 'expected channels bp, bi, tm, mp, op, fe joined by +' };
    const channel = CHANNELS[code];
    if (channel !== undefined) channels.push(channel);
  }
  const codes = codeText
    .split(',')
    .map((code) => code.trim())
    .filter((code) => code !== '');
  if (codes.length === 0) return { kind: 'malformed', reason: 'expected a symbol' };
  return { kind: action === 's' ? 'subscribe' : 'unsubscribe', channels, codes };
}

const isChannelCode = (code: string): code is ChannelCode => Object.hasOwn(CHANNELS, code);
