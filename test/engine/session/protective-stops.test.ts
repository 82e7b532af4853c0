/** The stop that the engine keeps at the broker for each position (rulings, 14; failure cases, 13, 14 and 35). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { OPERATOR_INDEX, priceTicks, qty as contractsOf } from '../../../src/domain/units.ts';
import { limit, waitingOrder, traded } from '../../support/engine-facts.ts';
import { EngineRig, FIRST, type RigOptions, SECOND } from '../../support/engine-rig.ts';
import { replay } from '../../support/engine-replay.ts';
import { guarded, SmallBroker, type SmallStop, stopsOf, trades } from '../support/small-broker.ts';
import { NEXT, SETTINGS } from '../../support/engine-world.ts';
import { bracketBuy, stopSell, waits } from '../support/trigger-rows.ts';

const unguarded = (): SmallBroker => {
  const rig = new EngineRig({ isReal: true, canWait: true }).start();
  rig.account().conditions().trade(13_000);
  return new SmallBroker(rig);
};

describe('a position', () => {
  it.each([
    ['long', 'buy', ['sell', 2, 12_900, 12_880]],
    ['short', 'sell', ['buy', 2, 13_100, 13_120]],
  ] as const)(
    'that is %s has one stop of its size, which its strategy neither sees nor reaches',
    (_, side, stop) => {
      const broker = guarded();
      trades(broker, side, 2);
      expect(stopsOf(broker)).toEqual([stop]);
      const { rig } = broker;
      expect(rig.host.desk.workingOrders(FIRST)).toEqual([]);
      const [sent] = rig.waiting;
      if (sent?.call !== 'place') throw new Error('a stop is placed first');
      rig.cancel(FIRST, sent.order.clientOrderId);
      expect(rig.of('denied').at(-1)!.denial).toMatchObject({ code: 'order_not_found' });
      broker.settle();
      expect(stopsOf(broker)).toEqual([stop]);
      expect(rig.alerts()).toEqual([]);
      const id = sent.order.clientOrderId;
      rig.command({ name: 'cancel_order', clientOrderId: id, reason: 'by mistake' });
      expect(rig.alerts()).toEqual(['cancel_refused']);
      broker.settle();
      expect(stopsOf(broker)).toEqual([stop]);
    },
  );

  it('that shrinks just after its stop was placed is never held by too large a stop', () => {
    const broker = guarded();
    trades(broker, 'buy', 3);
    broker.rig.submit(FIRST, 'sell', 2, 13_000);
    broker.answer().fill(broker.orders.at(-1)!);
    broker.show();
    expect(broker.rig.waiting.map(({ call }) => call)).toContain('cancel');
    broker.settle();
    expect(stopsOf(broker)).toEqual([['sell', 1, 12_900, 12_880]]);
  });
});

it('a position gets its stop while an order in another contract is absent, and no entry leaves', () => {
  const seats = SETTINGS.strategies.map((seat, i) => ({
    ...seat,
    symbols: [i === 0 ? 'VN30F1M' : 'VN30F2M'],
  }));
  const risk = { protectiveStop: { distanceTicks: 100, slipTicks: 20 } };
  const rig = new EngineRig({ isReal: true, canWait: true, risk, seats }).start();
  rig.account().conditions().trade(13_000);
  rig.post({
    kind: 'trade',
    instrument: NEXT.index,
    price: priceTicks(13_000),
    qty: contractsOf(1),
    totalVolume: 1,
  });
  const broker = new SmallBroker(rig);
  rig.submit(FIRST, 'buy', 2, 13_000);
  broker.answer();
  broker.refusals.push('unknown');
  const lost = rig.ask(SECOND, { ...limit('buy', 1, 13_000), instrument: NEXT.index });
  broker.answer().orders.pop();
  for (let i = 0; i < 3; i += 1) {
    rig.pass(16);
    broker.showBook();
  }
  expect(rig.statusOf(lost)).toBe('presumed_absent');
  broker.fill(broker.orders[0]!);
  broker.settle(3);
  expect(stopsOf(broker)).toEqual([['sell', 2, 12_900, 12_880]]);
  rig.submit(FIRST, 'buy', 1, 13_000);
  expect(rig.of('denied').at(-1)!.denial).toMatchObject({ code: 'position_unproven' });
});

/** A bracket that has filled; the trigger book was not read since. */
const filledBracket = () => {
  const { rig } = guarded();
  const id = rig.ask(FIRST, bracketBuy(13_000, 12_950, 13_080));
  rig.accepted(id, '5').pass(1);
  const row = { no: '5', ref: id, ...traded(13_000, 2) } as const;
  const show = () => rig.book([row]).positions(2).look([row]);
  show();
  const stops = (): number =>
    rig.waiting.filter((sent) => sent.call === 'place' && sent.order.trigger?.kind === 'stop').length;
  return { rig, show, stops };
};

