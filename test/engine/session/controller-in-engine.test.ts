/** Guard and controller in the engine itself: what they decide reaches the gateway, and what comes back reaches them. */
import { expect, test } from 'vitest';
import { money } from '../../../src/domain/units.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';
import { timeOf } from '../../support/engine-world.ts';

const zero = money(0);
const account = {
  cash: money(2_000_000_000),
  netAssetValue: money(2_000_000_000),
  initialMargin: zero,
  requiredMargin: zero,
  buyingPower: money(2_000_000_000),
  profit: zero,
  uncollected: zero,
  fee: zero,
  tax: zero,
  withdrawable: null,
  usageBps: 0,
};

/** The first strategy is long, proven by book and positions. */
function long(hours = 10, mins = 0, qty = 2): EngineRig {
  const rig = new EngineRig({ isReal: true, startUs: timeOf(hours, mins) }).start();
  rig.post({ kind: 'account_snapshot', startedUs: rig.now, account });
  const id = rig.resting(FIRST, 'buy', qty, 13_000, '1');
  const filled = { no: '1', ref: id, qty, filled: qty, value: qty * 130_000_000, status: 'matched' } as const;
  rig.look([filled]).pass(1).positions(qty).look([filled]);
  expect(rig.places()[0]).toMatchObject({ purpose: 'entry', qty });
  expect(rig.position(FIRST)).toBe(qty);
  rig.sent.length = 0;
  rig.reads.length = 0;
  return rig;
}

test('before the close the alarm wakes the controller, which closes positions that may not stay', () => {
  const rig = long(14, 20);
  rig.now = timeOf(14, 25);
  rig.clock().pass(1).positions(2, 0);
  expect(rig.places()).toMatchObject([{ side: 'sell', qty: 2, purpose: 'reduce' }]);
});
