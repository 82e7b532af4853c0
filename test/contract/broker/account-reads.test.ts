/** Profile, money and margin, positions open and closed, over bare HTTP, with figures anyone can check with a pencil. */
import { describe, expect, it } from 'vitest';
import { seconds } from '../../../src/domain/units.ts';
import type { Json } from './document/answer-check.ts';
import { type BareClient, firstRow, rowsOf } from './support/bare-client.ts';
import { ALICE, MARGIN, NORMAL } from './support/customers.ts';
import { type Market, openMarket, placed, trade } from './support/market.ts';

/** One point of one contract in VND, margin rate, and what a contract costs on each side (market rules, 6 and 7). */
const POINT = 100_000;
const RATE = 0.17;
const FEES = 2_700 + 2_550;
const taxOf = (points: number): number => points * POINT * 0.001 * (RATE / 2);
const marginOf = (points: number, contracts: number): number => points * POINT * RATE * contracts;
const CASH = 1_000_000_000;

async function statusOf(client: BareClient): Promise<Readonly<Record<string, number>>> {
  const { json } = await client.call('account-status');
  return json['data'] as Record<string, number>;
}

describe('the profile', () => {
  it('has the blocks that were asked for, and no others', async () => {
    const { alice } = await openMarket();
    for (const [fields, blocks] of [
      ['basicInfo,bankSubAccounts', ['basicInfo', 'bankSubAccounts']],
      ['bankSubAccounts, basicInfo', ['basicInfo', 'bankSubAccounts']],
      ['basicInfo', ['basicInfo']],
      ['bankSubAccounts', ['bankSubAccounts']],
      ['bankSubAccounts,other', ['bankSubAccounts']],
    ] as const) {
      expect(Object.keys((await alice.call('profile', { fields })).json), fields).toEqual(blocks);
    }
  });

  it('says who it is, and names the accounts that the other operations know', async () => {
    const { alice } = await openMarket();
    const { json } = await alice.call('profile');
    expect(json['basicInfo']).toMatchObject({ code105C: ALICE.custodyCode, status: 'ACTIVE' });
    const usual = { accountName: 'Alice', status: '1' };
    expect(json['bankSubAccounts']).toMatchObject([
      { ...usual, accountNo: NORMAL, accountType: 'NORMAL', isDefault: 'Y' },
      { ...usual, accountNo: MARGIN, accountType: 'MARGIN', isDefault: 'N' },
      { ...usual, accountNo: alice.subAccountId, accountType: 'DERIVATIVE', isDefault: 'N' },
    ]);
  });

  it('of another customer is not found', async () => {
    const { alice, bob } = await openMarket();
    const answer = await alice.call('profile', { custodyCode: bob.custodyCode });
    expect([answer.status, typeof answer.json['message']]).toEqual([404, 'string']);
  });
});