describe('a position whose bracket brings its exits', () => {
  it('gets one where complete scans do not show them', () => {
    const { rig, show, stops } = filledBracket();
    for (let i = 0; i < 5; i += 1) {
      rig.pass(10).conditions([]);
      show();
    }
    show();
    expect(rig.alerts()).toContain('exits_missing');
    expect(stops()).toBe(1);
  });
});

it('a flatten that is given up gives the position its stop back', () => {
  const broker = guarded();
  trades(broker, 'buy', 2);
  broker.rig.command({ name: 'flatten', strategy: FIRST, reason: 'test' });
  while (!broker.rig.alerts().includes('flatten_failed')) broker.settle(1).rig.trade(13_000);
  broker.settle();
  expect(broker.position).toBe(2);
  expect(stopsOf(broker)).toEqual([['sell', 2, 12_900, 12_880]]);
});

describe('a position that was closed at the broker, without an order in its book', () => {
  it.each(['protective', 'own'] as const)('leaves no %s stop and no exit once a person resumes', (kind) => {
    const broker = kind === 'protective' ? guarded() : unguarded();
    const { rig } = broker;
    trades(broker, 'buy', 2);
    if (kind === 'own') rig.ask(FIRST, stopSell(12_950, 2, { reduceOnly: true }));
    broker.settle();
    expect(broker.covered('sell')).toBe(2);
    broker.closed = 2;
    broker.settle(20);
    expect([rig.alerts(), broker.covered('sell')], 'in doubt the stop stays').toEqual([
      ['position_mismatch'],
      2,
    ]);
    rig.command({ name: 'resume', reason: 'closed by hand' });
    broker.settle(12);
    expect([rig.position(FIRST), rig.position(OPERATOR_INDEX), broker.covered('sell')]).toEqual([0, 0, 0]);
    rig.command({ name: 'flatten', strategy: FIRST, reason: 'test' });
    for (let i = 0; i < 30; i += 1) broker.settle(1).rig.trade(13_000);
    expect(rig.places().slice(1)).toMatchObject([]);
    expect(broker.position, 'nothing opens a position').toBe(0);
  });
});

it('a flatten leaves the stop until the position can be read, and says so; an entry goes at once', () => {
  const broker = guarded();
  trades(broker, 'buy', 2);
  const { rig } = broker;
  const entry = rig.account().submit(FIRST, 'buy', 1, 12_950);
  broker.answer();
  rig.pass(6).clock();
  broker.showBook().rig.command({ name: 'flatten', strategy: FIRST, reason: 'test' });
  for (let i = 0; i < 30; i += 1) broker.answer().showBook().rig.pass(1).clock();
  expect(rig.cancels().map(({ clientOrderId: id }) => id)).toEqual([entry]);
  expect(stopsOf(broker)).toEqual([['sell', 2, 12_900, 12_880]]);
  expect(rig.alerts()).toEqual(['flatten_waits']);
  broker.settle(3);
  expect(rig.places().at(-1)).toMatchObject({ side: 'sell', qty: 2, trigger: null });
  expect(stopsOf(broker)).toEqual([]);
});

