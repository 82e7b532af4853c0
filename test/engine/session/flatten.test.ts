/** The flatten procedure in virtual time (rulings, 38). The price is 1,300.0, bid 1,299.9, ask 1,300.1; slip is five ticks. */
import { describe, expect, test } from 'vitest';
import { clientOrderId } from '../../../src/domain/ids.ts';
import * as units from '../../../src/domain/units.ts';
import { LAST } from '../support/state-rig.ts';
import { SessionWorld, type WorldOptions } from '../support/session-world.ts';

const flattenAll = { name: 'flatten', strategy: null, reason: 'by hand' } as const;

/** A world in which the first strategy holds something. */
function holding(qty: number, options: WorldOptions = {}): SessionWorld {
  const world = new SessionWorld(options).start();
  world.hold(0, qty);
  world.asked.length = 0;
  return world;
}

const heldBy = (world: SessionWorld, strategy = 0): number => world.heldBy(strategy);

const STOP = {
  id: 'stop',
  side: 'sell',
  qty: 2,
  price: 12_900,
  purpose: 'reduce',
  status: 'pending_trigger',
  isWaiting: true,
} as const;

/** The broker goes on refusing to cancel a take-profit. */
function keptProfit() {
  const world = holding(2);
  world.add(STOP);
  const profit = world.add({ id: 'profit', side: 'sell', qty: 2, price: 13_100, purpose: 'reduce' });
  world.broker.cancelUs = null;
  world.command(flattenAll);
  for (let i = 0; i < 30; i += 1) {
    if (profit.status === 'pending_cancel') world.become(profit, 'accepted');
    world.run(1);
  }
  return { world, profit };
}

