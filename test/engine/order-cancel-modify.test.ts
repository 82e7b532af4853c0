/** Changes and cancels: races, lost answers, and what counts as exposure meanwhile (failure cases, 7, 11, 12). */
import { describe, expect, it } from 'vitest';
import { clientOrderId, type ClientOrderId, brokerOrderNo } from '../../src/domain/ids.ts';
import { priceTicks, qty } from '../../src/domain/units.ts';
import { traded } from '../support/engine-facts.ts';
import { EngineRig, FIRST, SECOND } from '../support/engine-rig.ts';
import { worth } from '../support/engine-world.ts';

const exposure = (rig: EngineRig): number[] =>
  rig.parts.state!.orders.open.map(({ exposedQty }) => exposedQty);

function lastCall(rig: EngineRig): ClientOrderId {
  const last = rig.sent.at(-1)!;
  if (last.call === 'place') return last.order.clientOrderId;
  return last.call === 'modify' ? last.modify.callId : last.cancel.callId;
}

function modify(
  rig: EngineRig,
  id: ClientOrderId,
  change: { price: number } | { qty: number },
): ClientOrderId {
  rig.act(FIRST, () =>
    rig.host.desk.modify(
      FIRST,
      'price' in change
        ? { kind: 'price', clientOrderId: id, limitPrice: priceTicks(change.price) }
        : { kind: 'qty', clientOrderId: id, qty: qty(change.qty) },
    ),
  );
  return lastCall(rig);
}

describe('a cancel', () => {
  it('is confirmed by the book, not by its answer', () => {
    const rig = new EngineRig().start();
    const id = rig.resting(FIRST, 'buy', 2, 13_000, '7');
    rig.cancel(FIRST, id);
    expect(rig.cancels()).toMatchObject([{ clientOrderId: id, orderNo: '7' }]);
    rig.outcome('cancel', id, lastCall(rig), {
      status: 'accepted',
      orderNo: brokerOrderNo('7'),
      orderKey: null,
    });
    expect(rig.statusOf(id)).toBe('pending_cancel');
    expect(exposure(rig)).toEqual([2]);
    rig.look([{ no: '7', qty: 2, status: 'cancel_pending' }]);
    expect(rig.statusOf(id)).toBe('pending_cancel');
    rig.look([{ no: '7', qty: 2, status: 'canceled' }]);
    expect(rig.statusOf(id)).toBe('canceled');
    expect(exposure(rig)).toEqual([]);
  });

  it('that the broker refuses leads back', () => {
    const rig = new EngineRig().start();
    const id = rig.resting(FIRST, 'buy', 2, 13_000, '7');
    rig.book([{ no: '7', qty: 2, filled: 1, value: worth(13_000), status: 'matched' }]);
    rig
      .cancel(FIRST, id)
      .outcome('cancel', id, lastCall(rig), { status: 'rejected', code: '-6014', text: 'no' });
    expect(rig.statusOf(id)).toBe('partially_filled');
    expect(rig.host.updates.at(-1)?.update.reason).toBe('-6014 no');
    rig.look([{ no: '7', ...traded(13_000, 2) }]);
    const { status, reason } = rig.host.updates.at(-1)!.update;
    expect([status, reason], 'a fill was refused by nobody').toEqual(['filled', '']);
  });

  it('waits while the book says that it cannot be canceled', () => {
    const rig = new EngineRig().start();
    const id = rig.resting(FIRST, 'buy', 2, 13_000, '7');
    rig.book([{ no: '7', qty: 2, canCancel: false }]).cancel(FIRST, id);
    expect(rig.cancels()).toEqual([]);
    rig.look([{ no: '7', qty: 2, canCancel: true }]);
    expect(rig.cancels()).toHaveLength(1);
  });

  it("of somebody else's order is not found", () => {
    const rig = new EngineRig().start();
    const id = rig.resting(FIRST, 'buy', 2, 13_000, '7');
    rig.cancel(SECOND, id).cancel(FIRST, clientOrderId('H.unknown'));
    expect(rig.cancels()).toEqual([]);
    expect(rig.of('denied').map(({ denial }) => denial.code)).toEqual(['order_not_found', 'order_not_found']);
  });
});

