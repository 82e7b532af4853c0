/** The price band in which no order is touched, and the volume of one print. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Side } from '../../../src/domain/order.ts';
import type { BookOrder } from '../../../src/venue/exchange/exchange.ts';
import type { FillClause, QueueModel } from '../../../src/venue/exchange/fill-models.ts';
import { TapeExchange } from '../../../src/venue/exchange/tape-exchange.ts';

class Order implements BookOrder {
  readonly side: Side;
  readonly price: number;
  readonly triggerPrice = null;
  readonly decidedUs = 0;
  leavesQty: number;

  constructor(side: Side, price: number, qty: number) {
    this.side = side;
    this.price = price;
    this.leavesQty = qty;
  }
}

const price = fc.integer({ min: 995, max: 1_005 });
const qty = fc.integer({ min: 1, max: 20 });
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('print' as const),
      price,
      qty,
      side: fc.constantFrom(1, 0, -1),
    }),
  },
  fc.record({ does: fc.constant('order' as const), price, qty, side: fc.constantFrom<Side>('buy', 'sell') }),
  { weight: 1, arbitrary: fc.record({ does: fc.constant('cancel' as const), place: fc.nat(20) }) },
);

test('a print inside the band touches no order, and no print fills more than it has', () => {
  let inside = 0;
  let filledAtAll = 0;
  const queue = fc.constantFrom<QueueModel>('queue', 'touch', 'through');
  const play = fc.property(fc.array(step, { minLength: 20, maxLength: 80 }), queue, (steps, model) => {
    const fills: { qty: number; clause: FillClause }[] = [];
    const exchange = new TapeExchange<Order>(
      null,
      { on: 'ticks', queue: model, cancels: 'behind', slippageTicks: 0 },
      {
        fill(order, _price, filled, clause) {
          order.leavesQty -= filled;
          fills.push({ qty: filled, clause });
        },
      },
    );
    exchange.setPhase('continuous', 0);
    const orders: Order[] = [];
    const wrong: string[] = [];
    for (const each of steps) {
      const before = fills.length;
      if (each.does === 'order') {
        const order = new Order(each.side, each.price, each.qty);
        orders.push(order);
        exchange.enter(order);
      } else if (each.does === 'cancel') {
        const order = orders[each.place];
        if (order === undefined || order.leavesQty === 0) continue;
        exchange.remove(order);
        order.leavesQty = 0;
      } else {
        const { isQuiet, buyLimit, sellLimit } = exchange;
        const isInside = isQuiet && each.price > buyLimit && each.price < sellLimit;
        exchange.print(each.price, each.qty, each.side);
        const met = fills.slice(before);
        if (isInside && met.length > 0)
          wrong.push(`${each.price} touched an order between ${buyLimit} and ${sellLimit}`);
        // An order that meets the book once it is known takes what is shown.
        const printed = met.filter(({ clause }) => clause !== 'shown');
        const filled = printed.reduce((sum, fill) => sum + fill.qty, 0);
        if (filled > each.qty) wrong.push(`${filled} filled of ${each.qty} printed`);
        if (isInside) inside += 1;
        filledAtAll += filled;
      }
    }
    expect(wrong).toEqual([]);
  });
  fc.assert(play, { numRuns: 300, seed: 1 });
  expect(inside).toBeGreaterThan(1_000);
  expect(filledAtAll).toBeGreaterThan(1_000);
});

/** Fills of a buy whose rest takes next to others, alone or with an unrelated order of ours. */
function fillsOfTaker(isOtherThere: boolean): readonly string[] {
  const fills: string[] = [];
  const mine = new Order('buy', 1_000, 14);
  const exchange = new TapeExchange<Order>(
    null,
    { on: 'ticks', queue: 'queue', cancels: 'behind', slippageTicks: 0 },
    {
      fill(order, at, filled, clause) {
        order.leavesQty -= filled;
        if (order === mine) fills.push(`${filled} at ${at} ${clause}`);
      },
    },
  );
  exchange.setPhase('continuous', 0);
  exchange.print(1_000, 1, 1);
  exchange.enter(mine);
  if (isOtherThere) exchange.enter(new Order('buy', 1_002, 5));
  // Beyond the limit of the rest, inside the limit of the other order.
  exchange.print(1_001, 20, 1);
  exchange.print(1_000, 2, -1);
  exchange.print(1_000, 3, 1);
  return fills;
}

test('a rest that takes next to others keeps doing so, whatever other orders rest', () => {
  expect(fillsOfTaker(false)).toEqual(['9 at 1000 shown', '3 at 1000 same_side_trade']);
  expect(fillsOfTaker(true)).toEqual(fillsOfTaker(false));
});