describe('flatten', () => {
  test.each([
    [2, 'submit 0 sell 2 of 0 at 12994'],
    [-3, 'submit 0 buy 3 of 0 at 13006'],
  ])('closes %d: reads, then a limit order beyond the touch', (qty, order) => {
    const world = holding(qty).command(flattenAll).run(5);
    expect(world.asked).toEqual(['read positions', order, 'read positions']);
    expect(heldBy(world)).toBe(0);
    expect(world.said).toEqual([]);
    expect(world.controller.status().procedure).toBe('');
  });

  test('takes back what works first, and waits until it is gone', () => {
    const world = holding(2);
    world.broker.cancelUs = 4_000_000;
    world.add({ id: 'entry', side: 'buy', qty: 1, price: 12_900 });
    world.add({ id: 'profit', side: 'sell', qty: 2, price: 13_100, purpose: 'reduce' });
    world.command(flattenAll).run(3.5);
    expect(world.asked).toEqual(['cancel 0 entry', 'cancel 0 profit']);
    expect(world.controller.status().procedure).toContain('withdrawing');
    world.run(3);
    expect(world.asks('submit')).toEqual(['submit 0 sell 2 of 0 at 12994']);
    expect(heldBy(world)).toBe(0);
  });

  test('keeps no stop that has become too large', () => {
    const { world, profit } = keptProfit();
    world.fill(profit, 1).run(0.1);
    expect(world.asks('cancel').at(-1)).toBe('cancel 0 stop');
  });

  test('keeps the stop for as long as the broker keeps another order', () => {
    const { world, profit } = keptProfit();
    expect(new Set(world.asks('cancel'))).toEqual(new Set(['cancel 0 profit']));
    expect(world.said).toEqual([expect.stringContaining('waits for the end of profit')]);
    world.broker.cancelUs = 200_000;
    world.become(profit, 'accepted').run(5);
    expect(world.asks('cancel').at(-1)).toBe('cancel 0 stop');
    expect(heldBy(world)).toBe(0);
  });

  test.each([
    [1, 'withdraw 1 entry', ['flatten_makes_way']],
    [0, 'cancel 0 entry', []],
  ])(
    'keeps the stop for as long as the broker keeps an entry of %d in the way',
    (strategy, cancel, alerts) => {
      const world = holding(2);
      world.add(STOP);
      const entry = world.add({ id: 'entry', side: 'buy', qty: 1, strategy });
      world.broker.cancelUs = null;
      world.command({ ...flattenAll, strategy: units.strategyIndex(0) });
      for (let i = 0; i < 5; i += 1) {
        world.run(1);
        if (entry.status === 'pending_cancel') world.become(entry, 'accepted');
      }
      expect(new Set(world.asked)).toEqual(new Set([cancel, 'read positions']));
      expect(world.codes()).toEqual(alerts);
      world.broker.cancelUs = 200_000;
      world.run(20);
      expect([heldBy(world), world.asks('cancel').at(-1)]).toEqual([0, 'cancel 0 stop']);
    },
  );

  test('asks for no cancel that is under way', () => {
    const world = holding(1);
    world.add({ id: 'entry', side: 'buy', qty: 1, price: 12_900, status: 'pending_cancel' });
    world.command(flattenAll).run(5);
    expect(world.asks('cancel')).toEqual([]);
  });

  test('takes back an exit that a bracket brings when all the others were gone', () => {
    const world = holding(2).command(flattenAll);
    world.add({ id: 'exit', side: 'sell', qty: 2, purpose: 'reduce', isWaiting: true });
    world.run(5);
    expect(world.asks('cancel')).toEqual(['cancel 0 exit']);
    expect(world.asks('submit')).toEqual(['submit 0 sell 2 of 0 at 12994']);
    expect(heldBy(world)).toBe(0);
    expect(world.said).toEqual([]);
  });

  test('an exit that is presumed absent counts: what it may still close is not closed twice', () => {
    const world = holding(2);
    world.add({
      id: 'gone',
      side: 'sell',
      qty: 1,
      status: 'presumed_absent',
      orderNo: null,
      purpose: 'reduce',
    });
    world.command(flattenAll).run(30);
    expect(world.asks('submit')).toEqual(['submit 0 sell 1 of 0 at 12994']);
    expect(heldBy(world)).toBe(1);
    expect(world.codes()).toEqual(['flatten_failed']);
  });

  test('a position larger than one order goes in several', () => {
    const settings = { risk: { ...new SessionWorld().settings.risk, orderQtyMax: units.qty(2) } };
    const world = holding(5, { settings }).command(flattenAll).run(10);
    expect(world.asks('submit').map((line) => line.split(' ')[3])).toEqual(['2', '2', '1']);
    expect(heldBy(world)).toBe(0);
  });

  test('follows the market: repriced at each try', () => {
    const world = holding(1);
    world.broker.fillUs = null;
    world.command(flattenAll).run(1);
    world.book(LAST - 21, LAST - 19);
    world.run(3);
    expect(world.asks('modify')).toEqual([expect.stringMatching(/^modify x\d+ to 12974$/)]);
    world.run(3);
    expect(world.asks('modify')).toHaveLength(1); // the touch has not moved
    world.fill(world.orders[0]!, 1);
    world.run(0.1).run(1);
    expect(world.controller.status().procedure).toBe('');
  });

  test('an order that cannot be changed is replaced', () => {
    const world = holding(1);
    world.broker.fillUs = null;
    world.command(flattenAll).run(1);
    world.orders[0]!.canModify = false;
    world.run(5);
    expect(world.asks('cancel')).toHaveLength(1);
    expect(world.asks('submit')).toHaveLength(2);
  });

  test('has all its attempts after an outage in which nothing could be read', () => {
    const world = holding(1);
    world.broker.readUs = null;
    world.command(flattenAll).run(60);
    world.broker.readUs = 100_000;
    world.broker.fillUs = null;
    world.run(4).book(LAST - 21, LAST - 19);
    world.run(6);
    expect(world.asks('submit')).toHaveLength(1);
    expect(world.asks('modify')).toHaveLength(1);
    expect(world.codes()).not.toContain('flatten_failed');
    expect(world.run(30).codes()).toContain('flatten_failed');
  });

  test('has all its attempts after an outage that began while its exit rested', () => {
    const world = holding(1);
    world.broker.fillUs = null;
    world.command(flattenAll).run(1);
    world.broker.readUs = null;
    world.run(60);
    expect(world.codes()).toEqual(['flatten_waits']);
    world.broker.readUs = 100_000;
    world.book(LAST - 21, LAST - 19).run(4);
    expect(world.asks('submit')).toHaveLength(1);
    expect(world.asks('modify')).toHaveLength(1);
    expect(world.run(4).codes()).not.toContain('flatten_failed');
    expect(world.run(30).codes()).toContain('flatten_failed');
  });

  test('after its attempts it alerts a person, leaves its order, and tries again in the afternoon', () => {
    const world = holding(1);
    world.broker.fillUs = null;
    world.command(flattenAll).run(60);
    expect(world.asks('submit')).toHaveLength(1);
    expect(world.codes()).toEqual(['flatten_failed']);
    expect(world.said[0]).toContain('not flat after 3 attempts, 1 left to sell');
    expect(world.orders).toHaveLength(1);
    expect(world.state.targets.isFlattening(units.strategyIndex(0))).toBe(true);
    world.broker.fillUs = 300_000;
    world.runUntil('13:00:10');
    expect(heldBy(world)).toBe(0);
    expect(world.state.targets.isFlattening(units.strategyIndex(0))).toBe(false);
  });

  test('nothing is closed blindly: without a read it waits, asks again and says so', () => {
    const world = holding(1);
    world.broker.readUs = null;
    world.command(flattenAll).run(30);
    expect(world.asks('submit')).toEqual([]);
    expect(world.asks('read').length).toBeGreaterThan(3);
    expect(world.codes()).toEqual(['flatten_waits']);
    world.broker.readUs = 100_000;
    world.run(10);
    expect(heldBy(world)).toBe(0);
  });

  test("closes no more than the broker shows, and the rest is a person's", () => {
    const world = holding(3);
    world.shown.set(0, 1);
    world.broker.fillUs = null;
    world.command(flattenAll).run(2);
    expect(world.asks('submit')).toEqual(['submit 0 sell 1 of 0 at 12994']);
  });

  test('an order of another strategy that is in the way is withdrawn, one of the operator is not', () => {
    const world = holding(1);
    world.add({ id: 'touch', side: 'buy', qty: 1, strategy: 1, price: LAST - 1 });
    world.command({ ...flattenAll, strategy: units.strategyIndex(0) }).run(10);
    expect(world.asks('withdraw')).toEqual(['withdraw 1 touch']);
    expect(world.codes()).toEqual(['flatten_makes_way']);
    expect(heldBy(world)).toBe(0);
    const other = holding(1);
    other.add({ id: 'adopted', side: 'buy', qty: 1, strategy: -1, price: LAST - 1, isAdopted: true });
    other.command({ ...flattenAll, strategy: units.strategyIndex(0) }).run(30);
    expect(other.asks('cancel')).toEqual([]);
    expect(other.said.at(-1)).toContain('adopted of the operator is in the way');
  });
});