it('a position without a stop while positions are not proven follows the policy for that, and gets its stop when they are', () => {
  const broker = guarded('flatten');
  trades(broker, 'buy', 2);
  const { rig } = broker;
  const show = (held: number): void => {
    broker.answer().showBook().showStops().rig.positions(held);
    broker.showBook().rig.pass(1).trade(13_000).clock();
  };
  for (let i = 0; i < 8; i += 1) show(3);
  expect(rig.alerts()).toEqual(['position_mismatch']);
  broker.working[0]!.status = 'canceled';
  for (let i = 0; i < 40; i += 1) show(3);
  const acted = rig
    .of('alert')
    .filter(({ code, strategy }) => code === 'failure_policy' && strategy === FIRST);
  expect(acted).toEqual([
    expect.objectContaining({
      severity: 'critical',
      text: expect.stringMatching(
        /2 of VN30F2603 have had no stop .*differ.*nothing is canceled or closed .policies.unprovenPosition: hold/,
      ),
    }),
  ]);
  rig.command({ name: 'resume', reason: 'looked' });
  for (let i = 0; i < 8; i += 1) show(2);
  rig.command({ name: 'resume', reason: 'looked' });
  for (let i = 0; i < 40; i += 1) show(2);
  expect([broker.position, stopsOf(broker)]).toEqual([2, [['sell', 2, 12_900, 12_880]]]);
  expect(rig.alerts(), 'the end is said too').toContain('position_covered');
});

/** The first strategy, which may hold overnight or not, begins the day long two, with a stop of yesterday. */
function carried(
  options: RigOptions,
  overnight: boolean,
  placedTrigger = 12_900,
  { later = 0, isKept = true } = {},
): SmallBroker {
  const seats = SETTINGS.strategies.map((each) => ({ ...each, overnight }));
  const rig = new EngineRig({ isReal: true, canWait: true, seats, ...options });
  rig.pass(later);
  const broker = new SmallBroker(rig);
  const { key } = broker.foreignStop('sell', 2, 12_900);
  broker.foreignFill('buy', 2);
  const row = waits({ key, side: 'sell', qty: 2, trigger: 12_900, limit: 12_900 });
  const stop = waitingOrder(row, {
    clientOrderId: clientOrderId('C1'),
    isProtective: true,
    placedTrigger: priceTicks(placedTrigger),
  });
  rig.session({ carriedOrders: [stop] }, [{ strategy: FIRST, qty: 2 }]);
  rig.boot(1).contracts().stream('live').reference().account();
  if (!isKept) broker.stops.length = 0;
  return broker.settle();
}

describe('a stop of yesterday', () => {
  it.each([
    ['is moved by a distance that was changed since', 12_900, [['sell', 2, 12_950, 12_930]]],
    ['stays where a person moved it', 12_920, [['sell', 2, 12_900, 12_900]]],
  ] as const)('%s', (_, placed, stops) => {
    const risk = { protectiveStop: { distanceTicks: 50, slipTicks: 20 } };
    const broker = carried({ risk }, true, placed);
    broker.settle(12);
    expect(stopsOf(broker)).toEqual(stops);
  });

  it('is not taken away in the break, where no other one can be placed', () => {
    const risk = { protectiveStop: { distanceTicks: 50, slipTicks: 20 } };
    const broker = carried({ risk }, true, 12_900, { later: 2 * 3600 });
    broker.settle(12);
    expect(broker.rig.engine.snapshot().phase).toBe('break');
    expect(stopsOf(broker)).toEqual([['sell', 2, 12_900, 12_900]]);
  });

  it('that the broker no longer shows protects nothing: the time without a stop runs, whatever is proven', () => {
    const risk = { protectiveStop: { distanceTicks: 100, slipTicks: 20 }, nakedSecondsMax: 10 };
    const broker = carried({ risk }, true, 12_900, { isKept: false });
    const acted = () => broker.rig.of('policy_acted').filter(({ failure }) => failure === 'nakedPosition');
    const uncovered = () => broker.rig.engine.snapshot().strategies[FIRST]?.positions[0]?.uncoveredQty;
    broker.settle(6);
    expect([acted(), stopsOf(broker)], 'it may wait there all the same').toMatchObject([[{}], []]);
    expect(uncovered(), 'for the metrics').toBe(2);
    broker.settle(30);
    expect([stopsOf(broker), uncovered()]).toEqual([[['sell', 2, 12_900, 12_880]], 0]);
  });

  it('is missed nowhere without a setting that asks for one', () => {
    const rig = new EngineRig({ isReal: true, canWait: true }).start();
    rig.account().conditions().trade(13_000);
    const broker = new SmallBroker(rig);
    trades(broker, 'buy', 2);
    broker.settle(60);
    const [position] = broker.rig.engine.snapshot().strategies[FIRST]!.positions;
    expect([position?.qty, position?.uncoveredQty]).toEqual([2, 0]);
  });

  it('shrinks with its position although protective stops are not configured any more', () => {
    const broker = carried({}, true);
    expect([broker.rig.position(FIRST), stopsOf(broker)]).toEqual([2, [['sell', 2, 12_900, 12_900]]]);
    trades(broker, 'sell', 2);
    broker.settle(12);
    expect([broker.rig.position(FIRST), stopsOf(broker)]).toEqual([0, []]);
  });

  it('is withdrawn by a flatten that begins before the start has ids for its calls', () => {
    const broker = carried({}, false);
    broker.rig.trade(13_000);
    broker.settle();
    expect(stopsOf(broker)).toEqual([]);
    expect(broker.rig.places()).toMatchObject([{ side: 'sell', qty: 2, purpose: 'reduce' }]);
  });
});

