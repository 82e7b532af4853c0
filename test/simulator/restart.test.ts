import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { seconds } from '../../src/domain/units.ts';
import { DEFAULT_OPTIONS } from '../../src/simulator/default-options.ts';
import { started, stop } from './support/started.ts';
import { firstOf, orderNoOf, rowsOf, type Stranger } from './support/stranger.ts';

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
  };
}

async function trade({ alice, bob, front }: Awaited<ReturnType<typeof started>>): Promise<void> {
  await alice.place({ side: 'S', symbol: front, price: 1300.5, volume: 5, refId: 'H.1' });
  await bob.place({ side: 'B', symbol: front, price: 1300.5, volume: 2, refId: 'H.1' });
  await alice.place({ side: 'B', symbol: front, price: 1298, volume: 1, refId: 'H.2' });
}

describe('after a restart', () => {
  it('by kill -9, the account is what it was: money, orders, positions, prices, and the token still works', async () => {
    const first = await started({ stateDir });
    await trade(first);
    const before = await everything(first.alice);
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
