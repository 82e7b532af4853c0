/** What risk says of orders that wait at the broker: the same rules, and what only they can do wrong. */
import { describe, expect, it, test } from 'vitest';
import type { TriggerIntent } from '../../../src/domain/order.ts';
import { instrumentIndex, priceTicks, qty } from '../../../src/domain/units.ts';
import { moveDenial } from '../../../src/engine/risk/risk-request.ts';
import { bracketBuy, stopSell, trailingSell } from '../support/trigger-rows.ts';
import { StateRig } from '../support/state-rig.ts';
import { ALPHA, type Change, ID, nothing, verdictText } from '../support/guard-fixture.ts';

const assuming = () =>
  new StateRig({ settings: { assumed: ['entry-with-exits', 'order-after-order', 'conditional-change'] } });
const holding = () => assuming().hold(0, 2).read();

const judge = ({ guard }: StateRig, intent: TriggerIntent): string =>
  verdictText(guard.checkSubmit(ALPHA, ID, intent, 'strategy', false));

const arbitrage = (leg: number): TriggerIntent => ({
  kind: 'arbitrage',
  instrument: instrumentIndex(0),
  side: 'buy',
  qty: qty(1),
  limitPrice: priceTicks(13_000),
  leg: instrumentIndex(leg),
  reason: 'test',
});

const raw = (change: Readonly<Record<string, unknown>>): TriggerIntent => ({
  ...stopSell(12_950),
  ...change,
});

const ROWS: readonly (readonly [string, Change, TriggerIntent, string])[] = [
  ['a stop', nothing, stopSell(12_950), 'approved as entry'],
  ['a trailing stop', nothing, trailingSell(13_050, 20), 'approved as entry'],
  ['a bracket', nothing, bracketBuy(13_000, 12_950, 13_080), 'approved as entry'],
  ['an arbitrage order', nothing, arbitrage(1), 'approved as entry'],
  ['a day order by its name', nothing, raw({ timeInForce: 'day' }), 'approved as entry'],
  ['good till canceled', nothing, raw({ timeInForce: 'gtc' }), 'time_in_force: asked=gtc'],
  ['a trigger off the grid', nothing, raw({ triggerPrice: 12_950.5 }), 'price_off_grid: price=12950.5'],
  [
    'a trigger outside the band',
    nothing,
    raw({ triggerPrice: 12_000, limitPrice: 12_000 }),
    'price_outside_band: price=12000 floor=12090 ceiling=13910',
  ],
  [
    'a trigger outside the collar',
    nothing,
    raw({ triggerPrice: 12_700, limitPrice: 12_695 }),
    'price_outside_collar: price=12695 last=13000 collarBps=200',
  ],
  [
    'an exit outside the collar',
    nothing,
    bracketBuy(13_000, 12_950, 13_300),
    'price_outside_collar: price=13300 last=13000 collarBps=200',
  ],
  [
    'a limit that would not be filled where it triggers',
    nothing,
    raw({ limitPrice: 12_960 }),
    'limit_behind_trigger: limit=12960 trigger=12950',
  ],
  [
    'a trailing offset of nothing',
    nothing,
    { ...trailingSell(13_050, 20), trailingOffset: 0 },
    'trailing_offset_not_positive: offset=0',
  ],
  ['a leg that is its own', nothing, arbitrage(0), 'leg_is_own_contract'],
  ['a leg that nobody knows', nothing, arbitrage(7), 'contract_unknown: instrument=7'],
  [
    'a halt',
    ({ state }) => state.halt.haltByCommand('by hand', null),
    stopSell(12_950),
    'halted: reason=by hand',
  ],
  [
    'a book not read',
    ({ state }) => (state.session.triggersReadUs = -Infinity),
    stopSell(12_950),
    'triggers_unread',
  ],
  [
    'what would open too much',
    (rig) => rig.hold(0, -4),
    stopSell(12_950),
    'strategy_position_limit: worst=5 max=4',
  ],
  [
    'what waits already counts',
    (rig) => rig.add({ id: 'w', side: 'sell', qty: 4, price: 12_900, isWaiting: true }),
    stopSell(12_950),
    'strategy_position_limit: worst=5 max=4',
  ],
  [
    'our order that rests where it would be sent',
    (rig) => rig.add({ id: 'r', side: 'buy', qty: 1, price: 12_948 }),
    stopSell(12_950),
    'own_cross: price=12945 restingPrice=12948',
  ],
  [
    'one that is gone before it triggers',
    (rig) => rig.add({ id: 'r', side: 'buy', qty: 1, price: 12_990 }),
    stopSell(12_950),
    'approved as entry',
  ],
];

test.each(ROWS)('%s', (_, change, intent, expected) => {
  const rig = assuming();
  change(rig);
  expect(judge(rig, intent)).toBe(expected);
});

describe('what protects a position', () => {
  it('goes where entries may not, and is no larger than what the broker shows', () => {
    const rig = holding();
    rig.state.halt.haltByCommand('by hand', null);
    expect(judge(rig, stopSell(12_950, 2, { reduceOnly: true }))).toBe('approved as reduce');
    expect(judge(rig, stopSell(12_950, 3, { reduceOnly: true }))).toMatch(/^position_unproven/);
  });

  it('is denied with the reason that nothing is held where its entry has not filled', () => {
    const rig = assuming();
    rig.add({ id: 'entry', side: 'buy', qty: 2, price: 13_000 });
    expect(judge(rig, stopSell(12_950, 2, { reduceOnly: true }))).toBe('nothing_to_close');
  });

  it.each([
    ['says nothing', {}, 'approved as reduce'],
    ['may turn the position round', { mayReverse: true }, 'approved as entry'],
  ])('is not a stop that only closes and %s', (_, said, expected) => {
    expect(judge(holding(), stopSell(12_950, 2, said))).toBe(expected);
  });

  it('meets what rests when it triggers, and is not kept away by that', () => {
    const rig = holding();
    rig.add({ id: 'r', side: 'buy', qty: 1, price: 12_948, strategy: 1 });
    expect(judge(rig, stopSell(12_950, 2, { reduceOnly: true }))).toBe('approved as reduce');
  });

  it('does not keep what rests away', () => {
    const rig = holding();
    rig.add({ id: 'w', side: 'sell', qty: 2, price: 12_900, purpose: 'reduce', isWaiting: true });
    expect(judge(rig, bracketBuy(13_000, 12_950, 13_080, 1))).toBe('approved as entry');
  });
});

test.each([
  ['entry-with-exits', bracketBuy(13_000, 12_950, 13_080)],
  ['order-after-order', arbitrage(1)],
])('without the assumption %s it is refused', (assumption, intent) => {
  expect(judge(new StateRig(), intent)).toBe(`not_assumed: assumption=${assumption}`);
});

test('without the assumption conditional-change no trigger is moved', () => {
  const rig = new StateRig();
  const order = rig.add({ id: 'w', side: 'sell', qty: 1, price: 12_900, isWaiting: true });
  rig.become(order, 'pending_trigger');
  const { clientOrderId } = order;
  const change = { kind: 'trigger', clientOrderId, triggerPrice: priceTicks(12_960) } as const;
  expect(moveDenial(order, change, [])).toEqual({ code: 'not_assumed', assumption: 'conditional-change' });
});
