/** What a kill cut off the journal: decided once, never sent, written after all by the next start. */
import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { everyThird } from '../support/engine-host.ts';
import { limit, traded } from '../support/engine-facts.ts';
import { replay } from '../support/engine-replay.ts';
import { EngineRig, FIRST } from '../support/engine-rig.ts';
import { acceptWaiting, stopSell, waits } from './support/trigger-rows.ts';

const fills = (entries: readonly JournalEntry[]) => entries.filter(({ kind }) => kind === 'fill');

describe('a tail that a kill cut off', () => {
  it('was never sent: its orders end as not sent, and the strategy goes on', () => {
    const live = new EngineRig({ strategies: [everyThird(), {}] }).start();
    const kept = live.trade(13_000).trade(13_001).entries.length;
    live.trade(13_002);
    expect(live.places()).toHaveLength(1);
    const again = new EngineRig({ strategies: [everyThird(), {}] });
    replay(again, live.inputs, live.entries.slice(0, kept));
    again.pass(1).boot(2);
    expect(again.of('strategy_fault')).toEqual([]);
    expect(again.of('place').map(({ isLost }) => isLost)).toEqual([true]);
    expect(again.host.updates.at(-1)).toMatchObject({ strategy: FIRST, update: { status: 'not_sent' } });
    expect(again.engine.snapshot().orders).toEqual([]);
    expect(again.engine.snapshot().strategies[0]?.stopped).toBeNull();
    expect(again.sent).toEqual([]);
  });

  it('does not lose an order that left on the emergency file: it is looked up, and found', () => {
    const live = new EngineRig({ strategies: [everyThird(), {}] }).start();
    const kept = live.trade(13_000).trade(13_001).entries.slice();
    live.trade(13_002);
    const id = live.places()[0]!.clientOrderId;
    const second = new EngineRig({ strategies: [everyThird(), {}] });
    second.engine.noteUnjournaledCalls({
      owners: [{ clientOrderId: id, strategy: FIRST, order: live.places()[0]! }],
      changes: [],
      cancels: [],
    });
    replay(second, live.inputs, kept);
    const before = second.entries.length;
    second.pass(1).boot(2);
    expect(second.of('place').map(({ isLost }) => isLost)).toEqual([false]);
    expect(second.statusOf(id)).toBe('unknown');
    const inTail = [...kept, ...second.entries.slice(before)];
    second.look([{ no: '7', ref: id, price: 13_002 }]);
    expect(second.statusOf(id)).toBe('accepted');
    expect(second.sent, 'nothing is sent again').toEqual([]);
    // By now the journal has the row, and the file is empty.
    const third = new EngineRig({ strategies: [everyThird(), {}] });
    replay(third, second.inputs, inTail);
    third.pass(1).boot(3);
    expect(third.statusOf(id)).not.toBe('not_sent');
  });

  it('is the same tail in every later restart', () => {
    const live = new EngineRig({ strategies: [everyThird(), {}] }).start().trade(13_000).trade(13_001);
    const kept = live.entries.slice();
    live.trade(13_002);
    const second = new EngineRig({ strategies: [everyThird(), {}] });
    replay(second, live.inputs, kept);
    const before = second.entries.length;
    second.pass(1).boot(2).stream('live').trade(13_003).trade(13_004).trade(13_005);
    const third = new EngineRig({ strategies: [everyThird(), {}] });
    replay(third, second.inputs, [...kept, ...second.entries.slice(before)]);
    expect(third.engine.snapshot()).toEqual(second.engine.snapshot());
    third.clock();
    expect(third.of('strategy_fault')).toEqual([]);
  });

  it('asks again for a cancel that was lost with it', () => {
    const live = new EngineRig({ strategies: [{}, {}] }).start();
    const id = live.resting(FIRST, 'buy', 1, 12_990, '7');
    const kept = live.entries.slice();
    live.cancel(FIRST, id);
    // The second run asks for the same things: they come from the test, so they are repeated here.
    const again = new EngineRig({ strategies: [{}, {}] });
    let trades = 0;
    again.host.strategies[0]!.onTrade = (_tick, desk, me) => {
      trades += 1;
      if (trades === 1) desk.submit(me, limit('buy', 1, 12_990));
      else desk.cancel(me, id);
    };
    replay(again, live.inputs, kept);
    expect(again.statusOf(id)).toBe('pending_cancel');
    again.pass(1).boot(2);
    expect(
      again
        .of('order_status')
        .slice(-2)
        .map(({ to }) => to),
    ).toEqual(['accepted', 'pending_cancel']);
    expect(again.cancels()).toMatchObject([{ clientOrderId: id, callId: 'H.12345600002000001' }]);
  });

  it('keeps the stop of an entry, whose strategy a person stopped in it, until positions are proven', () => {
    const live = enteredWithStop().start().account().conditions().trade(13_000);
    const [entry] = live.places().map(({ clientOrderId }) => clientOrderId);
    const [stop] = live.waiting.flatMap((each) => (each.call === 'place' ? [each.order.clientOrderId] : []));
    live.accepted(entry!, '1').look([{ no: '1', ref: entry!, price: 12_990 }]);
    acceptWaiting(live, stop!, 'k1').conditions([waits({ key: 'k1' })]);
    const kept = live.entries.slice();
    live.command({ name: 'stop_strategy', strategy: FIRST, reason: 'by hand' });
    expect(live.of('cancel')).toHaveLength(2);
    const again = enteredWithStop();
    replay(again, live.inputs, kept);
    again.pass(1).boot(2);
    expect(again.sent).toMatchObject([{ call: 'cancel', cancel: { clientOrderId: entry } }]);
    const rows = [{ no: '1', ref: entry!, price: 12_990, ...traded(12_990) }];
    for (let round = 0; round < 3; round += 1)
      again
        .pass(2)
        .positions(1)
        .look(rows)
        .conditions([waits({ key: 'k1' })]);
    expect([again.position(FIRST), again.statusOf(stop!)]).toEqual([1, 'pending_trigger']);
  });

  it('takes back in it what a person asked, though the strategy was edited since', () => {
    const live = new EngineRig({ strategies: [{}, {}] }).start();
    const id = live.resting(FIRST, 'buy', 1, 12_990, '7');
    const kept = live.entries.slice();
    live.command({ name: 'cancel_order', clientOrderId: id, reason: 'by hand' });
    const again = new EngineRig({ strategies: [{}, {}] });
    replay(again, live.inputs, kept, [FIRST]);
    again.pass(1).boot(2);
    expect(again.cancels()).toMatchObject([{ clientOrderId: id }]);
  });

  it('is written after all: what was filled in it is in the journal once, and in no later restart again', () => {
    const live = new EngineRig({ strategies: [everyThird(), {}] }).start();
    live.trade(13_000).trade(13_001).trade(13_002);
    const id = live.places()[0]!.clientOrderId;
    live.accepted(id, '1');
    const kept = live.entries.slice();
    const filled = [{ no: '1', ref: id, price: 13_002, ...traded(13_002) }] as const;
    live.look(filled).trade(13_003).trade(13_004).trade(13_005);
    const second = new EngineRig({ strategies: [everyThird(), {}] });
    replay(second, live.inputs, kept);
    expect(second.entries, 'what was kept is journaled again, the tail is not yet').toEqual(kept);
    second.pass(1).boot(2);
    const journal = [...kept, ...second.entries.slice(kept.length)];
    expect(fills(journal)).toEqual(fills(live.entries));
    expect(second.position(FIRST)).toBe(1);
    const third = new EngineRig({ strategies: [everyThird(), {}] });
    replay(third, second.inputs, journal);
    third.pass(1).boot(3);
    expect(fills(third.entries)).toHaveLength(1);
    expect(third.of('strategy_fault')).toEqual([]);
    expect(third.engine.snapshot().orders).toEqual(second.engine.snapshot().orders);
  });
});

/** Submits an entry and the stop of its position at the first trade. */
function enteredWithStop(): EngineRig {
  const rig = new EngineRig({ strategies: [{}, {}], canWait: true });
  let isAsked = false;
  rig.host.strategies[0]!.onTrade = (_tick, desk, me) => {
    if (isAsked) return;
    isAsked = true;
    desk.submit(me, limit('buy', 1, 12_990));
    desk.submit(me, stopSell(12_950));
  };
  return rig;
}
