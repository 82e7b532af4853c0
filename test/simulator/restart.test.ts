import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { seconds } from '../../src/domain/units.ts';
import { DEFAULT_OPTIONS } from '../../src/simulator/simulator-options.ts';
import { started, stop } from './support/started.ts';
import { cashAccountsOf, firstOf, orderNoOf, rowsOf, type Stranger } from './support/stranger.ts';

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'simulator-restart-'));
});
afterEach(() => rmSync(stateDir, { recursive: true }));

/** All that a client can read of its account. */
async function everything(stranger: Stranger): Promise<unknown> {
  return {
    orders: rowsOf(await stranger.inDay()),
    positions: rowsOf(await stranger.positions()),
    status: (await stranger.status()).json['data'],
    conditions: rowsOf(await stranger.conditions()),
    closed: rowsOf(await stranger.closed()),
    money: await Promise.all(cashAccountsOf(stranger).map(async (no) => (await stranger.cash(no)).json)),
    stock: await Promise.all(cashAccountsOf(stranger).map(async (no) => (await stranger.assets(no)).json)),
  };
}

async function trade({ alice, bob, front }: Awaited<ReturnType<typeof started>>): Promise<void> {
  await alice.place({ side: 'S', symbol: front, price: 1300.5, volume: 5, refId: 'H.1' });
  await bob.place({ side: 'B', symbol: front, price: 1300.5, volume: 2, refId: 'H.1' });
  await alice.place({ side: 'B', symbol: front, price: 1298, volume: 1, refId: 'H.2' });
  const [normal = '', margin = ''] = cashAccountsOf(alice);
  await alice.withdraw(300_000_000);
  await alice.deposit(100_000_000);
  await alice.transfer(normal, margin, 400_000);
  const exit = { side: 'B', symbol: front, price: 1310, volume: 2 } as const;
  await alice.placeCondition({ ...exit, orderType: 'SOL', soPrice: 1309, refId: 'H.3' });
  // Starts at once, and follows the trades below it.
  await alice.placeCondition({
    ...exit,
    orderType: 'TSO',
    soPrice: 1300.5,
    activationPrice: 1300.5,
    callbackPoint: 3,
    refId: 'H.4',
  });
  for (const [at, price] of [1300.4, 1299].entries()) {
    await bob.place({ side: 'S', symbol: front, price, volume: 1, refId: `H.s${at}` });
    await bob.place({ side: 'B', symbol: front, price, volume: 1, refId: `H.b${at}` });
  }
}

describe('after a restart', () => {
  it('by kill -9, the account is what it was: money, orders, those that wait, positions, prices, and the token still works', async () => {
    const first = await started({ stateDir });
    await trade(first);
    const before = await everything(first.alice);
    expect((before as { conditions: unknown[] }).conditions).toHaveLength(2);
    const prices = rowsOf(await first.alice.get('/tartarus/v1/derivatives'))[0];
    // Never closed: what a killed process leaves behind is what its files hold now.
    const left = `${stateDir}-left-behind`;
    cpSync(stateDir, left, { recursive: true });
    onTestFinished(() => rmSync(left, { recursive: true }));

    const second = await started({ stateDir: left });
    second.alice.token = first.alice.token;
    expect(await everything(second.alice)).toEqual(before);
    expect(rowsOf(await second.alice.get('/tartarus/v1/derivatives'))[0]).toEqual(prices);
  });

  it('resting orders still trade, and numbers go on', async () => {
    const first = await started({ stateDir });
    await trade(first);
    await stop(first.simulator);
    const { alice, bob, front } = await started({ stateDir });
    await bob.place({ side: 'B', symbol: front, price: 1300.5, volume: 3, refId: 'H.2' });
    expect(firstOf(await alice.positions())).toMatchObject({ net: -5 });
    const numbers = rowsOf(await alice.inDay()).map((row) => row['orderNo']);
    expect(numbers).not.toContain(
      orderNoOf(await alice.place({ side: 'B', symbol: front, price: 1297, volume: 1, refId: 'H.3' })),
    );
  });

  it('what waits still strikes, the one that follows the market from where it had got to', async () => {
    const first = await started({ stateDir });
    await trade(first);
    // Never closed.
    const left = `${stateDir}-left-behind`;
    cpSync(stateDir, left, { recursive: true });
    onTestFinished(() => rmSync(left, { recursive: true }));
    const { alice, bob, front } = await started({ stateDir: left });
    const statuses = async (): Promise<unknown[]> =>
      rowsOf(await alice.conditions()).map((row) => row['status']);
    const print = async (price: number, refId: string): Promise<void> => {
      await bob.place({ side: 'S', symbol: front, price, volume: 1, refId });
      await bob.place({ side: 'B', symbol: front, price, volume: 1, refId: `${refId}b` });
    };
    await bob.place({ side: 'B', symbol: front, price: 1300.5, volume: 3, refId: 'H.c' });
    expect(await statuses()).toEqual(['0', '0']);
    // The lowest trade was at 1299, before the end.
    await print(1301.9, 'H.d');
    expect(await statuses()).toEqual(['0', '0']);
    await print(1302, 'H.e');
    expect(await statuses()).toEqual(['0', '1']);
  });

  it('the day has its own orders', async () => {
    const first = await started({ stateDir });
    await trade(first);
    await stop(first.simulator);
    const second = await started({ stateDir });
    second.time.advance(seconds(24 * 3_600));
    await second.alice.logIn();
    expect(rowsOf(await second.alice.inDay())).toEqual([]);
    expect(firstOf(await second.alice.positions())).toMatchObject({ net: -2 });
  });

  it('everything is forgotten when it starts fresh', async () => {
    const first = await started({ stateDir });
    await trade(first);
    await stop(first.simulator);
    const second = await started({ stateDir, fresh: true });
    expect(rowsOf(await second.alice.inDay())).toEqual([]);
    expect(rowsOf(await second.alice.positions())).toEqual([]);
    second.alice.token = first.alice.token;
    expect((await second.alice.inDay()).status).toBe(401);
  });

  it('the exchanges of the day are still counted', async () => {
    const auth = { ...DEFAULT_OPTIONS.auth, exchangesPerDayMax: 2 };
    const first = await started({ stateDir, auth });
    await stop(first.simulator);
    const second = await started({ stateDir, auth });
    await expect(second.alice.logIn()).rejects.toThrow('203035');
  });
});