describe('other stops in the same contract', () => {
  it('are left out while the operator holds the other side, which is said once', () => {
    const broker = guarded();
    broker.foreignFill('buy', 1);
    broker.settle();
    trades(broker, 'sell', 1);
    const { rig } = broker;
    const coveredBy = () => rig.engine.snapshot().strategies[FIRST]?.positions[0]?.coveredBy;
    const saidTimes = () => rig.alerts().filter((code) => code === 'covered_by_others').length;
    expect([stopsOf(broker), coveredBy(), saidTimes()]).toEqual([[], 'the operator’s +1', 1]);
    broker.foreignFill('sell', 1);
    broker.settle(12);
    expect([stopsOf(broker), coveredBy(), saidTimes()]).toEqual([[['buy', 1, 13_100, 13_120]], null, 1]);
  });

  it('are not moved back when a person moved ours', () => {
    const broker = guarded();
    trades(broker, 'buy', 2);
    Object.assign(broker.working[0]!, { trigger: 12_940 });
    broker.settle();
    expect(stopsOf(broker)).toEqual([['sell', 2, 12_940, 12_880]]);
  });
});

const exits = (broker: SmallBroker) =>
  broker.rig.places().flatMap(({ side, qty, purpose }) => (purpose === 'reduce' ? [[side, qty]] : []));

describe('a flatten', () => {
  const failed = { kind: 'read_failed', what: 'positions', reason: '502' } as const;
  const flatten = { name: 'flatten', strategy: null, reason: 'by hand' } as const;

  it('whose stop is gone closes by the read before it, where the one after it fails', () => {
    const broker = guarded();
    trades(broker, 'buy', 2);
    broker.rig.command(flatten);
    broker.answer().rig.pass(1);
    broker.showBook().showStops();
    expect(stopsOf(broker)).toEqual([]);
    expect(exits(broker)).toEqual([]);
    broker.rig.post(failed);
    expect(exits(broker)).toEqual([['sell', 2]]);
    broker.answer().fill(broker.orders.at(-1)!);
    broker.settle(12);
    expect([broker.position, broker.rig.position(FIRST)]).toEqual([0, 0]);
  });

  it('that has no fresh read says at once that nothing protects the position', () => {
    const broker = guarded();
    trades(broker, 'buy', 2);
    broker.rig.command(flatten);
    broker.answer().rig.pass(9);
    broker.showBook().showStops();
    broker.rig.post(failed);
    expect([stopsOf(broker), exits(broker)]).toEqual([[], []]);
    expect(broker.rig.alerts()).toContain('flatten_waits');
    broker.settle();
    expect(exits(broker)).toEqual([['sell', 2]]);
  });
});