describe('money and margin', () => {
  it('of an account that holds nothing', async () => {
    const { alice } = await openMarket();
    const nothing = {
      im: 0,
      vm: 0,
      mr: 0,
      dm: 0,
      others: 0,
      tyle: '0',
      tax: 0,
      unrelizeVM: 0,
      tienbosung: 0,
    };
    const all = { cash: CASH, collateral: CASH, nav: CASH, assets: CASH, net: 'YES', vm_eod: '0', debt: '0' };
    const status = await statusOf(alice);
    expect(status).toMatchObject({
      ...nothing,
      ...all,
      avaiColla: CASH * 0.8,
      cashavaiwithdraw: CASH,
      cashWithdraw: CASH,
    });
  });

  it.each([
    // both hold two from 1300, the market is at the second price
    ['that wins', 1_310, 10],
    ['that loses', 1_290, -10],
    ['that does neither', 1_300, 0],
  ])('of an account %s', async (_what, last, moved) => {
    const market = await openMarket();
    const { alice, bob, carol, front } = market;
    await trade(market, front, 1_300, 2);
    await placed(bob, 'S', front, last, 1);
    await placed(carol, 'B', front, last, 1);
    const costs = 2 * (FEES + taxOf(1_300));
    const profit = 2 * moved * POINT;
    const required = marginOf(last, 2) + Math.max(0, -profit) + costs;
    const status = await statusOf(alice);
    expect(status).toMatchObject({
      cash: CASH,
      im: marginOf(last, 2),
      vm: profit,
      unrelizeVM: profit,
      others: costs,
      tax: 2 * taxOf(1_300),
      feeHNX: 2 * 2_700,
      feePos: 2 * 2_550,
      feeCTCK: 0,
      mr: required,
      nav: CASH + profit - costs,
      assets: CASH + profit - costs,
      avaiColla: CASH * 0.8 - required,
    });
  });

  it('keeps the identities of the notes whatever happens', async () => {
    const market = await openMarket();
    const { alice, bob, carol, front, next } = market;
    await trade(market, front, 1_300, 3);
    await trade(market, next, 1_310, 1);
    await placed(alice, 'S', front, 1_320, 2);
    await placed(bob, 'S', front, 1_288.5, 1);
    await placed(carol, 'B', front, 1_288.5, 1);
    for (const client of [alice, bob, carol]) {
      const s = await statusOf(client);
      const { im = NaN, vm = NaN, dm = NaN, mr = NaN, others = NaN, cash = NaN, feeMan = NaN } = s;
      expect(mr).toBe(im + Math.max(0, -vm) + dm + others);
      // A percentage with two decimals, never rounded in the customer's favour.
      const tyle = (mr / (s['collateral'] ?? NaN)) * 100;
      expect(Number(s['tyle'])).toBe(Math.ceil(Number((tyle * 100).toFixed(6))) / 100);
      expect([s['nav'], s['assets']]).toEqual([cash + vm - others - feeMan, cash + vm - others - feeMan]);
      expect(others).toBe((s['tax'] ?? 0) + (s['feeCTCK'] ?? 0) + (s['feeHNX'] ?? 0) + (s['feePos'] ?? 0));
    }
  });

  it('of money alone is asked for with getType 1', async () => {
    const { alice } = await openMarket();
    const all = await alice.call('account-status', { getType: '0' });
    const alone = await alice.call('account-status', { getType: '1' });
    expect(alone.json).toMatchObject({ rc: '1', data: { cash: CASH } });
    const { vm: _vm, tyle: _tyle, ...rest } = all.json['data'] as Json;
    const fields = Object.keys(alone.json['data'] as Json);
    expect(fields).toEqual(Object.keys(rest).filter((key) => fields.includes(key)));
    expect(fields).not.toContain('mr');
  });

  it('warns by colour and says what is missing beyond the warning ratio', async () => {
    const market = await openMarket();
    const { bob, carol, front } = market;
    await placed(bob, 'S', front, 1_300, 1);
    await placed(carol, 'B', front, 1_300, 1);
    expect(await statusOf(carol)).toMatchObject({ color: 'GREEN', tienbosung: 0 });
    await trade(market, front, 1_240, 1);
    const { mr = 0, tienbosung, color } = await statusOf(carol);
    expect([color, tienbosung]).toEqual(['RED', Math.ceil(mr / 0.9) - 30_000_000]);
  });
});

describe('open positions', () => {
  it.each([
    ['alice', 'L', 1],
    ['bob', 'S', -1],
  ] as const)('of %s, who is %s', async (name, side, sign) => {
    const market = await openMarket();
    const { front } = market;
    await trade(market, front, 1_300, 1);
    await trade(market, front, 1_301, 2);
    await placed(market[name], sign > 0 ? 'S' : 'B', front, sign > 0 ? 1_330 : 1_270, 1);
    const row = firstRow(await market[name].call('positions'));
    const profit = sign * (1_301 * 3 - 1_300 - 2 * 1_301) * POINT;
    const [account, wapb, wasp] = sign > 0 ? ['ALICE1A', 1_300.6667, 0] : ['BOBBY1A', 0, 1_300.6667];
    expect(row).toMatchObject({
      symbol: front,
      net: 3 * sign,
      side,
      receive: sign > 0 ? 3 : 0,
      deliver: sign > 0 ? 0 : 3,
      im: '0.17',
      lastPrice: 1_301,
      imValue: marginOf(1_301, 3),
      vmValue: profit,
      vm_remain: profit,
      mrValue: marginOf(1_301, 3) + Math.max(0, -profit),
      avg_remain: 1_300.6667,
      wapb,
      wasp,
      account,
      netoffvol: 2,
      duedate: '19/03/2026',
      pc_remain: ((profit * 100) / (3_902 * POINT)).toFixed(2),
    });
  });

  it('are as many rows as contracts, and none of what is closed', async () => {
    const market = await openMarket();
    const { alice, bob, front, next } = market;
    await trade(market, front, 1_300, 1);
    await trade(market, next, 1_310, 2);
    expect(rowsOf(await alice.call('positions')).map(({ symbol, net }) => [symbol, net])).toEqual([
      [front, 1],
      [next, 2],
    ]);
    await placed(bob, 'B', front, 1_305, 1);
    await placed(alice, 'S', front, 1_305, 1);
    expect(rowsOf(await alice.call('positions')).map(({ symbol }) => symbol)).toEqual([next]);
  });
});

