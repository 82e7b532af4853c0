/**
 * Whatever is asked for in whatever order, and whatever fills, is lost or comes back: no limit is passed by what was approved, and
 * no reduction enlarges or turns round a position.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assert } from '../../../src/domain/assert.ts';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { opposite, type Side, signOf } from '../../../src/domain/order.ts';
import * as units from '../../../src/domain/units.ts';
import type { ManagedOrder } from '../../../src/engine/orders/managed-order.ts';
import { LAST, SETTINGS, StateRig } from '../support/state-rig.ts';

/** Below what one strategy alone may hold: two of them in opposite directions must not hide it. */
const ACCOUNT_MAX = units.qty(3);
const settings = { risk: { ...SETTINGS.risk, positionMax: ACCOUNT_MAX } };

const STRATEGIES = [0, 1] as const;
const SIDES = ['buy', 'sell'] as const;

const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      strategy: fc.constantFrom(...STRATEGIES),
      side: fc.constantFrom(...SIDES),
      qty: fc.integer({ min: -1, max: 7 }),
      distance: fc.integer({ min: -30, max: 30 }),
      by: fc.constantFrom('strategy' as const, 'system' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('modify' as const),
      which: fc.nat(),
      qty: fc.integer({ min: 0, max: 7 }),
      price: fc.option(fc.integer({ min: -30, max: 30 })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('fill' as const),
      which: fc.nat(),
      qty: fc.integer({ min: 1, max: 7 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('becomes' as const),
      which: fc.nat(),
      status: fc.constantFrom(
        'unknown' as const,
        'pending_cancel' as const,
        'canceled' as const,
        'accepted' as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('halt' as const), isHalted: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('read' as const), ageUs: fc.integer({ min: 0, max: 9_000_000 }) }),
  },
);

/** Long ones: a limit is reached by many steps. */
const ANY_STEPS = fc.array(anyStep, { maxLength: 60, size: 'max' });

type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

/** Applies what the guard lets through to a small world in which anything open may fill at any time. */
class World {
  readonly rig = new StateRig({ settings });
  #count = 0;

  take(step: Step): void {
    switch (step.do) {
      case 'submit':
        return this.#submit(step);
      case 'modify':
        return this.#modify(step);
      case 'fill': {
        const order = this.#pick(step.which);
        if (order !== undefined) this.#fill(order, Math.min(step.qty, order.exposedQty));
        return;
      }
      case 'becomes': {
        const order = this.#pick(step.which);
        if (order !== undefined) this.#becomes(order, step.status);
        return;
      }
      case 'halt':
        if (step.isHalted) this.rig.state.halt.haltByCommand('by hand', null);
        else this.rig.state.halt.resume('seen');
        return;
      case 'read':
        this.rig.read().goTo(units.addUs(this.rig.now, step.ageUs)).trade(LAST).account();
    }
  }

  /** The owner's position on one side when everything open on it fills. */
  worst(strategy: number, side: Side): number {
    let total = signOf(side) * this.rig.heldBy(strategy);
    for (const order of this.rig.state.orders.open)
      if (order.strategy === strategy && order.side === side) total += order.exposedQty;
    return total;
  }

  #submit(step: Extract<Step, { do: 'submit' }>): void {
    const { rig } = this;
    this.#count += 1;
    const verdict = rig.guard.checkSubmit(
      units.strategyIndex(step.strategy),
      clientOrderId(`o${this.#count}`),
      {
        kind: 'limit',
        instrument: units.instrumentIndex(0),
        side: step.side,
        qty: step.qty as units.Qty,
        limitPrice: units.priceTicks(LAST + step.distance),
        reason: '',
      },
      step.by,
      false,
    );
    if (verdict.kind !== 'approved') return;
    const { clientOrderId: id, qty, limitPrice: price, purpose, side } = verdict.approved;
    assert(step.by === 'strategy' || purpose === 'reduce', 'an exit is a reduction');
    const before = rig.heldBy(step.strategy);
    rig.add({ id, side, qty, price, purpose, strategy: step.strategy, createdUs: rig.now });
    if (purpose === 'reduce') this.#expectShrink(step.strategy, side, before);
  }

  #modify(step: Extract<Step, { do: 'modify' }>): void {
    const { rig } = this;
    const order = this.#pick(step.which);
    if (order === undefined) return;
    const { clientOrderId: id, strategy } = order;
    const verdict = rig.guard.checkModify(
      strategy,
      clientOrderId('call'),
      step.price === null
        ? { kind: 'qty', clientOrderId: id, qty: units.qty(step.qty) }
        : { kind: 'price', clientOrderId: id, limitPrice: units.priceTicks(LAST + step.price) },
      'strategy',
      false,
    );
    if (verdict.kind !== 'approved') return;
    const { qty, limitPrice, purpose } = verdict.approved;
    const before = rig.heldBy(strategy);
    // Until the change is confirmed or refused either of both may be what rests.
    rig.change(order, { qty, price: limitPrice }).become(order, 'pending_modify');
    if (purpose === 'reduce') this.#expectShrink(strategy, order.side, before);
  }

  #fill(order: ManagedOrder, quantity: number): void {
    if (order.filledQty + quantity > order.qty) order.qty = order.extras.openModify?.qty ?? order.qty;
    this.rig.fill(order, quantity).read();
  }

  /** `accepted` confirms an open change, `unknown` refuses it. */
  #becomes(order: ManagedOrder, status: Extract<Step, { do: 'becomes' }>['status']): void {
    const { openModify } = order.extras;
    if (openModify !== null && status === 'accepted')
      Object.assign(order, {
        qty: Math.max(openModify.qty, order.filledQty),
        limitPrice: openModify.limitPrice,
      });
    order.writableExtras().openModify = null;
    this.rig.become(order, status);
    if (order.leavesQty === 0 && !order.isFinal) this.rig.become(order, 'filled');
  }

  /** Even when every order on its side fills, the position ends between where it was and zero. */
  #expectShrink(strategy: number, side: Side, before: number): void {
    assert(Math.sign(before) === -signOf(side), 'a reduction goes against the position');
    const after = before + signOf(side) * (this.worst(strategy, side) - signOf(side) * before);
    assert(Math.sign(after) === Math.sign(before) || after === 0, 'it does not turn round');
    assert(Math.abs(after) < Math.abs(before), 'it shrinks');
  }

  #pick(which: number): ManagedOrder | undefined {
    const { open } = this.rig.state.orders;
    return open[which % Math.max(1, open.length)];
  }
}

