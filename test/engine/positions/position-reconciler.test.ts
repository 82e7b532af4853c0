/** Positions against the broker's: agreement, adoption, mismatch (failure cases, 9, 15, 16, 19, 35). */
import { describe, expect, it } from 'vitest';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { clientOrderId, shortOrderId } from '../../../src/domain/ids.ts';
import { OPERATOR_INDEX, signedQty, tsUs } from '../../../src/domain/units.ts';
import { traded } from '../../support/engine-facts.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';
import { FRONT, timeOf, worth } from '../../support/engine-world.ts';

/** One position read between two walks over the same book. */
function enclosed(
  rig: EngineRig,
  held: Record<string, number>,
  rows: Parameters<EngineRig['book']>[0] = [],
): EngineRig {
  return rig.pass(2).book(rows).pass(1).positions(held).look(rows);
}

const unproven = (rig: EngineRig): string | null => rig.engine.snapshot().unproven;

describe('after a start', () => {
  it('nothing is proven until a read lies between two equal walks', () => {
    const rig = new EngineRig().session().boot(1).contracts().stream('live').reference();
    expect(unproven(rig)).not.toBeNull();
    rig.pass(1).positions().look();
    expect(unproven(rig), 'no walk before it').not.toBeNull();
    rig.pass(1).positions();
    expect(unproven(rig), 'no walk after it').not.toBeNull();
    rig.look([], { complete: false });
    expect(unproven(rig), 'the walk after it is incomplete').not.toBeNull();
    rig.look();
    expect(unproven(rig)).toBeNull();
    expect(rig.of('position_agreed')).toHaveLength(1);
  });

  it('a read that began before the walk arrived does not count', () => {
    const rig = new EngineRig().session().boot(1).contracts().stream('live').reference();
    rig.look().positions({}, 0.5).look();
    expect(unproven(rig)).not.toBeNull();
  });

  it('asks for what it needs by itself', () => {
    const rig = new EngineRig().session().boot(1).contracts().stream('live').reference();
    rig.pass(1).positions();
    rig.reads.length = 0;
    rig.look();
    expect(rig.reads).toEqual(['positions']);
    rig.pass(1).positions();
    expect(rig.reads).toEqual(['positions', 'book']);
  });

  it('35: what the broker holds and nobody knows belongs to the operator, and is alerted', () => {
    const rig = new EngineRig().session().boot(1).contracts().stream('live').reference();
    enclosed(rig, { [FRONT.orderCode]: -2 });
    expect(rig.of('position_event'), 'a difference seen once is no proof').toEqual([]);
    expect(unproven(rig)).not.toBeNull();
    enclosed(rig, { [FRONT.orderCode]: -2 });
    expect(rig.of('position_event')).toMatchObject([
      { event: 'adopted', strategy: OPERATOR_INDEX, qty: -2, value: worth(13_000, 2) },
    ]);
    expect(rig.alerts()).toEqual(['position_adopted']);
    expect(unproven(rig)).toBeNull();
    expect(rig.engine.snapshot().dayPnl, 'adopted at the price of now').toBe(0);
  });

  it.each([
    ['9:00', timeOf(9)],
    ['14:45', timeOf(14, 45)],
  ])(
    'a difference after the auction of %s has a minute to go: positions may come after the book',
    (_, endUs) => {
      const rig = new EngineRig({ startUs: tsUs(endUs - 10_000_000) }).start();
      rig.resting(FIRST, 'buy', 1, 13_000, '7');
      const row = { no: '7', ...traded(13_000) };
      rig.now = endUs;
      rig.clock();
      for (let round = 0; round < 14; round += 1) enclosed(rig, {}, [row]);
      expect([rig.position(FIRST), rig.alerts(), unproven(rig)]).toEqual([1, [], null]);
      enclosed(enclosed(rig, {}, [row]), {}, [row]);
      expect(rig.alerts()).toEqual(['position_mismatch']);
    },
  );

  it('a proven mismatch waits for a person: no read of it asks for the next', () => {
    const rig = new EngineRig().start();
    rig.boot(2).stream('live').reference();
    const differing = { [FRONT.orderCode]: 1 };
    enclosed(enclosed(rig, differing), differing);
    expect(rig.alerts()).toEqual(['position_mismatch']);
    rig.reads.length = 0;
    enclosed(rig, differing);
    expect(rig.reads, 'only the timer asked').toEqual(['positions']);
  });

  it('on a weekend the in-day book still shows Friday, whose fills are carried over: none is booked again', () => {
    const friday = tradingDay('2026-03-06');
    const monday = tradingDay('2026-03-09');
    const held = { [FRONT.orderCode]: -2 };
    const sold = {
      no: '1',
      side: 'sell',
      qty: 2,
      price: 13_000,
      filled: 2,
      value: worth(13_000, 2),
    } as const;
    const rows = [{ ...sold, status: 'matched' }] as const;
    const rig = new EngineRig({ startUs: timeOf(0, 1, tradingDay('2026-03-07')) });
    rig.session({ tradingDay: monday, follows: friday }, [{ strategy: FIRST, qty: -2 }]);
    rig.boot(1).contracts().stream('live').reference();
    rig.trade(12_900);
    expect(
      rig.engine.snapshot().dayPnl,
      "Friday's profit from its reference price is no profit of Monday",
    ).toBe(0);
    enclosed(enclosed(rig, held, rows), held, rows);
    expect([unproven(rig), rig.alerts(), rig.of('fill')]).toEqual([null, [], []]);
    // Until Monday opens the book may show Friday; then it is Monday's.
    for (const at of [timeOf(0, 0, monday), timeOf(1, 0, monday), timeOf(8, 45, monday)]) {
      rig.now = at;
      rig.book(rows, { ago: 1 });
    }
    expect(rig.of('order_adopted')).toEqual([]);
    rig.reference(129_000).trade(12_880);
    expect(rig.engine.snapshot().dayPnl).toBe(2 * (worth(12_900) - worth(12_880)));
    rig.pass(2).book(rows);
    expect(rig.of('order_adopted')).toHaveLength(1);
  });

  it('9: a resting entry order is no position', () => {
    const rig = new EngineRig().session().boot(1).contracts().stream('live').reference();
    enclosed(rig, {}, [{ no: '3', qty: 2 }]);
    expect(unproven(rig)).toBeNull();
    expect(rig.engine.snapshot().orders).toMatchObject([
      { orderNo: '3', strategy: OPERATOR_INDEX, isAdopted: true },
    ]);
    expect(rig.parts.state!.portfolio.held()).toEqual([]);
  });

  it('a position is not adopted while an order that may explain it is being looked for', () => {
    const rig = new EngineRig().start();
    const id = rig.submit(FIRST, 'buy', 1, 13_000);
    rig.boot(2);
    expect(rig.statusOf(id)).toBe('unknown');
    enclosed(rig, { [FRONT.orderCode]: 1 });
    enclosed(rig, { [FRONT.orderCode]: 1 });
    expect(rig.of('position_event')).toEqual([]);
    const filled = [{ no: '9', ref: id, ...traded(13_000) }] as const;
    enclosed(rig, { [FRONT.orderCode]: 1 }, filled);
    enclosed(rig, { [FRONT.orderCode]: 1 }, filled);
    expect(rig.position(FIRST)).toBe(1);
    expect(rig.of('position_event')).toEqual([]);
    expect(unproven(rig)).toBeNull();
  });

  it('a held contract that is not listed is alerted and left alone', () => {
    const rig = new EngineRig().start({ VN30F2609: 1 });
    expect(rig.alerts()).toEqual(['position_in_unknown_contract']);
    expect(unproven(rig)).toBeNull();
  });
});

