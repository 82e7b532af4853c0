/** Orders that wait at the broker, from the wish to the order they send: over the door, in virtual time. */
import { describe, expect, it } from 'vitest';
import { assert } from '../../../src/domain/assert.ts';
import type { CallOutcome } from '../../../src/domain/broker-order.ts';
import { brokerOrderNo, clientOrderId, type ClientOrderId } from '../../../src/domain/ids.ts';
import type { StopIntent } from '../../../src/domain/order.ts';
import { OPERATOR_INDEX, priceTicks, seq } from '../../../src/domain/units.ts';
import type { OrderToSend } from '../../../src/engine/ports/approved.ts';
import { traded } from '../../support/engine-facts.ts';
import { EngineRig, FIRST, SECOND } from '../../support/engine-rig.ts';
import { FRONT } from '../../support/engine-world.ts';
import { acceptWaiting, startWaiting, stopSell, waits, waitingStop } from '../support/trigger-rows.ts';

const last = <T>(list: readonly T[]): T => list.at(-1)!;

const denials = (rig: EngineRig) => rig.of('denied').map(({ denial }) => denial.code);

const move = (id: string, to: number) =>
  ({ kind: 'trigger', clientOrderId: clientOrderId(id), triggerPrice: priceTicks(to) }) as const;

it('a stop that left the trigger book ends once a person says that the broker does not have it', () => {
  const { rig, id } = waitingStop();
  const resolve = () =>
    rig.command({ name: 'resolve_order', clientOrderId: id, as: 'absent', reason: 'looked' });
  resolve();
  expect([rig.statusOf(id), rig.alerts().at(-1)], 'the book shows it').toEqual([
    'pending_trigger',
    'order_not_missing',
  ]);
  for (let scan = 0; scan < 8; scan += 1) rig.pass(30).conditions([]);
  expect([rig.statusOf(id), rig.alerts().at(-1)]).toEqual(['pending_trigger', 'order_missing']);
  resolve();
  expect([rig.statusOf(id), rig.engine.snapshot().orders]).toEqual(['canceled', []]);
});

/** A stop whose answer was lost. */
const asked = () => {
  const rig = startWaiting();
  const id = rig.ask(FIRST, stopSell(12_950));
  rig.unknown(id);
  return { rig, id };
};

/** And another strategy's, with the same terms; the first is to be canceled. */
const askedTwice = () => {
  const { rig, id } = asked();
  const other = rig.ask(SECOND, stopSell(12_950));
  rig.unknown(other).cancel(FIRST, id);
  return { rig, statuses: () => [rig.statusOf(id), rig.statusOf(other)] };
};

describe('an order of unknown fate', () => {
  it.each([
    ['', true],
    [', though a page of that scan was missing', false],
  ])('is not taken for a row that was there before it was sent%s', (_, complete) => {
    const rig = startWaiting()
      .pass(1)
      .conditions([waits({ key: 'old', status: 'canceled' })], { complete });
    const id = rig.ask(FIRST, stopSell(12_950));
    rig
      .unknown(id)
      .pass(1)
      .conditions([waits({ key: 'old', status: 'canceled' })]);
    expect(rig.statusOf(id)).toBe('unknown');
  });

  it('with two candidates is a matter for a person', () => {
    const { rig, id } = asked();
    rig.pass(1).conditions([waits({ key: 'k1' }), waits({ key: 'k2' })]);
    expect(rig.statusOf(id)).toBe('unknown');
    expect(rig.alerts()).toContain('look_up_ambiguous');
  });

  describe('next to the same stop of another strategy', () => {
    it('gets no row before the book shows both, so that nobody cancels what another one sent', () => {
      const { rig, statuses } = askedTwice();
      rig.pass(1).conditions([waits({ key: 'k2' })]);
      expect(statuses()).toEqual(['unknown', 'unknown']);
      expect(rig.of('cancel')).toEqual([]);
      rig.pass(1).conditions([waits({ key: 'k1' }), waits({ key: 'k2' })]);
      expect(statuses()).toEqual(['pending_cancel', 'pending_trigger']);
      expect(rig.of('cancel')).toMatchObject([{ cancel: { orderKey: 'k1' } }]);
    });

    it('is not absent while a row may be its own or the one of which the answer is under way', () => {
      const { rig, id } = asked();
      rig.ask(SECOND, stopSell(12_950));
      for (let i = 0; i < 8; i += 1) rig.pass(15).conditions([waits({ key: 'k1' })]);
      expect(rig.statusOf(id)).toBe('unknown');
    });

    it('leaves the only row to it once complete scans have not shown the older one', () => {
      const { rig, statuses } = askedTwice();
      for (let i = 0; i < 8; i += 1) rig.pass(15).conditions([waits({ key: 'k2' })]);
      expect(statuses()).toEqual(['presumed_absent', 'pending_trigger']);
      expect(rig.alerts()).not.toContain('trigger_adopted');
    });
  });
});