/** Alice was long one, closed at a gain; sold two short in the next month and bought one back at a loss. */
async function closedDay(): Promise<Market> {
  const market = await openMarket();
  const { alice, bob, front, next } = market;
  await trade(market, front, 1_300, 1);
  await placed(bob, 'B', front, 1_310, 1);
  await placed(alice, 'S', front, 1_310, 1);
  await placed(bob, 'B', next, 1_320, 2);
  await placed(alice, 'S', next, 1_320, 2);
  await placed(bob, 'S', next, 1_324, 1);
  await placed(alice, 'B', next, 1_324, 1);
  return market;
}

describe('closed positions', () => {
  const LONG = {
    side: 'B',
    openPrice: 1_300,
    closePrice: 1_310,
    closePosition: '1/1',
    fee: 2 * FEES,
    tax: taxOf(1_300) + taxOf(1_310),
    closeVM: 10 * POINT,
    unrealize: 0,
    closePC: 0.77,
    time: '10:00:00',
  };
  const SHORT = { side: 'S', openPrice: 1_320, closePrice: 1_324, closePosition: '1/2', closeVM: -4 * POINT };

  it('are a row for each contract and direction, after one with the sums', async () => {
    const { alice, front, next } = await closedDay();
    const [total, ...rows] = rowsOf(await alice.call('closed-positions'));
    expect(rows).toMatchObject([
      { ...LONG, symbol: front },
      { ...SHORT, symbol: next, unrealize: -4 * POINT },
    ]);
    const sum = (name: string): number => rows.reduce((all, row) => all + Number(row[name]), 0);
    expect(total).toMatchObject({ symbol: 'TOTAL', closePosition: 0, closeVM: 6 * POINT });
    for (const name of ['fee', 'tax', 'closeVM', 'unrealize']) expect(total?.[name], name).toBe(sum(name));
  });

  it('are asked for by contract, and page by page: the sums are on the first', async () => {
    const { alice, front, next } = await closedDay();
    const symbols = async (values: Json): Promise<unknown[]> =>
      rowsOf(await alice.call('closed-positions', values)).map(({ symbol }) => symbol);
    expect(await symbols({ symbol: front })).toEqual(['TOTAL', front]);
    expect(await symbols({ pageSize: '1' })).toEqual(['TOTAL', front]);
    expect(await symbols({ pageSize: '1', pageNo: '2' })).toEqual([next]);
    expect(await symbols({ pageSize: '1', pageNo: '3' })).toEqual([]);
  });

  it('agree with the account: what was won, less what it cost', async () => {
    const { alice } = await closedDay();
    const [total] = rowsOf(await alice.call('closed-positions'));
    const { vm, nav, others } = await statusOf(alice);
    expect(vm).toBe(Number(total?.['closeVM']) + Number(total?.['unrealize']));
    expect(nav).toBe(CASH + (vm ?? 0) - (others ?? 0));
  });

  it('are an empty list where nothing was closed', async () => {
    const { alice } = await openMarket();
    expect((await alice.call('closed-positions')).json).toMatchObject({ rc: '1', data: [] });
  });

  it.each([{ pageNo: '0' }, { pageSize: '0' }, { pageNo: 'one' }])('refuse %j', async (page) => {
    const { alice } = await openMarket();
    expect((await alice.call('closed-positions', page)).json).toMatchObject({ rc: '-6000', data: [] });
  });
});

describe('a forced close', () => {
  it('takes the orders back and closes what has no margin: the broker’s own order, seen as such', async () => {
    const market = await openMarket();
    const { bob, carol, front, time } = market;
    await carol.call('withdraw', { amount: 2_000_000 });
    await placed(bob, 'S', front, 1_300, 1);
    await placed(carol, 'B', front, 1_300, 1);
    const own = await placed(carol, 'S', front, 1_390, 1);
    await placed(bob, 'B', front, 1_215, 1);
    await trade(market, front, 1_216, 1);
    time.advance(seconds(3));
    const rows = rowsOf(await carol.call('in-day'));
    const forced = { side: 'S', volume: 1, matchVolume: 1, source: 'FORCE', orderType: 'F', refId: '' };
    expect(rows).toMatchObject([
      { status: 'PM' },
      { orderNo: own, status: 'PWX' },
      { ...forced, status: 'PM' },
    ]);
    const filtered = rowsOf(await carol.call('in-day', { orderType: '5' }));
    expect(filtered).toMatchObject([forced]);
    expect(rowsOf(await carol.call('positions'))).toEqual([]);
    const [, closed] = rowsOf(await carol.call('closed-positions'));
    expect(closed).toMatchObject({ openPrice: 1_300, closePrice: 1_215, closeVM: -85 * POINT });
  });
});
