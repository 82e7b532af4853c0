/** What our client makes of the answers, row by row and field by field, against their documented meaning read by a bare client. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { ReadResult } from '../../../src/broker/rest/rest-caller.ts';
import type { Json } from './document/answer-check.ts';
import * as meanings from './document/meanings.ts';
import { rowsOf } from './support/bare-client.ts';
import { type ClientMarket, behindClient, openClientMarket, READ } from './support/client-market.ts';
import { openFullDay } from './support/full-day.ts';
import { ALICE, BOB, CAROL, MARGIN, NORMAL, rich } from './support/customers.ts';
import { placed, trade, withReadings } from './support/market.ts';

let market: ClientMarket;

/** The client asks for a hundred rows a page. */
const PAGE_AND_ONE = 101;

beforeAll(async () => {
  market = await behindClient(await openFullDay());
});

function valueOf<T>(result: ReadResult<T>): T {
  if (!result.ok) throw new Error(result.reason);
  return result.value;
}

const bare = async (name: string, values: Json = {}): Promise<Json[]> =>
  rowsOf(await market.alice.call(name, values));

describe('our client reads', () => {
  it('the in-day book, whatever the letters', async () => {
    const scan = await market.client.inDayBook(READ);
    const rows = await bare('in-day', { symbol: 'ALL,ALL' });
    expect(scan).toMatchObject({ complete: true, reason: '' });
    expect(scan.orders).toMatchObject(rows.map(meanings.normalOrder));
    const letters = new Set(rows.map(({ status, quote }) => [status, quote].join(' ')));
    expect([...letters].toSorted((a, b) => a.localeCompare(b))).toEqual(
      ['P G', 'P Y', 'PC G', 'PC Y', 'PM ', 'PMW G', 'PMWX Y', 'PW ', 'PWX '].toSorted((a, b) =>
        a.localeCompare(b),
      ),
    );
  });

  it('the conditional book, of each kind and status', async () => {
    const scan = await market.client.conditions.book(READ);
    const rows = await bare('conditions');
    expect(scan).toMatchObject({ complete: true, reason: '' });
    expect(scan.orders).toEqual(rows.map(meanings.conditionalOrder));
    expect(new Set(scan.orders.map(({ kind }) => kind))).toEqual(new Set(['stop', 'trailing_stop', 'exit']));
    expect(new Set(scan.orders.map(({ status }) => status))).toEqual(
      new Set(['pending', 'activated', 'canceled', 'rejected']),
    );
  });

  it('open positions', async () => {
    const positions = valueOf(await market.client.positions(READ));
    expect(positions).toEqual((await bare('positions')).map(meanings.openPosition));
    expect(positions).toHaveLength(1);
  });

  it('money and margin', async () => {
    const { json } = await market.alice.call('account-status');
    const account = valueOf(await market.client.account(READ));
    expect(account).toEqual(meanings.accountStatus(json['data'] as Json));
  });

  it('the price board', async () => {
    const quotes = valueOf(await market.client.quotes(READ));
    expect(quotes).toEqual((await bare('derivatives')).map(meanings.quote));
    expect(quotes.map(({ lastPrice }) => lastPrice)).toEqual([12_970, null, null, null]);
  });

  it('the contract list', async () => {
    const contracts = valueOf(await market.client.contracts(READ));
    expect(contracts).toEqual((await bare('contracts')).map(meanings.listed));
  });

  it('the sub-accounts', async () => {
    const { json } = await market.alice.call('profile');
    const rows = json['bankSubAccounts'] as Json[];
    expect(valueOf(await market.client.subAccounts(READ))).toEqual(rows.map(meanings.subAccount));
  });

  it('cash, of each account', async () => {
    for (const accountNo of [NORMAL, MARGIN, market.alice.subAccountId]) {
      const balances = valueOf(await market.client.accounts.cashBalance(accountNo, READ));
      expect(balances).toEqual((await bare('cash-balance', { accountNo })).map(meanings.cashBalance));
    }
  });

  it('shares, and loan packages', async () => {
    const { accounts } = market.client;
    expect(valueOf(await accounts.stockAssets(NORMAL, READ))).toEqual([
      { symbol: 'FPT', qty: 1_000, availableQty: 700, averagePrice: 98_500, marketValue: 101_200_000 },
    ]);
    expect(valueOf(await accounts.loanPackages(MARGIN, READ))).toEqual({
      packages: [{ id: 7, name: 'Margin Plus', code: 'MP7', subscriptionFee: 50_000, status: 'ACTIVE' }],
      tiered: [{ id: 3, name: 'T+3', firstRate: 0.1, status: 'ACTIVE' }],
    });
  });

  it('all that without anything to forgive', () => {
    expect(market.drift.all).toEqual([]);
  });
});

