/** What waits at the broker to shrink a position is never larger than it. */
import { describe, expect, it } from 'vitest';
import { OPERATOR_INDEX, priceTicks, qty, tsUs, US_PER_SECOND } from '../../../src/domain/units.ts';
import { traded } from '../../support/engine-facts.ts';
import { type EngineRig, FIRST, type RigOptions, SECOND } from '../../support/engine-rig.ts';
import { timeOf } from '../../support/engine-world.ts';
import { SmallBroker } from '../support/small-broker.ts';
import {
  acceptWaiting,
  boughtBracket,
  exitHalf,
  startWaiting,
  stopSell,
  waits,
} from '../support/trigger-rows.ts';

const denials = (rig: EngineRig) => rig.of('denied').map(({ denial }) => denial.code);

/** Both strategies hold one contract, and each has a stop for one. */
const twoHolders = () => {
  const rig = startWaiting();
  const bought = [
    { strategy: FIRST, no: '3', key: 'k1' },
    { strategy: SECOND, no: '4', key: 'k2' },
  ].map((each) => ({ ...each, id: rig.resting(each.strategy, 'buy', 1, 13_000, each.no) }));
  const rows = bought.map(({ no, id }) => ({ no, ref: id, ...traded(13_000) }) as const);
  rig.look(rows).pass(1).positions(2);
  const stops = bought.map(({ strategy, key }) => {
    const id = rig.ask(strategy, stopSell(12_950, 1, { reduceOnly: true }));
    acceptWaiting(rig, id, key);
    return id;
  });
  rig.pass(1).conditions([waits({ key: 'k1' }), waits({ key: 'k2' })]);
  return { rig, rows, stops };
};

describe('what waits to shrink a position', () => {
  it('is refused where it could do more, and withdrawn when the position has gone by other means', () => {
    const rig = startWaiting();
    rig.resting(FIRST, 'buy', 2, 13_000, '3');
    const bought = { no: '3', ...traded(13_000, 2) } as const;
    rig.look([bought]).pass(1).positions(2);
    rig.ask(FIRST, stopSell(12_950, 3, { reduceOnly: true }));
    expect(denials(rig)).toEqual(['position_unproven']);
    const id = rig.ask(FIRST, stopSell(12_950, 2, { reduceOnly: true }));
    expect(rig.waiting[0]).toMatchObject({ order: { purpose: 'reduce', qty: qty(2) } });
    acceptWaiting(rig, id, 'k1')
      .pass(1)
      .conditions([waits({ key: 'k1', qty: 2 })]);
    rig.resting(FIRST, 'sell', 1, 13_010, '4');
    const sold = { no: '4', side: 'sell', price: 13_010, ...traded(13_010) } as const;
    rig.look([bought, sold]);
    expect(rig.alerts()).toContain('exit_too_large');
    expect(rig.waiting.at(-1)).toMatchObject({ call: 'cancel', cancel: { orderKey: 'k1' } });
  });

  it('is not a stop that may turn the position round: that one keeps its size', () => {
    const rig = startWaiting();
    rig.resting(FIRST, 'buy', 1, 13_000, '3');
    const bought = { no: '3', ...traded(13_000) } as const;
    rig.look([bought]).pass(1).positions(1);
    const id = rig.ask(FIRST, stopSell(12_950, 1, { mayReverse: true }));
    expect(rig.waiting[0]).toMatchObject({ order: { purpose: 'entry', shrinks: false } });
    acceptWaiting(rig, id, 'k1')
      .pass(1)
      .conditions([waits({ key: 'k1' })]);
    rig.resting(FIRST, 'sell', 1, 13_010, '4');
    const sold = { no: '4', side: 'sell', price: 13_010, ...traded(13_010) } as const;
    rig.look([bought, sold]);
    expect([rig.position(FIRST), rig.statusOf(id)]).toEqual([0, 'pending_trigger']);
    expect(rig.alerts()).not.toContain('exit_too_large');
    // It would now open a position, and goes with its strategy.
    rig.act(FIRST, () => {
      throw new Error('broken');
    });
    expect(rig.waiting.at(-1)).toMatchObject({ call: 'cancel', cancel: { orderKey: 'k1' } });
  });

  it('covers the position of its own strategy, not that of another in the same contract', () => {
    const { rig, rows, stops } = twoHolders();
    rig.look(rows);
    expect(rig.alerts()).not.toContain('exit_too_large');
    const id = rig.resting(SECOND, 'sell', 1, 13_010, '6');
    const sold = { no: '6', ref: id, side: 'sell', price: 13_010, ...traded(13_010) } as const;
    rig.look([...rows, sold]);
    expect([rig.position(FIRST), rig.position(SECOND)]).toEqual([1, 0]);
    const canceled = rig.waiting.flatMap((each) => (each.call === 'cancel' ? [each.cancel.orderKey] : []));
    expect(canceled, 'the stop of the one that is flat is withdrawn, the other stays').toEqual(['k2']);
    expect(stops.map((stop) => rig.statusOf(stop))).toEqual(['pending_trigger', 'pending_cancel']);
  });

  it('is for no more than a manual sale has left of both: the younger one is withdrawn (rulings, 40)', () => {
    const { rig, rows, stops } = twoHolders();
    rig
      .look([...rows, { no: '6', side: 'sell', price: 13_010, ...traded(13_010) }])
      .pass(1)
      .positions(1);
    rig.pass(1).look([...rows, { no: '6', side: 'sell', price: 13_010, ...traded(13_010) }]);
    expect([rig.position(FIRST), rig.position(SECOND)]).toEqual([1, 1]);
    expect(stops.map((stop) => rig.statusOf(stop))).toEqual(['pending_trigger', 'pending_cancel']);
  });

  it('is counted by side after a manual sale: the stop of who is short takes no room from that of who is long', () => {
    const rig = startWaiting();
    const up = { side: 'buy', triggerWhen: 'at_or_above', limitPrice: priceTicks(13_055) } as const;
    const ids = [rig.resting(FIRST, 'buy', 2, 13_000, '3'), rig.resting(SECOND, 'sell', 1, 13_000, '4')];
    const rows = [
      { no: '3', ref: ids[0]!, ...traded(13_000, 2) },
      { no: '4', ref: ids[1]!, side: 'sell', ...traded(13_000) },
    ] as const;
    rig.look(rows).pass(1).positions(1);
    const stops = [
      rig.ask(FIRST, stopSell(12_950, 1, { reduceOnly: true })),
      rig.ask(SECOND, stopSell(13_050, 1, { reduceOnly: true, ...up })),
    ];
    for (const [at, stop] of stops.entries()) acceptWaiting(rig, stop, `k${at}`);
    rig
      .pass(1)
      .conditions([
        waits({ key: 'k0' }),
        waits({ key: 'k1', side: 'buy', trigger: 13_050, limit: 13_055, when: 'at_or_above' }),
      ]);
    const byHand = { no: '6', side: 'sell', price: 13_010, ...traded(13_010) } as const;
    rig
      .look([...rows, byHand])
      .pass(1)
      .positions(0);
    rig.pass(1).look([...rows, byHand]);
    expect([rig.position(FIRST), rig.position(SECOND), rig.position(OPERATOR_INDEX)]).toEqual([2, -1, -1]);
    expect(stops.map((stop) => rig.statusOf(stop))).toEqual(['pending_trigger', 'pending_trigger']);
  });
});

