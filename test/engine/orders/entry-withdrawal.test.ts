/** A stopped strategy and a loss limit cancel what can enlarge a position, and leave what protects it. */
import { describe, expect, it } from 'vitest';
import type { BrokerOrderStatus, CallOutcome } from '../../../src/domain/broker-order.ts';
import { type ClientOrderId, clientOrderId } from '../../../src/domain/ids.ts';
import type { ApprovedCancel } from '../../../src/engine/ports/approved.ts';
import type { RowFacts } from '../../support/engine-facts.ts';
import { EngineRig, FIRST, SECOND } from '../../support/engine-rig.ts';
import {
  acceptWaiting,
  bracketBuy,
  exitHalf,
  startWaiting,
  stopSell,
  waits,
} from '../support/trigger-rows.ts';

/** The first strategy is long one with a stop, and buys one more at 12,900; the second buys one too. */
function protectedLong(): {
  readonly rig: EngineRig;
  readonly stop: ClientOrderId;
  readonly entries: ClientOrderId[];
} {
  const rig = startWaiting();
  const opening = rig.resting(FIRST, 'buy', 1, 13_000, '1');
  rig.look([{ no: '1', ref: opening, filled: 1, price: 13_000 }]);
  rig
    .pass(1)
    .positions(1)
    .look([{ no: '1', ref: opening, filled: 1, price: 13_000 }]);
  expect(rig.position(FIRST)).toBe(1);
  const stop = rig.ask(FIRST, stopSell(12_950));
  acceptWaiting(rig, stop, 'k1');
  rig.pass(1).conditions([waits({ key: 'k1' })]);
  const entries = [rig.resting(FIRST, 'buy', 1, 12_900, '2'), rig.resting(SECOND, 'buy', 1, 12_900, '3')];
  return { rig, stop, entries };
}

const canceled = (rig: EngineRig): ClientOrderId[] => [
  ...rig.cancels().map(({ clientOrderId }) => clientOrderId),
  ...rig.waiting.flatMap((each) => (each.call === 'cancel' ? [each.cancel.clientOrderId] : [])),
];

it('of a strategy that is stopped: its entry goes, its stop stays, and the others keep theirs', () => {
  const { rig, stop, entries } = protectedLong();
  rig.command({ name: 'stop_strategy', strategy: FIRST, reason: 'test' });
  expect(canceled(rig)).toEqual([entries[0]]);
  expect(rig.statusOf(stop)).toBe('pending_trigger');
  expect(rig.of('alert').at(-1)?.text).toContain('what protects its position (1) stays');
});

