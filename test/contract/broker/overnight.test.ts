/** From one day to the next, over bare HTTP: settlement, the next day's prices, expiry in cash (market rules, 5 and 6). */
import { describe, expect, it } from 'vitest';
import { seconds } from '../../../src/domain/units.ts';
import type { Json } from './document/answer-check.ts';
import { type BareClient, firstRow, rowsOf } from './support/bare-client.ts';
import { type Market, openMarketAt, placed, trade } from './support/market.ts';

const POINT = 100_000;
const CASH = 1_000_000_000;
const FEES = 5_250;
const taxOf = (points: number): number => points * POINT * 0.001 * 0.085;

async function statusOf(client: BareClient): Promise<Readonly<Record<string, number>>> {
  return (await client.call('account-status')).json['data'] as Record<string, number>;
}

/** Alice buys two from Bob at 1300; the closing auction has its price at 1310, and then it is the next morning. */
async function nextMorning(day: string): Promise<Market> {
  const market = await openMarketAt(`${day} 14:29:00`);
  const { alice, bob, carol, front, time } = market;
  await trade(market, front, 1_300, 2);
  time.advance(seconds(120));
  await placed(bob, 'S', front, 1_310, 1);
  await placed(carol, 'B', front, 1_310, 1);
  time.advance(seconds(18 * 3_600 + 35 * 60));
  for (const client of [alice, bob, carol]) await client.logIn();
  return market;
}

describe('the next day', () => {
  it('begins at the settlement price: its band is rounded inwards', async () => {
    const { alice, front } = await nextMorning('2026-03-04');
    const [row] = rowsOf(await alice.call('derivatives'));
    const band = { ceilPrice: 1_401.7, floorPrice: 1_218.3 };
    expect(row).toMatchObject({ symbol: front, refPrice: 1_310, ...band, totalVol: 0, matchPrice: 0 });
  });

  it('has the profit in cash, and the costs taken: the account begins at nothing', async () => {
    const { alice, bob, carol } = await nextMorning('2026-03-04');
    const nothing = { vm: 0, others: 0, tax: 0, feeHNX: 0, feePos: 0 };
    const won = CASH + 20 * POINT - 2 * (FEES + taxOf(1_300));
    expect(await statusOf(alice)).toMatchObject({ ...nothing, cash: won, nav: won, im: 2 * 1_310 * 17_000 });
    const lost = CASH - 20 * POINT - 2 * (FEES + taxOf(1_300)) - (FEES + taxOf(1_310));
    expect(await statusOf(bob)).toMatchObject({ ...nothing, cash: lost, nav: lost });
    const paid = 30_000_000 - FEES - taxOf(1_310);
    expect(await statusOf(carol)).toMatchObject({ ...nothing, cash: paid, nav: paid });
  });

  it('carries the positions, counts what moves from there, and shows empty books', async () => {
    const market = await nextMorning('2026-03-04');
    const { alice, bob, carol, front } = market;
    const names = ['in-day', 'conditions', 'closed-positions'];
    const books = await Promise.all(
      names.map((name) => alice.call(name, { symbol: name === 'in-day' ? 'ALL,ALL' : '' })),
    );
    expect(books.map((answer) => rowsOf(answer).filter(({ symbol }) => symbol !== 'TOTAL').length)).toEqual([
      0, 0, 0,
    ]);
    await placed(bob, 'B', front, 1_305, 1);
    await placed(carol, 'S', front, 1_305, 1);
    const row = firstRow(await alice.call('positions'));
    expect(row).toMatchObject({ symbol: front, net: 2, lastPrice: 1_305, vmValue: -10 * POINT, wapb: 0 });
    expect(await statusOf(alice)).toMatchObject({ vm: -10 * POINT, mr: 2 * 1_305 * 17_000 + 10 * POINT });
  });
});

describe('the last day of a contract', () => {
  it('ends its positions in cash, for what one loses another wins, and its code is gone', async () => {
    const { alice, bob, carol, front, next } = await nextMorning('2026-03-19');
    const clients = [alice, bob, carol];
    for (const client of clients) {
      const [positions, book] = [await client.call('positions'), await client.call('derivatives')];
      expect(rowsOf(positions)).toEqual([]);
      expect(rowsOf(book).map(({ symbol }: Json) => symbol)).not.toContain(front);
      expect(rowsOf(book)[0]).toMatchObject({ symbol: next });
      expect(await statusOf(client)).toMatchObject({ im: 0, vm: 0, others: 0, mr: 0, tyle: '0' });
    }
    const statuses = await Promise.all(clients.map(statusOf));
    const cash = statuses.reduce((sum, status) => sum + (status['cash'] ?? NaN), 0);
    // Only fees and taxes have left: of the trades, and of the settlement, tax at its price alone.
    const lostToCosts = 2 * CASH + 30_000_000 - cash;
    const ofTrades = 4 * (FEES + taxOf(1_300)) + 2 * (FEES + taxOf(1_310));
    const settled = (lostToCosts - ofTrades) / 6;
    expect(settled).toBeGreaterThan(taxOf(1_200));
    expect(settled).toBeLessThan(taxOf(1_400) + FEES);
  });
});
