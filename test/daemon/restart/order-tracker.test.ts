/** What the next session learns of orders that its books may still show, or that had no answer. */
import { expect, it } from 'vitest';
import { priceTicks } from '../../../src/domain/units.ts';
import { OrderTracker } from '../../../src/daemon/restart/order-tracker.ts';
import { assert } from '../../../src/domain/assert.ts';
import type { CarriedOrder } from '../../../src/engine/ports/engine-event.ts';
import type { JournalEntry } from '../../../src/engine/ports/journal-entry.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';
import { FRONT, worth } from '../../support/engine-world.ts';
import {
  acceptWaiting,
  boughtBracket,
  exitHalf,
  startWaiting,
  stopSell,
  waits,
} from '../../engine/support/trigger-rows.ts';

function left(rig: EngineRig, before: readonly CarriedOrder[] = []): readonly CarriedOrder[] {
  const orders = new OrderTracker();
  orders.begin(before, false);
  for (const entry of rig.entries) orders.add(entry);
  return orders.carriedOver([FRONT]).filter(({ row }) => row === undefined);
}

const termsOf = (orders: readonly CarriedOrder[]) =>
  orders.map(({ clientOrderId, orderNo, status, filledQty }) => [clientOrderId, orderNo, status, filledQty]);

it('is what filled and what works, with figures and costs, and what had no answer', () => {
  const rig = new EngineRig().start();
  const one = rig.resting(FIRST, 'buy', 3, 13_000, '7');
  rig.look([{ no: '7', qty: 3, filled: 1, value: worth(12_990), status: 'matched' }]);
  const none = rig.submit(FIRST, 'sell', 1, 13_100);
  const refused = rig.submit(FIRST, 'sell', 1, 13_110);
  rig.answered(refused, { status: 'rejected', code: '-1', text: 'no' });
  const orders = left(rig);
  expect(termsOf(orders)).toEqual([
    [one, '7', 'partially_filled', 1],
    [none, null, 'submitted', 0],
  ]);
  const [fill] = rig.of('fill');
  expect(orders[0]).toMatchObject({
    strategy: FIRST,
    side: 'buy',
    qty: 3,
    limitPrice: 13_000,
    filledValue: worth(12_990),
    fee: fill?.fee,
    tax: fill?.tax,
  });
});

it('has the terms of a change once the book confirmed it', () => {
  const rig = new EngineRig().start();
  const id = rig.resting(FIRST, 'buy', 1, 13_000, '7');
  rig.modify(FIRST, { kind: 'price', clientOrderId: id, limitPrice: priceTicks(12_990) });
  expect(left(rig)[0]?.limitPrice).toBe(13_000);
  rig.look([{ no: '7', price: 12_990 }]);
  expect(left(rig)[0]?.limitPrice).toBe(12_990);
});

it('leaves out orders that the trigger book shows, and has those that nobody answered', () => {
  const rig = startWaiting();
  const shown = rig.ask(FIRST, stopSell(12_950));
  acceptWaiting(rig, shown, 'k1');
  rig.pass(1).conditions([waits({ key: 'k1' })]);
  const silent = rig.ask(FIRST, stopSell(12_900));
  expect(termsOf(left(rig))).toEqual([[silent, null, 'submitted', 0]]);
});

it('has foreign orders too: the next day must not take them for new ones', () => {
  const rig = new EngineRig().start();
  rig.look([{ no: '9', qty: 2, filled: 1, value: worth(13_000), status: 'matched' }]);
  expect(left(rig)).toMatchObject([{ orderNo: '9', strategy: -1, filledQty: 1 }]);
});

it('goes on with what two days ago left unproven until positions agreed', () => {
  const rig = new EngineRig().session();
  const resting = new EngineRig().start();
  resting.resting(FIRST, 'buy', 1, 13_000, '7');
  const before = left(resting);
  expect(termsOf(left(rig, before))).toEqual(termsOf(before));
  expect(left(new EngineRig().start(), before)).toEqual([]);
});

it('goes on with a stop that the books of a new day do not show until positions agreed', () => {
  const rig = startWaiting();
  const id = rig.ask(FIRST, stopSell(12_950));
  acceptWaiting(rig, id, 'k1').pass(1);
  rig.conditions([waits({ key: 'k1' })]);
  const [agreed] = new EngineRig().start().of('position_agreed');
  const [status] = rig.of('order_status');
  assert(agreed !== undefined && status !== undefined, 'both were journaled');
  const gone = { ...status, from: 'pending_trigger', event: 'seen_gone', to: 'expired' } as const;
  const after = (entries: readonly JournalEntry[]) => {
    const orders = new OrderTracker();
    for (const entry of [...rig.of('order_waiting'), ...entries]) orders.add(entry);
    return orders.carriedOver([FRONT]).map(({ clientOrderId }) => clientOrderId);
  };
  expect([after([gone]), after([gone, agreed]), after([agreed, gone])]).toEqual([[id], [], []]);
});

it('says of a bracket that filled whether its exits were seen, also two days later', () => {
  const rig = startWaiting();
  boughtBracket(rig);
  const owing = left(rig);
  expect(owing).toMatchObject([{ status: 'filled', filledQty: 2, owesExits: true }]);
  expect(left(new EngineRig().session(), owing)).toEqual(owing);
  rig.pass(1).conditions([exitHalf('a', 12_950), exitHalf('b', 13_080)]);
  expect(left(rig)).toMatchObject([{ status: 'filled', owesExits: false }]);
});
