/** Contracts that a person closed at the broker show as an order that is not ours: the operator's, on the other side. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATOR_INDEX } from '../../../src/domain/units.ts';
import { FIRST, SECOND } from '../../support/engine-rig.ts';
import { guarded, type SmallBroker, stopsOf, trades } from '../support/small-broker.ts';

const positions = ({ rig }: SmallBroker) =>
  [FIRST, SECOND, OPERATOR_INDEX].map((owner) => rig.position(owner));

/** Plays until nothing changes: each order that the engine sends fills at once. */
function flattened(broker: SmallBroker, strategy: typeof FIRST | null): SmallBroker {
  broker.rig.command({ name: 'flatten', strategy, reason: 'by hand' });
  for (let round = 0; round < 30; round += 1) {
    broker.answer();
    for (const order of broker.orders) broker.fill(order);
    broker.settle(1);
  }
  return broker;
}

describe('a flatten of what a person has closed by hand', () => {
  it('trades nothing, and the position is over', () => {
    const broker = guarded();
    trades(broker, 'buy', 2);
    broker.foreignFill('sell', 2);
    broker.settle();
    expect(positions(broker)).toEqual([2, 0, -2]);
    const before = broker.orders.length;
    flattened(broker, FIRST);
    expect([broker.orders.length - before, broker.position, positions(broker)]).toEqual([0, 0, [0, 0, 0]]);
    expect(broker.rig.alerts()).toContain('position_closed');
    expect(broker.rig.alerts()).not.toContain('flatten_failed');
    expect(stopsOf(broker)).toEqual([]);
  });

  it.each([
    ['the first', [2, 3], 2],
    ['the second', [3, 2], 4],
    ['more than one of them held', [2, 3], 3],
  ])('where two strategies were long, and %s is meant', (_name, [first = 0, second = 0], closed) => {
    const broker = guarded();
    trades(broker, 'buy', first);
    trades(broker, 'buy', second, SECOND);
    broker.foreignFill('sell', closed);
    broker.settle();
    flattened(broker, null);
    expect([broker.position, positions(broker)]).toEqual([0, [0, 0, 0]]);
    for (const { side } of broker.orders.slice(3)) expect(side).toBe('sell');
  });
});

it('whoever traded what, in any order, a flatten of all ends with nothing', () => {
  const step = fc.record({
    who: fc.constantFrom(FIRST, SECOND, null),
    side: fc.constantFrom('buy', 'sell'),
    qty: fc.integer({ min: 1, max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 7 }), (steps) => {
      const broker = guarded();
      for (const { who, side, qty } of steps) {
        if (who === null) broker.foreignFill(side, qty);
        else trades(broker, side, qty, who);
        broker.settle(2);
      }
      const net = broker.position;
      const held = positions(broker).reduce((sum, qty) => sum + Math.abs(qty), 0);
      const before = broker.orders.length;
      flattened(broker, null);
      expect([broker.position + 0, positions(broker)], `from ${net}`).toEqual([0, [0, 0, 0]]);
      const traded = broker.orders.slice(before).reduce((sum, { qty }) => sum + qty, 0);
      expect(traded).toBeLessThanOrEqual(held);
    }),
    { numRuns: 60 },
  );
});
