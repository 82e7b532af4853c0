import { expect, test } from 'vitest';
import { type LimitUse, limitUses } from '../../../src/engine/risk/limit-uses.ts';
import { money } from '../../../src/domain/units.ts';
import { FakeOrder, FakeRiskView, SETTINGS } from '../support/fake-risk-view.ts';

/** Used figures by limit and place of the strategy. */
const used = (view: FakeRiskView, breakers: readonly LimitUse[] = []): Record<string, number> =>
  Object.fromEntries(
    limitUses(view, SETTINGS, breakers).map((each) => [
      `${each.limit} ${each.strategy ?? 'account'}`,
      each.used,
    ]),
  );

test('a flat account uses nothing, and a gain uses none of a loss limit', () => {
  const view = new FakeRiskView();
  view.pnl.set(0, 5_000_000);
  view.accountPnl = money(5_000_000);
  expect(used(view)).toMatchObject({
    'position account': 0,
    'position 0': 0,
    'open_orders account': 0,
    'daily_loss account': 0,
    'daily_loss 0': 0,
  });
});

test('a position counts with the orders that may enlarge it, and opposite strategies are not set off', () => {
  const view = new FakeRiskView();
  view.hold(0, 2);
  view.hold(1, -3);
  view.orders.push(
    new FakeOrder({ id: 'a', side: 'buy', qty: 1 }),
    new FakeOrder({ id: 'b', side: 'sell', qty: 2 }),
  );
  expect(used(view)).toMatchObject({
    'position 0': 3,
    'position 1': 3,
    'position account': 5,
    'open_orders account': 2,
    'open_orders 0': 2,
    'open_orders 1': 0,
  });
});

test('losses count up to their limits, and limits that halt by themselves are listed with the rest', () => {
  const view = new FakeRiskView();
  view.pnl.set(1, -15_000_000);
  view.accountPnl = money(-40_000_000);
  const breaker: LimitUse = { limit: 'drawdown', strategy: null, used: 7, max: 10 };
  expect(used(view, [breaker])).toMatchObject({
    'daily_loss 1': 15_000_000,
    'daily_loss account': 40_000_000,
    'drawdown account': 7,
  });
  const losses = limitUses(view, SETTINGS, []).filter(({ limit }) => limit === 'daily_loss');
  expect(losses.map(({ max }) => max)).toEqual([50_000_000, 20_000_000, 20_000_000]);
});
