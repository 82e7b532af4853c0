import { describe, expect, it } from 'vitest';
import { durationUs, seconds, tsUs } from '../../../src/domain/units.ts';
import { MarketClock } from '../../../src/simulator/time/market-clock.ts';
import { VirtualTimers } from '../../broker/support/virtual-timers.ts';

const ORIGIN = { originRealUs: tsUs(1_000_000), originMarketUs: tsUs(50_000_000) };

describe('market time', () => {
  it.each([
    [1, 2, 52],
    [60, 2, 170],
    [0.5, 4, 52],
  ])('at speed %d, %d real seconds after the origin, is %d s', (speed, realSeconds, marketSeconds) => {
    const real = new VirtualTimers(tsUs(1_000_000));
    const market = new MarketClock(real, { ...ORIGIN, speed }, false);
    real.advance(seconds(realSeconds));
    expect(market.nowUs()).toBe(marketSeconds * 1_000_000);
  });

  it('runs before its origin, too: who starts early sees the minutes before the open', () => {
    const real = new VirtualTimers(tsUs(0));
    expect(new MarketClock(real, { ...ORIGIN, speed: 10 }, false).nowUs()).toBe(40_000_000);
  });

  it('stays at its origin while it is held, and starts from there', () => {
    const real = new VirtualTimers(tsUs(1_000_000));
    const market = new MarketClock(real, { ...ORIGIN, speed: 60 }, true);
    real.advance(seconds(100));
    expect(market.nowUs()).toBe(50_000_000);
    market.release();
    real.advance(seconds(1));
    expect(market.nowUs()).toBe(110_000_000);
    expect(market.map).toEqual({ originRealUs: 101_000_000, originMarketUs: 50_000_000, speed: 60 });
  });

  it('runs to a moment, as in life from there on, and at its speed again when it may', () => {
    const real = new VirtualTimers(tsUs(1_000_000));
    const market = new MarketClock(real, { ...ORIGIN, speed: 60 }, false);
    market.runTo(tsUs(110_000_000));
    expect(market.realUntil(tsUs(113_000_000))).toBe(seconds(4));
    real.advance(seconds(0.5));
    expect([market.nowUs(), market.realUntil(tsUs(113_000_000))]).toEqual([80_000_000, seconds(3.5)]);
    real.advance(seconds(2.5));
    expect([market.nowUs(), market.realUntil(tsUs(113_000_000))]).toEqual([112_000_000, seconds(1)]);
    market.runTo(null);
    real.advance(seconds(1));
    expect([market.nowUs(), market.realUntil(tsUs(232_000_000))]).toEqual([172_000_000, seconds(1)]);
    expect(market.map).toEqual({ originRealUs: 4_000_000, originMarketUs: 112_000_000, speed: 60 });
  });

  it('never goes back with the system clock', () => {
    let now = tsUs(5_000_000);
    const market = new MarketClock({ nowUs: () => now }, { ...ORIGIN, speed: 1 }, false);
    const before = market.nowUs();
    now = tsUs(2_000_000);
    expect(market.nowUs()).toBe(before);
  });

  it('says how much real time is left until a market moment', () => {
    const real = new VirtualTimers(tsUs(1_000_000));
    const market = new MarketClock(real, { ...ORIGIN, speed: 60 }, false);
    expect(market.realUntil(tsUs(110_000_000))).toBe(durationUs(1_000_000));
    expect(market.realUntil(tsUs(1))).toBe(0);
  });
});
