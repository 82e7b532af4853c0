/** Fills where each order of the market is known, worked out by hand: who is in front of us is no guess. */
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
    // 5 and 4 in front of A, 6 behind. #2 cancels 4: 5 in front. #1 trades 5: none. Of the next 6, #3's, A gets its 3.
    name: 'what cancels in front of us brings us on',
    script: `
      09:00:01 order #1 buy 5 at 1000
      09:00:01 order #2 buy 4 at 1000
      09:00:01 order #9 sell 9 at 1002
      09:00:02 A buy 3 at 1000
      09:00:03 order #3 buy 6 at 1000
      09:00:04 order #2 cancel 4
      09:00:05 order #1 trade 5
      09:00:06 order #3 trade 6`,
    fills: `09:00:06 A buy 3 at 1000 queue_reached`,
  },
  {
    // 9 in front. #3 behind us cancels its 6: still 9. 5 and 3 trade: 1 in front, and no more comes.
    name: 'what cancels behind us changes nothing, whatever the model for guesses says',
    model: { cancels: 'ahead' },
    script: `
      09:00:01 order #1 buy 5 at 1000
      09:00:01 order #2 buy 4 at 1000
      09:00:01 order #9 sell 9 at 1002
      09:00:02 A buy 3 at 1000
      09:00:03 order #3 buy 6 at 1000
      09:00:04 order #3 cancel 6
      09:00:05 order #1 trade 5
      09:00:06 order #2 trade 3`,
    fills: '',
  },
  {
    // 5 in front; 2 of it cancel, 2 trade, 1 trades: then A. #2 behind trades 2: A gets 2 of 3, then its last one.
    name: 'a part that cancels or trades in front counts as such',
    script: `
      09:00:01 order #1 buy 5 at 1000
      09:00:01 order #9 sell 9 at 1002
      09:00:02 A buy 3 at 1000
      09:00:03 order #2 buy 6 at 1000
      09:00:04 order #1 cancel 2
      09:00:05 order #1 trade 2
      09:00:06 order #1 trade 1
      09:00:07 order #2 trade 2
      09:00:08 order #2 trade 2`,
    fills: `
      09:00:07 A buy 2 at 1000 queue_reached
      09:00:08 A buy 1 at 1000 queue_reached`,
  },
  {
    // The book keeps two levels; 997 is the third. The 7 that stand there are known all the same.
    name: 'the place is exact below the levels that are shown',
    script: `
      09:00:01 order #1 buy 5 at 1000
      09:00:01 order #2 buy 5 at 999
      09:00:01 order #3 buy 7 at 997
      09:00:01 order #9 sell 9 at 1002
      09:00:02 A buy 3 at 997
      09:00:03 order #1 cancel 5
      09:00:04 order #2 cancel 5
      09:00:05 order #3 trade 7
      09:00:06 order #4 buy 2 at 997
      09:00:07 order #4 trade 2`,
    fills: `09:00:07 A buy 2 at 997 queue_reached`,
  },
  {
    // Two of ours: A before #2, B behind it. #1 (5) trades. Of the 4 of #2 A gets 3, B is behind #2 and gets nothing of them:
    // 4 stand in front of B until they traded. Then #3's 2 are B's.
    name: 'our own orders have their places among the others',
    script: `
      09:00:01 order #1 buy 5 at 1000
      09:00:01 order #9 sell 9 at 1002
      09:00:02 A buy 3 at 1000
      09:00:03 order #2 buy 4 at 1000
      09:00:04 B buy 2 at 1000
      09:00:05 order #3 buy 2 at 1000
      09:00:06 order #1 trade 5
      09:00:07 order #2 trade 4
      09:00:08 order #3 trade 2`,
    fills: `
      09:00:07 A buy 3 at 1000 queue_reached
      09:00:08 B buy 2 at 1000 queue_reached`,
  },
  {
    // A smaller quantity keeps the place, another price loses it: back at 1000 A is behind #2.
    name: 'a smaller quantity keeps the place, another price does not',
    script: `
      09:00:01 order #1 buy 5 at 1000
      09:00:01 order #9 sell 9 at 1002
      09:00:02 A buy 3 at 1000
      09:00:02 B buy 3 at 1000
      09:00:03 order #2 buy 4 at 1000
      09:00:04 A price 999
      09:00:05 A price 1000
      09:00:05 B qty 2
      09:00:06 order #1 trade 5
      09:00:07 order #2 trade 2
      09:00:08 order #2 trade 2
      09:00:09 order #3 buy 1 at 1000
      09:00:10 order #3 trade 1`,
    fills: `
      09:00:07 B buy 2 at 1000 queue_reached
      09:00:10 A buy 1 at 1000 queue_reached`,
  },
  {
    // A hidden order was executed at A's price: seen ones come first, so A's turn did not come. One below A's price fills it.
    name: 'a hidden execution brings nobody on at its price',
    script: `
      09:00:01 order #1 buy 5 at 1000
      09:00:01 order #9 sell 9 at 1002
      09:00:02 A buy 3 at 1000
      09:00:03 trade 1000 x 7 sold
      09:00:04 order #1 cancel 5
      09:00:05 trade 1000 x 7 sold
      09:00:06 trade 999 x 2 sold`,
    fills: `09:00:06 A buy 2 at 1000 traded_through`,
  },
];

describe('the exact queue', () => {
  test.each(CASES)('$name', ({ model, script, fills }) => {
    expect(playScript(script, { model: { ...ON_TICKS, ...model } }).fills).toEqual(lines(fills));
  });
});
