/** Orders that the last session left: late rows, late answers and late fills go to their owner, once (rulings, 6; failure cases, 3, 17). */
import { describe, expect, it } from 'vitest';
import { alwaysOpen } from '../../../src/domain/calendar.ts';
import { addDays } from '../../../src/domain/civil-date.ts';
import { brokerOrderKey, brokerOrderNo, clientOrderId } from '../../../src/domain/ids.ts';
import { money, priceTicks, qty, seconds } from '../../../src/domain/units.ts';
import type { BrokerTriggerOrder } from '../../../src/domain/broker-order.ts';
import type { CarriedOrder, SessionStarted } from '../../../src/engine/ports/engine-event.ts';
import { EngineRig, FIRST, SECOND } from '../../support/engine-rig.ts';
import {
  earlierOfSecond,
  earlierOrder,
  type RowFacts,
  traded,
  waitingOrder,
} from '../../support/engine-facts.ts';
import { bracketBuy, exitHalf, waits } from '../support/trigger-rows.ts';
import { replay } from '../../support/engine-replay.ts';
import { CALENDAR, DAY, timeOf, worth } from '../../support/engine-world.ts';

const ENDLESS = alwaysOpen(CALENDAR);

interface Begin {
  readonly held?: number;
  readonly hour?: number;
  readonly isEndless?: boolean;
  /** Days from this one to that of the session before: the clock was set back where it is not yesterday. */
  readonly followsBy?: number;
  /** A stop of the first strategy that the trigger book showed yesterday: sells one below 12,950. */
  readonly stop?: BrokerTriggerOrder;
  readonly ofStop?: Partial<CarriedOrder>;
  readonly off?: Pick<SessionStarted, 'stoppedStrategies' | 'haltedStrategies'>;
}

const engineOf = ({ hour = 0, isEndless = true }: Begin): EngineRig =>
  new EngineRig({
    startUs: timeOf(hour),
    canWait: true,
    ...(isEndless ? { calendar: ENDLESS } : {}),
    lookUp: { scans: 3, spread: seconds(3) },
  });

/** One second into the day: positions have not been read. */
function begun(orders: readonly CarriedOrder[], begin: Begin = {}): EngineRig {
  const { held = 0, followsBy = -1, stop, ofStop, off = {} } = begin;
  const rig = engineOf(begin);
  rig.contracts().session(
    {
      follows: addDays(DAY, followsBy),
      ...(followsBy >= 0 ? { isRestarted: true } : {}),
      carriedOrders: [...(stop === undefined ? [] : [waitingOrder(stop, ofStop)]), ...orders],
      ...off,
    },
    held === 0 ? [] : [{ strategy: FIRST, qty: held }],
  );
  return rig.boot(2).stream('live').reference().pass(1);
}

const asked = (rig: EngineRig): number => rig.waiting.filter(({ call }) => call === 'cancel').length;

/** Positions between two scans, again and again, until a difference would be proven. */
function settle(
  rig: EngineRig,
  net: number,
  rows: readonly RowFacts[] = [],
  waiting: readonly BrokerTriggerOrder[] = [],
): EngineRig {
  rig.book(rows).conditions(waiting);
  for (let round = 0; round < 4; round += 1) rig.pass(2).positions(net).look(rows).conditions(waiting);
  return rig;
}

const YESTERDAYS = { no: '7', qty: 2, price: 13_000 } as const;
/** It filled, as the session before and as the book says it. */
const DONE = { status: 'filled', filledQty: qty(2), filledValue: money(worth(13_000, 2)) } as const;
const FILLED = { ...YESTERDAYS, ref: clientOrderId('H.1'), ...traded(13_000, 2) } as const;
const unproven = (rig: EngineRig): string | null => rig.engine.snapshot().unproven;

describe('an entry whose cancel came to nothing in the session before', () => {
  it('is canceled at the exchange too, where orders outlive their day', () => {
    const rig = begun([earlierOrder('H.1', { isWithdrawn: true })], { hour: 1 });
    settle(rig, 0, [{ ...YESTERDAYS, ref: clientOrderId('H.1') }]);
    expect(rig.cancels().map(({ clientOrderId: id }) => id)).toEqual(['H.1']);
  });
});

