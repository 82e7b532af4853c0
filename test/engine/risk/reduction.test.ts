/** What counts as a reduction, and what may hold one (rulings, 36). */
import { describe, expect, test } from 'vitest';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import * as units from '../../../src/domain/units.ts';
import { at } from '../../support/strategy-fixtures.ts';
import { FakeRiskView } from '../support/fake-risk-view.ts';
import {
  type Change,
  GUARD,
  holding,
  ID,
  intent,
  nothing,
  submit,
  verdict,
  type Wanted,
} from '../support/guard-fixture.ts';

type Case = readonly [name: string, change: Change, wanted: Wanted, expected: string];

/** The view is long two of ours. */
const PURPOSES: readonly Case[] = [
  ['what is held', nothing, { qty: 2 }, 'approved as reduce'],
  ['more than is held', nothing, { qty: 3 }, 'approved as entry'],
  ['the other way', nothing, { side: 'buy' }, 'approved as entry'],
  ['beside a working exit', (view) => view.add({ id: 'a', side: 'sell', qty: 1 }), {}, 'approved as reduce'],
  [
    'beside exits of the whole',
    (view) => view.add({ id: 'a', side: 'sell', qty: 2 }),
    {},
    'approved as entry',
  ],
  [
    'beside an exit of unknown fate',
    (view) => view.add({ id: 'a', side: 'sell', qty: 2, status: 'presumed_absent', orderNo: null }),
    {},
    'approved as entry',
  ],
  [
    'beside an exit of another strategy',
    (view) => view.add({ id: 'a', side: 'sell', qty: 2, strategy: 1 }),
    { qty: 2 },
    'approved as reduce',
  ],
  [
    'beside exits of the whole that a bracket brings, and no book shows yet',
    (view) => (view.awaitedExits = 2),
    {},
    'approved as entry',
  ],
  ['by an older read', (view) => (view.positionsRead = at('09:59:55')), {}, 'approved as entry'],
  [
    'by a read just young enough',
    (view) => (view.positionsRead = at('09:59:55') + 1),
    {},
    'approved as reduce',
  ],
  ['without any read', (view) => (view.isPositionRead = false), {}, 'approved as entry'],
  ['when the broker shows less', (view) => view.brokerQtys.set(0, 1), { qty: 2 }, 'approved as entry'],
  [
    'when the broker shows less, beside a working exit of that',
    (view) => [view.brokerQtys.set(0, 1), view.add({ id: 'a', side: 'sell', qty: 1 })],
    {},
    'approved as entry',
  ],
  ['when the broker shows the other side', (view) => view.brokerQtys.set(0, -2), {}, 'approved as entry'],
  ['opposed by another strategy', (view) => view.hold(1, -2), { qty: 2 }, 'approved as reduce'],
];

const OBSTACLES: readonly Case[] = [
  ['the hour', (view) => (view.now = at('12:00')), {}, 'session_closed: phase=break'],
  ['the largest order', (view) => view.hold(0, 5), { qty: 6 }, 'qty_above_max: qty=6 max=5'],
  ['the band', nothing, { price: 12_089 }, 'price_outside_band: price=12089 floor=12090 ceiling=13910'],
  ['the grid', nothing, { price: 12_999.5 }, 'price_off_grid: price=12999.5'],
  [
    'the expiry',
    (view) => (view.now = at('10:00', tradingDay('2026-03-20'))),
    {},
    'contract_expired: expiry=2026-03-19 tradingDay=2026-03-20',
  ],
  ['a stopped strategy', (view) => view.stopped.add(0), {}, 'strategy_stopped'],
  ['a desk while the daemon stops', (view) => (view.stopping = true), {}, 'stopping'],
  ['a desk while the daemon stops', (view) => (view.stopping = true), {}, 'stopping'],
  [
    'an order of ours that it would trade with',
    (view) => view.add({ id: 'a', side: 'buy', qty: 1, strategy: 1 }),
    {},
    'own_cross: price=13000 restingPrice=13000',
  ],
  [
    'the same refusal again and again',
    (view) => (view.rejection = { count: 9, text: '?', lastUs: at('10:00') }),
    {},
    'same_rejection: rejections=9 text=?',
  ],
];

