/** What counts as a reduction, and what may hold one (rulings, 36). */
import { describe, expect, test } from 'vitest';
import type { Trigger } from '../../../src/domain/order.ts';
import * as units from '../../../src/domain/units.ts';
import { at } from '../../support/strategy-fixtures.ts';
import { StateRig } from '../support/state-rig.ts';
import {
  type Change,
  holding,
  ALPHA,
  earned,
  ID,
  intent,
  nothing,
  submit,
  verdict,
  type Wanted,
} from '../support/guard-fixture.ts';

type Case = readonly [name: string, change: Change, wanted: Wanted, expected: string];

const readAt =
  (time: string): Change =>
  (rig) => {
    const { now } = rig;
    rig.goTo(at(time)).read().goTo(now);
  };
const shows =
  (qty: number): Change =>
  (rig) => {
    rig.shown.set(0, qty);
    rig.read();
  };
const refusedNineTimes =
  (trigger: Trigger | null): Change =>
  ({ state: { breakers } }) => {
    const request = { ...intent({ side: 'sell' }), trigger };
    for (let i = 0; i < 9; i += 1) breakers.refusals.onRejected(ALPHA, request, '?', at('10:00'));
  };
const stops: Change = ({ state }) => state.registry.stop(ALPHA, 'test');

const closedByHand = (contracts: number): string =>
  `position_unproven: reason=${contracts} of these contracts were closed by hand or by the broker: flatten ends both positions without a trade`;

/** The rig is long two of ours. */
const PURPOSES: readonly Case[] = [
  ['what is held', nothing, { qty: 2 }, 'approved as reduce'],
  ['more than is held', nothing, { qty: 3 }, 'approved as entry'],
  ['the other way', nothing, { side: 'buy' }, 'approved as entry'],
  ['next to a working exit', (rig) => rig.add({ id: 'a', side: 'sell', qty: 1 }), {}, 'approved as reduce'],
  [
    'next to exits of the whole',
    (rig) => rig.add({ id: 'a', side: 'sell', qty: 2 }),
    {},
    'approved as entry',
  ],
  [
    'next to an exit of unknown fate',
    (rig) => rig.add({ id: 'a', side: 'sell', qty: 2, status: 'unknown', orderNo: null }),
    {},
    'approved as entry',
  ],
  [
    'next to an exit of another strategy',
    (rig) => rig.add({ id: 'a', side: 'sell', qty: 2, strategy: 1 }),
    { qty: 2 },
    'approved as reduce',
  ],
  [
    'next to exits of the whole that a bracket brings, and no book shows yet',
    (rig) => earned(rig, 'buy', 2),
    {},
    'approved as entry',
  ],
  ['by an older read', readAt('09:59:55'), {}, 'approved as entry'],
  ['by a read just young enough', readAt('09:59:55.000001'), {}, 'approved as reduce'],
  ['with a read of long ago', readAt('09:00'), {}, 'approved as entry'],
  ['when the broker shows less', shows(1), { qty: 2 }, 'approved as entry'],
  [
    'when the broker shows less, next to a working exit of that',
    (rig) => [shows(1)(rig), rig.add({ id: 'a', side: 'sell', qty: 1 })],
    {},
    'approved as entry',
  ],
  ['when the broker shows the other side', shows(-2), {}, 'approved as entry'],
  ['opposed by another strategy', (rig) => rig.hold(1, -2).read(), { qty: 2 }, 'approved as reduce'],
  ['what a person has left of it', (rig) => rig.hold(-1, -1).read(), {}, 'approved as reduce'],
  ['what a person has closed of it', (rig) => rig.hold(-1, -1).read(), { qty: 2 }, closedByHand(1)],
  ['all that a person or the broker has closed', (rig) => rig.hold(-1, -2).read(), {}, closedByHand(1)],
  ['that, and more on the other side', (rig) => rig.hold(-1, -2).read(), { qty: 3 }, closedByHand(2)],
  [
    'more of what a person has closed',
    (rig) => rig.hold(-1, -2).read(),
    { side: 'buy' },
    'approved as entry',
  ],
];

const OBSTACLES: readonly Case[] = [
  ['the hour', (rig) => rig.goTo(at('12:00')), {}, 'session_closed: phase=break'],
  ['the largest order', (rig) => rig.hold(0, 5), { qty: 6 }, 'qty_above_max: qty=6 max=5'],
  ['the band', nothing, { price: 12_089 }, 'price_outside_band: price=12089 floor=12090 ceiling=13910'],
  ['the grid', nothing, { price: 12_999.5 }, 'price_off_grid: price=12999.5'],
  ['a stopped strategy', stops, {}, 'strategy_stopped'],
  ['a desk while the daemon stops', (rig) => void (rig.state.halt.isStopping = true), {}, 'stopping'],
  [
    'an order of ours that it would trade with',
    (rig) => rig.add({ id: 'a', side: 'buy', qty: 1, strategy: 1 }),
    {},
    'own_cross: price=13000 restingPrice=13000',
  ],
  ['the same refusal again and again', refusedNineTimes(null), {}, 'same_rejection: rejections=9 text=?'],
  [
    'a refused stop with the same limit',
    refusedNineTimes({ kind: 'stop', triggerPrice: units.priceTicks(13_005), triggerWhen: 'at_or_below' }),
    {},
    'approved as reduce',
  ],
];

