import { beforeEach, describe, expect, it } from 'vitest';
import { ChannelWatch } from '../../../src/broker/stream/stream-client.ts';
import type { StreamSignal } from '../../../src/broker/stream/stream-signal.ts';
import { seconds } from '../../../src/domain/units.ts';
import { createContract } from '../support/contracts.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

const contract = createContract(0, 'VN30F2601');
let timers: VirtualTimers;
let signals: string[];
let resubscribed: string[];
let isOpen: boolean;
let watch: ChannelWatch;

const shown = (signal: StreamSignal): string =>
  'channel' in signal ? `${signal.kind} ${signal.channel}` : signal.kind;

beforeEach(() => {
  timers = new VirtualTimers();
  signals = [];
  resubscribed = [];
  isOpen = true;
  watch = new ChannelWatch({
    timers,
    quietLimit: (_, channel) => (isOpen && channel === 'trades' ? seconds(60) : undefined),
    resubscribe: ({ streamCode }) => resubscribed.push(streamCode),
    onSignal: (signal) => signals.push(shown(signal)),
  });
  watch.start([contract]);
});

describe('a silent channel', () => {
  it('is subscribed once more and then reported once', () => {
    timers.advance(seconds(60));
    expect(signals).toEqual([]);
    timers.advance(seconds(5));
    expect(signals).toEqual(['channel_resubscribed trades']);
    expect(resubscribed).toEqual(['VN30F2601']);
    timers.advance(seconds(65));
    expect(signals).toEqual(['channel_resubscribed trades', 'channel_stale trades']);
    timers.advance(seconds(600));
    expect(signals).toHaveLength(2);
    expect(resubscribed).toHaveLength(1);
  });

  it('is fresh again with its next frame', () => {
    timers.advance(seconds(200));
    watch.seen(contract.index, 'trades');
    expect(signals.at(-1)).toBe('channel_fresh trades');
  });

  it('does not hide behind another channel of its contract', () => {
    for (let i = 0; i < 14; i += 1) {
      timers.advance(seconds(5));
      watch.seen(contract.index, 'bids');
    }
    expect(signals).toEqual(['channel_resubscribed trades']);
  });

  it('may be silent while the session is closed, and gets its whole time after it', () => {
    timers.advance(seconds(40));
    isOpen = false;
    timers.advance(seconds(3600));
    isOpen = true;
    timers.advance(seconds(60));
    expect(signals).toEqual([]);
    timers.advance(seconds(5));
    expect(signals).toEqual(['channel_resubscribed trades']);
  });

  it("is nobody's concern after a stop", () => {
    watch.stop();
    timers.advance(seconds(600));
    expect(signals).toEqual([]);
    expect(timers.pending).toBe(0);
  });
});
