/** The clean end in virtual time (rulings, 27). */
import { expect, test } from 'vitest';
import type { ShutdownSettings } from '../../../src/domain/settings.ts';
import { clientOrderId } from '../../../src/domain/ids.ts';
import * as units from '../../../src/domain/units.ts';
import { EngineRig, FIRST, type RigOptions, SECOND } from '../../support/engine-rig.ts';
import { guarded, SmallBroker, stopsOf, trades } from '../support/small-broker.ts';
import { SETTINGS } from '../support/state-rig.ts';
import { SessionWorld } from '../support/session-world.ts';

const stop = { name: 'stop', reason: 'SIGINT' } as const;

interface Wanted extends Partial<ShutdownSettings> {
  readonly time?: string;
  /** What the first strategy holds. */
  readonly holds?: number;
  readonly works?: boolean;
}

function world({ time = '10:00', holds = 0, works = true, ...change }: Wanted = {}): SessionWorld {
  const strategies = SETTINGS.strategies.map((each) => ({ ...each, overnight: true }));
  const made = new SessionWorld({
    time,
    settings: { strategies, stop: { ...SETTINGS.stop, ...change } },
  }).start();
  if (holds !== 0) made.hold(0, holds);
  if (works) made.add({ id: 'own', side: 'buy', qty: 1, price: 12_900, strategy: 1 });
  made.add({ id: 'adopted', side: 'buy', qty: 1, price: 12_900, strategy: -1, isAdopted: true });
  made.asked.length = 0;
  return made;
}

test('orders are canceled, and their end is seen before the end', () => {
  const ending = world().command(stop);
  expect(ending.asked).toEqual(['cancel 1 own']);
  expect(ending.controller.status().procedure).toBe('stop: canceling');
  ending.run(1);
  expect(ending.asked).toEqual(['cancel 1 own', 'ready SIGINT']);
  expect(ending.orders.map(({ clientOrderId }) => clientOrderId)).toEqual(['adopted']);
  expect(ending.said).toEqual([]);
});

test('a second stop changes nothing', () => {
  const ending = world().command(stop).command(stop).run(1);
  expect(ending.asked).toEqual(['cancel 1 own', 'ready SIGINT']);
  expect(ending.command(stop).asks('ready')).toHaveLength(1);
});

test('orders are kept where the settings say so', () => {
  expect(world({ orders: 'keep' }).command(stop).asked).toEqual(['ready SIGINT']);
});

test('what does not end in time is named, and does not hold the end', () => {
  const ending = world();
  ending.broker.cancelUs = null;
  ending.command(stop).run(14);
  expect(ending.asks('ready')).toEqual([]);
  ending.run(2);
  expect(ending.asks('ready')).toEqual(['ready SIGINT; left behind: order #own']);
  expect(ending.said).toEqual([
    'critical stop_leaves left behind, their end was not seen in time: order #own',
  ]);
});

test('positions are held, or flattened first', () => {
  expect(world({ works: false, holds: 2 }).command(stop).run(5).asked).toEqual(['ready SIGINT']);
  const ending = world({ holds: 2, positions: 'flatten' }).command(stop).run(5);
  expect(ending.asks('submit')).toEqual(['submit 0 sell 2 of 0 at 12994']);
  expect(ending.asked.at(-1)).toBe('ready SIGINT');
  expect(ending.heldBy(0)).toBe(0);
});

test("what was adopted stays the operator's", () => {
  const ending = world({ works: false, positions: 'flatten' });
  ending.hold(units.OPERATOR_INDEX, 1);
  expect(ending.command(stop).run(5).asked).toEqual(['ready SIGINT']);
});

test('a position that the market does not take is named at the end', () => {
  const ending = world({ works: false, holds: 1, positions: 'flatten' });
  ending.broker.fillUs = null;
  ending.command(stop).run(60);
  expect(ending.codes()).toContain('flatten_failed');
  expect(ending.asks('ready')).toHaveLength(1);
});