describe('our client scans', () => {
  it('closed positions, and their sums', async () => {
    const day = await openClientMarket();
    const { alice, bob, front, next, client } = day;
    for (const symbol of [front, next]) {
      await trade(day, symbol, 1_300, 2);
      await placed(bob, 'B', symbol, 1_305, 1);
      await placed(alice, 'S', symbol, 1_305, 1);
    }
    const [total, ...rows] = rowsOf(await alice.call('closed-positions'));
    const closed = valueOf(await client.accounts.closedPositions(null, READ));
    expect(closed.positions).toEqual(rows.map(meanings.closedPosition));
    const { fee, tax, closeVM, unrealize } = total ?? {};
    expect(closed.total).toEqual({ fee, tax, closedProfit: closeVM, openProfit: unrealize });
    const one = valueOf(await client.accounts.closedPositions(next, READ));
    expect(one.positions.map(({ orderCode }) => orderCode)).toEqual([next]);
    expect(day.drift.all).toEqual([]);
  });

  it('books over as many pages as they have, and misses nothing', async () => {
    const day = await openClientMarket({
      accounts: [{ ...ALICE, subAccounts: rich(ALICE.subAccounts) }, BOB, CAROL],
    });
    const { alice, front, client, relay } = day;
    const wish = { side: 'B', symbol: front, price: 1_300, volume: 1, orderType: 'SOL', soPrice: 1_310 };
    const all = Array.from({ length: PAGE_AND_ONE }, (_, i) => i + 1);
    await Promise.all(all.map(() => alice.call('condition-place', wish)));
    await Promise.all(all.map(() => placed(alice, 'B', front, 1_250, 1)));
    for (const scan of [await client.inDayBook(READ), await client.conditions.book(READ)]) {
      expect(scan).toMatchObject({ complete: true, reason: '' });
      expect(scan.orders.map(({ orderNo }) => Number(orderNo))).toEqual(all);
    }
    const pages = relay.exchanges.map(({ path, query }) => `${path.split('/').at(-1)} ${query['pageNo']}`);
    expect(pages).toEqual(['in-day 1', 'in-day 2', 'detail 1', 'detail 2']);
  });
});

describe('the other forms that the service may have', () => {
  it.each([
    ['numbers of the in-day book as texts', { inDayTypes: 'texts' }, ['in-day.volume', 'in-day.matchVolume']],
    ['a bare contract list', { contractList: 'bare' }, ['contracts']],
    ['a contract list of codes', { contractList: 'codes' }, []],
  ] as const)(
    '%s are read alike, and what the document does not have is counted',
    async (_what, readings, counted) => {
      const day = await openClientMarket(withReadings(readings));
      const { alice, front, client, simulator } = day;
      await placed(alice, 'B', front, 1_290, 2);
      expect((await client.inDayBook(READ)).orders).toMatchObject([
        { qty: 2, filledQty: 0, limitPrice: 12_900 },
      ]);
      expect(valueOf(await client.contracts(READ)).map(({ code }) => code)).toEqual(simulator.contracts);
      expect(day.drift.all.map(({ place }) => place)).toEqual(counted);
    },
  );
});