it('an order that waits, or is being changed or canceled, outlives the day; one that has triggered is unproven', () => {
  const still = waitingStop();
  still.rig.pass(24 * 3_600).clock();
  expect(still.rig.statusOf(still.id)).toBe('pending_trigger');
  const canceling = waitingStop();
  canceling.rig.cancel(FIRST, canceling.id);
  canceling.rig.pass(24 * 3_600).clock();
  expect(canceling.rig.statusOf(canceling.id)).toBe('pending_cancel');
  const { rig, id } = waitingStop();
  rig.pass(1).conditions([waits({ key: 'k1', status: 'activated' })]);
  rig.pass(24 * 3_600).clock();
  expect(rig.statusOf(id)).toBe('expired_unproven');
});

const child = { no: '8', side: 'sell', price: 12_945, source: 'system' } as const;

/** The stop triggers, and what it sends is canceled or not. */
const cancelsAfterTrigger = (rig: EngineRig): readonly string[] => {
  rig.pass(1).conditions([waits({ key: 'k1', status: 'activated', children: ['8'] })]);
  rig.look([child]);
  return rig.cancels().map(({ orderNo }) => orderNo ?? '');
};
const answered = (rig: EngineRig, outcome: CallOutcome, calls = rig.waiting): EngineRig => {
  const asked = last(calls);
  assert(asked.call === 'cancel', 'a cancel was asked for');
  return rig.outcome('cancel', asked.cancel.clientOrderId, asked.cancel.callId, outcome);
};
const REFUSED: CallOutcome = { status: 'rejected', code: '-6026', text: 'not now' };
const UNSENT: CallOutcome = { status: 'not_sent', reason: 'no connection' };
const stillWaits = (rig: EngineRig, ago = 0.1): EngineRig => rig.conditions([waits({ key: 'k1' })], { ago });