it("of all strategies when the account's loss limit is reached", () => {
  const { rig, stop, entries } = protectedLong();
  rig.pass(1).trade(8_000);
  expect(rig.engine.snapshot().halted).toMatch(/the account's loss of the day/);
  expect(new Set(canceled(rig))).toEqual(new Set(entries));
  expect(rig.statusOf(stop)).toBe('pending_trigger');
});

it('and a loss limit that is reached during a halt outlives the resume of that halt', () => {
  const { rig } = protectedLong();
  rig.command({ name: 'halt', reason: 'lunch' });
  rig.pass(1).trade(8_000);
  expect(rig.alerts().filter((code) => code === 'entries_halted')).toHaveLength(1);
  rig.command({ name: 'resume', reason: 'lunch is over' });
  expect(rig.engine.snapshot().halted).toMatch(/the account's loss of the day/);
  expect(rig.alerts()).not.toContain('loss_accepted for the account');
  rig.command({ name: 'resume', reason: 'the loss is understood' });
  expect(rig.engine.snapshot().halted).toBeNull();
  rig.pass(1).trade(8_000);
  expect(rig.engine.snapshot().halted, 'the loss is accepted').toBeNull();
});

it('and so does one that was reached in the session before', () => {
  const rig = new EngineRig();
  const lossReached = 'the loss of yesterday';
  rig.session({ halted: { reason: 'lunch' }, lossReached });
  rig.boot(1).contracts().stream('live').reference();
  expect(rig.engine.snapshot().halted).toBe('lunch');
  rig.command({ name: 'resume', reason: 'lunch is over' });
  expect(rig.engine.snapshot().halted).toBe(lossReached);
  rig.command({ name: 'resume', reason: 'the loss is understood' });
  expect(rig.engine.snapshot().halted).toBeNull();
});

it('leaves the exits of a bracket whose fill no book shows yet: the broker made them of it', () => {
  const rig = startWaiting();
  const bracket = rig.ask(FIRST, bracketBuy(13_000, 12_950, 13_080));
  rig
    .accepted(bracket, '7')
    .pass(1)
    .book([{ no: '7', ref: bracket, qty: 2, price: 13_000 }]);
  rig.pass(1).conditions([exitHalf('a', 12_950, { parent: '7' }), exitHalf('b', 13_080, { parent: '7' })]);
  expect(rig.of('order_waiting').map(({ parent }) => parent)).toEqual([bracket, bracket]);
  rig.command({ name: 'stop_strategy', strategy: FIRST, reason: 'test' });
  expect(canceled(rig)).toEqual([bracket]);
});

it('cancel-all takes what protects too, and says so', () => {
  const { rig, stop, entries } = protectedLong();
  rig.command({ name: 'cancel_all', reason: 'test' });
  expect(new Set(canceled(rig))).toEqual(new Set([stop, ...entries]));
  expect(rig.of('alert').at(-1)?.text).toContain('entries 2, exits 0, stops 1');
});

it('cancel-all says that no order was open, as no warning', () => {
  const rig = new EngineRig();
  rig.boot(1).contracts().stream('live').reference();
  rig.command({ name: 'cancel_all', reason: 'test' });
  expect(rig.of('alert').at(-1)).toMatchObject({
    severity: 'info',
    code: 'cancel_all',
    text: expect.stringContaining('no order was open'),
  });
});

it('a strategy that the operator stopped is stopped in the next session too, and nothing of it runs', () => {
  const rig = new EngineRig();
  const stoppedStrategies = [{ strategy: FIRST, reason: 'too thin' }];
  rig.session({ stoppedStrategies });
  rig.boot(1).contracts().stream('live').reference();
  const [first, second] = rig.engine.snapshot().strategies;
  expect([first?.stopped, second?.stopped]).toEqual(['too thin', null]);
  expect(rig.of('strategy_started').map(({ strategy }) => strategy)).toEqual([SECOND]);
  expect(rig.of('strategy_stopped')).toMatchObject([{ strategy: FIRST, isLasting: true }]);
});

it('of an order whose place has no answer: the cancel waits until the book shows it', () => {
  const rig = startWaiting();
  const id = rig.submit(FIRST, 'buy', 1, 12_900);
  rig.unknown(id).command({ name: 'cancel_order', clientOrderId: id, reason: 'test' });
  expect([canceled(rig), rig.alerts().at(-1)]).toEqual([[], 'cancel_waits']);
  rig.look([{ no: '4', ref: id, price: 12_900 }]);
  expect(canceled(rig)).toEqual([id]);
});

it.each<CallOutcome>([
  { status: 'rejected', code: '-6026', text: 'not in this phase' },
  { status: 'not_sent', reason: 'no valid token' },
  { status: 'unknown', reason: 'timeout' },
])('asks again for a cancel that was $status, not at once, until the entry is gone', (outcome) => {
  const { rig, entries } = protectedLong();
  const entry = entries[0]!;
  let answers = 0;
  const show = (seconds: number, status: BrokerOrderStatus = 'resting'): void => {
    for (let i = 0; i < seconds; i += 1) {
      rig.look([{ no: '2', ref: entry, price: 12_900, status }]);
      for (const { clientOrderId, callId } of rig.cancels().slice(answers))
        rig.outcome('cancel', clientOrderId, callId, outcome);
      answers = rig.cancels().length;
    }
  };
  rig.command({ name: 'stop_strategy', strategy: FIRST, reason: 'test' });
  show(3);
  expect(canceled(rig)).toEqual([entry]);
  show(120);
  const asked = canceled(rig);
  expect(new Set(asked)).toEqual(new Set([entry]));
  expect(asked.length).toBeGreaterThan(1);
  expect(asked.length).toBeLessThanOrEqual(25);
  expect(rig.alerts().filter((code) => code === 'entry_still_works')).toHaveLength(1);
  show(20, 'canceled');
  expect(canceled(rig)).toEqual(asked);
});

it('of an order that is none, or over, is alerted', () => {
  const { rig } = protectedLong();
  rig.command({ name: 'cancel_order', clientOrderId: clientOrderId('H.x'), reason: 'wrong' });
  expect(rig.alerts()).toContain('order_not_found');
  expect(canceled(rig)).toEqual([]);
});

it('of a stop that was placed before its position was there, with the same warning', () => {
  const rig = startWaiting();
  const opening = rig.resting(FIRST, 'buy', 1, 13_000, '1');
  const stop = rig.ask(FIRST, stopSell(12_950));
  acceptWaiting(rig, stop, 'k1').pass(1);
  rig.book([{ no: '1', ref: opening, filled: 1, price: 13_000, status: 'matched' }]);
  rig.pass(1).conditions([waits({ key: 'k1' })]);
  expect(rig.position(FIRST)).toBe(1);
  rig.command({ name: 'cancel_order', clientOrderId: stop, reason: 'moved by hand' });
  expect(canceled(rig)).toEqual([stop]);
  expect(rig.of('alert').at(-1)?.text).toContain('its position is left without it');
});

it('leaves an entry that can only shrink a position by now', () => {
  const { rig, entries } = protectedLong();
  const entry = entries[0]!;
  rig.command({ name: 'stop_strategy', strategy: FIRST, reason: 'test' });
  const [{ clientOrderId, callId }] = rig.cancels() as [ApprovedCancel];
  rig.outcome('cancel', clientOrderId, callId, { status: 'rejected', code: '-6026', text: 'not now' });
  // The stop has sold more than is held: the entry closes a short position.
  const sold = {
    no: '7',
    ref: null,
    side: 'sell',
    qty: 2,
    filled: 2,
    price: 12_950,
    status: 'matched',
  } as const;
  rig.pass(1).conditions([waits({ key: 'k1', qty: 2, status: 'activated', children: ['7'] })]);
  for (let i = 0; i < 30; i += 1)
    rig.look([
      { ...sold, source: 'system' },
      { no: '2', ref: entry, price: 12_900 },
    ]);
  expect(rig.position(FIRST)).toBeLessThan(0);
  expect(canceled(rig)).toEqual([entry]);
});

/** The strategy is long one, with a stop that it placed before it was, and an exit at 13,010. */
function coveredLong(): {
  readonly rig: EngineRig;
  readonly stop: ClientOrderId;
  readonly close: () => EngineRig;
} {
  const rig = startWaiting();
  const opening = rig.resting(FIRST, 'buy', 1, 13_000, '1');
  const stop = rig.ask(FIRST, stopSell(12_950));
  acceptWaiting(rig, stop, 'k1').pass(1);
  const bought = { no: '1', ref: opening, filled: 1, price: 13_000, status: 'matched' } as const;
  const look = (rows: readonly RowFacts[], held: Readonly<Record<string, number>>): EngineRig => {
    rig.look(rows).pass(1).positions(held).look(rows);
    return rig.conditions([waits({ key: 'k1' })]);
  };
  look([bought], { VN30F2603: 1 });
  const exit = rig.resting(FIRST, 'sell', 1, 13_010, '2');
  const sold = { no: '2', ref: exit, side: 'sell', filled: 1, price: 13_010, status: 'matched' } as const;
  return { rig, stop, close: () => look([bought, sold], {}) };
}

it('of a stop that stayed to protect a position, once that is closed: it would open another', () => {
  const { rig, stop, close } = coveredLong();
  rig.command({ name: 'stop_strategy', strategy: FIRST, reason: 'test' });
  expect(canceled(rig), 'it protects').not.toContain(stop);
  close();
  expect([rig.position(FIRST), canceled(rig).filter((id) => id === stop)]).toEqual([0, [stop]]);
  expect(rig.of('alert').at(-1)).toMatchObject({ code: 'stop_without_position', strategy: FIRST });
});

it('but not where its strategy runs, or runs again: it decides', () => {
  const running = coveredLong();
  running.close();
  expect([running.rig.position(FIRST), canceled(running.rig)]).toEqual([0, []]);
  const resumed = coveredLong();
  resumed.rig.pass(1).trade(8_000);
  expect(resumed.rig.engine.snapshot().halted).not.toBeNull();
  resumed.rig.command({ name: 'resume', reason: 'seen' });
  resumed.close();
  expect(canceled(resumed.rig)).not.toContain(resumed.stop);
});

/** The first strategy buys at 13,000 with a stop placed next to it; a process begins and stops it before it has read any book. */
function stoppedAsItBegins(): {
  readonly rig: EngineRig;
  readonly stop: ClientOrderId;
  readonly entry: ClientOrderId;
} {
  const rig = startWaiting();
  const entry = rig.resting(FIRST, 'buy', 1, 13_000, '1');
  const stop = rig.ask(FIRST, stopSell(12_950));
  acceptWaiting(rig, stop, 'k1');
  rig.pass(1).conditions([waits({ key: 'k1' })]);
  rig.pass(1).boot(2);
  rig.post({
    kind: 'command',
    by: 'process',
    command: { name: 'stop_strategy', strategy: FIRST, reason: 'it hung' },
  });
  return { rig, stop, entry };
}

describe('of a strategy that is stopped as a process begins', () => {
  it('leaves the stop of an entry that has filled meanwhile', () => {
    const { rig, stop, entry } = stoppedAsItBegins();
    expect(canceled(rig)).toEqual([entry]);
    const filled = [{ no: '1', ref: entry, filled: 1, price: 13_000, status: 'matched' }] as const;
    for (let round = 0; round < 3; round += 1)
      rig
        .pass(2)
        .positions(1)
        .look(filled)
        .conditions([waits({ key: 'k1' })]);
    expect([rig.engine.snapshot().unproven, rig.position(FIRST)]).toEqual([null, 1]);
    expect(canceled(rig)).not.toContain(stop);
  });

  it('takes the stop of one that has not, once positions are proven', () => {
    const { rig, stop, entry } = stoppedAsItBegins();
    for (let round = 0; round < 3; round += 1)
      rig
        .pass(2)
        .positions(0)
        .look([{ no: '1', ref: entry }])
        .conditions([waits({ key: 'k1' })]);
    expect(canceled(rig)).toContain(stop);
  });
});
