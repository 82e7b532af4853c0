/** The exit of a flatten belongs to whoever asked for the flatten: its strategy sees it, and can neither cancel nor move it. */
import { expect, it } from 'vitest';
import { priceTicks } from '../../../src/domain/units.ts';
import { EngineRig, FIRST, SECOND } from '../../support/engine-rig.ts';
import { guarded, SmallBroker, trades } from '../support/small-broker.ts';

type Act = (rig: EngineRig, id: Parameters<EngineRig['statusOf']>[0]) => void;

it.each<[string, Act]>([
  ['cancels', ({ host }, id) => host.desk.cancel(FIRST, id)],
  [
    'moves',
    ({ host }, clientOrderId) =>
      host.desk.modify(FIRST, { kind: 'price', clientOrderId, limitPrice: priceTicks(13_200) }),
  ],
])('goes on where a strategy %s all its orders at each price', (_, act) => {
  const broker = guarded();
  trades(broker, 'buy', 2);
  const { rig } = broker;
  rig.command({ name: 'flatten', strategy: null, reason: 'by hand' });
  for (let i = 0; i < 5; i += 1) {
    broker.settle(1);
    rig.act(FIRST, () => {
      for (const { clientOrderId } of rig.host.desk.workingOrders(FIRST)) act(rig, clientOrderId);
    });
  }
  expect(rig.host.desk.workingOrders(FIRST)).toMatchObject([{ side: 'sell', qty: 2, status: 'accepted' }]);
  expect(rig.of('denied').map(({ denial }) => denial.code)).toContain('order_not_found');
  broker.fill(broker.orders.at(-1)!);
  broker.settle();
  expect([broker.position, rig.position(FIRST), rig.alerts()]).toEqual([0, 0, []]);
});

it.each([
  ['an entry', 0],
  ['a take-profit', 1],
])('goes on however often the broker refuses the cancel of %s in its way', (_, sold) => {
  const broker = new SmallBroker(new EngineRig({ isReal: true }).start());
  const { rig } = broker;
  trades(broker, 'buy', 2);
  if (sold > 0) trades(broker, 'sell', sold, SECOND);
  rig.account().submit(SECOND, 'buy', 1, 12_998);
  broker.settle();
  broker.refusals.push(...Array.from({ length: 12 }, () => 'rejected' as const));
  rig.command({ name: 'flatten', strategy: FIRST, reason: 'by hand' });
  for (let i = 0; i < 120; i += 1) {
    broker.settle(1);
    rig.trade(13_000);
  }
  expect(rig.alerts()).toContain('flatten_failed');
  expect([broker.refusals.length, rig.places().at(-1)]).toMatchObject([
    0,
    { strategy: FIRST, side: 'sell', qty: 2, purpose: 'reduce' },
  ]);
});

it('goes on where another strategy enters again after each cancel', () => {
  const broker = new SmallBroker(new EngineRig({ isReal: true }).start());
  const { rig } = broker;
  trades(broker, 'buy', 2);
  rig.account().submit(SECOND, 'buy', 1, 12_998);
  broker.settle();
  rig.command({ name: 'flatten', strategy: FIRST, reason: 'by hand' });
  for (let i = 0; i < 20; i += 1) {
    broker.settle(1);
    rig.account().trade(13_000);
    if (rig.host.desk.workingOrders(SECOND).length === 0) rig.submit(SECOND, 'buy', 1, 12_998);
  }
  expect(rig.places().filter(({ strategy }) => strategy === FIRST)).toMatchObject([
    {},
    { side: 'sell', qty: 2 },
  ]);
  expect(rig.of('denied').map(({ denial }) => denial.code)).toContain('closing_out');
  expect(rig.alerts().filter((code) => code === 'flatten_makes_way')).toHaveLength(1);
});

/** FIRST is long 2 and is being flattened, SECOND short 1; a take-profit of SECOND rests where the exit is priced. */
function takeProfitInTheWay() {
  const broker = new SmallBroker(new EngineRig({ isReal: true }).start());
  const { rig } = broker;
  trades(broker, 'buy', 2);
  rig.account().submit(SECOND, 'sell', 1, 13_000);
  broker.answer().fill(broker.orders.at(-1)!);
  broker.settle();
  rig.quote(12_999, 13_001).submit(SECOND, 'buy', 1, 12_998);
  broker.settle();
  rig.command({ name: 'flatten', strategy: FIRST, reason: 'by hand' });
  return broker;
}

it('goes on where another strategy places its take-profit again after each cancel', () => {
  const broker = takeProfitInTheWay();
  const { rig } = broker;
  for (let i = 0; i < 20; i += 1) {
    broker.settle(1);
    rig.account().trade(13_000);
    if (rig.host.desk.workingOrders(SECOND).length === 0) rig.submit(SECOND, 'buy', 1, 12_998);
  }
  expect(rig.places().at(-1)).toMatchObject({ strategy: FIRST, side: 'sell', qty: 2 });
  expect(rig.alerts().filter((code) => code === 'flatten_makes_way')).toHaveLength(1);
});

it('lets another strategy out at the price of the market meanwhile', () => {
  const broker = takeProfitInTheWay();
  const { rig } = broker;
  while (rig.host.desk.workingOrders(SECOND).length > 0) broker.settle(1);
  rig.submit(SECOND, 'buy', 1, 13_002);
  expect(rig.places().at(-1)).toMatchObject({ strategy: SECOND, purpose: 'reduce', limitPrice: 13_002 });
});

it('lets another strategy take profit behind the exit meanwhile', () => {
  const broker = takeProfitInTheWay();
  const { rig } = broker;
  while (rig.host.desk.workingOrders(SECOND).length > 0) broker.settle(1);
  rig.submit(SECOND, 'buy', 1, 12_500);
  expect(rig.places().at(-1)).toMatchObject({ strategy: SECOND, purpose: 'reduce', limitPrice: 12_500 });
});
