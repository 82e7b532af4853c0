import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../../src/domain/units.ts';
import type { Bar } from '../../src/strategy/index.ts';
import { startStrategy } from './start-strategy.ts';

describe('bars of quotes', () => {
  const QUOTES = [
    [12_999, 13_001],
    [13_004, 13_005],
    [12_990, 12_993],
    [13_000, 13_002],
  ] as const;

  test.each([
    ['bid', [12_999, 13_004, 12_990, 13_000]],
    ['ask', [13_001, 13_005, 12_993, 13_002]],
    ['mid', [13_000, 13_004, 12_991, 13_001]],
  ] as const)('%s', (price, [open, high, low, close]) => {
    const bars: Bar[] = [];
    const trader = startStrategy((ticks) =>
      ticks.bars({ every: minutes(1), price }).subscribe((bar) => bars.push(bar)),
    );
    for (const [bid, ask] of QUOTES) {
      trader.book(bid, ask);
      trader.trade(20_000);
      trader.advance(seconds(5));
    }
    // Torn, and so no price.
    trader.book(13_010, 13_000);
    trader.advance(minutes(1));
    expect(trader.faults).toEqual([]);
    expect(bars).toMatchObject([{ open, high, low, close, volume: 0, trades: 4 }]);
  });
});
