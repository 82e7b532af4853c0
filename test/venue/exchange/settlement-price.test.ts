import { describe, expect, it } from 'vitest';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { priceHundredths, priceTicks } from '../../../src/domain/units.ts';
import {
  dailySettlement,
  DayTally,
  finalSettlement,
  theoreticalPrice,
} from '../../../src/venue/exchange/settlement-price.ts';
import { at, later, WEDNESDAY } from '../venue-fixture.ts';

const END = at(WEDNESDAY, 14, 30);
const MINUTE = 60_000_000;

/** Trades at 10:00 and then, `late`, in the last half hour; all of one contract unless a size is given. */
function tallyOf(early: readonly number[], late: readonly number[], lateQty = 1): DayTally {
  const tally = new DayTally();
  for (const price of early) tally.record(priceTicks(price), 1, at(WEDNESDAY, 10), 'continuous');
  for (const [i, price] of late.entries()) {
    tally.record(priceTicks(price), lateQty, later(END, -29 * MINUTE + i * MINUTE), 'continuous');
  }
  return tally;
}

const twenty = (price: number): number[] => Array.from({ length: 20 }, () => price);

describe('daily settlement price', () => {
  it('is the price of the closing auction when there is one', () => {
    const tally = tallyOf(twenty(13_000), twenty(13_010));
    tally.record(priceTicks(13_050), 7, later(END, 15 * MINUTE), 'closing');
    expect(dailySettlement(tally, END, 10)).toBe(130_500);
  });

  it('is the average of the last half hour when it has more than 20 trades', () => {
    // 21 trades: 20 at 13,010 of 2 contracts, one at 13,031: (20 x 2 x 13,010 + 2 x 13,031) / 42 = 13,011.
    expect(dailySettlement(tallyOf(twenty(12_000), [...twenty(13_010), 13_031], 2), END, 10)).toBe(130_110);
  });

  it('is the average of the last 20 trades without the extremes when the half hour is thin', () => {
    // 15 early and 5 late trades: without one 13,000 and the 13,900, (14 x 13,000 + 4 x 13,010) / 18 = 13,002.22.
    const tally = tallyOf(twenty(13_000).slice(5), [13_010, 13_010, 13_010, 13_010, 13_900]);
    expect(dailySettlement(tally, END, 10)).toBe(130_022);
  });

  it('is the average of the day with fewer than 20 trades, and nothing without one', () => {
    expect(dailySettlement(tallyOf([13_000, 13_001], []), END, 10)).toBe(130_005);
    expect(dailySettlement(new DayTally(), END, 10)).toBeUndefined();
  });
});

describe('other settlement prices', () => {
  it('drops the three highest and lowest index values of continuous trading only', () => {
    const continuous = [1, 2, 3, 100_000, 100_010, 100_020, 999_999, 999_998, 999_997].map(priceHundredths);
    // (100,000 + 100,010 + 100,020 + 100,050 + 200,000) / 5.
    expect(finalSettlement(continuous, [100_050, 200_000].map(priceHundredths))).toBe(120_016);
    expect(finalSettlement([], [])).toBeUndefined();
  });

  it('carries the index to expiry at interest less dividends', () => {
    const rates = { interestBps: 360, dividendBps: 0 };
    // 1,300.00 x 3.6 % x 30 / 360 = 3.90.
    const price = theoreticalPrice(
      priceHundredths(130_000),
      rates,
      tradingDay('2026-03-01'),
      tradingDay('2026-03-31'),
    );
    expect(price).toBe(130_390);
  });

  it('keeps a settlement window through a restart', () => {
    const tally = tallyOf(twenty(13_000), [...twenty(13_010), 13_031]);
    const again = new DayTally();
    again.resume(tally.exportState());
    expect(dailySettlement(again, END, 10)).toBe(dailySettlement(tally, END, 10));
    expect(again.exportState()).toEqual(tally.exportState());
  });
});
