/** A controller that looks at nothing while nothing is held, waits or is asked for decides as one that always looks. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as units from '../../../src/domain/units.ts';
import type { ManagedOrder } from '../../../src/engine/orders/managed-order.ts';
import type { EngineState } from '../../../src/engine/engine-state.ts';
import { EngineRig, FIRST, type RigOptions, SECOND } from '../../support/engine-rig.ts';
import { SmallBroker } from '../support/small-broker.ts';
import { type OrderFacts, SETTINGS } from '../support/state-rig.ts';
import { SessionWorld } from '../support/session-world.ts';
import { stopSell } from '../support/trigger-rows.ts';

/** Something seems to wait at the broker all the time. */
const restless = (state: EngineState): EngineState =>
  Object.assign({}, state, {
    orders: new Proxy(state.orders, {
      get(orders, key: keyof EngineState['orders']) {
        if (key === 'hasWaiting') return true;
        const value = orders[key];
        return typeof value === 'function' ? value.bind(orders) : value;
      },
    }),
  });

const side = fc.constantFrom('buy' as const, 'sell' as const);
const nat = fc.nat(9);
const one = <Do extends string>(...names: Do[]) => fc.record({ do: fc.constantFrom(...names) });
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('trade' as const), side, qty: fc.integer({ min: 1, max: 2 }) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constantFrom('fill' as const, 'trigger' as const), which: nat }),
    },
    { weight: 3, arbitrary: one('stop_order', 'refuse', 'halt', 'resume', 'stop_strategy', 'lose_stops') },
    { weight: 8, arbitrary: one('show', 'answer', 'pass', 'clock', 'settle') },
  ),
  { maxLength: 40 },
);
type Step = (typeof steps extends fc.Arbitrary<infer All extends readonly unknown[]> ? All : never)[number];

function play(broker: SmallBroker, step: Step): void {
  const { rig } = broker;
  switch (step.do) {
    case 'trade':
      return void rig.account().submit(step.qty === 1 ? SECOND : FIRST, step.side, step.qty, 13_000);
    case 'stop_order':
      return void rig.account().ask(FIRST, stopSell(12_900, 2));
    case 'fill': {
      const open = broker.orders.filter(({ filled, qty, isCanceled }) => filled < qty && !isCanceled);
      return open.slice(0, 1 + (step.which % 2)).forEach((order) => broker.fill(order));
    }
    case 'trigger':
      return broker.working.slice(0, step.which % 2).forEach((stop) => broker.trigger(stop));
    case 'lose_stops':
      return broker.working.forEach((stop) => Object.assign(stop, { status: 'canceled' }));
    case 'refuse':
      return void broker.refusals.push('rejected');
    case 'halt':
      return void rig.command({ name: 'halt', reason: 'news' });
    case 'resume':
      return void rig.command({ name: 'resume', reason: 'seen' });
    case 'stop_strategy':
      return void rig.command({ name: 'stop_strategy', strategy: SECOND, reason: 'test' });
    case 'settle':
      return void broker.settle(2);
    case 'show':
      return void broker.show();
    case 'answer':
      return void broker.answer();
    case 'pass':
      return void rig.pass(4).clock();
    case 'clock':
      return void rig.clock();
  }
}

function journalOf(all: readonly Step[], options: RigOptions): unknown {
  const rig = new EngineRig({ isReal: true, canWait: true, qtyMax: 4, ...options }).start();
  rig.account().conditions().trade(13_000);
  const broker = new SmallBroker(rig);
  for (const step of all) play(broker, step);
  broker.settle();
  return rig.entries;
}

const protectiveStop = { distanceTicks: 100, slipTicks: 20 };
it.each([
  [
    'of its own stops',
    { risk: { protectiveStop, nakedSecondsMax: 10 }, policies: { nakedPosition: 'flatten' } },
  ],
  ['of the stops of strategies', { risk: { nakedSecondsMax: 10, onOrphan: 'flatten' } }],
] as const)('whatever happens: a controller %s', (_, options) => {
  fc.assert(
    fc.property(steps, (all) => {
      expect(journalOf(all, options)).toEqual(journalOf(all, { ...options, alter: restless }));
    }),
    { numRuns: 150 },
  );
});

it('one that is stopped and holds again is alerted again', () => {
  const world = new SessionWorld().start();
  world.state.registry.stop(units.strategyIndex(0), 'test');
  for (const qty of [1, -1, 1]) {
    world.hold(0, qty);
    world.afterEvent('clock');
  }
  expect(world.codes()).toEqual(['orphan_position', 'orphan_position']);
});

it('a position has its own time without a stop, not that of the one before it', () => {
  const risk = { ...new SessionWorld().settings.risk, protectiveStop, nakedSecondsMax: 10 };
  const world = new SessionWorld({ settings: { risk } }).start();
  world.state.market.newDay();
  for (const qty of [1, -1, 1]) {
    world.hold(0, qty);
    world.afterEvent('clock');
    world.run(3);
  }
  expect(world.run(3).codes()).toEqual([]);
  world.run(6);
  expect(world.codes()).toEqual(['failure_policy']);
});

it('orders of a strategy that may not hold overnight any more are withdrawn at once', () => {
  const strategies = SETTINGS.strategies.map((each) => ({ ...each, overnight: true }));
  const world = new SessionWorld({ time: '14:27', settings: { strategies } }).start();
  world.add({ id: 'entry', side: 'buy', qty: 1, price: 12_500 });
  world.afterEvent('clock');
  expect(world.asks('cancel')).toEqual([]);
  Object.assign(world.state.settings.strategies[0]!, { overnight: false });
  world.afterEvent('clock');
  expect(world.asks('cancel')).toEqual(['cancel 0 entry']);
});

/** A stop of the first strategy, as the trigger book has it. */
const stop = (world: SessionWorld, more: Partial<OrderFacts>): ManagedOrder =>
  world.add({ ...WAITING, id: 'stop', side: 'sell', qty: 1, price: 12_880, ...more });
const WAITING = {
  isWaiting: true,
  status: 'pending_trigger',
  trigger: { kind: 'stop', triggerPrice: units.priceTicks(12_900), triggerWhen: 'at_or_below' },
} as const;

it('a stop of the engine goes where nothing is held', () => {
  const world = new SessionWorld({
    settings: { risk: { ...new SessionWorld().settings.risk, protectiveStop } },
  });
  world.start();
  stop(world, { isProtective: true });
  world.afterEvent('clock');
  expect(world.asks('cancel')).toEqual(['cancel 0 stop']);
});

it.each([
  ['is alerted when its entry turns out to have filled', false, ['exits_missing']],
  ['is not, once its strategy has entered since', true, []],
])('a stop that a halt took before its entry filled %s', (_, entersSince, alerts) => {
  const world = new SessionWorld().start();
  world.state.market.newDay();
  world.state.halt.haltByCommand('news', null);
  world.state.orders.canceledWaiting.push(stop(world, { status: 'canceled' }));
  world.afterEvent('clock');
  world.state.halt.resume('seen');
  world.run(1);
  const { now: createdUs } = world;
  const entry = entersSince ? world.add({ id: 'entry', side: 'buy', qty: 1, createdUs }) : null;
  world.afterEvent('clock');
  if (entry === null) world.hold(0, 1);
  else world.fill(entry, 1);
  world.afterEvent('clock');
  expect(world.codes()).toEqual(alerts);
});
