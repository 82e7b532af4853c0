/** A change passes the same rules as an order that looked like it from the start, and a few of its own. */
import { expect, test } from 'vitest';
import { clientOrderId } from '../../../src/domain/ids.ts';
import type { ModifyIntent } from '../../../src/domain/order.ts';
import type * as units from '../../../src/domain/units.ts';
import { InvariantError } from '../../../src/domain/assert.ts';
import { formatDenial } from '../../../src/engine/ports/denial.ts';
import type { ManagedOrder } from '../../../src/engine/orders/managed-order.ts';
import { at } from '../../support/strategy-fixtures.ts';
import { ALPHA, ID, nothing } from '../support/guard-fixture.ts';
import { LAST, StateRig } from '../support/state-rig.ts';

const OWN = clientOrderId('own');
const price = (limitPrice: number): ModifyIntent => ({
  kind: 'price',
  clientOrderId: OWN,
  limitPrice: limitPrice as units.PriceTicks,
});
const quantity = (qty: number): ModifyIntent => ({ kind: 'qty', clientOrderId: OWN, qty: qty as units.Qty });

const halt = ({ state }: StateRig): void => state.halt.haltByCommand('by hand', null);

/** A buy of two at 1,300.0, resting. */
function resting(): { rig: StateRig; order: ManagedOrder } {
  const rig = new StateRig();
  return { rig, order: rig.add({ id: 'own', side: 'buy', qty: 2 }) };
}

type Case = readonly [
  name: string,
  change: (rig: StateRig, order: ManagedOrder) => unknown,
  intent: ModifyIntent,
  expected: string,
];

const CASES: readonly Case[] = [
  ['another price', nothing, price(12_990), 'entry 2 at 12990'],
  ['a larger quantity', nothing, quantity(4), 'entry 4 at 13000'],
  ['a smaller quantity', nothing, quantity(1), 'entry 1 at 13000'],
  ['the same price', nothing, price(LAST), 'modify_changes_nothing'],
  ['the same quantity', nothing, quantity(2), 'modify_changes_nothing'],
  ['no quantity', nothing, quantity(0), 'qty_not_positive: qty=0'],
  ['beyond the largest order', nothing, quantity(6), 'qty_above_max: qty=6 max=5'],
  ['off the grid', nothing, price(12_990.5), 'price_off_grid: price=12990.5'],
  ['outside the band', nothing, price(12_000), 'price_outside_band: price=12000 floor=12090 ceiling=13910'],
  [
    'outside the collar',
    nothing,
    price(12_700),
    'price_outside_collar: price=12700 last=13000 collarBps=200',
  ],
  ['beyond the position', (rig) => rig.hold(0, 1), quantity(4), 'strategy_position_limit: worst=5 max=4'],
  [
    'not ours',
    nothing,
    { ...price(1), clientOrderId: clientOrderId('none') },
    'order_not_found: clientOrderId=none',
  ],
  ['filled', (rig, order) => rig.become(order, 'filled'), price(1), 'order_not_working: status=filled'],
  ['unknown', (rig, order) => rig.become(order, 'unknown'), price(1), 'order_not_working: status=unknown'],
  [
    'while a change is open',
    (rig, order) => rig.become(order, 'pending_modify'),
    price(1),
    'order_not_working: status=pending_modify',
  ],
  [
    'while a cancel waits',
    (_, order) => (order.writableExtras().queuedCancel = ID),
    price(1),
    'order_not_working: status=accepted, a cancel waits',
  ],
  [
    'when the book forbids it',
    (_, order) => (order.canModify = false),
    price(1),
    'order_not_working: status=accepted, the broker says it cannot be changed',
  ],
  [
    'the quantity of a part filled',
    (rig, order) => rig.fill(order, 1),
    quantity(3),
    'modify_partly_filled: filledQty=1',
  ],
  ['the price of a part filled', (rig, order) => rig.fill(order, 1), price(12_990), 'entry 2 at 12990'],
  ['in an auction', (rig) => rig.goTo(at('14:31')), price(12_990), 'session_closed: phase=closing_auction'],
  [
    'of an exit in an auction',
    (rig) => rig.hold(0, -2).goTo(at('14:31')).read(),
    price(12_990),
    'session_closed: phase=closing_auction',
  ],
  ['in the break', (rig) => rig.goTo(at('12:00')), price(12_990), 'session_closed: phase=break'],
  ['while halted', halt, price(12_990), 'halted: reason=by hand'],
  [
    'too often',
    ({ state, now }) => [now, now, now].forEach((each) => state.breakers.rate.add(each)),
    price(12_990),
    'order_rate: orders=3 max=3 perUs=1000000',
  ],
  [
    'with as many orders as may be open: it opens none',
    (rig) => ['b', 'c'].forEach((id) => rig.add({ id, side: 'buy', qty: 1, instrument: 1 })),
    price(12_990),
    'entry 2 at 12990',
  ],
  ['of an exit', (rig) => rig.hold(0, -2).read(), price(12_990), 'reduce 2 at 12990'],
  ['of an exit while halted', (rig) => halt(rig.hold(0, -2).read()), price(12_000 + 90), 'reduce 2 at 12090'],
  [
    'of the exit of a stopped strategy, which only the system can ask for',
    (rig) => rig.hold(0, -2).read().state.registry.stop(ALPHA, 'test'),
    price(12_990),
    'reduce 2 at 12990',
  ],
  [
    'of an entry of a stopped strategy',
    ({ state }) => state.registry.stop(ALPHA, 'test'),
    price(12_990),
    'strategy_stopped',
  ],
  [
    'an exit lowered to what is held, while the larger one may fill',
    (rig) => rig.hold(0, -1).read(),
    quantity(1),
    'entry 1 at 13000',
  ],
  ['an exit that would turn the position', (rig) => rig.hold(0, -2).read(), quantity(3), 'entry 3 at 13000'],
  ['margin for what is added', (rig) => rig.account(27_625_000), quantity(3), 'entry 3 at 13000'],
  [
    'margin once for an order that the account does not know yet',
    (rig, order) => rig.account(55_250_000) && (order.createdUs = rig.now),
    price(12_990),
    'entry 2 at 12990',
  ],
  [
    'no margin for what is added',
    (rig) => rig.account(27_625_000),
    quantity(4),
    'margin: needed=44200000 available=22100000',
  ],
];