test.each([
  ['14:31', 'closing_auction'],
  ['12:00', 'break'],
] as const)('at %s nothing can be canceled: it is left, and said', (time, phase) => {
  const ending = world({ time, inAuction: 'leave' }).command(stop);
  expect(ending.asked).toEqual(['ready SIGINT; left behind: order #own']);
  expect(ending.said).toEqual([
    `critical stop_leaves left behind, nothing can be canceled or closed at will in the phase ${phase}: order #own`,
  ]);
});

test('or it waits: for continuous trading, or for the end of the day', () => {
  const noon = world({ time: '12:00', inAuction: 'wait' }).command(stop).runUntil('12:59');
  expect(noon.asked).toEqual([]);
  expect(noon.codes()).toEqual(['stop_waits']);
  expect(noon.runUntil('13:00:05').asked).toEqual(['cancel 1 own', 'ready SIGINT']);
  const evening = world({ time: '14:31', inAuction: 'wait' }).command(stop).runUntil('14:44');
  expect(evening.asked).toEqual([]);
  expect(evening.runUntil('14:46').asks('ready')).toHaveLength(1);
});

test.each(['wait', 'leave'] as const)(
  'at the close it waits for what the auction made of an order (%s)',
  (inAuction) => {
    const ending = world({ time: '14:44', inAuction: 'wait' });
    if (inAuction === 'wait') ending.command(stop);
    ending.runUntil('14:45:01');
    if (inAuction === 'leave') ending.command(stop);
    expect(ending.runUntil('14:45:20').asks('ready')).toEqual([]);
    ending.fill(ending.state.orders.get(clientOrderId('own'))!, 1);
    expect(ending.run(1).asks('ready')).toEqual(['ready SIGINT']);
  },
);

test('but no longer than half a minute', () => {
  const ending = world({ time: '14:44', inAuction: 'wait' }).command(stop).runUntil('14:45:29');
  expect(ending.asks('ready')).toEqual([]);
  expect(ending.runUntil('14:45:31').asks('ready')).toEqual(['ready SIGINT; left behind: order #own']);
});

test('by night orders are over: the end waits for nothing', () => {
  expect(world({ time: '20:00', inAuction: 'wait' }).command(stop).asks('ready')).toHaveLength(1);
});

test('by night a flatten of the operator that waits for the next day does not hold the end', () => {
  const ending = world({ time: '20:00', works: false, positions: 'flatten' });
  ending.hold(units.OPERATOR_INDEX, 1);
  ending.command({ name: 'flatten', strategy: null, reason: 'by hand' });
  expect(ending.command(stop).asks('ready')).toEqual(['ready SIGINT; left behind: position 1 of 41I1G3000']);
});

/** A stop that was placed before its entry filled. */
const early = (made: SessionWorld): SessionWorld => {
  made.add({ id: 'early', side: 'sell', qty: 1, price: 12_900, status: 'pending_trigger', isWaiting: true });
  return made;
};

test('a stop that was placed before its entry filled protects too: neither the end nor an auction takes it away', () => {
  const held = early(world({ works: false, holds: 1 })).command(stop);
  expect([held.asks('cancel'), held.asks('ready')]).toEqual([[], ['ready SIGINT']]);
  const flat = early(world({ works: false })).command(stop);
  expect(flat.asks('cancel')).toEqual(['cancel 0 early']);
  const auction = early(world({ works: false, holds: 1, time: '14:25' })).runUntil('14:31');
  expect(auction.asks('cancel')).toEqual([]);
  expect(
    early(world({ works: false, time: '14:25' }))
      .runUntil('14:31')
      .asks('cancel'),
  ).toEqual(['cancel 0 early']);
});

/** A flatten at the end of continuous trading that nothing takes. */
const closing = (inAuction: 'leave' | 'wait'): SessionWorld => {
  const ending = world({ time: '14:29:58', works: false, holds: 1, positions: 'flatten', inAuction });
  ending.broker.fillUs = null;
  return ending.command(stop).runUntil('14:30:01');
};

