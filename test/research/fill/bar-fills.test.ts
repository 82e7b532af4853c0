/** Fills on bars of a minute, worked out by hand: open, high, low, close, volume. */
import { describe, expect, test } from 'vitest';
import type { BarFillModel } from '../../../src/venue/exchange/fill-models.ts';
import { ON_BARS } from '../../support/backtest-plan.ts';
import { lines, playScript } from './fill-rig.ts';

interface Case {
  readonly name: string;
  readonly model?: Partial<BarFillModel>;
  readonly first?: 'high' | 'low';
  readonly script: string;
  readonly fills: string;
}

const CASES: readonly Case[] = [
  {
    // Decided on the first bar, looked at from the second on: its open. B waits at 997, which the low of the third bar reaches.
    // C's 1003 is far above the open of 1001: it gets the open, not its limit.
    name: 'next open: an order gets the open of the next bar, or waits for its price',
    script: `
      09:01:00 bar 1000 1004 998 1002 x 40
      09:02:00 A sell 2 at 990
      09:02:00 B buy 1 at 997
      09:02:00 C buy 1 at 1003
      09:02:00 bar 1001 1003 999 1000 x 40
      09:03:00 bar 1000 1001 996 998 x 40`,
    fills: `
      09:02:00 A sell 2 at 1001 bar_open
      09:02:00 C buy 1 at 1001 bar_open
      09:03:40 B buy 1 at 997 bar_path`,
  },
  {
    // In the middle of the first bar is too late for it, whatever the path does.
    name: 'next open: what comes within a bar is looked at from the next one on',
    script: `
      09:01:00 bar 1000 1004 998 1002 x 40
      09:01:10 A buy 1 at 1010
      09:02:00 bar 1003 1005 1001 1004 x 40`,
    fills: `09:02:00 A buy 1 at 1003 bar_open`,
  },
  {
    // It rested at 999 when the third bar opened at 996: it gets the better open.
    name: 'a bar that opens beyond a price fills it at the open',
    script: `
      09:01:00 bar 1000 1004 1000 1002 x 40
      09:02:00 A buy 1 at 999
      09:02:00 bar 1002 1003 1000 1000 x 40
      09:03:00 bar 996 1000 995 998 x 40`,
    fills: `09:03:00 A buy 1 at 996 bar_gap`,
  },
  {
    // A takes the close of the bar it was decided on. B came in the middle of it, and takes the same close. C asks for less.
    name: 'close: a marketable order gets the close of the bar it was decided on',
    model: { bar: 'close' },
    script: `
      09:01:00 bar 1000 1004 998 1002 x 40
      09:01:10 B buy 1 at 1010
      09:02:00 A buy 2 at 1010
      09:02:00 C buy 1 at 1001
      09:02:00 bar 1003 1005 1000 1004 x 40`,
    fills: `
      09:01:59 B buy 1 at 1002 bar_close
      09:02:00 A buy 2 at 1002 bar_close
      09:02:40 C buy 1 at 1001 bar_path`,
  },
  {
    // The close of 11:29 is an hour and a half old, and nothing has been traded at nine: neither is anybody's bar.
    name: 'close: an order that no bar was just there for waits for the next open',
    model: { bar: 'close' },
    script: `
      09:00:00 A buy 1 at 1010
      09:01:00 bar 1000 1004 998 1002 x 40
      11:29:00 bar 1000 1004 998 1002 x 40
      13:00:00 B buy 1 at 1010
      13:01:00 bar 1005 1006 1003 1004 x 40`,
    fills: `
      09:01:00 A buy 1 at 1000 bar_open
      13:01:00 B buy 1 at 1005 bar_open`,
  },
  {
    // The path of the bar: 1000, 1004, 998, 1002. A comes when it is at 1000 and gets that. B sells at 1003, on the way up.
    // C buys at 999, on the way down.
    name: 'ohlc: the path through the bar, high first',
    model: { bar: 'ohlc' },
    script: `
      09:01:00 bar 1000 1004 998 1002 x 40
      09:01:10 A buy 1 at 1010
      09:01:10 B sell 1 at 1003
      09:01:10 C buy 1 at 999`,
    fills: `
      09:01:10 A buy 1 at 1000 bar_now
      09:01:20 B sell 1 at 1003 bar_path
      09:01:40 C buy 1 at 999 bar_path`,
  },
  {
    name: 'ohlc: the path through the bar, low first',
    model: { bar: 'ohlc', path: 'low_first' },
    first: 'low',
    script: `
      09:01:00 bar 1000 1004 998 1002 x 40
      09:01:10 B sell 1 at 1003
      09:01:10 C buy 1 at 999`,
    fills: `
      09:01:20 C buy 1 at 999 bar_path
      09:01:40 B sell 1 at 1003 bar_path`,
  },
  {
    // 10 % of 40 is 4 a bar: A gets 4, then 4, then the last 2; B is behind it and gets the other 2.
    name: 'volume: our orders together get no more than their part of a bar',
    model: { volumeBps: 1_000 },
    script: `
      09:01:00 bar 1000 1004 998 1002 x 40
      09:02:00 A buy 10 at 1010
      09:02:00 B buy 9 at 1010
      09:02:00 bar 1001 1001 1001 1001 x 40
      09:03:00 bar 1002 1002 1002 1002 x 40
      09:04:00 bar 1003 1003 1003 1003 x 40`,
    fills: `
      09:02:00 A buy 4 at 1001 bar_open
      09:03:00 A buy 4 at 1002 bar_gap
      09:04:00 A buy 2 at 1003 bar_gap
      09:04:00 B buy 2 at 1003 bar_gap`,
  },
  {
    // Three ticks worse than the open of 1001; B's limit allows two. What waits pays none.
    name: 'slippage: where an order takes, never beyond its limit',
    model: { slippageTicks: 3 },
    script: `
      09:01:00 bar 1000 1004 998 1002 x 40
      09:02:00 A buy 1 at 1010
      09:02:00 B buy 1 at 1003
      09:02:00 C buy 1 at 1000
      09:02:00 bar 1001 1003 999 1000 x 40`,
    fills: `
      09:02:00 A buy 1 at 1004 bar_open
      09:02:00 B buy 1 at 1003 bar_open
      09:02:40 C buy 1 at 1000 bar_path`,
  },
  {
    // The way from 1003 down to 996 passes 998. The bar after it opens at 990, below B's 994.
    name: 'stop: filled at its trigger, or at the open of a bar beyond it',
    script: `
      09:01:00 bar 1000 1004 999 1002 x 40
      09:02:00 A sell stop 2 below 998 limit 980
      09:02:00 B sell stop 1 below 994 limit 980
      09:02:00 bar 1001 1003 996 1000 x 40
      09:03:00 bar 990 991 985 986 x 40`,
    fills: `
      09:02:40 A sell 2 at 998 bar_stop
      09:03:00 B sell 1 at 990 bar_gap`,
  },
  {
    // The bar opens at 990, below the limit of 995: the order is there and waits for 995.
    name: 'stop-limit: an open beyond the limit leaves it waiting',
    script: `
      09:01:00 bar 1000 1004 999 1002 x 40
      09:02:00 A sell stop 2 below 998 limit 995
      09:02:00 bar 990 993 988 992 x 40
      09:03:00 bar 993 996 992 994 x 40`,
    fills: `09:03:20 A sell 2 at 995 bar_path`,
  },
  {
    // Active from 1005 on; the high of 1008 puts the trigger at 1004, which the way down to 1001 passes.
    name: 'trailing stop: follows the path to the high, and is filled on the way down',
    script: `
      09:01:00 bar 1000 1004 999 1002 x 40
      09:02:00 A sell trail 2 from 1005 by 4 limit 980
      09:02:00 bar 1002 1008 1001 1003 x 40`,
    fills: `09:02:40 A sell 2 at 1004 bar_stop`,
  },
  {
    // The same bar with its low first: at 1008 the trigger is 1004, and the way from there to the close at 1003 passes it.
    name: 'trailing stop: the order of the extremes decides when it is filled',
    first: 'low',
    script: `
      09:01:00 bar 1000 1004 999 1002 x 40
      09:02:00 A sell trail 2 from 1005 by 4 limit 980
      09:02:00 bar 1002 1008 1001 1003 x 40`,
    fills: `09:02:59 A sell 2 at 1004 bar_stop`,
  },
  {
    // In at 1000 on the way from 1004 to 990: the same way goes on to the stop-loss at 996. The take-profit is gone.
    name: 'bracket: what is filled on the way down sees the rest of the way',
    script: `
      09:01:00 bar 1003 1004 1002 1003 x 40
      09:02:00 A buy bracket 2 at 1000 stop 996 profit 1008
      09:02:00 bar 1003 1004 990 1009 x 40`,
    fills: `
      09:02:40 A buy 2 at 1000 bar_path
      09:02:40 A sell 2 at 996 bar_stop`,
  },
  {
    // A waits at 1008 and is a maker there; the open of 1010 is beyond what B waits for.
    name: 'bracket: a take-profit that the path reaches is filled as an order that waits',
    script: `
      09:01:00 bar 1000 1001 999 1000 x 40
      09:02:00 A buy bracket 2 at 1000 stop 990 profit 1008
      09:02:00 B buy bracket 1 at 1000 stop 990 profit 1009
      09:02:00 bar 1000 1008 999 1005 x 40
      09:03:00 bar 1010 1011 1009 1010 x 40`,
    fills: `
      09:02:00 A buy 2 at 1000 bar_open
      09:02:00 B buy 1 at 1000 bar_open
      09:02:20 A sell 2 at 1008 bar_path
      09:03:00 B sell 1 at 1010 bar_gap`,
  },
  {
    // Long since the second bar. The third touches both exits; its high is nearer, but what is worse for a long comes first.
    name: 'worst first: of two exits in one bar the stop-loss',
    model: { path: 'worst_first' },
    script: `
      09:01:00 bar 1000 1001 999 1000 x 40
      09:02:00 A buy bracket 2 at 1000 stop 990 profit 1010
      09:02:00 bar 1000 1002 998 1001 x 40
      09:03:00 bar 1001 1011 985 1000 x 40`,
    fills: `
      09:02:00 A buy 2 at 1000 bar_open
      09:03:20 A sell 2 at 990 bar_stop`,
  },
  {
    // The bar of nine o'clock opens with the uncross, 1000: A's limit is better, B's is exactly that and waits for the low.
    name: 'auction: the uncross is the open of the first bar after it',
    script: `
      08:50:00 A buy 2 at 1005
      08:50:00 B buy 1 at 1000
      08:50:00 C sell 1 at 1003
      09:00:00 bar 1000 1004 998 1002 x 40`,
    fills: `
      09:00:00 A buy 2 at 1000 uncross
      09:00:20 C sell 1 at 1003 bar_path
      09:00:40 B buy 1 at 1000 bar_path`,
  },
  {
    // Nothing was traded at nine: there was no uncross, and 1002 is not its price.
    name: 'auction: a bar that begins later is not its uncross',
    script: `
      08:50:00 A buy 2 at 1005
      09:05:00 bar 1002 1004 998 1002 x 40`,
    fills: `09:05:00 A buy 2 at 1002 bar_open`,
  },
  {
    // Nothing in the break and in the auction; at 14:45 the uncross, and its price alone.
    name: 'break and closing auction: as on ticks',
    script: `
      11:29:00 bar 1000 1004 998 1002 x 40
      11:29:59 A buy 2 at 999
      11:30:00 bar 990 990 990 990 x 40
      13:00:00 bar 1003 1004 1001 1002 x 40
      14:40:00 bar 990 990 990 990 x 40
      14:45:00 bar 998 1005 990 1000 x 40`,
    fills: `14:45:00 A buy 2 at 998 uncross`,
  },
];

