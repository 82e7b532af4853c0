/** Calls and triggers that cross on the wire, with and without a restart in between. */
import { describe, expect, it } from 'vitest';
import { type ClientOrderId } from '../../../src/domain/ids.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { traded } from '../../support/engine-facts.ts';
import { replay } from '../../support/engine-replay.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';
import { acceptWaiting, stopSell, waits, waitingStop } from '../support/trigger-rows.ts';

const sold = { no: '8', side: 'sell', price: 12_945, source: 'system' } as const;

const moved = () => {
  const world = waitingStop();
  const { rig, id } = world;
  rig.modify(FIRST, { kind: 'trigger', clientOrderId: id, triggerPrice: priceTicks(12_960) });
  const { callId } = rig.of('modify').at(-1)!.modify;
  rig.outcome('modify', id, callId, { status: 'unknown', reason: 'timeout' });
  return world;
};

function morning(rig: EngineRig): { readonly rig: EngineRig; readonly id: ClientOrderId } {
  rig.start().account().conditions().trade(13_000);
  const id = rig.waiting.flatMap((each) => (each.call === 'place' ? [each.order.clientOrderId] : []))[0]!;
  acceptWaiting(rig, id, 'k1')
    .pass(1)
    .conditions([waits({ key: 'k1' })]);
  return { rig: rig.trade(13_001), id };
}

const create = () => {
  let trades = 0;
  return new EngineRig({
    canWait: true,
    strategies: [
      {
        onTrade: (_, desk, me) => {
          trades += 1;
          if (trades === 1) desk.submit(me, stopSell(12_950));
          const [stop] = desk.workingOrders(me);
          if (trades === 2) desk.cancel(me, stop!.clientOrderId);
        },
      },
      {},
    ],
  });
};

describe('a moved trigger whose answer is lost', () => {
  it('is the new one when the book shows it', () => {
    const { rig, id } = moved();
    rig.pass(1).conditions([waits({ key: 'k1', trigger: 12_960, limit: 12_945 })]);
    expect(rig.statusOf(id)).toBe('pending_trigger');
    expect(rig.host.desk.workingOrders(FIRST)).toMatchObject([{ triggerPrice: 12_960 }]);
  });

  it('is the old one when complete scans show no trace of the change', () => {
    const { rig, id } = moved();
    for (let scan = 0; scan < 4; scan += 1) rig.pass(15).conditions([waits({ key: 'k1' })]);
    expect(rig.statusOf(id)).toBe('pending_trigger');
    expect(rig.alerts()).toEqual(['order_oddity']);
    expect(rig.waiting.filter(({ call }) => call === 'modify')).toHaveLength(1);
  });
});

describe('a stop that triggers while its cancel is in flight, and a restart in between', () => {
  it('cancels what was sent, and replays to the same decisions', () => {
    const before = morning(create());
    const { id } = before;
    expect(before.rig.statusOf(id)).toBe('pending_cancel');
    const after = create();
    replay(after, before.rig.inputs, before.rig.entries);
    expect(after.entries).toEqual(before.rig.entries);
    after.boot(2).pass(1);
    after.conditions([waits({ key: 'k1', status: 'activated', children: ['8'] })]);
    after.look([sold]);
    expect(after.statusOf(id)).toBe('triggered');
    expect(after.cancels().map(({ orderNo }) => orderNo)).toEqual(['8']);
    after.look([{ ...sold, ...traded(12_945) }]);
    expect(after.position(FIRST)).toBe(-1);
    const again = create();
    replay(again, after.inputs, after.entries);
    expect(again.entries).toEqual(after.entries);
    expect(again.engine.snapshot()).toEqual(after.engine.snapshot());
  });
});