describe('later', () => {
  it('16: a proven difference blocks entries until a person resumes, also when it goes away', () => {
    const rig = new EngineRig().start();
    enclosed(rig, { [FRONT.orderCode]: 1 });
    expect(unproven(rig), 'seen once').toBeNull();
    enclosed(rig, { [FRONT.orderCode]: 1 });
    expect(unproven(rig)).toContain('+1');
    expect(rig.alerts()).toEqual(['position_mismatch']);
    expect(rig.of('position_mismatch')).toMatchObject([
      { broker: [{ orderCode: FRONT.orderCode, qty: 1 }], ours: [{ qty: 0 }, { qty: 0 }] },
    ]);
    enclosed(rig, {});
    expect(unproven(rig)).toContain('resume');
    expect(rig.alerts(), 'a person has to act').toEqual(['position_mismatch']);
    rig.command({ name: 'resume', reason: 'looked' });
    enclosed(rig, {});
    expect(unproven(rig)).toBeNull();
    expect(rig.alerts(), 'its end is said too').toEqual(['position_mismatch', 'positions_agree']);
    enclosed(rig, {});
    expect(rig.alerts()).toHaveLength(2);
    expect(rig.of('position_event')).toEqual([]);
  });

  it('16: resuming gives nobody what a lost order of ours may have filled, before a person resolves that one', () => {
    const rig = new EngineRig().start();
    const id = rig.submit(FIRST, 'buy', 1, 13_000);
    rig.unknown(id);
    for (let read = 0; read < 6; read += 1) enclosed(rig.pass(15), { [FRONT.orderCode]: 1 });
    expect(rig.statusOf(id)).toBe('presumed_absent');
    expect(rig.alerts()).toContain('position_mismatch');
    rig.command({ name: 'resume', reason: 'go on' });
    expect(rig.of('position_event')).toEqual([]);
    expect(rig.of('alert').at(-1)?.text).toContain(`+1 may be a fill of ${shortOrderId(id)}`);
    rig.command({ name: 'resolve_order', clientOrderId: id, as: 'absent', reason: 'looked' });
    rig.command({ name: 'resume', reason: 'mine' });
    expect(rig.of('position_event')).toMatchObject([{ event: 'adopted', qty: 1 }]);
  });

  it('16: resuming books no difference without a price: entries stay blocked, and it says why', () => {
    const rig = new EngineRig().session().boot(1).contracts().stream('live');
    enclosed(rig, {});
    expect(unproven(rig)).toBeNull();
    for (let read = 0; read < 2; read += 1) {
      const one = { orderCode: FRONT.orderCode, qty: signedQty(1), lastPrice: null, openProfit: null };
      rig.pass(4).book().pass(1);
      rig.post({ kind: 'position_snapshot', startedUs: rig.now, positions: [one] }).look();
    }
    rig.command({ name: 'resume', reason: 'mine' });
    expect(rig.alerts()).toEqual(['position_mismatch', 'position_unsettled']);
    expect(rig.of('position_event')).toEqual([]);
    expect(unproven(rig)).toContain(`${FRONT.orderCode} +1`);
    rig.reference().command({ name: 'resume', reason: 'mine' });
    expect(rig.of('position_event')).toMatchObject([{ event: 'adopted', qty: 1, value: worth(13_000) }]);
    enclosed(rig, { [FRONT.orderCode]: 1 });
    expect(unproven(rig)).toBeNull();
  });

  it('another difference in the second read proves nothing', () => {
    const rig = new EngineRig().start();
    enclosed(rig, { [FRONT.orderCode]: 1 });
    enclosed(rig, { [FRONT.orderCode]: 2 });
    expect(unproven(rig)).toBeNull();
  });

  it('19: a fill between the two walks is no mismatch', () => {
    const rig = new EngineRig().start();
    const id = rig.resting(FIRST, 'buy', 2, 13_000, '7');
    for (const filled of [1, 2]) {
      rig.pass(2).book([
        {
          no: '7',
          ref: id,
          qty: 2,
          filled: filled - 1,
          value: worth(13_000, filled - 1),
          status: filled === 1 ? 'resting' : 'matched',
        },
      ]);
      rig.pass(1).positions(filled);
      rig.look([{ no: '7', ref: id, qty: 2, filled, value: worth(13_000, filled), status: 'matched' }]);
    }
    expect(rig.alerts()).toEqual([]);
    enclosed(rig, { [FRONT.orderCode]: 2 }, [{ no: '7', ref: id, ...traded(13_000, 2) }]);
    expect(unproven(rig)).toBeNull();
  });
});