describe('an overloaded broker', () => {
  it('that refuses to cancel a stop is asked again in its time, not at each answer', () => {
    const broker = guarded();
    trades(broker, 'buy', 2);
    broker.rig.account().submit(FIRST, 'sell', 1, 13_000);
    broker.answer().fill(broker.orders.at(-1)!);
    const before = broker.rig.waiting.length;
    for (let i = 0; i < 60; i += 1) {
      broker.refusals.splice(0, 99, ...Array.from({ length: 20 }, () => 'rejected' as const));
      broker.settle(1);
    }
    expect(broker.rig.waiting.length - before).toBeLessThanOrEqual(4);
    expect(stopsOf(broker)).toEqual([['sell', 2, 12_900, 12_880]]);
    broker.refusals.length = 0;
    broker.settle(70);
    expect(stopsOf(broker)).toEqual([['sell', 1, 12_900, 12_880]]);
  });

  it('that no cancel has reached is asked again within seconds', () => {
    const broker = guarded();
    trades(broker, 'buy', 2);
    broker.rig.account().submit(FIRST, 'sell', 1, 13_000);
    broker.answer().fill(broker.orders.at(-1)!);
    for (let i = 0; i < 40; i += 1) {
      broker.refusals.splice(0, 99, ...Array.from({ length: 20 }, () => 'not_sent' as const));
      broker.settle(1);
    }
    expect(stopsOf(broker)).toEqual([['sell', 2, 12_900, 12_880]]);
    broker.refusals.length = 0;
    broker.settle(8);
    expect(stopsOf(broker)).toEqual([['sell', 1, 12_900, 12_880]]);
  });

  it('that does not answer gets one stop, however often the books are read', () => {
    const broker = guarded();
    broker.rig.submit(FIRST, 'buy', 2, 13_000);
    broker.answer().fill(broker.orders.at(-1)!);
    broker.refusals.push('unknown');
    broker.settle(40);
    expect(stopsOf(broker)).toEqual([['sell', 2, 12_900, 12_880]]);
    expect(broker.rig.waiting).toHaveLength(1);
  });

  it.each([
    ['hold', [2, ['failure_policy', 'position_covered']]],
    ['flatten', [0, ['failure_policy', 'position_covered']]],
  ] as const)('that refuses the stop for too long leads to the policy: %s', (policy, [left, alerts]) => {
    const broker = guarded(policy);
    broker.rig.submit(FIRST, 'buy', 2, 13_000);
    broker.answer().fill(broker.orders.at(-1)!);
    broker.refusals.push('rejected');
    broker.settle(2);
    const refuse = (): void => void broker.refusals.splice(0, 9, 'rejected');
    for (let i = 0; i < 34; i += 1) {
      if (broker.rig.alerts().length === 0) refuse();
      broker.settle(1).rig.trade(13_000).clock();
      for (const order of broker.orders) if (order.side === 'sell') broker.fill(order);
    }
    broker.refusals.length = 0;
    // The same request with the same refusal is tried once a minute.
    broker.rig.pass(61).clock();
    broker.settle();
    expect([broker.position, [...new Set(broker.rig.alerts())]]).toEqual([left, alerts]);
    expect(new Set(broker.rig.of('alert').map(({ about }) => about))).toEqual(new Set(['VN30F2603']));
    expect(stopsOf(broker)).toHaveLength(left === 0 ? 0 : 1);
  });
});

/** Stops of others are further away. */
const isOurs = ({ trigger }: SmallStop): boolean => trigger > 12_800 && trigger < 13_200;

type Step =
  | { readonly do: 'trade'; readonly side: 'buy' | 'sell'; readonly qty: number; readonly strategy: 0 | 1 }
  | { readonly do: 'fill'; readonly order: number; readonly qty: number }
  | { readonly do: 'foreign'; readonly side: 'buy' | 'sell'; readonly qty: number }
  | { readonly do: 'foreign_stop'; readonly side: 'buy' | 'sell'; readonly qty: number }
  | { readonly do: 'trigger'; readonly stop: number; readonly part: number }
  | { readonly do: 'refuse'; readonly how: 'rejected' | 'unknown' }
  | { readonly do: 'show' | 'book' | 'stops' | 'answer' | 'pass' };

const side = fc.constantFrom('buy' as const, 'sell' as const);
const qty = fc.integer({ min: 1, max: 4 });
const nat = fc.nat(9);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('trade' as const),
      side,
      qty,
      strategy: fc.constantFrom(0 as const, 1 as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('fill' as const), order: nat, qty }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('foreign' as const), side, qty }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('foreign_stop' as const), side, qty }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('trigger' as const), stop: nat, part: fc.nat(4) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('refuse' as const),
      how: fc.constantFrom('rejected' as const, 'unknown' as const),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'show' as const,
        'book' as const,
        'stops' as const,
        'answer' as const,
        'pass' as const,
      ),
    }),
  },
);