describe('an entry of a strategy that stays stopped or halted', () => {
  const ENTRY = { purpose: 'entry' } as const;
  const OFF = [{ strategy: FIRST, reason: 'its loss' }];
  const stop = waits({ key: 'k9' });

  it.each([{ stoppedStrategies: OFF }, { haltedStrategies: OFF }])('is canceled: %o', (off) => {
    const rig = settle(begun([], { stop, ofStop: ENTRY, off }), 0, [], [stop]);
    expect([asked(rig), rig.alerts().at(-1)]).toEqual([1, 'stop_without_position']);
  });

  it('stays while it protects a position', () => {
    const rig = settle(
      begun([], { held: 1, stop, ofStop: ENTRY, off: { stoppedStrategies: OFF } }),
      1,
      [],
      [stop],
    );
    expect(asked(rig)).toBe(0);
    expect(asked(settle(rig, 1, [], [stop]))).toBe(0);
  });

  it('stays where the strategy runs', () => {
    expect(asked(settle(begun([], { stop, ofStop: ENTRY }), 0, [], [stop]))).toBe(0);
  });
});

describe('a book that still shows yesterday', () => {
  it('knows rows without a reference by their key, also of orders that are over', () => {
    const child = earlierOrder('C.1', { parent: clientOrderId('H.1'), ...DONE });
    const foreign = earlierOrder('A.1', {
      strategy: -1 as never,
      orderNo: brokerOrderNo('8'),
      status: 'canceled',
    });
    const rig = begun([child, foreign], { held: 2 });
    settle(rig, 2, [
      { ...YESTERDAYS, ...traded(13_000, 2), source: 'system' },
      { ...YESTERDAYS, no: '8', status: 'canceled' },
    ]);
    expect([rig.position(FIRST), unproven(rig), rig.alerts()]).toEqual([2, null, []]);
    expect([rig.of('fill'), rig.of('order_adopted')]).toEqual([[], []]);
  });

  it("takes no row of yesterday for today's order of the same number, nor the other way round", () => {
    const rig = begun([earlierOrder('H.1', DONE)], { held: 2 });
    settle(rig, 2);
    rig.account();
    const today = rig.resting(FIRST, 'buy', 1, 12_990, '7');
    rig.look([FILLED]);
    expect([rig.statusOf(today), rig.of('fill')]).toEqual(['accepted', []]);
    rig.look([{ no: '7', ref: today, price: 12_990, ...traded(12_990) }]);
    expect(rig.of('fill').map(({ clientOrderId: id, qty: size }) => [id, size])).toEqual([[today, 1]]);
    expect(rig.alerts()).toEqual([]);
  });

  it('is no evidence that an order of today never arrived, and that is alerted once', () => {
    const rig = begun([earlierOrder('H.1', DONE)], { held: 2, isEndless: false, hour: 10 });
    settle(rig, 2, [FILLED]).account();
    const lost = rig.submit(FIRST, 'buy', 1, 12_990);
    rig.unknown(lost);
    for (let i = 0; i < 4; i += 1) settle(rig, 2, [FILLED]);
    expect(rig.statusOf(lost)).toBe('unknown');
    expect(rig.alerts()).toEqual(['order_unknown', 'book_of_another_day']);
    // Today's book is there, and it is not in it.
    const todays: RowFacts = { no: '1', price: 12_950, status: 'canceled' };
    for (let i = 0; i < 2; i += 1) settle(rig, 2, [FILLED, todays]);
    expect(rig.statusOf(lost)).toBe('presumed_absent');
  });

  it('is evidence that an order of the session before, which had a number, is over', () => {
    const gone = { orderNo: brokerOrderNo('5'), orderKey: brokerOrderKey('905') } as const;
    const rig = begun([earlierOrder('H.1', DONE), earlierOrder('H.2', gone)], { held: 2 });
    settle(rig, 2, [FILLED]);
    expect([rig.statusOf(clientOrderId('H.2')), unproven(rig), rig.alerts()]).toEqual([
      'expired_unproven',
      null,
      [],
    ]);
  });

  it('is the book of today where the clock was set back over midnight: it shows that an order never arrived', () => {
    const lost = earlierOrder('H.2', { orderNo: null, orderKey: null, status: 'unknown' });
    const rig = begun([earlierOrder('H.1', DONE), lost], { held: 2, hour: 10, followsBy: 1 });
    settle(rig, 2, [FILLED]);
    expect([rig.statusOf(clientOrderId('H.2')), unproven(rig)]).toEqual(['expired_unproven', null]);
  });

  it('that proves an order over after positions agreed has them agree once more: nobody has to check', () => {
    const gone = { orderNo: brokerOrderNo('5'), orderKey: brokerOrderKey('905') } as const;
    const rig = begun([earlierOrder('H.2', gone)]);
    settle(settle(rig, 0), 0);
    const kinds = rig.entries.flatMap((entry) =>
      entry.kind === 'position_agreed' || entry.kind === 'order_status' ? [entry.kind] : [],
    );
    expect(kinds).toEqual(['position_agreed', 'order_status', 'position_agreed']);
  });

  it('is no evidence of foreign orders before trading begins', () => {
    const rig = begun([], { isEndless: false, hour: 3 });
    settle(rig, 0, [{ no: '9', ...traded(13_000) }]);
    expect([rig.of('order_adopted'), rig.of('fill'), unproven(rig)]).toEqual([[], [], null]);
  });
});

