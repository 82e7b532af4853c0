/**
 * Fills on ticks, worked out by hand. Each case says in its comment what one does with the pencil: what rests in front of the
 * order (`ahead`), and what each line takes from it.
 */
import { describe, expect, test } from 'vitest';
import { marketLimit } from '../../../src/domain/contract.ts';
import type { TickFillModel } from '../../../src/venue/exchange/fill-models.ts';
import { lines, ON_TICKS, playScript } from './fill-rig.ts';

const on = (over: Partial<TickFillModel>): TickFillModel => ({ ...ON_TICKS, ...over });

interface Case {
  readonly name: string;
  readonly model?: Partial<TickFillModel>;
  readonly script: string;
  readonly fills: string;
}

const CASES: readonly Case[] = [
  {
    // Ten rested at 1000 when A came. 4 and 5 pass A by, 1 is left in front: of the next 3 A gets 2. B came later, behind
    // what was shown then (4): after 3, 2 and 5 traded the queue in front of it is gone, and 6 less 5 in front leave it 1.
    name: 'queue: what rested there first goes first',
    script: `
      09:00:01 book 1000x10 999x20 | 1001x8 1002x9
      09:00:02 A buy 3 at 1000
      09:00:03 trade 1000 x 4 sold
      09:00:04 trade 1000 x 5 sold
      09:00:05 book 1000x1 999x20 | 1001x8 1002x9
      09:00:06 book 1000x4 999x20 | 1001x8 1002x9
      09:00:07 B buy 2 at 1000
      09:00:08 trade 1000 x 3 sold
      09:00:09 trade 1000 x 2 sold
      09:00:10 trade 1000 x 6 sold`,
    fills: `
      09:00:08 A buy 2 at 1000 queue_reached
      09:00:09 A buy 1 at 1000 queue_reached
      09:00:10 B buy 2 at 1000 queue_reached`,
  },
  {
    // Buyers who lift 1000 take from sellers: nobody who waits to buy gets any of it.
    name: 'queue: a trade that the own side made fills nobody who waits',
    script: `
      09:00:01 book 1000x0 999x20 | 1001x8 1002x9
      09:00:02 A buy 3 at 1000
      09:00:03 trade 1000 x 50 bought
      09:00:04 trade 1000 x 1 sold`,
    fills: `09:00:04 A buy 1 at 1000 queue_reached`,
  },
  {
    // 999 was traded: everything at 1000 must have gone. A is filled at its own price, but with no more than the 2 that traded.
    name: 'queue: what is traded beyond a price fills it at its own, within its quantity',
    script: `
      09:00:01 book 1000x10 999x20 | 1001x8 1002x9
      09:00:02 A buy 5 at 1000
      09:00:03 trade 999 x 2 sold
      09:00:04 trade 999 x 2 sold`,
    fills: `
      09:00:03 A buy 2 at 1000 traded_through
      09:00:04 A buy 2 at 1000 traded_through`,
  },
  {
    // A and B each want 3 at 1000, nobody in front: of 4 that trade A gets 3 and B 1, never 3 and 3.
    name: 'queue: one trade is shared out once',
    script: `
      09:00:01 book 999x20 | 1001x8 1002x9
      09:00:02 A buy 3 at 1000
      09:00:03 B buy 3 at 1000
      09:00:04 trade 1000 x 4 sold`,
    fills: `
      09:00:04 A buy 3 at 1000 queue_reached
      09:00:04 B buy 1 at 1000 queue_reached`,
  },
  {
    // Less quantity keeps the place (3 in front). Another price loses it: back at 1000 B is behind
    // the 10 shown then and behind A's 2: the 12 of two trades just reach to it, and the next one is B's.
    name: 'queue: a smaller quantity keeps the place, another price does not',
    script: `
      09:00:01 book 1000x3 999x20 | 1001x8 1002x9
      09:00:02 A buy 5 at 1000
      09:00:03 B buy 5 at 1000
      09:00:04 A qty 2
      09:00:05 B price 999
      09:00:06 book 1000x10 999x20 | 1001x8 1002x9
      09:00:07 B price 1000
      09:00:08 trade 1000 x 6 sold
      09:00:09 trade 1000 x 6 sold
      09:00:10 trade 1000 x 1 sold`,
    fills: `
      09:00:08 A buy 2 at 1000 queue_reached
      09:00:10 B buy 1 at 1000 queue_reached`,
  },
  {
    name: 'touch: a trade at the price fills, nobody was in front',
    model: { queue: 'touch' },
    script: `
      09:00:01 book 1000x10 999x20 | 1001x8 1002x9
      09:00:02 A buy 3 at 1000
      09:00:03 trade 1000 x 2 sold
      09:00:04 trade 1000 x 9 bought
      09:00:05 trade 1000 x 5 sold`,
    fills: `
      09:00:03 A buy 2 at 1000 queue_reached
      09:00:05 A buy 1 at 1000 queue_reached`,
  },
  {
    // Sixty traded at 1000 and nothing of it was A's. Only 999 and 998 fill, and between them 1000 does not either.
    name: 'through: only a trade beyond the price fills',
    model: { queue: 'through' },
    script: `
      09:00:01 book 1000x10 999x20 | 1001x8 1002x9
      09:00:02 A buy 3 at 1000
      09:00:03 trade 1000 x 60 sold
      09:00:04 trade 999 x 2 sold
      09:00:05 trade 1000 x 60 sold
      09:00:06 trade 998 x 5 sold`,
    fills: `
      09:00:04 A buy 2 at 1000 traded_through
      09:00:06 A buy 1 at 1000 traded_through`,
  },
  {
    // 8 at 1001 and 4 of the 9 at 1002. B finds the 5 that are left there; 2 are missing and wait for what the book shows next.
    name: 'a marketable order sweeps what is shown, level by level, and what was taken is gone',
    script: `
      09:00:01 book 1000x10 999x20 | 1001x8 1002x9
      09:00:02 A buy 12 at 1005
      09:00:03 B buy 7 at 1003
      09:00:04 book 1000x10 999x20 | 1003x1 1004x9
      09:00:05 trade 1003 x 4 bought`,
    fills: `
      09:00:02 A buy 8 at 1001 shown
      09:00:02 A buy 4 at 1002 shown
      09:00:03 B buy 5 at 1002 shown
      09:00:04 B buy 1 at 1003 shown_later
      09:00:05 B buy 1 at 1003 same_side_trade`,
  },
  {
    // Shown at 1001: two ticks worse is 1003. B's limit is 1002, and no slippage goes beyond a limit. C waits: none at all.
    name: 'slippage: so many ticks worse where an order takes, never beyond its limit, none where it waits',
    model: { slippageTicks: 2 },
    script: `
      09:00:01 book 1000x10 999x20 | 1001x8 1002x9
      09:00:02 A buy 2 at 1005
      09:00:03 B buy 2 at 1002
      09:00:04 C sell 1 at 1001
      09:00:05 trade 1001 x 9 bought
      09:00:06 D sell 3 at 990`,
    fills: `
      09:00:02 A buy 2 at 1003 shown
      09:00:03 B buy 2 at 1002 shown
      09:00:05 C sell 1 at 1001 queue_reached
      09:00:06 D sell 3 at 998 shown`,
  },
  {
    // No book was recorded. Ten are guessed at each touch; of the 10 at 1000 five were traded before A came: 5 in front.
    // Of the next 4 nothing is A's, of the 3 after them 2, then the last. B takes what is guessed at 1001, no more than 10.
    name: 'without a book: the touch is guessed from who crossed the spread',
    script: `
      09:00:01 trade 1000 x 5 sold
      09:00:02 A buy 3 at 1000
      09:00:03 trade 1000 x 4 sold
      09:00:04 trade 1000 x 3 sold
      09:00:05 trade 1000 x 1 sold
      09:00:06 B buy 12 at 1001
      09:00:07 trade 1001 x 3 bought`,
    fills: `
      09:00:04 A buy 2 at 1000 queue_reached
      09:00:05 A buy 1 at 1000 queue_reached
      09:00:06 B buy 10 at 1001 shown
      09:00:07 B buy 2 at 1001 same_side_trade`,
  },
];