test('a flatten that continuous trading leaves behind is left, or waits for the next phase and says how long', () => {
  expect(closing('leave').asks('ready')).toEqual([expect.stringMatching(/left behind: .*position 1/)]);
  const waits = closing('wait');
  expect(waits.asks('ready')).toEqual([]);
  expect(waits.said.join()).toMatch(/stop_waits .* in 15 min; a second signal ends at once/);
  expect(waits.runUntil('14:45:31').asks('ready')).toHaveLength(1);
});

test('a flatten that a person asked for outlives the stop of a process, and its own does not', () => {
  const noon = world({ time: '12:00', works: false, holds: 2, inAuction: 'leave' });
  noon.command({ name: 'flatten', strategy: units.strategyIndex(0), reason: 'by hand' }).command(stop);
  noon.afterEvent('booted');
  expect(noon.controller.status().procedure).toBe('flattening 41I1G3000 2: queued');
  expect(noon.runUntil('13:00:05').heldBy(0)).toBe(0);
  const killed = world({ works: false, holds: 2, positions: 'flatten' });
  killed.broker.readUs = null;
  killed.command(stop).afterEvent('booted');
  expect(killed.controller.status().procedure).toBe('');
});

/** An exit and an entry wait at the broker. */
const waiting = (made: SessionWorld): SessionWorld => {
  const terms = { side: 'sell', qty: 1, price: 12_900, status: 'pending_trigger', isWaiting: true } as const;
  made.add({ ...terms, id: 'exit', purpose: 'reduce' });
  made.add({ ...terms, id: 'entry' });
  return made;
};

test('what protects a position that is held over the end stays at the broker', () => {
  const held = waiting(world({ works: false, holds: 1 })).command(stop);
  expect(held.asks('cancel')).toEqual(['cancel 0 entry']);
  const closed = waiting(world({ works: false, holds: 1, positions: 'flatten' })).command(stop);
  expect(closed.asks('cancel')).toEqual(['cancel 0 entry']);
  expect([closed.run(5).heldBy(0), closed.asks('cancel')]).toEqual([0, ['cancel 0 entry', 'cancel 0 exit']]);
});

test('a stop goes after the entry that it was placed with', () => {
  const ending = early(world());
  ending.add({ id: 'entry', side: 'buy', qty: 1, price: 12_900 });
  expect(ending.command(stop).asks('cancel')).toEqual(['cancel 1 own', 'cancel 0 entry']);
  expect(ending.run(1).asks('cancel')).toEqual(['cancel 1 own', 'cancel 0 entry', 'cancel 0 early']);
});

/** What a stop sent when it triggered, for `qty` contracts. */
const triggered = (made: SessionWorld, purpose: 'entry' | 'reduce', contracts = 1): SessionWorld => {
  const parent = clientOrderId('stop');
  made.add({ id: 'sent', side: 'sell', qty: contracts, price: 12_890, purpose, parent });
  return made;
};

test.each(['reduce', 'entry'] as const)(
  'what a stop sent when it triggered is the stop at work, placed as %s: neither the end nor an auction takes it away',
  (purpose) => {
    const held = triggered(world({ works: false, holds: 1 }), purpose).command(stop);
    expect([held.asks('cancel'), held.asks('ready')]).toEqual([[], ['ready SIGINT']]);
    const auction = triggered(world({ works: false, holds: 1, time: '14:25' }), purpose).runUntil('14:31');
    expect(auction.asks('cancel')).toEqual([]);
  },
);

test('but where it could open a position it goes', () => {
  expect(
    triggered(world({ works: false }), 'reduce')
      .command(stop)
      .asks('cancel'),
  ).toEqual(['cancel 0 sent']);
});

test('what the broker may hold besides is said, where positions were to be closed and were never compared', () => {
  const blind = world({ works: false, positions: 'flatten' });
  blind.state.positionReconciler.restart();
  expect(blind.command(stop).said).toEqual([
    'critical stop_leaves left behind, positions are not proven: what the broker may hold besides',
  ]);
});