it.each([
  ['after a night', false],
  ['where trading goes through midnight', true],
])(
  'a row of today that looks like an order of yesterday without an answer is no order of ours %s',
  (_, isEndless) => {
    const lost = earlierOrder('H.1', { orderNo: null, orderKey: null, status: 'unknown' });
    const rig = settle(begun([lost], { isEndless, hour: 10 }), 0, [YESTERDAYS]);
    expect(rig.of('order_adopted')).toHaveLength(1);
    expect([rig.statusOf(clientOrderId('H.1')), unproven(rig)]).toEqual(['expired_unproven', null]);
  },
);

it('a row without a reference is of the order without an answer where the clock was set back: the day is the same', () => {
  const lost = earlierOrder('H.1', { orderNo: null, orderKey: null, status: 'unknown' });
  const rig = settle(begun([lost], { isEndless: false, hour: 10, followsBy: 1 }), 0, [YESTERDAYS]);
  expect([rig.of('order_adopted'), rig.statusOf(clientOrderId('H.1'))]).toEqual([[], 'accepted']);
});

it('an order of a later day counts and works on where the clock was set back: no night was between', () => {
  const rig = begun([earlierOrder('H.1')], { isEndless: false, hour: 10, followsBy: 1 });
  const id = clientOrderId('H.1');
  expect(rig.statusOf(id)).toBe('accepted');
  rig.look([{ ...YESTERDAYS, ref: id }]);
  expect([rig.statusOf(id), rig.alerts()]).toEqual(['accepted', []]);
  rig.cancel(FIRST, id);
  expect(rig.cancels().map(({ clientOrderId: order }) => order)).toEqual([id]);
  expect(rig.engine.snapshot().orders).toHaveLength(1);
});