describe('fills on ticks', () => {
  test.each(CASES)('$name', ({ model = {}, script, fills }) => {
    expect(playScript(script, { model: on(model) }).fills).toEqual(lines(fills));
  });
});

describe('a market order on ticks', () => {
  const band = { floor: marketLimit('sell'), ceiling: marketLimit('buy') };

  test('takes the book level by level, and what buyers take after it at their price', () => {
    // 8 at 1001 and 9 at 1002 are all that is shown; sellers who hit the bid sell nothing to A, buyers at 1004 leave it the rest.
    const script = `
      09:00:01 book 1000x10 999x20 | 1001x8 1002x9
      09:00:02 A buy 20 at ${band.ceiling}
      09:00:03 trade 1000 x 5 sold
      09:00:04 trade 1004 x 9 bought`;
    const { fills } = playScript(script, { band });
    expect(fills).toEqual(
      lines(`
      09:00:02 A buy 8 at 1001 shown
      09:00:02 A buy 9 at 1002 shown
      09:00:04 A buy 3 at 1004 same_side_trade`),
    );
  });

  test('nobody offers: it pays what the next buyer pays, never its limit', () => {
    const script = `
      09:00:01 book 1000x10 999x20 | 1001x0
      09:00:02 A buy 2 at ${band.ceiling}
      09:00:02 B sell 1 at ${band.floor}
      09:00:03 trade 1003 x 9 bought`;
    expect(playScript(script, { band }).fills).toEqual(
      lines(`
      09:00:02 B sell 1 at 1000 shown
      09:00:03 A buy 2 at 1003 same_side_trade`),
    );
  });
});

/**
 * Ten rested at 1000 when A came, six more came behind it, then 4 of the 16 went without a trade.
 *
 *   model          gone in front         left in front   of the 9 that trade A gets
 *   behind         0                     10              0
 *   proportional   4 x 10 / 16 = 2.5: 3  7               2
 *   ahead          4                     6               3
 */
describe('cancels in the queue', () => {
  test.each([
    { cancels: 'behind', fills: '' },
    { cancels: 'proportional', fills: '09:00:05 A buy 2 at 1000 queue_reached' },
    { cancels: 'ahead', fills: '09:00:05 A buy 3 at 1000 queue_reached' },
  ] as const)('$cancels', ({ cancels, fills }) => {
    const script = `
      09:00:01 book 1000x10 999x20 | 1001x8 1002x9
      09:00:02 A buy 3 at 1000
      09:00:03 book 1000x16 999x20 | 1001x8 1002x9
      09:00:04 book 1000x12 999x20 | 1001x8 1002x9
      09:00:05 trade 1000 x 9 sold`;
    expect(playScript(script, { model: on({ cancels }) }).fills).toEqual(lines(fills));
  });

  test('never more is in front than is shown, whatever the model says', () => {
    const script = `
      09:00:01 book 1000x10 999x20 | 1001x8 1002x9
      09:00:02 A buy 3 at 1000
      09:00:04 book 1000x2 999x20 | 1001x8 1002x9
      09:00:05 trade 1000 x 3 sold`;
    const { fills } = playScript(script, { model: on({ cancels: 'behind' }) });
    expect(fills).toEqual(lines('09:00:05 A buy 1 at 1000 queue_reached'));
  });
});
