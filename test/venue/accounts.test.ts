import { describe, expect, it } from 'vitest';
import { priceTicks } from '../../src/domain/units.ts';
import type { Venue } from '../../src/venue/venue.ts';
import {
  ALICE,
  at,
  AT_ONCE,
  BOB,
  codeOf,
  FRONT,
  NEXT,
  openVenue,
  options,
  place,
  placed,
} from './venue-fixture.ts';

/** Alice has 200 million VND: at 22.1 million a contract and a ratio of 80 %, room for seven. */
const CASH = 200_000_000;
const poor = (): Venue =>
  openVenue({
    accounts: [
      { accountId: ALICE, subAccountId: `${ALICE}A`, cash: CASH },
      ...options().accounts.filter(({ accountId }) => accountId === BOB),
    ],
  });

/** Alice trades with Bob. */
function trade(venue: Venue, side: 'buy' | 'sell', qty: number, price: number, code = FRONT): void {
  placed(venue, side === 'buy' ? 'sell' : 'buy', qty, price, BOB, code);
  placed(venue, side, qty, price, ALICE, code);
}

const figures = (venue: Venue, id = ALICE) => {
  const found = venue.account(id);
  if (found === undefined) throw new Error('no such account');
  return found;
};

describe('fees and tax', () => {
  it('charges what section 7 of the market rules works out', () => {
    const venue = poor();
    trade(venue, 'buy', 1, 13_000);
    expect(figures(venue)).toMatchObject({
      uncollected: 16_300,
      tax: 11_050,
      exchangeFee: 2_700,
      clearingFee: 2_550,
    });
    trade(venue, 'sell', 1, 13_000);
    expect(figures(venue)).toMatchObject({
      uncollected: 32_600,
      dayProfit: 0,
      cash: CASH,
      netAssetValue: CASH - 32_600,
    });
  });

  it('rounds the tax once per order, however many trades filled it', () => {
    const venue = poor();
    for (let i = 0; i < 3; i += 1) placed(venue, 'sell', 1, 13_001, BOB);
    const number = placed(venue, 'buy', 3, 13_001);
    // 13,001 ticks x 10,000 x 3 x 0.001 x 0.17 / 2 = 33,152.55.
    expect(venue.order(ALICE, number)).toMatchObject({ tax: 33_153, fee: 15_750 });
    expect(figures(venue).tax).toBe(33_153);
    // Bob's three orders of one: 11,050.85 each.
    expect(figures(venue, BOB).tax).toBe(3 * 11_051);
  });
});

describe('margin', () => {
  it('keeps the identities of the overview', () => {
    const venue = poor();
    trade(venue, 'buy', 2, 13_010);
    trade(venue, 'buy', 1, 12_950);
    const shown = figures(venue);
    // 3 x 1,295.0 x 100,000 x 17 %.
    expect(shown.initialMargin).toBe(66_045_000);
    // Two were bought 60 ticks higher.
    expect(shown.dayProfit).toBe(-1_200_000);
    expect(shown.requiredMargin).toBe(66_045_000 + 1_200_000 + shown.uncollected);
    expect(shown.netAssetValue).toBe(CASH - 1_200_000 - shown.uncollected);
    expect(shown.usageBps).toBe(Math.ceil((shown.requiredMargin / CASH) * 10_000));
    expect(shown.buyingPower).toBe(CASH * 0.8 - shown.requiredMargin);
    expect(shown.withdrawable).toBe(CASH - Math.ceil(shown.requiredMargin / 0.8));
  });

  it('does not lower the requirement by an open profit', () => {
    const venue = poor();
    trade(venue, 'buy', 1, 12_950);
    trade(venue, 'buy', 1, 13_000);
    const { requiredMargin, initialMargin, uncollected, dayProfit } = figures(venue);
    expect(dayProfit).toBe(500_000);
    expect(requiredMargin).toBe(initialMargin + uncollected);
  });

  it('refuses the order that is one contract too large, working orders counted', () => {
    const venue = poor();
    expect(codeOf(place(venue, 'buy', 8, 13_000))).toBe(-6012);
    const { buyingPower } = figures(venue);
    expect(codeOf(place(venue, 'buy', 5, 12_990))).toBe('accepted');
    expect(buyingPower - figures(venue).buyingPower).toBe(5 * 22_100_000);
    expect(codeOf(place(venue, 'buy', 3, 12_990))).toBe(-6012);
    // The other direction needs no more than the larger of the two.
    expect(codeOf(place(venue, 'sell', 5, 13_010))).toBe('accepted');
    expect(codeOf(place(venue, 'buy', 2, 12_990))).toBe('accepted');
    expect(codeOf(place(venue, 'buy', 1, 12_990, ALICE, NEXT))).toBe(-6012);
  });

  it('holds margin for a change on its way', () => {
    const venue = poor();
    const number = placed(venue, 'buy', 7, 12_990);
    const more = venue.change({ accountId: ALICE, orderNo: number, limitPrice: priceTicks(12_990), qty: 8 });
    expect(codeOf(more)).toBe(-6012);
  });

  it('never refuses what closes, also above the ratio', () => {
    const venue = poor();
    trade(venue, 'buy', 7, 13_000);
    // 1,300 to 1,280: a loss of 14 million lifts the usage over 80 %.
    placed(venue, 'sell', 1, 12_800, BOB, FRONT);
    placed(venue, 'buy', 1, 12_800, BOB, FRONT);
    expect(figures(venue).usageBps).toBeGreaterThan(8_000);
    expect(codeOf(place(venue, 'buy', 1, 12_800))).toBe(-6032);
    expect(codeOf(place(venue, 'sell', 7, 12_800))).toBe('accepted');
    expect(codeOf(place(venue, 'sell', 1, 12_800))).toBe('accepted');
    // That one was the eighth: together they would turn the position, which is within its size.
    expect(codeOf(place(venue, 'sell', 7, 12_800))).toBe(-6032);
  });

  it('knows the position limit over all contracts', () => {
    const venue = openVenue({ rules: { ...AT_ONCE, positionMax: 10 } });
    expect(codeOf(place(venue, 'buy', 6, 12_990))).toBe('accepted');
    expect(codeOf(place(venue, 'sell', 5, 13_010, ALICE, NEXT))).toBe(-6038);
    expect(codeOf(place(venue, 'sell', 4, 13_010, ALICE, NEXT))).toBe('accepted');
    expect(codeOf(place(venue, 'sell', 6, 13_010))).toBe('accepted');
  });
});