describe('where trading goes through midnight', () => {
  it('exits belong to the bracket of their prices where one of yesterday had its number', () => {
    const exits = {
      kind: 'bracket',
      stopLossPrice: priceTicks(12_900),
      takeProfitPrice: priceTicks(13_200),
    } as const;
    const rig = begun([earlierOrder('H.1', { trigger: exits })]);
    settle(rig, 0);
    rig.trade(13_000).account();
    const today = rig.ask(SECOND, bracketBuy(13_000, 12_950, 13_080));
    rig.accepted(today, '7').pass(1);
    rig.book([{ no: '7', ref: today, ...traded(13_000, 2) }]);
    rig.pass(1).conditions([exitHalf('a', 12_950, { parent: '7' }), exitHalf('b', 13_080, { parent: '7' })]);
    expect(rig.of('order_waiting').map(({ strategy, parent }) => [strategy, parent])).toEqual([
      [SECOND, today],
      [SECOND, today],
    ]);
  });

  it('an order that the new book shows works on, and its cancel names its number of today', () => {
    const rig = begun([earlierOrder('H.1')], { hour: 1 });
    const id = clientOrderId('H.1');
    rig.cancel(FIRST, id);
    expect(rig.cancels(), 'number 7 may be another order today').toEqual([]);
    rig.look([{ ...YESTERDAYS, no: '3', ref: id }]);
    expect(rig.cancels().map(({ clientOrderId: order, orderNo }) => [order, orderNo])).toEqual([[id, '3']]);
  });

  it.each([
    ['accepted', []],
    ['unknown', ['order_unknown']],
  ] as const)(
    'an order, %s, that fills and ends with the day of the broker before a book shows it belongs to its strategy',
    (answer, before) => {
      const rig = begun([]);
      settle(rig, 0);
      rig.trade(13_000).account();
      const id = rig.submit(FIRST, 'buy', 2, 13_000);
      if (answer === 'unknown') rig.unknown(id);
      else rig.accepted(id, '1');
      settle(rig, 2);
      expect([rig.statusOf(id), rig.position(FIRST)]).toEqual(['expired_unproven', 2]);
      expect([unproven(rig), rig.alerts()]).toEqual([null, [...before, 'fill_unseen']]);
    },
  );

  it('an answer that comes on the new day belongs to its order, and so do the fills', () => {
    const rig = begun([earlierOrder('H.1', { orderNo: null, orderKey: null, status: 'submitted' })]);
    const id = clientOrderId('H.1');
    rig.accepted(id, '1').pass(1);
    rig.book([{ no: '1', ref: id, qty: 2, filled: 1, value: worth(13_000), status: 'matched' }]);
    expect([rig.statusOf(id), rig.position(FIRST), rig.of('order_adopted')]).toEqual([
      'partially_filled',
      1,
      [],
    ]);
    expect(rig.alerts()).toEqual(['order_unknown', 'order_known']);
  });
});

describe('a fill that no book shows any more', () => {
  it('is corrected, and not booked again, when a row turns up', () => {
    const rig = begun([earlierOrder('H.1')]);
    settle(rig, 2);
    rig.look([{ ...FILLED, ...traded(12_995, 2) }]);
    expect([rig.position(FIRST), rig.of('fill')]).toEqual([2, []]);
    expect(rig.of('fill_correction')).toMatchObject([{ value: worth(-5, 2) }]);
  });

  it('is for a person when orders of two strategies may have brought it', () => {
    const rig = begun([earlierOrder('H.1'), earlierOfSecond()]);
    settle(rig, 1);
    expect([rig.position(FIRST), rig.position(SECOND), rig.alerts()]).toEqual([0, 0, ['position_mismatch']]);
    expect(rig.of('alert')[0]?.text).toContain('H.1 buy 2, H.2 buy 2');
  });

  it('is no doubt when all of them must have filled', () => {
    const rig = begun([earlierOrder('H.1'), earlierOfSecond()]);
    settle(rig, 4);
    expect([rig.position(FIRST), rig.position(SECOND), unproven(rig)]).toEqual([2, 2, null]);
  });

  it('of a stop that triggered belongs to its strategy', () => {
    const trigger = { kind: 'stop', triggerPrice: priceTicks(13_010), triggerWhen: 'at_or_above' } as const;
    const rig = begun([earlierOrder('H.1', { trigger, status: 'pending_trigger' })]);
    settle(rig, 2);
    expect([rig.position(FIRST), unproven(rig), rig.alerts()]).toEqual([2, null, ['fill_unseen']]);
    settle(rig, 2);
    expect(rig.statusOf(clientOrderId('H.1'))).toBe('expired');
  });

  it('of a stop that the book showed yesterday and shows no more belongs to its strategy', () => {
    const rig = begun([], { held: 1, stop: waits({ key: 'k' }) });
    settle(rig, 0);
    expect([rig.position(FIRST), unproven(rig), rig.alerts()]).toEqual([0, null, ['fill_unseen']]);
    expect(rig.of('position_event').at(-1)).toMatchObject({
      strategy: FIRST,
      qty: -1,
      value: worth(12_945),
    });
    settle(rig, 0);
    expect([rig.statusOf(clientOrderId('H.9')), rig.position(FIRST)]).toEqual(['expired', 0]);
  });

  it('is for a person where the stop had no price to book it at', () => {
    const stop = waits({ key: 'k', kind: 'trailing_stop', trigger: null, when: null });
    const rig = begun([], { held: 1, stop });
    settle(rig, 0);
    expect([rig.position(FIRST), rig.alerts()]).toEqual([1, ['position_mismatch']]);
  });
});

