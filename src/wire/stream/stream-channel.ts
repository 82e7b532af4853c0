/** The channels of the derivative stream: our names, the codes of a subscription, the ids of frames. */

export type DataChannel = 'trade' | 'bid' | 'offer' | 'summary';
/** Channels that are accepted and silent on this endpoint (contract, 6.2). */
export type SilentChannel = 'base' | 'foreign';
export type StreamChannel = DataChannel | SilentChannel;

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

export const channelFromCode = (code: string): StreamChannel | undefined => BY_CODE.get(code);