describe('positions', () => {
  it('shows averages, open and closed profit, and what can still be closed', () => {
    const venue = poor();
    trade(venue, 'buy', 2, 13_000);
    trade(venue, 'buy', 1, 13_030);
    trade(venue, 'sell', 1, 13_040);
    placed(venue, 'sell', 1, 13_100);
    const [row] = venue.positions(ALICE);
    expect(row).toMatchObject({
      orderCode: FRONT,
      net: 2,
      longQty: 2,
      shortQty: 0,
      marginBps: 1_700,
      lastPrice: 130_400,
      // Average entry 13,010.
      openValue: 2 * 130_100_000,
      boughtQty: 3,
      boughtValue: 390_300_000,
      soldQty: 1,
      soldValue: 130_400_000,
      openProfit: 2 * 30 * 10_000,
      closedProfit: 30 * 10_000,
      dayProfit: 90 * 10_000,
      closableQty: 1,
      initialMargin: 44_336_000,
    });
  });

  it('moves money in and out, never what margin holds', () => {
    const venue = poor();
    trade(venue, 'buy', 2, 13_000);
    const { withdrawable } = figures(venue);
    expect(venue.withdraw(ALICE, withdrawable + 1)).toMatchObject({
      status: 'refused',
      refusal: { code: -6012 },
    });
    expect(venue.withdraw(ALICE, 0.5).status).toBe('refused');
    const outcome = venue.withdraw(ALICE, withdrawable);
    expect(outcome.events).toMatchObject([{ kind: 'cash', reason: 'withdrawal', amount: 0 - withdrawable }]);
    expect(figures(venue)).toMatchObject({ withdrawable: 0, cash: CASH - withdrawable });
    expect(venue.deposit(ALICE, 5).status).toBe('accepted');
    expect(venue.deposit(ALICE, 1_000_000_000_000_000)).toMatchObject({ refusal: { code: -6019 } });
    expect(figures(venue).cash).toBe(CASH - withdrawable + 5);
  });
});

describe('the night', () => {
  it('pays profit at the settlement price, collects fees and tax, and counts on from there', () => {
    const venue = poor();
    trade(venue, 'buy', 2, 13_000);
    trade(venue, 'buy', 1, 13_020);
    const { uncollected } = figures(venue);
    const events = venue.advance(at('2026-03-05', 9, 30));
    // Fewer than 20 trades: the settlement price is the average of the day, 13,006.67 ticks.
    const settled = events.find((event) => event.kind === 'settlement_price' && event.orderCode === FRONT);
    expect(settled).toMatchObject({ price: 130_067, final: false });
    // (2 x (130,067 - 130,000) + (130,067 - 130,200)) x 1,000.
    const paid = events.flatMap((event) =>
      event.kind === 'cash' && event.accountId === ALICE ? [[event.reason, event.amount]] : [],
    );
    const { tax } = { tax: -33_167 };
    expect(paid).toEqual([
      ['daily_profit', 1_000],
      ['fee', -15_750],
      ['tax', tax],
    ]);
    expect(uncollected).toBe(15_750 - tax);
    expect(figures(venue)).toMatchObject({ cash: CASH + 1_000 - uncollected, dayProfit: 0, uncollected: 0 });
    trade(venue, 'sell', 3, 13_010);
    const closing = figures(venue);
    expect(closing.dayProfit).toBe(3 * (130_100 - 130_067) * 1_000);
    // Over both days: bought 2 at 13,000 and 1 at 13,020, sold 3 at 13,010: nothing but rounding-free 0.
    expect(closing.cash + closing.dayProfit).toBe(CASH - uncollected + 3 * 130_100_000 - 390_200_000);
  });
});