const missingExits = (rig: EngineRig) =>
  rig
    .of('alert')
    .flatMap(({ code, severity, text }) => (code === 'exits_missing' ? [`${severity} ${text}`] : []));

describe('a stop of a strategy that the broker has dropped overnight', () => {
  const stop = waits({ key: 'k', side: 'sell', qty: 1, trigger: 12_950 });

  it('is alerted: the position that it protected is still held', () => {
    const rig = begun([], { held: 1, stop, isEndless: false, hour: 10 });
    settle(settle(rig, 1), 1);
    expect([rig.position(FIRST), rig.statusOf(clientOrderId('H.9'))]).toEqual([1, 'expired']);
    expect(missingExits(rig)).toEqual([
      expect.stringMatching(/^critical 1 of VN30F2603 may have no stop: sell 1 VN30F2603 \(H\.9\)/),
    ]);
  });

  it('is alerted for what it covered of a larger position', () => {
    const rig = begun([], { held: 3, stop, isEndless: false, hour: 10 });
    settle(settle(rig, 3), 3);
    expect(missingExits(rig)).toEqual([expect.stringMatching(/^critical 1 of VN30F2603 may have no stop/)]);
  });
});

describe('a stop that was found before the broker began its new day', () => {
  it.each([
    ['ends with the day of the broker: its book shows the stop no more', 0, ['expired', 'trigger_adopted']],
    ['is missing where that day had begun', 60, ['pending_trigger', 'trigger_adopted', 'order_missing']],
  ])('%s', (_, laterSeconds, [status, ...alerts]) => {
    const rig = settle(begun([], { held: 1 }).pass(laterSeconds), 1, [], [waits({ key: 'k' })]);
    const adopted = rig.of('order_waiting')[0]!.clientOrderId;
    settle(settle(rig, 1), 1);
    expect([rig.statusOf(adopted), rig.alerts()]).toEqual([status, alerts]);
  });
});

const OWES_EXITS = earlierOrder('H.1', {
  trigger: { kind: 'bracket', stopLossPrice: priceTicks(12_950), takeProfitPrice: priceTicks(13_080) },
  status: 'filled',
  filledQty: qty(2),
  filledValue: money(worth(13_000, 2)),
  owesExits: true,
});

it('exits that the last session had not seen belong to the strategy whose bracket filled then', () => {
  const rig = begun([OWES_EXITS], { held: 2, isEndless: false, hour: 8 });
  settle(rig, 2, [], [exitHalf('a', 12_950, { parent: '7' }), exitHalf('b', 13_080, { parent: '7' })]);
  const owned = rig.of('order_waiting').map(({ strategy, parent }) => [strategy, parent]);
  expect(owned).toEqual([
    [FIRST, 'H.1'],
    [FIRST, 'H.1'],
  ]);
  expect(rig.alerts()).toEqual([]);
});

/** In the middle of a day that began with `begun`. */
function restarted(rig: EngineRig, begin: Begin): EngineRig {
  const again = engineOf(begin);
  replay(again, rig.inputs, rig.entries);
  return again.pass(1).contracts().boot(3).stream('live').reference().pass(1);
}

