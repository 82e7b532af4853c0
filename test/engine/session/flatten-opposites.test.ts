/** Two strategies hold opposite positions of one contract: the flatten of one leaves what protects the other. */
import { expect, it } from 'vitest';
import { priceTicks } from '../../../src/domain/units.ts';
import type { RowFacts } from '../../support/engine-facts.ts';
import { type EngineRig, FIRST, SECOND } from '../../support/engine-rig.ts';
import { acceptWaiting, startWaiting, stopSell, waits } from '../support/trigger-rows.ts';

const bought = { no: '1', qty: 2, filled: 2, price: 13_000, status: 'matched' } as const;
const sold = { no: '2', side: 'sell', qty: 1, filled: 1, price: 12_999, status: 'matched' } as const;
const sent = { no: '8', side: 'sell', price: 12_945, qty: 2, source: 'system' } as const;

/** The first is long two, the second short one. */
function opposed() {
  const rig = startWaiting({ isReal: true, qtyMax: 4 });
  const rows = [{ ...bought, ref: rig.resting(FIRST, 'buy', 2, 13_000, '1') }];
  const read = (net: number, ...more: RowFacts[]): void => {
    rig
      .look([...rows, ...more])
      .pass(1)
      .positions(net);
    rig.look([...rows, ...more]);
  };
  read(2);
  rig.trade(13_000);
  const short = { ...sold, ref: rig.resting(SECOND, 'sell', 1, 12_999, '2') };
  read(1, short);
  expect([rig.position(FIRST), rig.position(SECOND)]).toEqual([2, -1]);
  return { rig, read: (net: number, child: RowFacts) => read(net, short, child) };
}

/** The stop of the first has sent its order, and the flatten of the second has given up waiting for it. */
function givenUp(before: (rig: EngineRig) => void = () => undefined) {
  const { rig, read } = opposed();
  before(rig);
  const stop = rig.trade(13_000).ask(FIRST, stopSell(12_950, 2));
  acceptWaiting(rig, stop, 'k1')
    .pass(1)
    .conditions([waits({ key: 'k1', qty: 2 })]);
  rig
    .pass(1)
    .trade(12_944)
    .conditions([waits({ key: 'k1', qty: 2, status: 'activated', children: ['8'] })]);
  read(1, sent);
  rig.trade(12_944).command({ name: 'flatten', strategy: SECOND, reason: 'test' });
  const readOn = (net: number, child: RowFacts): void => {
    for (let i = 0; i < 40; i += 1) {
      read(net, child);
      rig.trade(12_944);
    }
  };
  readOn(1, sent);
  return { rig, readOn };
}

it('the order that the stop of the other sent stays, and the exit waits for it', () => {
  const { rig } = givenUp();
  expect(rig.cancels()).toEqual([]);
  expect(rig.of('alert').at(-1)).toMatchObject({
    severity: 'critical',
    text: expect.stringContaining('C.2026-03-04.8 of another owner is in the way'),
  });
});

it('its own stop stays until the order in its way is over', () => {
  const terms = { side: 'buy', limitPrice: priceTicks(13_055), triggerWhen: 'at_or_above' } as const;
  const { rig, readOn } = givenUp((begun) => {
    acceptWaiting(begun, begun.ask(SECOND, stopSell(13_050, 1, terms)), 'k0');
  });
  const cancels = () => rig.waiting.filter(({ call }) => call === 'cancel').length;
  expect([rig.alerts().includes('flatten_failed'), cancels()]).toEqual([true, 0]);
  readOn(-1, { ...sent, filled: 2, status: 'matched' });
  expect(cancels()).toBeGreaterThan(0);
});

it.each([
  ['filled', -1, { ...sent, filled: 2, status: 'matched' }],
  ['was canceled', 1, { ...sent, status: 'canceled' }],
] as const)('the flatten goes on once the order in its way %s', (_, net, child) => {
  const { rig, readOn } = givenUp();
  readOn(net, child);
  expect(rig.places().at(-1)).toMatchObject({ strategy: SECOND, side: 'buy', qty: 1, purpose: 'reduce' });
});

it('two exits of opposite positions take turns, though the first has no answer yet', () => {
  const { rig, read } = opposed();
  const { length } = rig.places();
  const exits = () => rig.places().slice(length);
  rig.command({ name: 'flatten', strategy: null, reason: 'test' }).pass(1).positions(1);
  expect(exits()).toMatchObject([{ strategy: FIRST, side: 'sell', qty: 2 }]);
  const { clientOrderId: id, limitPrice } = exits()[0]!;
  rig.accepted(id, '3');
  const exit = { no: '3', ref: id, side: 'sell', qty: 2, price: limitPrice } as const;
  for (let i = 0; i < 4; i += 1) read(1, exit);
  expect(exits()).toHaveLength(1);
  for (let i = 0; i < 4; i += 1) read(-1, { ...exit, filled: 2, status: 'matched' });
  expect(exits()[1]).toMatchObject({ strategy: SECOND, side: 'buy', qty: 1 });
});
