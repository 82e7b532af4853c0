/** What left on the emergency file, and the journal knows nothing of: it is neither forgotten nor sent again. */
import { describe, expect, it } from 'vitest';
import { brokerOrderNo, clientOrderId, type ClientOrderId } from '../../../src/domain/ids.ts';
import { priceTicks, qty, seq } from '../../../src/domain/units.ts';
import type { ModifyToSend, OrderToSend } from '../../../src/engine/ports/approved.ts';
import { limit, traded } from '../../support/engine-facts.ts';
import { replay } from '../../support/engine-replay.ts';
import { everyThird } from '../../support/engine-host.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';
import { FRONT } from '../../support/engine-world.ts';

const SENT = clientOrderId('H.12345600001000900');

const exit = (id: ClientOrderId, contracts = 1): OrderToSend => ({
  clientOrderId: id,
  strategy: FIRST,
  purpose: 'reduce',
  shrinks: true,
  instrument: FRONT.index,
  orderCode: FRONT.orderCode,
  side: 'sell',
  qty: qty(contracts),
  limitPrice: priceTicks(13_010),
  trigger: null,
  cause: seq(1),
});

const change = (id: ClientOrderId, contracts: number, limitPrice: number): ModifyToSend => ({
  callId: SENT,
  clientOrderId: id,
  strategy: FIRST,
  purpose: 'reduce',
  orderNo: brokerOrderNo('5'),
  orderKey: null,
  orderCode: FRONT.orderCode,
  qty: qty(contracts),
  limitPrice: priceTicks(limitPrice),
  triggerPrice: null,
  cause: seq(1),
});

/** One contract long, by an order that has filled. */
const long = (): EngineRig => {
  const rig = new EngineRig().start();
  rig.resting(FIRST, 'buy', 1, 13_000, '3');
  return rig.look([{ no: '3', ...traded(13_000) }]);
};

const owner = (order: OrderToSend) => ({ clientOrderId: order.clientOrderId, strategy: FIRST, order });

describe('an exit that left on the emergency file', () => {
  it('is a call without an answer: it is looked up, and closes what it closes until then', () => {
    const rig = long().boot(2, [owner(exit(SENT))]);
    expect([rig.statusOf(SENT), rig.alerts()]).toEqual(['unknown', ['order_unknown']]);
    expect(rig.of('place').at(-1)).toMatchObject({ order: { clientOrderId: SENT }, isLost: false });
    rig.stream('live').reference().account().pass(1).positions(1);
    rig.ask(FIRST, limit('sell', 1, 13_010));
    expect(rig.places().map(({ purpose }) => purpose)).not.toContain('reduce');
    rig.look([{ no: '7', ref: SENT, side: 'sell', price: 13_010 }]);
    expect(rig.statusOf(SENT)).toBe('accepted');
  });
});

const resting = () => {
  const rig = new EngineRig().start();
  const id = rig.submit(FIRST, 'buy', 2, 13_000);
  rig.accepted(id, '5').pass(1);
  return { rig, id };
};

describe('a change that left on the emergency file', () => {
  it('is looked up: what the book shows is what was asked for', () => {
    const { rig, id } = resting();
    rig.post({ kind: 'booted', boot: 2, accountTail: '123456', changes: [change(id, 1, 12_990)] });
    expect(rig.statusOf(id)).toBe('pending_modify');
    rig.look([{ no: '5', ref: id, qty: 1, price: 12_990 }]);
    expect(rig.engine.snapshot().orders).toMatchObject([{ status: 'accepted', qty: 1, limitPrice: 12_990 }]);
    expect(rig.alerts()).toEqual([]);
  });

  it('shows that an order of the file was accepted, and its number', () => {
    const rig = long();
    const changes = [{ ...change(SENT, 1, 13_020), purpose: 'reduce' }] as const;
    rig.post({ kind: 'booted', boot: 2, accountTail: '123456', owners: [owner(exit(SENT, 2))], changes });
    expect(rig.statusOf(SENT)).toBe('pending_modify');
    rig.look([{ no: '5', ref: SENT, side: 'sell', qty: 1, price: 13_020 }]);
    expect(rig.engine.snapshot().orders).toMatchObject([{ status: 'accepted', qty: 1, limitPrice: 13_020 }]);
    expect(rig.alerts()).toEqual([]);
  });

  it('that never arrived ends by the scans that show the order as it was', () => {
    const { rig, id } = resting();
    rig.post({ kind: 'booted', boot: 2, accountTail: '123456', changes: [change(id, 1, 12_990)] });
    for (let scan = 0; scan < 8; scan += 1) rig.pass(30).book([{ no: '5', ref: id, qty: 2, price: 13_000 }]);
    expect(rig.engine.snapshot().orders).toMatchObject([{ status: 'accepted', qty: 2, limitPrice: 13_000 }]);
  });
});

describe('the id of a call that left on the emergency file', () => {
  it('is given to no other call, though a version that asks for something else decides the tail again', () => {
    const live = new EngineRig({ strategies: [everyThird('sell'), {}] }).start();
    const kept = live.trade(13_000).trade(13_001).entries.slice();
    live.trade(13_002);
    const [order] = live.places();
    const again = new EngineRig({ strategies: [everyThird('buy'), {}] });
    again.engine.noteUnjournaledCalls({ owners: [owner(order!)], changes: [], cancels: [] });
    replay(again, live.inputs, kept);
    again.pass(1).boot(2, [owner(order!)]);
    expect(
      again
        .of('place')
        .map(({ order: { clientOrderId: id, side }, isLost }) => [id === order!.clientOrderId, side, isLost]),
    ).toEqual([
      [false, 'buy', true],
      [true, 'sell', false],
    ]);
  });
});
