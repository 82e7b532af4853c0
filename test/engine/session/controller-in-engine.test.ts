/** Guard and keeper in the engine itself: what they decide reaches the gateway, and what comes back reaches them. */
import { expect, test } from 'vitest';
import { money } from '../../../src/domain/units.ts';
import { EngineRig, FIRST, SECOND } from '../../support/engine-rig.ts';
import { timeOf } from '../../support/engine-world.ts';
import { acceptWaiting, startWaiting, stopSell, waits } from '../support/trigger-rows.ts';

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
  rig.pass(1).book([filled]).pass(1).positions({ VN30F2603: qty }).pass(1).book([filled]);
  expect(rig.places()[0]).toMatchObject({ purpose: 'entry', qty });
  expect(rig.position(FIRST)).toBe(qty);
  rig.sent.length = 0;
  rig.reads.length = 0;
  return rig;
}

test('a flatten reads, sends an exit that the guard calls a reduction, and ends when the broker shows nothing', () => {
  const rig = long().command({ name: 'flatten', strategy: null, reason: 'by hand' });
  expect(rig.reads).toEqual(['positions']);
  expect(rig.places()).toEqual([]);
  rig.pass(1).positions({ VN30F2603: 2 }, 0);
  expect(rig.places()).toMatchObject([
    { strategy: FIRST, side: 'sell', qty: 2, purpose: 'reduce', limitPrice: 12_995 },
  ]);
  expect(rig.engine.snapshot().procedure).toContain('working');
  const { clientOrderId: id } = rig.places()[0]!;
  rig.accepted(id, '2').pass(1);
  rig.book([{ no: '2', ref: id, side: 'sell', qty: 2, filled: 2, value: 259_900_000, status: 'matched' }]);
  rig.pass(1).positions({}, 0);
  expect(rig.position(FIRST)).toBe(0);
  expect(rig.engine.snapshot().procedure).toBe('');
  expect(rig.of('proposal').filter(({ by }) => by === 'system')).toHaveLength(1);
});

test('while it is flattened a strategy enters nothing', () => {
  const rig = long().command({ name: 'flatten', strategy: FIRST, reason: 'by hand' });
  rig.submit(FIRST, 'buy', 1, 13_000);
  expect(rig.of('denied').map(({ denial }) => denial)).toEqual([{ code: 'closing_out', because: 'flatten' }]);
});

test('before the close the alarm wakes the controller, which closes positions that may not stay', () => {
  const rig = long(14, 20);
  rig.now = timeOf(14, 25);
  rig.clock().pass(1).positions({ VN30F2603: 2 }, 0);
  expect(rig.places()).toMatchObject([{ side: 'sell', qty: 2, purpose: 'reduce' }]);
});

test('the loss of the day halts the strategy that lost it, by a trade, and its exit still goes', () => {
  const rig = long(10, 0, 5).trade(12_602);
  expect(rig.of('halt')).toEqual([]); // 19,981,500 with fees and tax
  rig.trade(12_599);
  expect(rig.of('halt')).toMatchObject([{ strategy: FIRST, halted: true }]);
  // The price comes back; the halt is a person's to open.
  rig.pass(1).positions({ VN30F2603: 5 }, 0).submit(FIRST, 'buy', 1, 13_000);
  expect(rig.of('denied').at(-1)!.denial).toMatchObject({ code: 'halted' });
  rig.submit(FIRST, 'sell', 5, 13_000);
  expect(rig.places()).toMatchObject([{ side: 'sell', qty: 5, purpose: 'reduce' }]);
  rig.command({ name: 'resume', reason: 'looked at it' }).submit(FIRST, 'buy', 1, 12_900);
  expect(rig.places()).toHaveLength(2);
});

test('a stop cancels what works and then says that the process may end', () => {
  const rig = long();
  const id = rig.resting(FIRST, 'buy', 1, 12_900, '2');
  rig.pass(1).command({ name: 'stop', reason: 'SIGINT' });
  expect(rig.cancels()).toMatchObject([{ clientOrderId: id }]);
  expect(rig.of('stop_ready')).toEqual([]);
  rig.pass(1).book([
    { no: '1', qty: 2, filled: 2, value: 260_000_000, status: 'matched' },
    { no: '2', ref: id, price: 12_900, status: 'canceled' },
  ]);
  expect(rig.of('stop_ready')).toMatchObject([{ reason: 'SIGINT' }]);
});

test('a clean stop cancels an entry, and leaves a stop that was placed before its own entry filled', () => {
  const rig = startWaiting({ isReal: true, startUs: timeOf(10, 0) });
  const opening = rig.resting(FIRST, 'buy', 1, 13_000, '1');
  const stop = rig.ask(FIRST, stopSell(12_950));
  acceptWaiting(rig, stop, 'k1').pass(1);
  const filled = { no: '1', ref: opening, filled: 1, price: 13_000, status: 'matched' } as const;
  rig
    .book([filled])
    .pass(1)
    .conditions([waits({ key: 'k1' })]);
  rig.pass(1).positions({ VN30F2603: 1 }).pass(1).book([filled]);
  expect(rig.position(FIRST)).toBe(1);
  const entry = rig.resting(SECOND, 'buy', 1, 12_900, '2');
  rig.command({ name: 'stop', reason: 'SIGTERM' });
  expect(rig.cancels().map(({ clientOrderId }) => clientOrderId)).toEqual([entry]);
  expect(rig.waiting.filter(({ call }) => call === 'cancel')).toEqual([]);
  expect(rig.statusOf(stop)).toBe('pending_trigger');
});