describe('fills on bars', () => {
  test.each(CASES)('$name', ({ model = {}, first = 'high', script, fills }) => {
    expect(playScript(script, { model: { ...ON_BARS, ...model }, first }).fills).toEqual(lines(fills));
  });
});

const falls = (close: number, next: number): string => `
      09:02:00 bar 1002 1008 1001 ${close} x 40
      09:03:00 bar ${next} ${next} ${next} ${next} x 40`;
const gaps = (close: number, next: number): string => `
      09:02:00 bar 1002 1008 1006 1007 x 40
      09:03:00 bar 1000 1004 995 ${close} x 40
      09:04:00 bar ${next} ${next} ${next} ${next} x 40`;

/**
 * Active from 1005 on; the high of 1008 puts the trigger at 1004.
 *
 *   bars after that                             stop            worse of stop and close   next open
 *   falls to 1001, closes at 1003, opens 1000   1004            1003                      1000
 *   falls to 1001, closes at 1006, opens 1009   1004            1004                      1009
 *   opens at 1000, closes at 997, opens 990     1000, a gap     997                       990
 *   opens at 1000, closes at 1003, opens 1005   1000, a gap     1000                      1005
 */
describe('the rule of trailing stops', () => {
  const [STOP, WORSE, NEXT] = ['stop', 'worse_of_stop_and_close', 'next_open'] as const;

  test.each([
    [falls(1003, 1000), STOP, '09:02:40 A sell 2 at 1004 bar_stop'],
    [falls(1003, 1000), WORSE, '09:02:59 A sell 2 at 1003 bar_stop'],
    [falls(1003, 1000), NEXT, '09:03:00 A sell 2 at 1000 bar_open'],
    [falls(1006, 1009), STOP, '09:02:40 A sell 2 at 1004 bar_stop'],
    [falls(1006, 1009), WORSE, '09:02:59 A sell 2 at 1004 bar_stop'],
    [falls(1006, 1009), NEXT, '09:03:00 A sell 2 at 1009 bar_open'],
    [gaps(997, 990), STOP, '09:03:00 A sell 2 at 1000 bar_gap'],
    [gaps(997, 990), WORSE, '09:03:59 A sell 2 at 997 bar_stop'],
    [gaps(997, 990), NEXT, '09:04:00 A sell 2 at 990 bar_open'],
    [gaps(1003, 1005), STOP, '09:03:00 A sell 2 at 1000 bar_gap'],
    [gaps(1003, 1005), WORSE, '09:03:59 A sell 2 at 1000 bar_stop'],
    [gaps(1003, 1005), NEXT, '09:04:00 A sell 2 at 1005 bar_open'],
  ])('%s %s', (bars, trailingStop, fill) => {
    const script = `
      09:01:00 bar 1000 1004 999 1002 x 40
      09:02:00 A sell trail 2 from 1005 by 4 limit 980${bars}`;
    for (const bar of ['next_open', 'close', 'ohlc'] as const)
      expect(playScript(script, { model: { ...ON_BARS, bar, trailingStop } }).fills).toEqual([fill]);
  });

  test('a stop that does not trail keeps its own', () => {
    const script = `
      09:01:00 bar 1000 1004 999 1002 x 40
      09:02:00 A sell stop 2 below 1000 limit 980
      09:02:00 bar 1002 1004 996 998 x 40`;
    const { fills } = playScript(script, { model: { ...ON_BARS, trailingStop: WORSE } });
    expect(fills).toEqual(['09:02:40 A sell 2 at 1000 bar_stop']);
  });
});
