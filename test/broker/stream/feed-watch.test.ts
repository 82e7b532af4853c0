import { beforeEach, describe, expect, it } from 'vitest';
import { FeedWatch } from '../../../src/broker/stream/feed-watch.ts';
import { milliseconds, seconds, US_PER_SECOND } from '../../../src/domain/units.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

let timers: VirtualTimers;
let told: string[];
let isContinuous: boolean;
let watch: FeedWatch;
let beganUs: number;

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
    resubscribe: () => tell('resubscribe'),
    onStale: (what, silence) => tell(`stale ${what} after ${silence / US_PER_SECOND}`),
    onNoTrades: (silence) => tell(`no trades for ${silence / US_PER_SECOND}`),
    onFresh: (hasReconnected) => tell(hasReconnected ? 'fresh on a new connection' : 'fresh'),
    reconnect: () => {
      tell('reconnect');
      watch.stop();
      watch.start();
    },
  });
  watch.start();
});

/** Prices at a pace: books all the time, and trades as well unless they have stopped. */
function play(secondsLong: number, everyMs: number, trades = true): void {
  for (let ms = 0; ms < secondsLong * 1_000; ms += everyMs) {
    timers.advance(milliseconds(everyMs));
    watch.seen(false);
    if (trades) watch.seen(true);
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
    watch.start();
    expect(watch.isStale).toBe(true);
    watch.seen(false);
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
    play(12, 200, false);
    expect(told).toEqual(['6 s resubscribe', '11 s stale trades after 10']);
    watch.seen(false);
    expect(watch.isStale).toBe(true);
    watch.seen(true);
    expect(watch.isStale).toBe(false);
  });

  it('of a contract that trades once in ten seconds may stay away for a while', () => {
    for (let trade = 0; trade < 60; trade += 1) {
      play(10, 500, false);
      watch.seen(true);
    }
    mark();
    play(120, 500, false);
    expect(told).toEqual([]);
  });

  it('and never came are told once, and stop nothing: a far month has quotes and hardly a trade', () => {
    play(3_600, 500, false);
    expect(told).toEqual(['300 s resubscribe', '300 s no trades for 300']);
    expect(watch.isStale).toBe(false);
  });

  it('of a contract that trades once in ten minutes are no fault', () => {
    for (let trade = 0; trade < 6; trade += 1) {
      play(600, 500, false);
      watch.seen(true);
    }
    expect(told.filter((line) => line.includes('stale'))).toEqual([]);
  });
});