test.each(CASES)('%s', (_, change, intent, expected) => {
  const { rig, order } = resting();
  change(rig, order);
  const verdict = rig.guard.checkModify(ALPHA, ID, intent, 'system', false);
  const text =
    verdict.kind === 'approved'
      ? `${verdict.approved.purpose} ${verdict.approved.qty} at ${verdict.approved.limitPrice}`
      : verdict.kind === 'denied' && formatDenial(verdict.denial);
  expect(text).toBe(expected);
});

test.each([
  ['strategy', 'stopping'],
  ['system', undefined],
] as const)('an exit moved by the %s while the daemon stops', (by, code) => {
  const { rig } = resting();
  rig.hold(0, -2).read().state.halt.isStopping = true;
  const verdict = rig.guard.checkModify(ALPHA, ID, price(12_990), by, false);
  expect(verdict.kind === 'denied' ? verdict.denial.code : undefined).toBe(code);
});

test('a cancel is never denied: not at night, not halted, not of a stopped strategy', () => {
  const { rig, order } = resting();
  const { state, guard } = rig.goTo(at('02:00'));
  halt(rig);
  state.market.onStreamDown();
  state.positionReconciler.restart();
  state.registry.stop(ALPHA, 'test');
  expect(guard.checkCancel(ALPHA, ID, order)).toEqual({
    callId: ID,
    clientOrderId: OWN,
    strategy: ALPHA,
    orderNo: '1',
    orderKey: null,
    orderCode: 'VN30F1M',
    cause: 7,
  });
  order.orderNo = null;
  expect(() => guard.checkCancel(ALPHA, ID, order)).toThrow(InvariantError);
});
