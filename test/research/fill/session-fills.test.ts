/** What the hours of the exchange do to orders: auctions, the break, the ends of the day. Worked out by hand. */
import { describe, expect, test } from 'vitest';
import { lines, playScript, refusalsIn } from './fill-rig.ts';

const CASES = [
  {
    // Price of the uncross 1000, 7 + 5 contracts. A and B have better limits, A first: 10 of the 12, then B 2. C asks for exactly
    // 1000, and nobody knows whose turn it would have been. D came too late. The first trade after it shows an ask of 1001
    // with a guessed 10, of which 3 just went: B's other 2 and D's 9 find 7 there, in this order.
    name: 'opening: the uncross fills better limits, in their order, within its quantity, at its price',
    script: `
      08:46:00 A buy 10 at 1005
      08:47:00 B buy 4 at 1001
      08:48:00 C buy 5 at 1000
      09:00:00 D buy 9 at 1010
      09:00:00 trade 1000 x 7 -
      09:00:00 trade 1000 x 5 -
      09:00:01 trade 1001 x 3 bought`,
    fills: `
      09:00:00 A buy 7 at 1000 uncross
      09:00:00 A buy 3 at 1000 uncross
      09:00:00 B buy 2 at 1000 uncross
      09:00:01 B buy 2 at 1001 shown
      09:00:01 D buy 5 at 1001 shown`,
  },
  {
    name: 'opening: a seller shares in what the buyers left',
    script: `
      08:46:00 A buy 2 at 1005
      08:47:00 B sell 9 at 990
      09:00:00 trade 1000 x 7 -
      09:00:00 trade 1000 x 3 -`,
    fills: `
      09:00:00 A buy 2 at 1000 uncross
      09:00:00 B sell 5 at 1000 uncross
      09:00:00 B sell 3 at 1000 uncross`,
  },
  {
    // A print at 14:40 cannot be, and fills nothing. At 14:45 A's 999 is better than 998, B's 998 is not. The second price is none
    // of the uncross: nothing is traded after it.
    name: 'closing: what is carried in fills only at the uncross',
    script: `
      14:29:00 trade 1000 x 1 sold
      14:29:30 A buy 3 at 999
      14:29:40 B buy 3 at 998
      14:40:00 trade 990 x 50 sold
      14:45:00 trade 998 x 2 sold
      14:45:00 trade 990 x 50 bought`,
    fills: `14:45:00 A buy 2 at 998 uncross`,
  },
  {
    // 11:30 and 12:00 are in the break: nothing. At 13:00 A still rests where it was, and is reached.
    name: 'break: nothing fills, and what rested there rests there afterwards',
    script: `
      11:29:50 trade 1000 x 9 sold
      11:29:58 A buy 3 at 999
      11:30:00 trade 990 x 50 sold
      12:00:00 trade 990 x 50 sold
      13:00:00 trade 998 x 2 sold
      13:00:01 trade 998 x 2 sold`,
    fills: `
      13:00:00 A buy 2 at 999 traded_through
      13:00:01 A buy 1 at 999 traded_through`,
  },
];

describe('fills and the hours of the day', () => {
  test.each(CASES)('$name', ({ script, fills }) => {
    expect(playScript(script).fills).toEqual(lines(fills));
  });

  test.each([
    { when: '08:46:30', what: 'cancel', code: '-6026' },
    { when: '08:46:30', what: 'price 1001', code: '-6026' },
    { when: '11:45:00', what: 'buy 1 at 1000', code: '-6022' },
    { when: '14:31:00', what: 'cancel', code: '-6026' },
    { when: '14:45:01', what: 'buy 1 at 1000', code: '-6022' },
    { when: '09:30:00', what: 'buy 1 at 1501', code: '-6035' },
    { when: '09:30:00', what: 'sell 1 at 499', code: '-6035' },
    { when: '09:30:00', what: 'price 1501', code: '-6035' },
  ])('$when: $what is refused', ({ when, what, code }) => {
    const { heard } = playScript(`
      08:46:00 A buy 1 at 900
      ${when} A ${what}
      14:45:00 trade 1000 x 1 -`);
    expect(refusalsIn(heard)).toEqual([code]);
  });
});