describe('a trigger', () => {
  it('that the in-day book shows first is held back until the conditional book says whose it is', () => {
    const { rig, id } = waitingStop();
    rig.reads.length = 0;
    const shown = { ...child, ...traded(12_948) } as const;
    rig.pass(5).book([shown]);
    expect([rig.of('order_adopted'), rig.of('fill')]).toEqual([[], []]);
    expect(rig.reads).toContain('triggers');
    rig.pass(1).conditions([waits({ key: 'k1', status: 'activated', children: ['8'] })]);
    rig.look([shown]);
    expect([rig.statusOf(id), rig.position(FIRST)]).toEqual(['triggered', -1]);
  });

  it('is held until a read of the conditional book that began after its row was there', () => {
    const { rig, id } = waitingStop();
    const shown = { ...child, ...traded(12_948) } as const;
    rig.pass(5).book([shown], { ago: 2 });
    rig.conditions([waits({ key: 'k1' })], { ago: 1 });
    for (let i = 0; i < 8; i += 1) rig.pass(5).look([shown]);
    expect(rig.of('order_adopted')).toEqual([]);
    rig.pass(1).conditions([waits({ key: 'k1', status: 'activated', children: ['8'] })]);
    rig.look([shown]);
    expect([rig.statusOf(id), rig.position(FIRST)]).toEqual(['triggered', -1]);
  });

  it.each([
    ['was refused', REFUSED, []],
    ['was never sent', UNSENT, []],
    ['may have arrived', { status: 'unknown', reason: 'HTTP 500' }, ['8']],
  ] as const)('after a cancel that %s, and a row that shows it waiting', (_, outcome, cancels) => {
    const { rig, id } = waitingStop();
    stillWaits(answered(rig.cancel(FIRST, id).pass(1), outcome).pass(1));
    expect(cancelsAfterTrigger(rig)).toEqual(cancels);
  });

  it.each([
    ['has no answer', { status: 'unknown', reason: 'HTTP 500' }],
    ['was accepted', { status: 'accepted', orderNo: brokerOrderNo('7'), orderKey: null }],
  ] as const)('after a cancel that %s, and as many rows as prove an order absent', (_, outcome) => {
    const { rig, id } = waitingStop();
    answered(rig.cancel(FIRST, id).pass(1), outcome);
    for (let scan = 0; scan < 3; scan += 1) stillWaits(rig.pass(15));
    expect(rig.statusOf(id)).toBe('pending_trigger');
    expect(cancelsAfterTrigger(rig)).toEqual([]);
  });

  it('after the stop of its strategy, whose cancel was refused: what it sent is canceled until it is over', () => {
    const { rig } = waitingStop();
    rig.command({ name: 'stop_strategy', strategy: FIRST, reason: 'test' }).pass(1);
    stillWaits(answered(rig, REFUSED).pass(1));
    expect(cancelsAfterTrigger(rig)).toEqual(['8']);
    answered(rig, REFUSED, rig.sent).pass(6).book([child]);
    expect(rig.cancels().map(({ orderNo }) => orderNo)).toEqual(['8', '8']);
  });

  it('after the stop of its strategy, once it has come to protect a position, is left to close it', () => {
    const { rig } = waitingStop();
    rig.resting(FIRST, 'buy', 1, 12_990, '3');
    rig.command({ name: 'stop_strategy', strategy: FIRST, reason: 'test' }).pass(1);
    for (const each of rig.waiting)
      if (each.call === 'cancel')
        rig.outcome('cancel', each.cancel.clientOrderId, each.cancel.callId, REFUSED);
    const bought = { no: '3', price: 12_990, ...traded(12_990) } as const;
    stillWaits(rig.look([bought]));
    rig.pass(1).conditions([waits({ key: 'k1', status: 'activated', children: ['8'] })]);
    const { length } = rig.cancels();
    rig.look([bought, child]);
    expect(rig.cancels()).toHaveLength(length);
  });

  it('that the broker could not send is alerted at once', () => {
    const { rig, id } = waitingStop();
    rig.pass(1).conditions([waits({ key: 'k1', status: 'rejected' })]);
    expect([rig.statusOf(id), rig.alerts()]).toEqual(['rejected', ['trigger_refused']]);
  });

  it('of nobody here belongs to the operator where each book is read after the other, too', () => {
    const { rig } = waitingStop();
    const shown = { ...child, price: 12_000, ...traded(12_000) } as const;
    rig.look([shown]);
    rig.pass(1).conditions([waits({ key: 'k1' })]);
    expect(rig.of('order_adopted')).toEqual([]);
    rig.look([shown]);
    expect(last(rig.of('order_adopted'))).toMatchObject({ strategy: OPERATOR_INDEX });
    expect(rig.position(OPERATOR_INDEX)).toBe(-1);
  });
});

describe('a trigger before the stop has its answer', () => {
  const shown = { ...child, ...traded(12_948) } as const;
  const row = waits({ key: 'k1', status: 'activated', children: ['8'] });
  /** Scans of both books, over a longer span than proves anything. */
  const scanned = (rig: EngineRig): EngineRig => {
    for (let i = 0; i < 8; i += 1) rig.pass(5).conditions([row]).look([shown]);
    return rig;
  };

  it('is booked to nobody while the answer is under way, then to the strategy', () => {
    const rig = startWaiting();
    const id = rig.ask(FIRST, stopSell(12_950));
    expect(scanned(rig).of('order_adopted')).toEqual([]);
    rig.unknown(id).look([shown]).pass(1).conditions([row]).look([shown]);
    expect([rig.statusOf(id), rig.position(FIRST), rig.position(OPERATOR_INDEX)]).toEqual([
      'triggered',
      -1,
      0,
    ]);
  });

  it('that a person has given away ends the stop, and leaves the fill where it was booked', () => {
    const rig = startWaiting();
    const id = rig.ask(FIRST, stopSell(12_950));
    scanned(rig);
    rig.command({ name: 'resolve_order', clientOrderId: clientOrderId('8'), as: 'live', reason: 'mine' });
    rig.look([shown]);
    expect(rig.position(OPERATOR_INDEX)).toBe(-1);
    rig.unknown(id).pass(1).conditions([row]);
    expect(rig.statusOf(id)).toBe('triggered');
    expect(rig.alerts()).toContain('child_reported_late');
    expect(rig.engine.snapshot().orders).toEqual([]);
    expect([rig.position(FIRST), rig.position(OPERATOR_INDEX)]).toEqual([0, -1]);
  });
});