describe('a reduction', () => {
  test.each(PURPOSES)('%s', (_, change, wanted, expected) => {
    const rig = holding();
    change(rig);
    expect(verdict(rig, { side: 'sell', ...wanted })).toBe(expected);
  });

  test.each(OBSTACLES)('is held by what makes it impossible: %s', (_, change, wanted, expected) => {
    const rig = holding();
    change(rig);
    expect(verdict(rig.read(), { side: 'sell', ...wanted })).toBe(expected);
  });

  test('may go into an auction, where an entry may not', () => {
    const rig = holding();
    rig.goTo(at('14:31')).read();
    expect(verdict(rig, { side: 'sell' })).toBe('approved as reduce');
    expect(verdict(rig, { side: 'buy' })).toBe('session_closed: phase=closing_auction');
  });

  test("is not held by the broker's clock at an edge, where an entry is", () => {
    const rig = holding();
    Object.assign(rig.goTo(at('11:29:59')).read().state.session, { clockSkewUs: -2_000_000 });
    expect(verdict(rig, { side: 'sell' })).toBe('approved as reduce');
  });

  test('that a stale read holds back is to be read for and asked again', () => {
    const rig = holding();
    rig.state.halt.haltByCommand('by hand', null);
    readAt('09:59:50')(rig);
    expect(submit(rig, { side: 'sell' }, 'strategy', true).kind).toBe('pending');
    expect(submit(rig, { side: 'sell', qty: 3 }, 'strategy', true).kind).toBe('denied');
    expect(submit(rig, { side: 'sell', price: 1 }, 'strategy', true).kind).toBe('denied');
    expect(submit(rig, { side: 'buy' }, 'strategy', true).kind).toBe('denied');
  });
});

const EXITS: readonly Case[] = [
  ['of what is held', nothing, { qty: 2 }, 'approved as reduce'],
  ['of a stopped strategy', stops, { qty: 2 }, 'approved as reduce'],
  [
    'of more than is held',
    nothing,
    { qty: 3 },
    'position_unproven: reason=an exit of 3 is more than the position less the orders that already close it',
  ],
  [
    'by an old read',
    readAt('09:59'),
    { qty: 2 },
    'position_unproven: reason=no position read less than 5 s ago shows what this exit would close',
  ],
];

test('the kill path knows of an order that no read has proven yet that it shrinks a position', () => {
  const rig = holding();
  readAt('09:59')(rig);
  const sell = (qty: number) => submit(rig, { side: 'sell', qty });
  expect(sell(2)).toMatchObject({ approved: { purpose: 'entry', shrinks: true } });
  expect(sell(3)).toMatchObject({ approved: { purpose: 'entry', shrinks: false } });
  rig.read();
  expect(sell(2)).toMatchObject({ approved: { purpose: 'reduce', shrinks: true } });
  rig.add({ id: 'a', side: 'sell', qty: 1, price: 13_100 });
  expect(sell(2)).toMatchObject({ approved: { purpose: 'entry', shrinks: false } });
});

describe('an exit of the system', () => {
  test.each(EXITS)('%s', (_, change, wanted, expected) => {
    const rig = holding();
    change(rig);
    expect(verdict(rig, { side: 'sell', ...wanted }, 'system')).toBe(expected);
  });

  test('never becomes an entry, even where an entry would pass', () => {
    expect(submit(new StateRig(), { side: 'sell' }).kind).toBe('approved');
    expect(submit(new StateRig(), { side: 'sell' }, 'system', true).kind).toBe('denied');
  });

  test('the operator has no limits, so he enters nothing, and what he adopted can be closed', () => {
    const rig = new StateRig().hold(units.OPERATOR_INDEX, -2).read();
    const { guard } = rig;
    const exit = guard.checkSubmit(
      units.OPERATOR_INDEX,
      ID,
      intent({ side: 'buy', qty: 2 }),
      'system',
      false,
    );
    expect(exit).toMatchObject({ kind: 'approved', approved: { purpose: 'reduce', strategy: -1 } });
    const entry = guard.checkSubmit(units.OPERATOR_INDEX, ID, intent({ side: 'sell' }), 'strategy', false);
    expect(entry).toMatchObject({ kind: 'denied', denial: { code: 'strategy_position_limit', max: 0 } });
  });
});
