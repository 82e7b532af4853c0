import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { envelope, RestWorld } from '../support/rest-world.ts';

const READ = { priority: 'background' } as const;

let world: RestWorld;

beforeEach(async () => {
  world = await RestWorld.start();
});

afterEach(() => world.close());

const row = (i: number): object => ({ symbol: `VN30F${i}`, side: 'B', closeVM: i, closePosition: '1/1' });

describe('closed positions', () => {
  const TOTAL = { symbol: 'TOTAL', closePosition: 0, closeVM: 77, fee: 1, tax: 2, unrealize: 3 };

  it('are scanned to their end; the total is on the first page', async () => {
    world.server.handle((exchange) => {
      const page = Number(exchange.url.searchParams.get('pageNo'));
      const rows = Array.from({ length: page === 1 ? 100 : 2 }, (_, i) => row(page * 1000 + i));
      exchange.reply(200, envelope(page === 1 ? [TOTAL, ...rows] : rows));
    });
    const read = await world.rest.accounts.closedPositions(null, READ);
    expect(read).toMatchObject({
      ok: true,
      value: { total: { fee: 1, tax: 2, closedProfit: 77, openProfit: 3 } },
    });
    expect(read.ok && read.value.positions.map(({ closedProfit }) => closedProfit)).toHaveLength(102);
    expect(world.server.exchanges.map(({ url }) => Object.fromEntries(url.searchParams))).toMatchObject([
      { accountId: '105C000001', subAccountId: '105C000001A', symbol: '', pageNo: '1', pageSize: '100' },
      { pageNo: '2' },
    ]);
  });

  it('are all there or none', async () => {
    world.server.handle((exchange) => {
      const isFirst = exchange.url.searchParams.get('pageNo') === '1';
      const rows = Array.from({ length: 5 }, (_, i) => row(i));
      exchange.reply(200, isFirst ? envelope(rows) : envelope([], '-1', 'no'));
    });
    const read = await world.rest.accounts.closedPositions(null, READ);
    expect(read).toMatchObject({ ok: false });
    expect(!read.ok && read.reason).toContain('page 2');
  });
});
