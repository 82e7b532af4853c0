import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { LAST } from '../support/state-rig.ts';
import { SessionWorld } from '../support/session-world.ts';

const flattenAll = { name: 'flatten', strategy: null, reason: 'by hand' } as const;

const anyWorking = fc.record({
  side: fc.constantFrom('buy' as const, 'sell' as const),
  qty: fc.integer({ min: 1, max: 4 }),
  strategy: fc.constantFrom(0, 1, -1),
  filled: fc.integer({ min: 0, max: 4 }),
  /** Ticks from the last price: near ones are in the way of the exits of others. */
  away: fc.constantFrom(3, 3, 500),
  parent: fc.constantFrom(null, clientOrderId('a stop')),
});
const anyPace = fc.integer({ min: 1_000, max: 2_500_000 });

test('whoever holds what, whatever works and fills on the way: everybody ends flat, and no exit turns a position', () => {
  fc.assert(
    fc.property(
      fc.tuple(
        fc.integer({ min: -9, max: 9 }),
        fc.integer({ min: -9, max: 9 }),
        fc.integer({ min: -9, max: 9 }),
      ),
      fc.array(anyWorking, { maxLength: 7 }),
      fc.record({ cancelUs: anyPace, readUs: anyPace, fillUs: anyPace }),
      (held, drawn, pace) => {
        // An operator who held nothing is not flattened: his order is his own.
        const working = drawn.filter(({ strategy }) => strategy !== -1 || held[0] !== 0);
        const world = new SessionWorld().start();
        held.forEach((qty, i) => qty !== 0 && world.hold(i - 1, qty));
        const orders = working.map(({ side, qty, strategy, parent, away }, i) => {
          const price = side === 'buy' ? LAST - away : LAST + away;
          return world.add({ id: `w${i}`, side, qty, strategy, parent, price });
        });
        Object.assign(world.broker, pace);
        world.command(flattenAll).run(0.4);
        orders.forEach((order, i) => {
          const filled = Math.min(working[i]!.filled, order.leavesQty);
          if (filled > 0) world.fill(order, filled);
        });
        world.run(300);
        expect(world.state.portfolio.held()).toEqual([]);
        expect(world.controller.status().procedure).toBe('');
        // The guard refuses an exit that would turn a position: none was asked for.
        expect(world.asks('submit').filter((line) => line.includes(':'))).toEqual([]);
      },
    ),
    { numRuns: 400 },
  );
});