const nearest = ({ side, limitPrice, pendingPrice }: ManagedOrder): number =>
  side === 'buy' ? Math.max(limitPrice, pendingPrice ?? 0) : Math.min(limitPrice, pendingPrice ?? Infinity);

test('no sequence of requests, fills and losses passes a limit', () => {
  fc.assert(
    fc.property(ANY_STEPS, (steps) => {
      const world = new World();
      const over: string[] = [];
      const hold = (what: string, value: number, most: number): void => {
        if (!(value <= most)) over.push(`${what}: ${value}, at most ${most}`);
      };
      for (const step of steps) {
        world.take(step);
        for (const side of SIDES) {
          const worsts = STRATEGIES.map((strategy) => world.worst(strategy, side));
          for (const [i, worst] of worsts.entries())
            hold(`${side} of strategy ${i}`, worst, SETTINGS.strategies[i]!.risk.positionMax);
          const account = worsts.reduce((total, worst) => total + worst, 0);
          hold(`${side} of the account`, account, ACCOUNT_MAX);
        }
        const open = world.rig.state.orders.open;
        for (const { qty } of open) hold('an order', qty, SETTINGS.risk.orderQtyMax);
        const entries = open.filter(({ purpose }) => purpose === 'entry');
        hold('open entries', entries.length, SETTINGS.risk.openOrdersMax);
      }
      expect(over).toEqual([]);
    }),
    { numRuns: 400 },
  );
});

test('no two orders that are known to rest on this account can trade with each other', () => {
  fc.assert(
    fc.property(ANY_STEPS, (steps) => {
      const world = new World();
      // Only what may not be known to rest can be crossed, by an exit: here everything has its number.
      for (const step of steps) world.take(step);
      for (const buy of world.rig.state.orders.open.filter(({ side }) => side === 'buy'))
        for (const sell of world.rig.state.orders.open.filter(({ side }) => side === opposite('buy')))
          expect(nearest(buy)).toBeLessThan(nearest(sell));
    }),
    { numRuns: 400 },
  );
});
