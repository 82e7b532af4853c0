import { beforeEach, describe, expect, it } from 'vitest';
import { FeedWatch, type WatchedChannel } from '../../../src/broker/stream/feed-watch.ts';
import { milliseconds, seconds, US_PER_SECOND } from '../../../src/domain/units.ts';
import { FRONT } from '../support/stream-world.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

let timers: VirtualTimers;
let signals: string[];
let isContinuous: boolean;
let watch: FeedWatch;
let beganUs: number;
const BOOK: readonly WatchedChannel[] = ['bids', 'asks'];
const ALL: readonly WatchedChannel[] = ['trades', ...BOOK];

beforeEach(() => {
  timers = new VirtualTimers();
  signals = [];
  isContinuous = true;
  beganUs = timers.nowUs();
  const record = (what: string): void =>
    void signals.push(`${Math.round((timers.nowUs() - beganUs) / US_PER_SECOND)} s ${what}`);
  watch = new FeedWatch({
    timers,
    isContinuous: () => isContinuous,
    resubscribe: (one) => record(one === undefined ? 'resubscribe' : `resubscribe ${one.streamCode}`),
    onStale: (what, silence) => record(`stale ${what} after ${silence / US_PER_SECOND}`),
    onSignal: (signal) => {
      if (signal.kind === 'no_trades') record(`no trades for ${signal.silence / US_PER_SECOND}`);
      else record(`${signal.kind} ${'channel' in signal ? signal.channel : ''}`);
    },
    onFresh: (hasReconnected) => record(hasReconnected ? 'fresh on a new connection' : 'fresh'),
    reconnect: () => {
      record('reconnect');
      watch.stop();
      watch.start([FRONT]);
    },
  });
  watch.start([FRONT]);
});

/** Prices at a pace: of the channels that have not stopped. */
function play(secondsLong: number, everyMs: number, channels: readonly WatchedChannel[] = ALL): void {
  for (let ms = 0; ms < secondsLong * 1_000; ms += everyMs) {
    timers.advance(milliseconds(everyMs));
    for (const channel of channels) watch.onMessage(FRONT.index, channel);
  }
}

/** The clock of the signals starts here. */
const mark = (): void => {
  beganUs = timers.nowUs();
  signals.length = 0;
};

describe('20: prices that stop while the connection is open', () => {
  it('are subscribed again, reported within 15 s, and connected again', () => {
    play(120, 200);
    mark();
    timers.advance(seconds(26));
    expect(signals).toEqual([
      '6 s resubscribe',
      '11 s stale prices after 10',
      '21 s reconnect',
      '26 s resubscribe',
    ]);
    mark();
    play(2, 200);
    expect(signals, 'once').toEqual(['0 s fresh on a new connection']);
    expect(watch.isStale).toBe(false);
  });

  it('from the first second of a connection are reported too', () => {
    timers.advance(seconds(12));
    expect(signals).toEqual(['5 s resubscribe', '10 s stale prices after 10']);
  });

  it('cost one login every five minutes, however long they stay away', () => {
    play(120, 200);
    mark();
    timers.advance(seconds(900));
    expect(signals.filter((line) => line.endsWith('reconnect'))).toEqual([
      '21 s reconnect',
      '321 s reconnect',
      '621 s reconnect',
    ]);
  });

  it('are reported as fresh with the first that comes again', () => {
    play(120, 200);
    mark();
    timers.advance(seconds(15));
    watch.start([FRONT]);
    expect(watch.isStale).toBe(true);
    watch.onMessage(FRONT.index, 'bids');
    expect(signals.at(-1)).toBe('15 s fresh');
    expect(watch.isStale).toBe(false);
  });

  it('are no matter in an auction, a break or at night, and get their whole time after it', () => {
    play(120, 200);
    isContinuous = false;
    timers.advance(seconds(7_200));
    isContinuous = true;
    mark();
    timers.advance(seconds(4));
    expect(signals).toEqual([]);
  });
});

describe('trades that stop while the book goes on', () => {
  it('are reported as stale at the pace that they had', () => {
    play(120, 200);
    mark();
    play(12, 200, BOOK);
    expect(signals).toEqual(['6 s resubscribe', '11 s stale trades after 10']);
    watch.onMessage(FRONT.index, 'bids');
    expect(watch.isStale).toBe(true);
    watch.onMessage(FRONT.index, 'trades');
    expect(watch.isStale).toBe(false);
  });

  it('of a contract that trades once in ten seconds may stay away for a while', () => {
    for (let trade = 0; trade < 60; trade += 1) {
      play(10, 500, BOOK);
      watch.onMessage(FRONT.index, 'trades');
    }
    mark();
    play(120, 500, BOOK);
    expect(signals).toEqual([]);
  });

  it('and never came are reported once, and stop nothing: a far month has quotes and hardly a trade', () => {
    play(3_600, 500, BOOK);
    expect(signals).toEqual(['300 s resubscribe', '300 s no trades for 300']);
    expect(watch.isStale).toBe(false);
  });

  it('of a contract that trades once in ten minutes are no fault', () => {
    for (let trade = 0; trade < 6; trade += 1) {
      play(600, 500, BOOK);
      watch.onMessage(FRONT.index, 'trades');
    }
    expect(signals.filter((line) => line.includes('stale'))).toEqual([]);
  });
});

describe('one silent side of a book', () => {
  const WITHOUT_ASKS: readonly WatchedChannel[] = ['trades', 'bids'];

  it('is subscribed once more, and then reported once', () => {
    play(1_200, 500, WITHOUT_ASKS);
    expect(signals).toEqual([
      '301 s channel_resubscribed asks',
      '301 s resubscribe VN30F2601',
      '602 s channel_stale asks',
    ]);
    play(1, 500);
    expect(signals.at(-1)).toBe('1201 s channel_fresh asks');
  });

  it('asks once for its contract, where the other side is silent too', () => {
    play(400, 500, ['trades']);
    expect(signals).toEqual([
      '301 s channel_resubscribed bids',
      '301 s channel_resubscribed asks',
      '301 s resubscribe VN30F2601',
    ]);
  });

  it('may be silent while the session is closed, and gets its whole time after it', () => {
    play(200, 500, WITHOUT_ASKS);
    isContinuous = false;
    timers.advance(seconds(3_600));
    isContinuous = true;
    mark();
    play(300, 500, WITHOUT_ASKS);
    expect(signals).toEqual([]);
    play(2, 500, WITHOUT_ASKS);
    expect(signals).toEqual(['301 s channel_resubscribed asks', '301 s resubscribe VN30F2601']);
  });

  it('is of no concern after a stop', () => {
    watch.stop();
    timers.advance(seconds(600));
    expect(signals).toEqual([]);
    expect(timers.pending).toBe(0);
  });
});