/** The first strategy is long, and its stop for all of it waits at the broker. */
const stopped = (options: RigOptions = {}, held = 2) => {
  const rig = startWaiting({ ...options, isReal: true });
  const broker = new SmallBroker(rig);
  const trades = (side: 'buy' | 'sell', size: number): void => {
    rig.account().submit(FIRST, side, size, 13_000);
    broker.answer().fill(broker.orders.at(-1)!);
    broker.settle(12);
  };
  const stops = () => broker.working.map((stop) => [stop.side, stop.qty, stop.trigger, stop.limit]);
  trades('buy', held);
  rig.ask(FIRST, stopSell(12_950, held, { reduceOnly: true }));
  broker.settle();
  expect(stops()).toEqual([['sell', held, 12_950, 12_945]]);
  return { broker, trades, stops };
};

const naked = (rig: EngineRig) => rig.of('policy_acted').filter(({ failure }) => failure === 'nakedPosition');

/** Sells one of two, and lets the broker's books be read while `goesOn`. */
const reduced = (broker: SmallBroker, goesOn: () => boolean): void => {
  broker.rig.account().submit(FIRST, 'sell', 1, 13_000);
  broker.answer().fill(broker.orders.at(-1)!);
  for (let at = 0; at < 10 && goesOn(); at += 1) {
    broker.rig.pass(1);
    broker.show().answer();
  }
};