describe('a reduction', () => {
  test.each(PURPOSES)('%s', (_, change, wanted, expected) => {
    const view = holding();
    change(view);
    expect(verdict(view, { side: 'sell', ...wanted })).toBe(expected);
  });

  test.each(OBSTACLES)('is held by what makes it impossible: %s', (_, change, wanted, expected) => {
    const view = holding();
    change(view);
    view.positionsRead = view.now;
    expect(verdict(view, { side: 'sell', ...wanted })).toBe(expected);
  });

  test('may go into an auction, where an entry may not', () => {
    const view = holding();
    view.now = at('14:31');
    view.positionsRead = view.now;
    expect(verdict(view, { side: 'sell' })).toBe('approved as reduce');
    expect(verdict(view, { side: 'buy' })).toBe('session_closed: phase=closing_auction');
  });

  test("is not held by the broker's clock at an edge, where an entry is", () => {
    const view = holding();
    Object.assign(view, { now: at('11:29:59'), positionsRead: at('11:29:59'), skew: -2_000_000 });
    expect(verdict(view, { side: 'sell' })).toBe('approved as reduce');
  });

  test('that a stale read holds back is to be read for and asked again', () => {
    const view = holding();
    view.haltedReason = 'by hand';
    view.positionsRead = at('09:59:50');
    expect(submit(view, { side: 'sell' })).toMatchObject({ ok: false, readFirst: true });
    expect(submit(view, { side: 'sell', qty: 3 })).toMatchObject({ ok: false, readFirst: false });
    expect(submit(view, { side: 'sell', price: 1 })).toMatchObject({ ok: false, readFirst: false });
    expect(submit(view, { side: 'buy' })).toMatchObject({ ok: false, readFirst: false });
  });
});

const EXITS: readonly Case[] = [
  ['of what is held', nothing, { qty: 2 }, 'approved as reduce'],
  ['of a stopped strategy', (view) => view.stopped.add(0), { qty: 2 }, 'approved as reduce'],
  [
    'of more than is held',
    nothing,
    { qty: 3 },
    'position_unproven: reason=an exit of 3 is more than the position less the orders that already close it',
  ],
  [
    'by an old read',
    (view) => (view.positionsRead = at('09:59')),
    { qty: 2 },
    'position_unproven: reason=no position read less than 5 s ago shows what this exit would close',
  ],
];

test('an order that no read has proven yet tells the kill path that it shrinks a position', () => {
  const view = holding();
  view.isPositionRead = false;
  const sell = (qty: number) => submit(view, { side: 'sell', qty });
  expect(sell(2)).toMatchObject({ ok: true, order: { purpose: 'entry', shrinks: true } });
  expect(sell(3)).toMatchObject({ ok: true, order: { purpose: 'entry', shrinks: false } });
  view.isPositionRead = true;
  expect(sell(2)).toMatchObject({ ok: true, order: { purpose: 'reduce', shrinks: true } });
});

describe('an exit of the system', () => {
  test.each(EXITS)('%s', (_, change, wanted, expected) => {
    const view = holding();
    change(view);
    expect(verdict(view, { side: 'sell', ...wanted }, 'exit')).toBe(expected);
  });

  test('never becomes an entry, even where an entry would pass', () => {
    expect(submit(new FakeRiskView(), { side: 'sell' })).toMatchObject({ ok: true });
    expect(submit(new FakeRiskView(), { side: 'sell' }, 'exit')).toMatchObject({ readFirst: false });
  });

  test('the operator has no limits, so he enters nothing, and what he adopted can be closed', () => {
    const view = new FakeRiskView();
    view.hold(units.OPERATOR_INDEX, -2);
    const exit = GUARD.checkSubmit(view, units.OPERATOR_INDEX, ID, intent({ side: 'buy', qty: 2 }), 'exit');
    expect(exit).toMatchObject({ ok: true, order: { purpose: 'reduce', strategy: -1 } });
    const entry = GUARD.checkSubmit(view, units.OPERATOR_INDEX, ID, intent({ side: 'sell' }), 'any');
    expect(entry).toMatchObject({ ok: false, denial: { code: 'strategy_position_limit', max: 0 } });
  });
});