describe('a change', () => {
  it('counts the larger quantity and both prices until the book confirms it', () => {
    const rig = new EngineRig().start();
    const id = rig.resting(FIRST, 'buy', 2, 13_000, '7');
    const call = modify(rig, id, { qty: 5 });
    expect(exposure(rig)).toEqual([5]);
    rig.outcome('modify', id, call, { status: 'accepted', orderNo: brokerOrderNo('7'), orderKey: null });
    expect(rig.statusOf(id)).toBe('pending_modify');
    rig.look([{ no: '7', qty: 5, status: 'modify_pending' }]);
    expect(rig.statusOf(id), 'waiting at the gateway').toBe('pending_modify');
    rig.look([{ no: '7', qty: 5, status: 'modified' }]);
    expect(rig.statusOf(id)).toBe('accepted');
    expect(rig.host.updates.at(-1)?.update).toMatchObject({ qty: 5, status: 'accepted' });
  });

  it('that is refused leads back to the old terms', () => {
    const rig = new EngineRig().start();
    const id = rig.resting(FIRST, 'buy', 2, 13_000, '7');
    const call = modify(rig, id, { price: 12_990 });
    rig.outcome('modify', id, call, { status: 'rejected', code: '-6015', text: 'no' });
    expect(rig.statusOf(id)).toBe('accepted');
    expect(rig.engine.snapshot().orders).toMatchObject([{ limitPrice: 13_000 }]);
  });

  it('that races a fill ends with both', () => {
    const rig = new EngineRig().start();
    const id = rig.resting(FIRST, 'buy', 3, 13_000, '7');
    modify(rig, id, { price: 13_005 });
    rig.look([{ no: '7', qty: 3, filled: 1, value: worth(13_000), status: 'matched' }]);
    expect(rig.statusOf(id)).toBe('pending_modify');
    rig.look([{ no: '7', qty: 3, price: 13_005, filled: 1, value: worth(13_000), status: 'matched' }]);
    expect(rig.statusOf(id)).toBe('partially_filled');
    expect(rig.position(FIRST)).toBe(1);
  });

  it('without a sure answer is given up only on evidence', () => {
    const rig = new EngineRig().start();
    const id = rig.resting(FIRST, 'buy', 2, 13_000, '7');
    rig.outcome('modify', id, modify(rig, id, { qty: 5 }), { status: 'unknown', reason: 'timeout' });
    for (let i = 0; i < 3; i += 1) rig.pass(10).book([{ no: '7', qty: 2 }]);
    expect(rig.statusOf(id)).toBe('pending_modify');
    expect(exposure(rig)).toEqual([5]);
    rig.pass(12).book([{ no: '7', qty: 2 }]);
    expect(rig.statusOf(id)).toBe('accepted');
    expect(exposure(rig)).toEqual([2]);
    expect(rig.alerts()).toEqual(['order_oddity']);
  });

  it('that takes away all that was left ends the order', () => {
    const rig = new EngineRig().start();
    const id = rig.resting(FIRST, 'buy', 3, 13_000, '7');
    rig.look([{ no: '7', qty: 3, filled: 2, value: worth(13_000, 2), status: 'matched' }]);
    rig.look([{ no: '7', ...traded(13_000, 2) }]);
    expect(rig.statusOf(id)).toBe('filled');
    expect(exposure(rig)).toEqual([]);
  });

  it('made elsewhere is taken over and alerted', () => {
    const rig = new EngineRig().start();
    const id = rig.resting(FIRST, 'buy', 2, 13_000, '7');
    rig.look([{ no: '7', qty: 2, price: 12_950, status: 'modified' }]);
    expect(rig.engine.snapshot().orders).toMatchObject([{ clientOrderId: id, limitPrice: 12_950 }]);
    expect(rig.alerts()).toEqual(['order_changed_elsewhere']);
  });
});

describe('letters and matched volume', () => {
  it.each([
    { status: 'matched_canceled', filled: 2, ends: 'filled' },
    { status: 'canceled', filled: 2, ends: 'filled' },
    { status: 'resting', filled: 2, ends: 'filled' },
    { status: 'resting', filled: 1, ends: 'partially_filled' },
    { status: 'matched', filled: 0, ends: 'accepted' },
    { status: 'matched_canceled', filled: 0, ends: 'canceled' },
  ] as const)(
    '11: "$status" with $filled of 2 matched ends $ends, counted and reported once',
    ({ status, filled, ends }) => {
      const rig = new EngineRig().start();
      const id = rig.resting(FIRST, 'buy', 2, 13_000, '7');
      const facts = { no: '7', qty: 2, filled, value: worth(13_000, filled), status };
      rig.look([facts]).look([facts]);
      expect(rig.statusOf(id)).toBe(ends);
      expect(rig.position(FIRST)).toBe(filled);
      expect(rig.alerts().filter((code) => code === 'status_disagrees')).toHaveLength(1);
      expect(rig.engine.snapshot().counts.disagreements).toBe(2);
    },
  );

  it('11: letters of a fill without its volume end an order with the second row, and never before the fill', () => {
    const rig = new EngineRig().start();
    const id = rig.resting(FIRST, 'buy', 2, 13_000, '7');
    const row = { no: '7', qty: 2, status: 'matched_canceled' } as const;
    rig.look([{ ...row, filled: 0, value: 0 }]);
    expect([rig.statusOf(id), exposure(rig)]).toEqual(['accepted', [2]]);
    rig.look([{ ...row, filled: 1, value: worth(13_000) }]);
    expect([rig.statusOf(id), rig.position(FIRST)]).toEqual(['canceled', 1]);
  });

  it('11: the strategy of a filled order that was called canceled does not hear of a cancel', () => {
    const rig = new EngineRig().start();
    rig.resting(FIRST, 'buy', 2, 13_000, '7');
    rig.look([{ no: '7', qty: 2, filled: 2, value: worth(13_000, 2), status: 'matched_canceled' }]);
    expect(rig.host.updates.map(({ update }) => update.status)).toEqual(['accepted', 'filled']);
  });

  it('a status nobody knows is alerted once and the order stays open', () => {
    const rig = new EngineRig().start();
    const id = rig.resting(FIRST, 'buy', 2, 13_000, '7');
    const facts = { no: '7', qty: 2, status: 'unrecognized', text: 'QQ' } as const;
    rig.look([facts]).look([facts]);
    expect(rig.statusOf(id)).toBe('accepted');
    expect(exposure(rig)).toEqual([2]);
    expect(rig.alerts()).toEqual(['status_unrecognized']);
  });
});