/** As a line of the emergency file has it. */
const sent = (
  id: ClientOrderId,
  { side, qty, limitPrice, triggerPrice, triggerWhen }: StopIntent,
): OrderToSend => ({
  clientOrderId: id,
  strategy: FIRST,
  purpose: 'reduce',
  shrinks: true,
  instrument: FRONT.index,
  orderCode: FRONT.orderCode,
  side,
  qty,
  limitPrice,
  trigger: { kind: 'stop', triggerPrice, triggerWhen },
  cause: seq(1),
});

it('a stop that left on the emergency file is its strategy’s, and so is what it sends', () => {
  const id = clientOrderId('H.12345600001000009');
  const owner = { clientOrderId: id, strategy: FIRST, order: sent(id, stopSell(12_950)) };
  const restarted = (): EngineRig => {
    const rig = new EngineRig({ canWait: true }).session().contracts();
    return rig.boot(2, [owner]).stream('live').reference().account();
  };
  const rig = restarted()
    .pass(1)
    .conditions([waits({ key: 'k1' })]);
  expect(rig.engine.snapshot().orders).toMatchObject([{ clientOrderId: id, status: 'pending_trigger' }]);
  rig.pass(1).conditions([waits({ key: 'k1', status: 'activated', children: ['8'] })]);
  rig.look([{ ...child, ...traded(12_948) }]);
  expect([rig.position(FIRST), rig.position(OPERATOR_INDEX)]).toEqual([-1, 0]);

  const gone = restarted();
  for (let i = 0; i < 4; i += 1) gone.pass(15).conditions();
  expect(gone.engine.snapshot().orders).toMatchObject([{ clientOrderId: id, status: 'presumed_absent' }]);
});

it('a stop that waited for positions in a lost tail, and left on the emergency file, is sent once', () => {
  const rig = startWaiting();
  rig.resting(FIRST, 'buy', 1, 13_000, '3');
  rig.look([{ no: '3', ...traded(13_000) }]);
  rig.pass(6);
  const asked = stopSell(12_950, 1, { reduceOnly: true });
  const id = rig.ask(FIRST, asked);
  expect(rig.waiting, 'it waits for a read of positions').toEqual([]);
  rig.boot(2, [{ clientOrderId: id, strategy: FIRST, order: sent(id, asked) }]);
  expect(rig.statusOf(id)).toBe('unknown');
  rig.pass(1).positions(1);
  expect([rig.statusOf(id), rig.waiting, denials(rig)]).toEqual(['unknown', [], []]);
});

const foreign = (facts: Partial<Parameters<typeof waits>[0]> = {}) => waits({ key: 'f', ...facts });

/** One stop of ours under `k1`, and one that nobody here placed. */
const adopted = () => {
  const { rig, id } = waitingStop();
  rig.pass(1).conditions([waits({ key: 'k1' }), foreign()]);
  return { rig, id };
};

describe('a stop of somebody else', () => {
  it('is adopted once under the name of the operator, and left alone', () => {
    const { rig } = adopted();
    rig.pass(1).conditions([waits({ key: 'k1' }), foreign()]);
    expect(rig.alerts()).toEqual(['trigger_adopted']);
    expect(rig.engine.snapshot().orders.filter(({ strategy }) => strategy === OPERATOR_INDEX)).toHaveLength(
      1,
    );
    expect(rig.waiting.filter(({ call }) => call !== 'place')).toEqual([]);
  });
});

describe('a change', () => {
  it.each([
    ['to where it is', (id: string) => move(id, 12_950), 'modify_changes_nothing'],
    [
      'of its price',
      (id: string) => ({ kind: 'price', clientOrderId: id, limitPrice: 12_900 }),
      'modify_not_possible',
    ],
    ['of its quantity', (id: string) => ({ kind: 'qty', clientOrderId: id, qty: 2 }), 'modify_not_possible'],
    ['below its limit', (id: string) => move(id, 12_940), 'limit_behind_trigger'],
    ['out of the band', (id: string) => move(id, 15_000), 'price_outside_band'],
  ])('%s is denied', (_, change, code) => {
    const { rig, id } = waitingStop();
    rig.modify(FIRST, change(id) as never);
    expect(denials(rig)).toEqual([code]);
    expect(rig.waiting).toHaveLength(1);
  });
});

describe('a cancel', () => {
  it('waits for the key', () => {
    const rig = startWaiting();
    const id = rig.ask(FIRST, stopSell(12_950));
    rig.cancel(FIRST, id);
    expect(rig.waiting).toHaveLength(1);
    acceptWaiting(rig, id, 'k1');
    expect(rig.waiting.at(-1)).toMatchObject({ call: 'cancel', cancel: { orderKey: 'k1' } });
  });
});
