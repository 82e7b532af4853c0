import { expect, test } from 'vitest';
import { limitUses } from '../../../src/engine/engine-snapshot.ts';
import { money, OPERATOR_INDEX, strategyIndex } from '../../../src/domain/units.ts';
import { accountWith } from '../../support/engine-facts.ts';
import { SETTINGS, StateRig } from '../support/state-rig.ts';

/** Used figures by limit and place of the strategy. */
const used = (rig: StateRig): Record<string, number> =>
  Object.fromEntries(
    limitUses(rig.state).map((each) => [`${each.limit} ${each.strategy ?? 'account'}`, each.used]),
  );

test('a flat account uses nothing, and a gain uses none of a loss limit', () => {
  const rig = new StateRig();
  rig.state.portfolio.charge(strategyIndex(0), -5_000_000, 0);
  expect(used(rig)).toMatchObject({
    'position account': 0,
    'position 0': 0,
    'open_orders account': 0,
    'daily_loss account': 0,
    'daily_loss 0': 0,
  });
});

test('a position counts with the orders that may enlarge it, and opposite strategies are not set off', () => {
  const rig = new StateRig().hold(0, 2).hold(1, -3);
  rig.add({ id: 'a', side: 'buy', qty: 1 });
  rig.add({ id: 'b', side: 'sell', qty: 2 });
  expect(used(rig)).toMatchObject({
    'position 0': 3,
    'position 1': 3,
    'position account': 5,
    'open_orders account': 2,
    'open_orders 0': 2,
    'open_orders 1': 0,
  });
});

test('losses count up to their limits, and limits that halt by themselves are listed where they are set', () => {
  const rig = new StateRig({ settings: { risk: { ...SETTINGS.risk, drawdownMax: money(10) } } });
  rig.state.portfolio.charge(strategyIndex(1), 15_000_000, 0);
  rig.state.portfolio.charge(OPERATOR_INDEX, 25_000_000, 0);
  rig.state.breakers.onAccount(money(100));
  rig.state.breakers.onAccount(money(93));
  expect(used(rig)).toMatchObject({
    'daily_loss 1': 15_000_000,
    'daily_loss account': 40_000_000,
    'drawdown account': 7,
  });
  const uses = limitUses(rig.state);
  const losses = uses.filter(({ limit }) => limit === 'daily_loss');
  expect(losses.map(({ max, unit }) => [max, unit])).toEqual([
    [50_000_000, 'VND'],
    [20_000_000, 'VND'],
    [20_000_000, 'VND'],
  ]);
  expect(uses.map(({ limit }) => limit)).not.toContain('messages_per_minute');
});

const marginOf = ({ state }: StateRig) => limitUses(state).find(({ limit }) => limit === 'margin');

test('margin in use is a percentage of the collateral, and unknown before the account is read', () => {
  const rig = new StateRig({ has: { account: false } });
  expect(marginOf(rig)).toBeUndefined();
  rig.state.session.account.take({ ...accountWith(1_000), usageBps: 1_250 }, rig.now);
  expect(marginOf(rig)).toMatchObject({ used: 12.5, max: 100, unit: '%', strategy: null });
});
