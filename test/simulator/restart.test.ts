import { cpSync, rmSync } from 'node:fs';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { seconds } from '../../src/domain/units.ts';
import { DEFAULT_OPTIONS } from '../../src/simulator/simulator-options.ts';
import { type BareClient, firstRow, rowsOf } from '../contract/broker/support/bare-client.ts';
import { openMarket, order, placed } from '../contract/broker/support/market.ts';
import { tempDir } from '../support/temp-dir.ts';

let stateDir: string;
beforeEach(() => {
  stateDir = tempDir();
});

/** All that a client can read of its account. */
async function everything(stranger: BareClient): Promise<unknown> {
  return {
    orders: rowsOf(await stranger.call('in-day')),
    positions: rowsOf(await stranger.call('positions')),
    status: (await stranger.call('account-status')).json['data'],
    conditions: rowsOf(await stranger.call('conditions')),
    closed: rowsOf(await stranger.call('closed-positions')),
    money: await Promise.all(
      stranger.cashAccounts.map(async (no) => (await stranger.call('cash-balance', { accountNo: no })).json),
    ),
    stock: await Promise.all(
      stranger.cashAccounts.map(async (no) => (await stranger.call('stock-assets', { accountNo: no })).json),
    ),
  };
}

async function trade({ alice, bob, front }: Awaited<ReturnType<typeof openMarket>>): Promise<void> {
  await order(alice, 'S', front, 1300.5, 5);
  await order(bob, 'B', front, 1300.5, 2);
  await order(alice, 'B', front, 1298, 1);
  const [normal = '', margin = ''] = alice.cashAccounts;
  await alice.call('withdraw', { amount: 300_000_000 });
  await alice.call('deposit', { amount: 100_000_000 });
  await alice.call('transfer', {
    sourceAccountNumber: normal,
    destinationAccountNumber: margin,
    amount: 400_000,
  });
  const exit = { side: 'B', symbol: front, price: 1310, volume: 2 } as const;
  await alice.call('condition-place', { ...exit, orderType: 'SOL', soPrice: 1309, refId: 'H.3' });
  // Starts at once, and follows the trades below it.
  await alice.call('condition-place', {
    ...exit,
    orderType: 'TSO',
    soPrice: 1300.5,
    activationPrice: 1300.5,
    callbackPoint: 3,
    refId: 'H.4',
  });
  for (const [at, price] of [1300.4, 1299].entries()) {
    await bob.call('place', { side: 'S', symbol: front, price, volume: 1, refId: `H.s${at}` });
    await bob.call('place', { side: 'B', symbol: front, price, volume: 1, refId: `H.b${at}` });
  }
}

describe('after a restart', () => {
  it('by kill -9, the account is what it was: money, orders, those that wait, positions, prices, and the token still works', async () => {
    const first = await openMarket({ stateDir });
    await trade(first);
    const before = await everything(first.alice);
    expect((before as { conditions: unknown[] }).conditions).toHaveLength(2);
    const prices = rowsOf(await first.alice.call('derivatives'))[0];
    // Never closed: what a killed process leaves behind is what its files hold now.
    const left = `${stateDir}-left-behind`;
    cpSync(stateDir, left, { recursive: true });
    onTestFinished(() => rmSync(left, { recursive: true }));

    const second = await openMarket({ stateDir: left });
    second.alice.token = first.alice.token;
    expect(await everything(second.alice)).toEqual(before);
    expect(rowsOf(await second.alice.call('derivatives'))[0]).toEqual(prices);
  });

  it('resting orders still trade, and numbers go on', async () => {
    const first = await openMarket({ stateDir });
    await trade(first);
    await first.close();
    const { alice, bob, front } = await openMarket({ stateDir });
    await order(bob, 'B', front, 1300.5, 3);
    expect(firstRow(await alice.call('positions'))).toMatchObject({ net: -5 });
    const numbers = rowsOf(await alice.call('in-day')).map((row) => row['orderNo']);
    expect(numbers).not.toContain(await placed(alice, 'B', front, 1297, 1));
  });

  it('what waits still strikes, the one that follows the market from where it had got to', async () => {
    const first = await openMarket({ stateDir });
    await trade(first);
    // Never closed.
    const left = `${stateDir}-left-behind`;
    cpSync(stateDir, left, { recursive: true });
    onTestFinished(() => rmSync(left, { recursive: true }));
    const { alice, bob, front } = await openMarket({ stateDir: left });
    const statuses = async (): Promise<unknown[]> =>
      rowsOf(await alice.call('conditions')).map((row) => row['status']);
    const print = async (price: number, refId: string): Promise<void> => {
      await bob.call('place', { side: 'S', symbol: front, price, volume: 1, refId });
      await bob.call('place', { side: 'B', symbol: front, price, volume: 1, refId: `${refId}b` });
    };
    await order(bob, 'B', front, 1300.5, 3);
    expect(await statuses()).toEqual(['0', '0']);
    // The lowest trade was at 1299, before the end.
    await print(1301.9, 'H.d');
    expect(await statuses()).toEqual(['0', '0']);
    await print(1302, 'H.e');
    expect(await statuses()).toEqual(['0', '1']);
  });

  it('the day has its own orders', async () => {
    const first = await openMarket({ stateDir });
    await trade(first);
    await first.close();
    const second = await openMarket({ stateDir });
    second.time.advance(seconds(24 * 3_600));
    await second.alice.logIn();
    expect(rowsOf(await second.alice.call('in-day'))).toEqual([]);
    expect(firstRow(await second.alice.call('positions'))).toMatchObject({ net: -2 });
  });

  it('everything is forgotten when it starts fresh', async () => {
    const first = await openMarket({ stateDir });
    await trade(first);
    await first.close();
    const second = await openMarket({ stateDir, fresh: true });
    expect(rowsOf(await second.alice.call('in-day'))).toEqual([]);
    expect(rowsOf(await second.alice.call('positions'))).toEqual([]);
    second.alice.token = first.alice.token;
    expect((await second.alice.call('in-day')).status).toBe(401);
  });

  it('the exchanges of the day are still counted', async () => {
    const auth = { ...DEFAULT_OPTIONS.auth, exchangesPerDayMax: 2 };
    const first = await openMarket({ stateDir, auth });
    await first.close();
    const second = await openMarket({ stateDir, auth });
    await expect(second.alice.logIn()).rejects.toThrow('203035');
  });
});