describe.each([
  [null, ''],
  ['before', ', over a restart before the first scan of the day'],
  ['after', ', over a restart after the first scan of the day'],
])('exits at the prices of a bracket of yesterday', (restart, when) => {
  it.each([
    ['were canceled before the day began are none of it, and it is without', true, [], ['exits_missing']],
    ['come and are canceled in this day are its own', false, ['H.1', 'H.1'], []],
  ])(`that %s${when}`, (_, wereThere, parents, alerts) => {
    const bracket = earlierOrder('H.1', {
      trigger: { kind: 'bracket', stopLossPrice: priceTicks(12_950), takeProfitPrice: priceTicks(13_080) },
    });
    const exits = [
      exitHalf('a', 12_950, { status: 'canceled' }),
      exitHalf('b', 13_080, { status: 'canceled' }),
    ];
    const rows = [{ no: '5', ref: clientOrderId('H.1'), ...traded(13_000, 2) }];
    let rig = begun([bracket], { hour: 1 });
    if (restart === 'before') rig = restarted(rig, { hour: 1 });
    rig.conditions(wereThere ? exits : []);
    if (restart === 'after') rig = restarted(rig, { hour: 1 });
    settle(rig, 2, rows, exits);
    expect(rig.of('order_waiting').map(({ parent }) => parent)).toEqual(parents);
    expect(rig.alerts()).toEqual(alerts);
  });
});

it('an exit that triggered on its last day, the one before, is no exit of today', () => {
  const sent = { status: 'activated', children: [brokerOrderNo('45')], parent: '7' } as const;
  const exit = { ...exitHalf('b', 13_080, sent), lastDay: addDays(DAY, -1) };
  const rig = settle(begun([OWES_EXITS], { isEndless: false, hour: 8 }), 0, [], [exit]);
  expect([rig.of('order_waiting'), rig.engine.snapshot().orders]).toEqual([[], []]);
});

const shownBy = (rig: EngineRig) => {
  const { orders, stopsUnproven } = rig.engine.snapshot();
  return [orders.map(({ status }) => status), stopsUnproven];
};

describe('a stop that waited in the session before', () => {
  const YESTERDAY = { lastDay: addDays(DAY, -1) };
  const stop = { ...waits({ key: 'k9' }), ...YESTERDAY };
  const night = { held: 1, isEndless: false, hour: 10 } as const;

  it('is over with its last day, and the position without a stop is alerted', () => {
    const rig = begun([], { ...night, stop });
    expect([shownBy(rig), rig.statusOf(clientOrderId('H.9'))]).toEqual([[[], null], 'expired']);
    expect(rig.alerts()).toEqual([]);
    settle(rig, 1);
    expect([rig.alerts(), unproven(rig)]).toEqual([['exits_missing'], null]);
  });

  it('may have sent its order before: a difference of positions is its fill', () => {
    const rig = settle(begun([], { ...night, stop }), 0);
    expect([rig.position(FIRST), rig.alerts(), unproven(rig)]).toEqual([0, ['fill_unseen'], null]);
  });

  it('that the broker shows after its last day works on, and a person hears of it', () => {
    const rig = begun([], { ...night, stop })
      .book()
      .conditions([stop]);
    expect([shownBy(rig), rig.alerts()]).toEqual([[['pending_trigger'], null], ['order_oddity']]);
  });

  it.each([
    ['no last day', night, waits({ key: 'k9' })],
    ['a last day to come', night, { ...stop, lastDay: DAY }],
    ['trading that never stops', { held: 1 }, stop],
    ['a clock that was set back', { ...night, followsBy: 1 }, stop],
  ])('with %s counts until scans prove it absent, and is not proven meanwhile', (_, how, row) => {
    const rig = begun([], { ...how, stop: row });
    const unread = expect.stringMatching(/trigger book was not read/);
    expect(shownBy(rig)).toEqual([['pending_trigger'], unread]);
    rig.conditions();
    expect(shownBy(rig)).toEqual([['pending_trigger'], expect.stringMatching(/has not shown it since/)]);
    rig.pass(2).conditions().pass(2).conditions();
    expect(shownBy(rig)).toEqual([[], null]);
  });
});