describe('outside continuous trading', () => {
  test('in the closing auction it is queued, and says what becomes of the position and how it is closed', () => {
    const world = holding(1, { time: '14:31' }).command(flattenAll).runUntil('14:44');
    expect(world.asks('submit')).toEqual([]);
    expect(world.said).toEqual([
      expect.stringMatching(/^critical flatten_queued .*overnight.*end with the close/),
    ]);
    expect(world.said[0]).toContain('tickwright flatten --in-auction sends one at the floor');
  });

  test('no second exit is sent into an auction while the first rests there', () => {
    const strategies = new SessionWorld().settings.strategies.map((each) => ({ ...each, overnight: true }));
    const world = holding(2, { time: '14:20', settings: { strategies } });
    world.broker.fillUs = null;
    world.command(flattenAll).runUntil('14:31');
    expect(world.said.at(-1)).toContain('its exit stays in it as it is');
    world.command({ ...flattenAll, inAuction: true }).runUntil('14:44');
    expect(world.asks('submit')).toEqual(['submit 0 sell 2 of 0 at 12994']);
    expect(world.asks('cancel')).toEqual([]);
    world.fill(world.orders[0]!, 1);
    world.become(world.orders[0]!, 'expired');
    world.runUntil('14:46').state.session.ordersReadUs = world.now;
    world.runUntil('14:47');
    expect(world.said.at(-1)).toMatch(/^critical held_overnight 1 of /);
  });

  test.each([true, false])(
    'the close alerts nothing while its exit may have filled in the auction (asked there: %s)',
    (inAuction) => {
      const strategies = new SessionWorld().settings.strategies.map((each) => ({ ...each, overnight: true }));
      const world = holding(1, { time: inAuction ? '14:44:59.8' : '14:29:58', settings: { strategies } });
      world.broker.fillUs = null;
      world.command({ ...flattenAll, inAuction }).runUntil('14:44:59.9');
      const before = world.codes();
      world.runUntil('14:45:20');
      expect(world.codes()).toEqual(before);
      world.fill(world.orders[0]!, 1);
      world.afterEvent('book_snapshot');
      expect([world.codes(), world.controller.status().procedure]).toEqual([before, '']);
    },
  );

  test('what the opening auction does not take is closed after it', () => {
    const world = holding(1, { time: '08:50' });
    world.broker.fillUs = null;
    world.command(flattenAll).run(5);
    expect(world.said).toEqual([expect.stringContaining('waits for continuous trading')]);
    world.command({ ...flattenAll, inAuction: true }).runUntil('08:59:59');
    expect(world.asks('submit')).toEqual(['submit 0 sell 1 of 0 at 12090']);
    world.broker.fillUs = 300_000;
    world.runUntil('09:00:10');
    expect(world.asks('submit')).toEqual(['submit 0 sell 1 of 0 at 12090', 'submit 0 sell 1 of 0 at 12994']);
    expect(heldBy(world)).toBe(0);
  });

  test('an order of ours that rests on the other side of the auction keeps the exit out, and it says so', () => {
    const world = holding(1, { time: '14:31' });
    world.add({ id: 'entry', side: 'buy', qty: 1, price: 12_900 });
    world.command({ ...flattenAll, inAuction: true }).runUntil('14:44');
    expect([world.asks('submit'), world.asks('cancel')]).toEqual([[], []]);
    expect(world.said.at(-1)).toMatch(/^critical flatten_failed .*order entry rests in the auction/);
  });

  test('an exit whose answer is lost in an auction is looked up, and sent again once it is proven absent', () => {
    const world = holding(1, { time: '14:31' });
    world.broker.fillUs = null;
    world.loseFirstAnswer();
    world.command({ ...flattenAll, inAuction: true }).run(40);
    expect(world.controller.status().procedure).toContain('checking');
    expect(world.asks('submit')).toHaveLength(1);
    world.become(world.orders[0]!, 'not_sent');
    world.run(10);
    expect(world.asks('submit')).toHaveLength(2);
    expect(world.controller.status().procedure).toContain('resting');
  });

  test('what was carried overnight is closed when trading begins, later than the calendar says', () => {
    const world = new SessionWorld({ time: '08:50', has: { trades: false } });
    const submit = world.submitFor.bind(world);
    let isOpen = false;
    world.submitFor = (strategy, intent) => {
      const id = submit(strategy, intent);
      if (!isOpen) world.become(world.state.orders.get(id)!, 'rejected');
      return id;
    };
    world.state.session.begin(world.day);
    world.hold(0, 1);
    world.start().runUntil('10:00');
    expect([world.codes().at(-1), heldBy(world)]).toEqual(['flatten_failed', 1]);
    const before = world.asks('submit').length;
    isOpen = true;
    world.trade(LAST).run(0.1).run(5);
    expect([world.asks('submit').length - before, heldBy(world)]).toEqual([1, 0]);
  });

  test('what its day did not finish is dropped and alerted, not begun by itself on another day', () => {
    const strategies = new SessionWorld().settings.strategies.map((each) => ({ ...each, overnight: true }));
    const world = holding(1, { time: '20:00', settings: { strategies } });
    world.command(flattenAll).runUntil('09:05', '2026-03-05');
    expect(world.codes()).toEqual(['flatten_queued', 'flatten_dropped']);
    expect(heldBy(world)).toBe(1);
  });
});

