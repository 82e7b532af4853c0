/** The simulator over a database that an older program left behind, in the middle of a day. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { tsUs } from '../../src/domain/units.ts';
import { olderState } from '../support/older-session.ts';
import { startSimulator } from '../../src/simulator/start-simulator.ts';
import { strangerOf } from './support/started.ts';
import { rowsOf } from './support/stranger.ts';
import { VirtualTime } from './support/virtual-time.ts';
import { threeSubAccounts } from '../../src/simulator/accounts/account-settings.ts';

/** One second of market time after its last commit. */
const AFTER = tsUs(1_795_321_335_347_000);

const PAPER = {
  apiKey: 'key-of-paper',
  otp: '333333',
  custodyCode: '105C000001',
  name: 'Paper',
  subAccounts: threeSubAccounts('105C000001', { normal: 1, margin: 1, derivative: 1 }),
};

it('goes on with its account: money, positions, orders that rest and orders that wait', async () => {
  const time = new VirtualTime(AFTER);
  const simulator = await startSimulator({
    stateDir: join(olderState(), 'simulator'),
    accounts: [PAPER],
    market: { kind: 'synthetic', seed: 7, startPoints: 1_900 },
    clock: time,
    timers: time,
  });
  onTestFinished(() => simulator.close());
  const paper = strangerOf(simulator, PAPER);
  await paper.logIn();
  expect(rowsOf(await paper.positions())).toMatchObject([{ symbol: '41I1GC000', net: 2, wapb: 1902.6125 }]);
  expect((await paper.status()).json['data']).toMatchObject({
    cash: 2_000_000_000,
    tax: 485_155,
    feeHNX: 81_000,
  });
  const orders = rowsOf(await paper.inDay());
  expect(orders).toHaveLength(32);
  expect(orders.filter(({ isCancel }) => isCancel === '1')).toMatchObject([
    { orderNo: '2', showPrice: '1898.3', refId: 'H.00000100001000004' },
  ]);
  const conditions = rowsOf(await paper.conditions());
  expect(conditions.map(({ status }) => status)).toEqual(['1', '2', '1', '2', '0']);
  expect(conditions[4]).toMatchObject({ pk_orderNo: '7000006', soPrice: 1890.3, showPrice: 1889.8 });
});
