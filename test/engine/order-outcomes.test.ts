/** What becomes of a place when the answer is lost, late, false or missing (failure cases, 1, 2, 3, 5, 6, 10). */
import { describe, expect, it } from 'vitest';
import { clientOrderId } from '../../src/domain/ids.ts';
import { EngineRig, FIRST } from '../support/engine-rig.ts';
import { worth } from '../support/engine-world.ts';

const place = (rig: EngineRig) => rig.submit(FIRST, 'buy', 2, 13_000);

/** Complete walks without the order: `count` of them, `gap` seconds apart. */
function walks(rig: EngineRig, count: number, gap: number): void {
  for (let i = 0; i < count; i += 1) rig.pass(gap).book();
}

describe('a place whose answer was lost', () => {
  it('5: is not given up by the number of tries: it stays exposure until a person resolves it', () => {
    const rig = new EngineRig().start();
    const id = place(rig);
    rig.unknown(id);
    walks(rig, 3, 10);
    expect(rig.statusOf(id), 'three walks in 20 s are no evidence').toBe('unknown');
    walks(rig, 1, 10);
    expect(rig.statusOf(id)).toBe('presumed_absent');
    expect(rig.alerts()).toContain('order_presumed_absent');
    const { open } = rig.parts.state!.orders;
    expect(
      open.map(({ exposedQty }) => exposedQty),
      'it still counts',
    ).toEqual([2]);
    expect(rig.engine.snapshot().unproven, 'and entries wait').toContain(id);
    rig.command({ name: 'resolve_order', clientOrderId: id, as: 'absent', reason: 'seen at the broker' });
    expect(rig.statusOf(id)).toBe('not_sent');
    expect(rig.parts.state!.orders.open).toEqual([]);
    expect(rig.engine.snapshot().unproven).toBeNull();
    rig.command({ name: 'resolve_order', clientOrderId: id, as: 'absent', reason: 'seen again' });
    expect(rig.alerts().at(-1)).toBe('order_not_in_doubt');
    expect(rig.alerts()).not.toContain('order_fault');
  });

  it('5: walks right after the call count once: the request may still be on its way', () => {
    const rig = new EngineRig().start();
    const id = place(rig);
    rig.unknown(id);
    walks(rig, 4, 1);
    rig.pass(40).book([]);
    expect(rig.statusOf(id), 'one walk alone began late').toBe('unknown');
    rig.pass(10).book([]);
    expect(rig.statusOf(id)).toBe('presumed_absent');
  });

  it('5: walks that are incomplete or began before the loss are no evidence', () => {
    const rig = new EngineRig().start();
    const id = place(rig);
    rig.pass(40).unknown(id);
    rig.book([], { ago: 35 }).book([], { ago: 20 }).book([], { ago: 1 });
    for (let i = 0; i < 5; i += 1) rig.pass(20).book([], { complete: false });
    expect(rig.statusOf(id)).toBe('unknown');
  });
});

describe('two orders of the same terms', () => {
  it('take a row each; a third row is somebody else’s, and is alerted', () => {
    const rig = new EngineRig().start();
    const [one, two] = [place(rig), place(rig)];
    rig.unknown(one).unknown(two);
    rig.look([
      { no: '10', qty: 2 },
      { no: '9', qty: 2 },
      { no: '8', qty: 2 },
    ]);
    const numbers = rig.engine
      .snapshot()
      .orders.map(({ clientOrderId, orderNo }) => [clientOrderId, orderNo]);
    expect(numbers).toEqual([
      [one, '8'],
      [two, '9'],
      [expect.stringMatching(/^A\./), '10'],
    ]);
    expect(rig.alerts()).toContain('look_up_ambiguous');
  });

  it('wait while the answer of one of them is still on its way', () => {
    const rig = new EngineRig().start();
    const [one, two] = [place(rig), place(rig)];
    rig.unknown(one);
    for (let i = 0; i < 8; i += 1) rig.pass(15).book([{ no: '8', qty: 2 }]);
    expect(rig.of('order_adopted'), 'it may be either').toEqual([]);
    expect(rig.statusOf(one), 'the row proves no absence of it').toBe('unknown');
    rig.accepted(two, '8').look([{ no: '8', qty: 2 }]);
    expect(rig.statusOf(one)).toBe('unknown');
    expect(rig.statusOf(two)).toBe('accepted');
  });
});

describe('an order that was given up', () => {
  it('is over although a read that began before the row of its end arrived still shows it', () => {
    const rig = new EngineRig().start();
    const id = rig.resting(FIRST, 'buy', 2, 13_000, '7');
    rig.cancel(FIRST, id).look([{ no: '7', qty: 2, status: 'canceled' }]);
    rig.pass(0.1).book([{ no: '7', qty: 2, status: 'cancel_pending' }], { ago: 0.15 });
    expect([rig.statusOf(id), rig.alerts()]).toEqual(['canceled', []]);
    rig.pass(0.1).book([{ no: '7', qty: 2 }], { ago: 0.05 });
    expect([rig.statusOf(id), rig.alerts()]).toEqual(['accepted', ['order_oddity']]);
  });

  it('3: fills after its cancel was confirmed: the fill is real', () => {
    const rig = new EngineRig().start();
    const id = rig.resting(FIRST, 'buy', 2, 13_000, '7');
    rig.cancel(FIRST, id).look([{ no: '7', qty: 2, status: 'canceled' }]);
    expect(rig.statusOf(id)).toBe('canceled');
    rig.look([{ no: '7', qty: 2, filled: 1, value: worth(13_000), status: 'matched_canceled' }]);
    expect(rig.statusOf(id)).toBe('canceled');
    expect(rig.position(FIRST)).toBe(1);
    expect(rig.alerts()).toContain('order_oddity');
  });
});

describe('answers', () => {
  it('a refusal is remembered with the request it refused', () => {
    const rig = new EngineRig().start();
    for (const _ of [1, 2])
      rig.answered(place(rig), { status: 'rejected', code: '-6012', text: 'not enough money' });
    const intent = {
      kind: 'limit',
      instrument: 0,
      side: 'buy',
      qty: 2,
      limitPrice: 13_000,
      reason: '',
      trigger: null,
    } as never;
    expect(rig.parts.state!.breakers.refusals.find(FIRST, intent)).toMatchObject({
      count: 2,
      text: '-6012 not enough money',
    });
    rig.accepted(place(rig), '9');
    expect(rig.parts.state!.breakers.refusals.find(FIRST, intent)).toBeUndefined();
  });

  it('for an order nobody knows is alerted', () => {
    const rig = new EngineRig().start();
    rig.accepted(clientOrderId('H.nobody'), '7');
    expect(rig.alerts()).toEqual(['outcome_without_order']);
  });
});