describe('an exit that has become too large', () => {
  it('makes room for one that fits, at the same trigger, which goes with the position', () => {
    const { broker, trades, stops } = stopped();
    trades('sell', 1);
    expect([broker.position, stops()]).toEqual([1, [['sell', 1, 12_950, 12_945]]]);
    trades('sell', 1);
    expect([broker.position, stops()]).toEqual([0, []]);
    trades('sell', 2);
    expect([broker.position, stops()], 'a new position has none').toEqual([-2, []]);
  });

  it('and that the broker does not give back is asked for again, with no second one next to it', () => {
    const { broker, trades, stops } = stopped();
    broker.rig.account().submit(FIRST, 'sell', 1, 13_000);
    broker.answer().fill(broker.orders.at(-1)!);
    broker.refusals.push('rejected', 'rejected', 'rejected');
    broker.settle(12);
    expect(stops()).toEqual([['sell', 2, 12_950, 12_945]]);
    broker.refusals.length = 0;
    broker.settle(70);
    expect(stops()).toEqual([['sell', 1, 12_950, 12_945]]);
    trades('sell', 1);
    expect([broker.position, stops()]).toEqual([0, []]);
  });

  it.each([
    { market: 'breaks', at: timeOf(11, 40), opens: timeOf(13) },
    { market: 'is closed', at: timeOf(14, 46), opens: null },
  ])('stays while the market $market: the stop that fits could not be placed', ({ at, opens }) => {
    const { broker, stops } = stopped();
    const { rig } = broker;
    rig.account().submit(FIRST, 'sell', 1, 13_000);
    broker.answer().fill(broker.orders.at(-1)!);
    rig.now = at;
    broker.settle(20);
    expect([rig.position(FIRST), stops()]).toEqual([1, [['sell', 2, 12_950, 12_945]]]);
    if (opens === null) return;
    rig.now = opens;
    broker.settle(12);
    expect(stops()).toEqual([['sell', 1, 12_950, 12_945]]);
  });

  it('and so does its successor', () => {
    const { broker, trades, stops } = stopped({}, 3);
    const { rig } = broker;
    trades('sell', 1);
    expect(stops()).toEqual([['sell', 2, 12_950, 12_945]]);
    rig.account().submit(FIRST, 'sell', 1, 13_000);
    broker.answer().fill(broker.orders.at(-1)!);
    rig.now = timeOf(14, 46);
    broker.settle(20);
    expect([rig.position(FIRST), stops()]).toEqual([1, [['sell', 2, 12_950, 12_945]]]);
  });

  it('goes while the market is closed when nothing is left to close', () => {
    const { broker, stops } = stopped();
    const { rig } = broker;
    rig.account().submit(FIRST, 'sell', 2, 13_000);
    broker.answer().fill(broker.orders.at(-1)!);
    rig.now = timeOf(14, 46);
    broker.settle(20);
    expect([rig.position(FIRST), stops()]).toEqual([0, []]);
  });

  it('gives way to the stop that its strategy places instead', () => {
    const { broker, trades, stops } = stopped();
    trades('sell', 1);
    broker.rig.ask(FIRST, stopSell(12_960, 1, { reduceOnly: true }));
    broker.settle(12);
    expect(stops()).toEqual([['sell', 1, 12_960, 12_955]]);
  });

  it('leaves its stop price where it is half of a bracket', () => {
    const rig = startWaiting({ isReal: true });
    const id = boughtBracket(rig);
    rig.pass(1).conditions([exitHalf('a', 12_950), exitHalf('b', 13_080)]);
    rig.resting(FIRST, 'sell', 1, 13_010, '6');
    const bought = { no: '5', ref: id, ...traded(13_000, 2) } as const;
    const sold = { no: '6', side: 'sell', price: 13_010, ...traded(13_010) } as const;
    const read = () => rig.look([bought, sold]).positions(1).book([bought, sold]);
    read();
    const gone = [
      exitHalf('a', 12_950, { status: 'canceled' }),
      exitHalf('b', 13_080, { status: 'canceled' }),
    ];
    for (const call of rig.waiting)
      if (call.call === 'cancel')
        rig.outcome('cancel', call.cancel.clientOrderId, call.cancel.callId, {
          status: 'accepted',
          orderNo: null,
          orderKey: null,
        } as never);
    rig.conditions(gone);
    read();
    const placed = rig.waiting.flatMap((each) =>
      each.call === 'place' && each.order.purpose === 'reduce' ? [each.order] : [],
    );
    expect(placed).toMatchObject([{ side: 'sell', qty: 1, trigger: { kind: 'stop', triggerPrice: 12_950 } }]);
  });
});

describe('a stop that has taken the place of an exit', () => {
  it('is of no use to a position that has turned, and turned back, at other prices', () => {
    const { broker, trades, stops } = stopped();
    trades('sell', 1);
    expect(stops()).toEqual([['sell', 1, 12_950, 12_945]]);
    trades('sell', 2);
    expect([broker.position, stops()]).toEqual([-1, []]);
    trades('buy', 2);
    expect([broker.position, stops()], 'it would trigger at once').toEqual([1, []]);
  });

  it('is no reason to close a position that its strategy keeps without a stop', () => {
    const { broker, trades } = stopped({
      risk: { nakedSecondsMax: 30 },
      policies: { nakedPosition: 'flatten' },
    });
    trades('sell', 3);
    broker.settle(60);
    expect([broker.position, naked(broker.rig)]).toEqual([-1, []]);
  });

  it.each([
    { asked: 'the cancel of the exit', isGone: false },
    { asked: 'the stop', isGone: true },
  ])('comes as soon after a clock that was set back: the broker refused $asked', ({ isGone }) => {
    const { broker, stops } = stopped();
    reduced(broker, () => isGone && broker.working.length > 0);
    broker.refusals.push('rejected');
    for (let at = 0; at < 4 && broker.refusals.length > 0; at += 1) {
      broker.rig.pass(1);
      broker.show().answer();
    }
    expect([broker.refusals, stops()]).toEqual([[], isGone ? [] : [['sell', 2, 12_950, 12_945]]]);
    const { rig } = broker;
    rig.engine.endReplay();
    rig.now = tsUs(rig.now - 3_600 * US_PER_SECOND);
    rig.boot(2).stream('live').reference().account();
    broker.settle(80);
    expect(stops()).toEqual([['sell', 1, 12_950, 12_945]]);
  });
});