/** A flatten that gave up behind the entry of another strategy, which the broker kept; the position has its stop. */
function givenUp(options: RigOptions = {}): SmallBroker {
  const risk = { protectiveStop: { distanceTicks: 100, slipTicks: 20 }, nakedSecondsMax: 30 };
  const broker = new SmallBroker(new EngineRig({ isReal: true, canWait: true, risk, ...options }).start());
  const { rig } = broker;
  rig.account().conditions().trade(13_000);
  trades(broker, 'buy', 2);
  rig.submit(SECOND, 'buy', 1, 12_998);
  broker.settle();
  rig.command({ name: 'flatten', strategy: FIRST, reason: 'by hand' });
  broker.refusals.push('rejected');
  for (let i = 0; i < 20; i += 1) step(broker, 'rejected');
  expect(rig.alerts()).toEqual(['flatten_makes_way', 'flatten_failed', 'entry_still_works']);
  return broker;
}

/** A second passes; `refusal`: of the cancels at the exchange. */
function step(broker: SmallBroker, refusal?: 'rejected'): void {
  const { rig } = broker;
  const before = rig.sent.length;
  rig.pass(1);
  broker.show();
  rig.trade(13_000);
  for (const { call } of rig.sent.slice(before))
    if (call === 'cancel' && refusal !== undefined) broker.refusals.push(refusal);
  broker.answer();
}

test('the stop of a position stays where the end cancels what kept its flatten from going on', () => {
  const broker = givenUp();
  const { rig } = broker;
  rig.command({ name: 'stop', reason: 'SIGTERM' });
  for (let i = 0; i < 6; i += 1) step(broker);
  expect([rig.of('stop_ready').length, stopsOf(broker)]).toEqual([1, [['sell', 2, 12_900, 12_880]]]);
  rig.boot(2).stream('live').reference();
  for (let i = 0; i < 8; i += 1) step(broker);
  expect([stopsOf(broker), rig.places().at(-1)]).toMatchObject([[], { side: 'sell', qty: 2, trigger: null }]);
});

test('so it does where the end cancels what its flatten waited for until then', () => {
  const broker = guarded();
  const { rig } = broker;
  trades(broker, 'buy', 2);
  rig.submit(FIRST, 'sell', 2, 13_100);
  broker.settle();
  rig.command({ name: 'flatten', strategy: FIRST, reason: 'by hand' });
  broker.refusals.push('rejected');
  step(broker, 'rejected');
  rig.command({ name: 'stop', reason: 'SIGTERM' });
  while (rig.engine.snapshot().stop === 'closing') step(broker, 'rejected');
  for (let i = 0; i < 6; i += 1) step(broker);
  expect([rig.of('stop_ready').length, stopsOf(broker)]).toEqual([1, [['sell', 2, 12_900, 12_880]]]);
});

test('so it does where that is over only when the end is ready', () => {
  const broker = givenUp({ stop: { ...SETTINGS.stop, positions: 'flatten' } });
  const { rig } = broker;
  rig.command({ name: 'stop', reason: 'SIGTERM' });
  broker.refusals.push('rejected');
  for (let i = 0; i < 60 && rig.of('stop_ready').length === 0; i += 1) step(broker, 'rejected');
  for (let i = 0; i < 4; i += 1) step(broker, 'rejected');
  expect(stopsOf(broker)).toHaveLength(1);
  for (let i = 0; i < 8; i += 1) step(broker);
  expect(stopsOf(broker)).toHaveLength(1);
});

test('a flatten that is asked for while the process ends is the next one’s', () => {
  const broker = new SmallBroker(new EngineRig({ isReal: true }).start());
  const { rig } = broker;
  trades(broker, 'buy', 2);
  rig.submit(SECOND, 'buy', 1, 12_900);
  broker.settle();
  rig.command({ name: 'stop', reason: 'SIGTERM' });
  rig.command({ name: 'flatten', strategy: FIRST, reason: 'by hand' });
  for (let i = 0; i < 6; i += 1) step(broker);
  expect([rig.of('stop_ready').length, rig.places().length]).toEqual([1, 2]);
  expect(rig.alerts()).toContain('stop_leaves');
  rig.boot(2).stream('live').reference();
  for (let i = 0; i < 8; i += 1) step(broker);
  expect(rig.places().at(-1)).toMatchObject({ strategy: FIRST, side: 'sell', qty: 2 });
});
