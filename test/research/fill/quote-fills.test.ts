/** Fills on quotes, worked out by hand: who takes pays the other side, who waits is filled when the other side comes to the price. */
import { describe, expect, test } from 'vitest';
import type { TickFillModel } from '../../../src/venue/exchange/fill-models.ts';
import { lines, ON_TICKS, playScript } from './fill-rig.ts';

interface Case {
  readonly name: string;
  readonly model?: Partial<TickFillModel>;
  readonly script: string;
  readonly fills: string;
}

const CASES: readonly Case[] = [
  {
    // A pays the ask of 1002, B gets the bid of 1000, never the middle of 1001.
    name: 'a buy takes the ask, a sell the bid',
    script: `
      09:00:01 quote 1000x10 | 1002x8
      09:00:02 A buy 3 at 1005
      09:00:02 B sell 4 at 995`,
    fills: `
      09:00:02 A buy 3 at 1002 shown
      09:00:02 B sell 4 at 1000 shown`,
  },
  {
    // 8 are quoted: A gets 8 of 12 and wants 4 more. The same quote again is no new quantity; another size is: 3. The rest at the
    // next ask inside its limit: 1 at 1003.
    name: 'no more than the size quoted, and a quote that stays is not quoted again',
    script: `
      09:00:01 quote 1000x10 | 1002x8
      09:00:02 A buy 12 at 1003
      09:00:03 quote 1000x10 | 1002x8
      09:00:04 quote 1000x10 | 1002x3
      09:00:05 quote 1000x10 | 1004x9
      09:00:06 quote 1000x10 | 1003x9`,
    fills: `
      09:00:02 A buy 8 at 1002 shown
      09:00:04 A buy 3 at 1002 shown_later
      09:00:06 A buy 1 at 1003 shown_later`,
  },
  {
    name: 'without sizes a quote has no limit',
    script: `
      09:00:01 quote 1000 | 1002
      09:00:02 A buy 400 at 1002
      09:00:03 B buy 400 at 1002`,
    fills: `
      09:00:02 A buy 400 at 1002 shown
      09:00:03 B buy 400 at 1002 shown`,
  },
  {
    // A waits to buy at 1000. The ask falls to 1001: not yet. To 1000 with 2: A gets 2 at its price. To 998 with 5: A gets its
    // last one at 1000, B with 999 gets 3 of the 4 that are left at its own price.
    name: 'a buy that waits is filled at its price when the ask comes to it, best price first',
    script: `
      09:00:01 quote 1000x10 | 1002x8
      09:00:02 A buy 3 at 1000
      09:00:02 B buy 3 at 999
      09:00:03 quote 999x10 | 1001x8
      09:00:04 quote 998x10 | 1000x2
      09:00:05 quote 997x10 | 998x5`,
    fills: `
      09:00:04 A buy 2 at 1000 quote_reached
      09:00:05 A buy 1 at 1000 quote_reached
      09:00:05 B buy 3 at 999 quote_reached`,
  },
  {
    // A sell waits for the bid.
    name: 'a sell that waits is filled when the bid comes to it',
    script: `
      09:00:01 quote 1000x10 | 1002x8
      09:00:02 A sell 3 at 1002
      09:00:03 quote 1001x10 | 1003x8
      09:00:04 quote 1002x10 | 1003x8`,
    fills: `09:00:04 A sell 3 at 1002 quote_reached`,
  },
  {
    name: 'through: the quote has to go beyond the price of an order that waits',
    model: { queue: 'through' },
    script: `
      09:00:01 quote 1000x10 | 1002x8
      09:00:02 A buy 3 at 1000
      09:00:03 quote 999x10 | 1000x8
      09:00:04 quote 998x10 | 999x8
      09:00:05 B sell 1 at 998`,
    fills: `
      09:00:04 A buy 3 at 1000 quote_reached
      09:00:05 B sell 1 at 998 shown`,
  },
  {
    // Two of ours want the 5 quoted at 1000: the earlier gets 3, the other 2.
    name: 'our orders share what is quoted',
    script: `
      09:00:01 quote 1000x10 | 1002x8
      09:00:02 A buy 3 at 1000
      09:00:02 B buy 3 at 1000
      09:00:04 quote 998x10 | 1000x5`,
    fills: `
      09:00:04 A buy 3 at 1000 quote_reached
      09:00:04 B buy 2 at 1000 quote_reached`,
  },
  {
    name: 'slippage makes who takes worse, and who waits not',
    model: { slippageTicks: 2 },
    script: `
      09:00:01 quote 1000x10 | 1002x8
      09:00:02 A buy 3 at 1010
      09:00:02 B buy 3 at 1000
      09:00:04 quote 998x10 | 1000x5`,
    fills: `
      09:00:02 A buy 3 at 1004 shown
      09:00:04 B buy 3 at 1000 quote_reached`,
  },
  {
    // A sell stop looks at the bid: an ask of 996 is not enough, the bid of 996 is. A buy stop looks at the ask.
    name: 'a stop that sells looks at the bid, one that buys at the ask',
    script: `
      09:00:01 quote 1000x10 | 1002x8
      09:00:02 A sell stop 1 below 996 limit 980
      09:00:02 B buy stop 1 above 1004 limit 1020
      09:00:03 quote 997x10 | 999x8
      09:00:04 quote 996x10 | 998x8
      09:00:05 quote 1003x10 | 1003x8
      09:00:06 quote 1002x10 | 1005x8`,
    fills: `
      09:00:04 A sell 1 at 996 shown
      09:00:06 B buy 1 at 1005 shown`,
  },
];

describe('fills on quotes', () => {
  test.each(CASES)('$name', ({ model, script, fills }) => {
    expect(playScript(script, { model: { ...ON_TICKS, ...model } }).fills).toEqual(lines(fills));
  });
});