describe('orders that are not ours', () => {
  it('8: what left on the emergency record is its strategy’s, so that both books say the same of it', () => {
    const id = clientOrderId('H.12345600001000009');
    const rig = new EngineRig().session({}, [{ strategy: FIRST, qty: -1 }]);
    rig
      .boot(2, [{ clientOrderId: id, strategy: FIRST }])
      .contracts()
      .stream('live')
      .reference();
    const sent = { no: '3', ref: id, ...traded(12_990) } as const;
    enclosed(rig, {}, [sent]);
    expect(rig.of('order_adopted')).toMatchObject([{ strategy: FIRST, clientOrderId: id }]);
    expect(rig.alerts()).toEqual(['order_recovered']);
    expect(rig.position(FIRST)).toBe(0);
    expect(rig.position(OPERATOR_INDEX)).toBe(0);
    expect(unproven(rig)).toBeNull();
  });

  it('35: a close by the broker is alerted as one', () => {
    const rig = new EngineRig().start();
    rig.look([{ no: '3', side: 'sell', ...traded(12_990), source: 'forced' }]);
    expect(rig.of('alert')).toMatchObject([{ severity: 'critical', code: 'order_adopted' }]);
  });

  it.each([
    ['side', { side: 'sell' }],
    ['price', { price: 13_001 }],
    ['quantity', { qty: 2 }],
  ] as const)(
    'an order with the refId of an unknown one and another %s is a double next to one that fits',
    (_, other) => {
      const rig = new EngineRig().start();
      const id = rig.submit(FIRST, 'buy', 1, 13_000);
      rig.unknown(id);
      rig.look([{ no: '7', ref: id, ...other }]);
      expect(rig.statusOf(id), 'not found').toBe('unknown');
      expect(rig.alerts()).toEqual(['order_unknown', 'row_contradicts']);
      rig.look([
        { no: '7', ref: id, ...other },
        { no: '8', ref: id },
      ]);
      expect(rig.statusOf(id), 'the row that fits').toBe('accepted');
      rig.look([
        { no: '7', ref: id, ...other },
        { no: '8', ref: id },
      ]);
      expect(rig.alerts().at(-1)).toBe('duplicate_order');
    },
  );

  it('of a contract that is not listed are alerted once', () => {
    const rig = new EngineRig().start();
    rig.look([{ no: '3', code: 'VN30F2609' }]).look([{ no: '3', code: 'VN30F2609' }]);
    expect(rig.alerts()).toEqual(['order_in_unknown_contract']);
  });
});
