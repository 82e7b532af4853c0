import { beforeEach, describe, expect, it } from 'vitest';
import { ClockSkewMeter } from '../../../src/broker/rest/transport.ts';
import { addUs, minutes, seconds } from '../../../src/domain/units.ts';
import { RecordingSink } from '../support/recording-sink.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

let clock: VirtualTimers;
let sink: RecordingSink;
let meter: ClockSkewMeter;

/** The `Date` of a server whose clock is `behind` ours, in whole seconds as HTTP has it. */
const dateOf = (behind: number): string =>
  new Date(Math.floor((clock.nowUs() - behind) / 1e6) * 1000).toUTCString();

beforeEach(() => {
  clock = new VirtualTimers(1_767_578_400_500_000);
  sink = new RecordingSink();
  meter = new ClockSkewMeter(clock, sink);
});

describe('clock skew', () => {
  it('is near zero for two clocks that agree', () => {
    meter.observe(dateOf(0), clock.nowUs());
    expect(sink.events).toEqual([{ kind: 'clock_skew', skewUs: 0, roundTrip: 0 }]);
  });

  it('is above zero when ours is ahead', () => {
    meter.observe(dateOf(seconds(12)), clock.nowUs());
    expect(sink.events).toMatchObject([{ skewUs: seconds(12) }]);
  });

  it('takes no date that no time of ours can be compared with', () => {
    for (const date of [
      'Fri, 31 Dec 9999 23:59:59 GMT',
      'Sat, 01 Jan 1600 00:00:00 GMT',
      'soon',
      '',
      undefined,
    ])
      meter.observe(date, clock.nowUs());
    expect(sink.events).toEqual([]);
  });

  it('takes the middle of the round trip', () => {
    const sentAt = addUs(clock.nowUs(), 0 - seconds(1));
    meter.observe(dateOf(seconds(1)), sentAt);
    expect(sink.events).toMatchObject([{ skewUs: seconds(0.5), roundTrip: seconds(1) }]);
  });

  it('is posted when it changes, and every ten minutes, not with every answer', () => {
    for (let i = 0; i < 50; i += 1) {
      meter.observe(dateOf(0), clock.nowUs());
      clock.advance(seconds(1));
    }
    expect(sink.events).toHaveLength(1);
    meter.observe(dateOf(seconds(3)), clock.nowUs());
    expect(sink.events).toHaveLength(2);
    clock.advance(minutes(10));
    meter.observe(dateOf(seconds(3)), clock.nowUs());
    expect(sink.events).toHaveLength(3);
  });

  it.each([
    ['no date', undefined, 0],
    ['a date that is none', 'yesterday', 0],
    ['an answer that took too long', 'Mon, 05 Jan 2026 02:00:00 GMT', seconds(3)],
  ])('says nothing on %s', (_, date, took) => {
    meter.observe(date, addUs(clock.nowUs(), 0 - took));
    expect(sink.events).toEqual([]);
  });
});