describe('an order of another owner in the way', () => {
  const flattenFirst = { ...flattenAll, strategy: units.strategyIndex(0) };
  const operators = { id: 'theirs', side: 'buy', qty: 1, strategy: -1, isAdopted: true } as const;

  test('keeps no stop where nothing is held', () => {
    const world = new SessionWorld().start();
    world.add(STOP);
    world.add({ ...operators, side: 'sell' });
    world.command(flattenFirst).run(5);
    expect([world.asks('cancel'), world.controller.status().procedure]).toEqual([['cancel 0 stop'], '']);
  });

  test('keeps no entry that a stop has sent', () => {
    const world = holding(2);
    world.add(STOP);
    world.add({ id: 'sent', side: 'buy', qty: 1, price: 12_990, parent: clientOrderId('entry stop') });
    world.add(operators);
    world.command(flattenFirst).run(60);
    expect(world.asks('cancel')).toEqual(['cancel 0 sent']);
  });

  test('lets nothing be canceled at the exchange in an auction', () => {
    const world = holding(2, { time: '14:31' });
    world.add(STOP);
    world.add({ id: 'entry', side: 'buy', qty: 1, price: 12_500 });
    world.add(operators);
    world.command({ ...flattenFirst, inAuction: true }).run(60);
    expect([world.asks('cancel'), world.codes()]).toEqual([[], ['flatten_failed']]);
  });

  test('keeps the stop also behind an entry that is withdrawn', () => {
    const world = holding(2);
    world.add(STOP);
    world.add({ id: 'entry', side: 'buy', qty: 1, strategy: 1 });
    const theirs = world.add(operators);
    world.command(flattenFirst).run(60);
    expect([world.asks('cancel'), world.codes()]).toEqual([[], ['flatten_failed']]);
    world.become(theirs, 'canceled').run(0.1).run(20);
    expect([world.asks('cancel'), world.asks('withdraw')]).toEqual([['cancel 0 stop'], ['withdraw 1 entry']]);
    expect(heldBy(world)).toBe(0);
  });

  test('is none where it is the order of the same owner', () => {
    const world = new SessionWorld().start();
    world.hold(-1, 2);
    world.add({ ...operators, ...STOP, status: 'pending_trigger' });
    world.add({ ...operators, parent: clientOrderId('an earlier stop') });
    world.command(flattenAll).run(5);
    expect(heldBy(world, -1)).toBe(0);
  });

  test('is withdrawn when it is an entry, whatever else its owner closes', () => {
    const world = holding(2);
    world.broker.fillUs = 20_000_000;
    world.hold(1, 1, 1).read();
    world.command({ ...flattenAll, strategy: units.strategyIndex(1) }).run(1);
    world.add({ id: 'entry', side: 'buy', qty: 1, strategy: 1 });
    world.command(flattenFirst).run(10);
    expect(world.asks('withdraw')).toEqual(['withdraw 1 entry']);
    expect(world.asks('submit 0')).toHaveLength(1);
  });

  test('is withdrawn however late the answer to it comes', () => {
    const world = holding(2);
    const entry = world.add({ id: 'entry', side: 'buy', qty: 1, strategy: 1, status: 'submitted' });
    world.command(flattenFirst).run(60);
    expect([world.asks('cancel'), world.codes()]).toEqual([[], ['flatten_waits']]);
    world.become(entry, 'accepted').run(10);
    expect(world.asks('withdraw')).toEqual(['withdraw 1 entry']);
    expect(heldBy(world)).toBe(0);
  });

  test('is withdrawn also while the answer to a change of it is lost', () => {
    const world = holding(2);
    const entry = world.add({ id: 'entry', side: 'buy', qty: 1, strategy: 1 });
    world.change(entry, { price: LAST + 1 }).become(entry, 'pending_modify');
    world.command(flattenFirst).run(10);
    expect(world.asks('withdraw')).toEqual(['withdraw 1 entry']);
    expect(heldBy(world)).toBe(0);
  });

  test('two that what their stops have sent keeps from each other go one after the other', () => {
    const world = holding(2);
    world.hold(1, -1).read();
    const parent = clientOrderId('a stop');
    world.add({ id: 'sold', side: 'sell', qty: 2, price: LAST + 3, purpose: 'reduce', parent });
    world.add({ id: 'bought', side: 'buy', qty: 1, price: LAST - 3, strategy: 1, purpose: 'reduce', parent });
    world.command(flattenAll).run(30);
    expect([heldBy(world), heldBy(world, 1)]).toEqual([0, 0]);
    expect([world.asks('cancel'), world.asks('withdraw')]).toEqual([
      ['cancel 0 sold'],
      ['withdraw 1 bought'],
    ]);
    expect(world.codes()).toEqual(['flatten_makes_way']);
  });

  test('two that gave up behind what the stops of each other have sent go on', () => {
    const world = holding(2);
    world.hold(1, -1).read();
    const parent = clientOrderId('a stop');
    const theirs = world.add({ ...operators, side: 'sell' });
    world.add({ id: 'sold', side: 'sell', qty: 2, price: LAST + 3, purpose: 'reduce', parent });
    world.add({ id: 'bought', side: 'buy', qty: 1, price: LAST - 3, strategy: 1, purpose: 'reduce', parent });
    world.command(flattenFirst).run(1);
    world.command({ ...flattenAll, strategy: units.strategyIndex(1) }).run(8.5);
    world.become(theirs, 'canceled').run(60);
    expect([heldBy(world), heldBy(world, 1)]).toEqual([0, 0]);
    expect(world.codes().filter((code) => code === 'flatten_failed')).toHaveLength(2);
  });

  test('lets a flatten that was given up go on once its price is elsewhere', () => {
    const world = holding(1);
    const theirs = world.add({ ...operators, price: LAST - 3 });
    world.command(flattenFirst).run(60);
    expect([world.asks('submit'), world.codes()]).toEqual([[], ['flatten_failed']]);
    world
      .book(LAST + 20, LAST + 22)
      .run(0.1)
      .run(5);
    expect([heldBy(world), theirs.status]).toEqual([0, 'accepted']);
  });

  test('is withdrawn with all others, however many there are', () => {
    const world = holding(1);
    for (let i = 0; i < 6; i += 1)
      world.add({ id: `e${i}`, side: 'buy', qty: 1, strategy: 1, price: LAST - i });
    world.command(flattenFirst).run(8);
    expect([heldBy(world), world.asks('withdraw').length]).toEqual([0, 6]);
  });

  test('is withdrawn before an exit that follows the market', () => {
    const world = holding(1);
    world.broker.fillUs = null;
    world.command(flattenFirst).run(1);
    world.add({ id: 'entry', side: 'buy', qty: 1, strategy: 1, price: LAST - 20 });
    world.book(LAST - 20, LAST - 18).run(8);
    expect(world.asks('withdraw')).toEqual(['withdraw 1 entry']);
    expect(world.asks('modify')).toEqual([`modify x1 to ${LAST - 25}`]);
  });
});
