/** Restart is replay, for orders that wait at the broker too. */
import { describe, expect, it } from 'vitest';
import { priceTicks } from '../../../src/domain/units.ts';
import type { ScriptedStrategy } from '../../support/engine-host.ts';
import { traded } from '../../support/engine-facts.ts';
import { replay } from '../../support/engine-replay.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';
import { acceptWaiting, bracketBuy, stopSell, trailingSell, waits } from '../support/trigger-rows.ts';

/** A stop, a trailing stop and a bracket on the first trades; then the stop is moved and the trailing stop taken back. */
function waiter(): ScriptedStrategy {
  let trades = 0;
  return {
    onTrade: (_, desk, me) => {
      trades += 1;
      if (trades === 1) desk.submit(me, stopSell(12_950));
      if (trades === 2) desk.submit(me, trailingSell(13_050, 20));
      if (trades === 3) desk.submit(me, bracketBuy(13_000, 12_950, 13_080));
      const [stop, trailing] = desk.workingOrders(me);
      if (trades === 4)
        desk.modify(me, {
          kind: 'trigger',
          clientOrderId: stop!.clientOrderId,
          triggerPrice: priceTicks(12_960),
        });
      if (trades === 5) desk.cancel(me, trailing!.clientOrderId);
      if (trades === 6) desk.submit(me, stopSell(15_000));
    },
  };
}

const create = (): EngineRig => new EngineRig({ strategies: [waiter(), {}], canWait: true });

function morning(rig: EngineRig): EngineRig {
  rig.start().account().conditions();
  rig.trade(13_000).trade(13_000).trade(13_000);
  const [stop, trailing, bracket] = rig.waiting.flatMap((each) =>
    each.call === 'place' ? [each.order] : [],
  );
  acceptWaiting(rig, stop!.clientOrderId, 'k1');
  acceptWaiting(rig, trailing!.clientOrderId, 'k2');
  rig.accepted(bracket!.clientOrderId, '5').pass(1);
  const trail = { key: 'k2', kind: 'trailing_stop', trigger: 13_050, limit: 13_025, when: null } as const;
  rig.conditions([waits({ key: 'k1' }), waits(trail)]);
  rig.trade(13_001).trade(13_001).trade(13_001).pass(1);
  rig.conditions([
    waits({ key: 'k1', trigger: 12_960, limit: 12_945 }),
    waits({ ...trail, status: 'canceled' }),
  ]);
  const bought = { no: '5', ref: bracket!.clientOrderId, ...traded(13_000, 2) } as const;
  rig.look([bought]).pass(1);
  const exit = { kind: 'exit', qty: 2 } as const;
  const exits = [
    waits({ ...exit, key: 'a', trigger: 12_950, limit: 12_940 }),
    waits({ ...exit, key: 'b', trigger: 13_080, limit: 13_080, when: 'at_or_above' }),
  ];
  rig.conditions([waits({ key: 'k1', trigger: 12_960, limit: 12_945 }), ...exits]);
  rig
    .pass(1)
    .conditions([
      waits({ key: 'k1', trigger: 12_960, limit: 12_945, status: 'activated', children: ['9'] }),
      ...exits,
    ]);
  const sold = { no: '9', side: 'sell', price: 12_945, source: 'system', ...traded(12_958) } as const;
  return rig.look([bought, sold]).clock();
}

describe('a restart', () => {
  it('comes to the same state with the same entries, and sends nothing', () => {
    const live = morning(create());
    expect(live.of('denied').map(({ denial }) => denial.code)).toEqual(['price_outside_band']);
    expect(live.position(FIRST)).toBe(1);
    const again = create();
    replay(again, live.inputs, live.entries);
    expect(again.entries).toEqual(live.entries);
    expect(again.engine.snapshot()).toEqual(live.engine.snapshot());
    expect([again.sent, again.waiting, again.reads]).toEqual([[], [], []]);
  });
});
