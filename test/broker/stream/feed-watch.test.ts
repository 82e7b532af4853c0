import { beforeEach, describe, expect, it } from 'vitest';
import { FeedWatch } from '../../../src/broker/stream/feed-watch.ts';
import type { WatchedChannel } from '../../../src/broker/stream/stream-signal.ts';
import { milliseconds, seconds, US_PER_SECOND } from '../../../src/domain/units.ts';
import { createContract } from '../support/contracts.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

const contract = createContract(0, 'VN30F2601');
let timers: VirtualTimers;
let told: string[];
let isContinuous: boolean;
let watch: FeedWatch;
let beganUs: number;
const BOOK: readonly WatchedChannel[] = ['bids', 'asks'];
const ALL: readonly WatchedChannel[] = ['trades', ...BOOK];

beforeEach(() => {
  timers = new VirtualTimers();
  told = [];
  isContinuous = true;
  beganUs = timers.nowUs();
  const tell = (what: string): void =>
    void told.push(`${Math.round((timers.nowUs() - beganUs) / US_PER_SECOND)} s ${what}`);
  watch = new FeedWatch({
    timers,
    isContinuous: () => isContinuous,
    resubscribe: (one) => tell(one === undefined ? 'resubscribe' : `resubscribe ${one.streamCode}`),
    onStale: (what, silence) => tell(`stale ${what} after ${silence / US_PER_SECOND}`),
    onSignal: (signal) => {
      if (signal.kind === 'no_trades') tell(`no trades for ${signal.silence / US_PER_SECOND}`);
      else tell(`${signal.kind} ${'channel' in signal ? signal.channel : ''}`);
    },
    onFresh: (hasReconnected) => tell(hasReconnected ? 'fresh on a new connection' : 'fresh'),
    reconnect: () => {
      tell('reconnect');
      watch.stop();
      watch.start([contract]);
    },
  });
  watch.start([contract]);
});

/** Prices at a pace: of the channels that have not stopped. */
function play(secondsLong: number, everyMs: number, channels: readonly WatchedChannel[] = ALL): void {
  for (let ms = 0; ms < secondsLong * 1_000; ms += everyMs) {
    timers.advance(milliseconds(everyMs));
    for (const channel of channels) watch.seen(contract.index, channel);
  }
}

/** The clock of what is told starts here. */
const mark = (): void => {
  beganUs = timers.nowUs();
  told.length = 0;
};

describe('20: prices that stop while the connection stands', () => {
  it('are subscribed again, told within 15 s, and connected anew', () => {
    play(120, 200);
    mark();
    timers.advance(seconds(26));
    expect(told).toEqual([
      '6 s resubscribe',
      '11 s stale prices after 10',
      '21 s reconnect',
      '26 s resubscribe',
    ]);
    mark();
    play(2, 200);
    expect(told, 'once').toEqual(['0 s fresh on a new connection']);
    expect(watch.isStale).toBe(false);
  });

  it('from the first second of a connection are told too', () => {
    timers.advance(seconds(12));
    expect(told).toEqual(['5 s resubscribe', '10 s stale prices after 10']);
  });

  it('cost one login every five minutes, however long they stay away', () => {
    play(120, 200);
    mark();
    timers.advance(seconds(900));
    expect(told.filter((line) => line.endsWith('reconnect'))).toEqual([
      '21 s reconnect',
      '321 s reconnect',
      '621 s reconnect',
    ]);
  });

  it('are told to come again with the first of them', () => {
    play(120, 200);
    mark();
    timers.advance(seconds(15));
    watch.start([contract]);
    expect(watch.isStale).toBe(true);
    watch.seen(contract.index, 'bids');
    expect(told.at(-1)).toBe('15 s fresh');
    expect(watch.isStale).toBe(false);
  });

  it('are no matter in an auction, a break or at night, and get their whole time after it', () => {
    play(120, 200);
    isContinuous = false;
    timers.advance(seconds(7_200));
    isContinuous = true;
    mark();
    timers.advance(seconds(4));
    expect(told).toEqual([]);
  });
});

describe('trades that stop while the book goes on', () => {
  it('are told at the pace that they had', () => {
    play(120, 200);
    mark();
    play(12, 200, BOOK);
    expect(told).toEqual(['6 s resubscribe', '11 s stale trades after 10']);
    watch.seen(contract.index, 'bids');
    expect(watch.isStale).toBe(true);
    watch.seen(contract.index, 'trades');
    expect(watch.isStale).toBe(false);
  });

  it('of a contract that trades once in ten seconds may stay away for a while', () => {
    for (let trade = 0; trade < 60; trade += 1) {
      play(10, 500, BOOK);
      watch.seen(contract.index, 'trades');
    }
    mark();
    play(120, 500, BOOK);
    expect(told).toEqual([]);
  });

  it('and never came are told once, and stop nothing: a far month has quotes and hardly a trade', () => {
    play(3_600, 500, BOOK);
    expect(told).toEqual(['300 s resubscribe', '300 s no trades for 300']);
    expect(watch.isStale).toBe(false);
  });

  it('of a contract that trades once in ten minutes are no fault', () => {
    for (let trade = 0; trade < 6; trade += 1) {
      play(600, 500, BOOK);
      watch.seen(contract.index, 'trades');
    }
    expect(told.filter((line) => line.includes('stale'))).toEqual([]);
  });
});

describe('one silent side of a book', () => {
  const WITHOUT_ASKS: readonly WatchedChannel[] = ['trades', 'bids'];

  it('is subscribed once more, and then told once', () => {
    play(1_200, 500, WITHOUT_ASKS);
    expect(told).toEqual([
      '301 s channel_resubscribed asks',
      '301 s resubscribe VN30F2601',
      '602 s channel_stale asks',
    ]);
    play(1, 500);
    expect(told.at(-1)).toBe('1201 s channel_fresh asks');
  });

  it('asks once for its contract, where the other side is silent too', () => {
    play(400, 500, ['trades']);
    expect(told).toEqual([
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
    expect(told).toEqual([]);
    play(2, 500, WITHOUT_ASKS);
    expect(told).toEqual(['301 s channel_resubscribed asks', '301 s resubscribe VN30F2601']);
  });

  it('is of no concern after a stop', () => {
    watch.stop();
    timers.advance(seconds(600));
    expect(told).toEqual([]);
    expect(timers.pending).toBe(0);
  });
});
