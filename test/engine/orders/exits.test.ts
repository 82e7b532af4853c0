/** Orders that close something: trailing stops, the exits of brackets, and what waits to shrink a position. */
import { describe, expect, it } from 'vitest';
import { priceTicks, qty } from '../../../src/domain/units.ts';
import { type EngineRig, FIRST } from '../../support/engine-rig.ts';
import { FRONT, worth } from '../../support/engine-world.ts';
import {
  acceptWaiting,
  bracketBuy,
  startWaiting,
  stopSell,
  trailingSell,
  waits,
} from '../support/trigger-rows.ts';

const denials = (rig: EngineRig) => rig.of('denied').map(({ denial }) => denial.code);

const move = (id: string, to: number) =>
  ({ kind: 'trigger', clientOrderId: id as never, triggerPrice: priceTicks(to) }) as const;

describe('a trailing stop', () => {
  it('follows the market without anybody being told that it was changed elsewhere', () => {
    const rig = startWaiting();
    const id = rig.ask(FIRST, trailingSell(13_050, 20));
    const row = { key: 't', kind: 'trailing_stop', limit: 13_025, when: null } as const;
    acceptWaiting(rig, id, 't')
      .pass(1)
      .conditions([waits({ ...row, trigger: 13_050 })]);
    rig.pass(1).conditions([waits({ ...row, trigger: 13_060 })]);
    expect(rig.host.desk.workingOrders(FIRST)).toMatchObject([{ triggerPrice: 13_060 }]);
    expect(rig.alerts()).toEqual([]);
    rig.modify(FIRST, move(id, 13_080));
    expect(denials(rig), 'it has no activation price any more').toEqual(['modify_not_possible']);
  });
});

const entry = (rig: EngineRig) => {
  const id = rig.ask(FIRST, bracketBuy(13_000, 12_950, 13_080));
  rig.accepted(id, '5').pass(1);
  rig.book([{ no: '5', ref: id, qty: 2, filled: 2, value: worth(13_000, 2), status: 'matched' }]);
  return id;
};
const half = (key: string, trigger: number, more = {}) =>
  waits({
    key,
    kind: 'exit',
    qty: 2,
    trigger,
    limit: trigger,
    when: trigger > 13_000 ? 'at_or_above' : 'at_or_below',
    ...more,
  });

describe('a bracket', () => {
  it('is a normal order whose exits belong to it, and count once', () => {
    const rig = startWaiting();
    const id = entry(rig);
    expect(rig.reads.at(-1)).toBe('triggers');
    rig.pass(1).conditions([half('a', 12_950), half('b', 13_080)]);
    const working = rig.host.desk.workingOrders(FIRST);
    expect(working).toMatchObject([
      { parent: id, status: 'pending_trigger', triggerPrice: 12_950, side: 'sell' },
      { parent: id, status: 'pending_trigger', triggerPrice: 13_080, side: 'sell' },
    ]);
    rig.pass(1).book([]);
    expect(rig.alerts()).not.toContain('exit_too_large');
    // One takes the position out, the broker takes the other back.
    rig
      .pass(1)
      .conditions([
        half('a', 12_950, { status: 'activated', children: ['9'] }),
        half('b', 13_080, { status: 'canceled' }),
      ]);
    const sold = { no: '9', side: 'sell', qty: 2, price: 12_950, source: 'system' } as const;
    rig.pass(1).book([{ ...sold, filled: 2, value: worth(12_950, 2), status: 'matched' }]);
    expect(rig.position(FIRST)).toBe(0);
    expect(rig.engine.snapshot().orders).toEqual([]);
  });

  it('whose exits do not come is told', () => {
    const rig = startWaiting();
    entry(rig);
    for (let i = 0; i < 4; i += 1) rig.pass(15).conditions();
    expect(rig.alerts()).toContain('exits_missing');
  });

  it('needs its entry between its exits', () => {
    const rig = startWaiting();
    rig.ask(FIRST, bracketBuy(13_000, 13_010, 13_080));
    rig.ask(FIRST, bracketBuy(13_000, 12_950, 12_990));
    expect(denials(rig)).toEqual(['exit_price_side', 'exit_price_side']);
  });
});

describe('what waits to shrink a position', () => {
  it('is refused where it could do more, and withdrawn when the position has gone by other means', () => {
    const rig = startWaiting();
    rig.resting(FIRST, 'buy', 2, 13_000, '3');
    const bought = { no: '3', qty: 2, filled: 2, value: worth(13_000, 2), status: 'matched' } as const;
    rig
      .pass(1)
      .book([bought])
      .pass(1)
      .positions({ [FRONT.orderCode]: 2 });
    rig.ask(FIRST, stopSell(12_950, 3, { reduceOnly: true }));
    expect(denials(rig)).toEqual(['position_unproven']);
    const id = rig.ask(FIRST, stopSell(12_950, 2, { reduceOnly: true }));
    expect(rig.waiting[0]).toMatchObject({ order: { purpose: 'reduce', qty: qty(2) } });
    acceptWaiting(rig, id, 'k1')
      .pass(1)
      .conditions([waits({ key: 'k1', qty: 2 })]);
    rig.resting(FIRST, 'sell', 1, 13_010, '4');
    const sold = {
      no: '4',
      side: 'sell',
      price: 13_010,
      filled: 1,
      value: worth(13_010),
      status: 'matched',
    } as const;
    rig.pass(1).book([bought, sold]);
    expect(rig.alerts()).toContain('exit_too_large');
    expect(rig.waiting.at(-1)).toMatchObject({ call: 'cancel', cancel: { orderKey: 'k1' } });
  });
});