function play(broker: SmallBroker, step: Step): void {
  const { rig } = broker;
  switch (step.do) {
    case 'trade':
      rig.account().submit(step.strategy === 0 ? FIRST : SECOND, step.side, step.qty, 13_000);
      return;
    case 'fill': {
      const open = broker.orders.filter(({ filled, qty: of, isCanceled }) => filled < of && !isCanceled);
      const order = open[step.order % Math.max(1, open.length)];
      if (order !== undefined) broker.fill(order, step.qty);
      return;
    }
    case 'foreign':
      return broker.foreignFill(step.side, step.qty);
    case 'foreign_stop':
      broker.foreignStop(step.side, step.qty, step.side === 'sell' ? 12_800 : 13_200);
      return;
    case 'trigger': {
      const stop = broker.working[step.stop % Math.max(1, broker.working.length)];
      if (stop !== undefined) broker.trigger(stop, Math.min(stop.qty, step.part));
      return;
    }
    case 'refuse':
      broker.refusals.push(step.how);
      return;
    case 'show':
      broker.show();
      return;
    case 'book':
      broker.showBook();
      return;
    case 'stops':
      broker.showStops();
      return;
    case 'answer':
      broker.answer();
      return;
    case 'pass':
      rig.pass(4).clock();
  }
}

it('whatever happens, protection never exceeds what is held, and equals it when quiet', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 40 }), (all) => {
      const broker = guarded();
      for (const step of all) {
        play(broker, step);
        expect(broker.working.filter(isOurs).length, 'one for each strategy').toBeLessThanOrEqual(2);
      }
      broker.refusals.length = 0;
      for (const order of broker.orders) broker.fill(order);
      // Longer than a refused stop may rest before it is tried again.
      broker.settle(20);
      broker.rig.pass(61).account().reference();
      broker.settle(20);
      for (const order of broker.orders) broker.fill(order);
      broker.settle(20);
      const { rig } = broker;
      expect(rig.engine.snapshot().unproven).toBeNull();
      const held = [rig.position(FIRST), rig.position(SECOND)];
      for (const closing of ['sell', 'buy'] as const) {
        const sign = closing === 'sell' ? 1 : -1;
        const ours = held.reduce((sum, each) => sum + Math.max(0, sign * each), 0);
        const operators = sign * (broker.position - held[0]! - held[1]!);
        const theirs = broker.working.filter((stop) => stop.side === closing && !isOurs(stop));
        const theirQty = theirs.reduce((sum, stop) => sum + stop.qty, 0);
        const cover = Math.max(0, theirQty - Math.max(0, operators)) + Math.max(0, -operators);
        const wanted = Math.max(0, ours - cover);
        expect(broker.covered(closing) - theirQty, `${closing} of ${broker.position}`).toBe(wanted);
      }
    }),
    { numRuns: 150 },
  );
});

it('a halt and a flatten go on after a restart between the end of the stop and the exit', () => {
  const broker = guarded();
  trades(broker, 'buy', 2);
  broker.rig.command({ name: 'halt', reason: 'news' });
  broker.rig.command({ name: 'flatten', strategy: null, reason: 'by hand' });
  broker.answer().rig.pass(1);
  broker.showBook().showStops();
  expect(stopsOf(broker)).toEqual([]);
  const risk = { protectiveStop: { distanceTicks: 100, slipTicks: 20 }, nakedSecondsMax: 30 };
  const again = new EngineRig({ isReal: true, canWait: true, risk });
  replay(again, broker.rig.inputs, broker.rig.entries);
  const next = Object.assign(new SmallBroker(again), { orders: broker.orders, stops: broker.stops });
  next.skipCalls();
  again.pass(1).boot(2).contracts().stream('live').reference().account().trade(13_000);
  next.settle();
  expect(again.engine.snapshot().halted).toBe('news');
  expect(again.places().filter(({ purpose }) => purpose === 'reduce')).toMatchObject([
    { side: 'sell', qty: 2 },
  ]);
  next.fill(next.orders.at(-1)!);
  next.settle(12);
  expect([next.position, again.position(FIRST), stopsOf(next)]).toEqual([0, 0, []]);
});
