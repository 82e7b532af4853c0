/** Cash, shares, orders of stock and loan packages, over bare HTTP: what one operation moves, the others show. */
import { describe, expect, it } from 'vitest';
import { minutes } from '../../../src/domain/units.ts';
import type { Json } from './document/answer-check.ts';
import { operationNamed } from './document/operations.ts';
import { type BareClient, firstRow, rowsOf, type Values } from './support/bare-client.ts';
import { MARGIN, NORMAL } from './support/customers.ts';
import { openMarket, placed } from './support/market.ts';
import { verdictOf } from './support/verdict.ts';

const MILLION = 1_000_000;
const DERIVATIVE = '105CALICE1A';

interface Cash {
  readonly normal: Json;
  readonly margin: Json;
  readonly derivative: Json;
  readonly status: Json;
}

async function cashOf(client: BareClient): Promise<Cash> {
  const row = async (accountNo: string) => firstRow(await client.call('cash-balance', { accountNo }));
  const { json } = await client.call('account-status');
  const [normal, margin, derivative] = [await row(NORMAL), await row(MARGIN), await row(DERIVATIVE)];
  return { normal, margin, derivative, status: json['data'] as Json };
}

const balances = ({ normal, margin, derivative }: Cash): number[] =>
  [normal, margin, derivative].map((row) => Number(row['cashBalance']));

const from = (sourceAccountNumber: string, destinationAccountNumber: string, amount: unknown): Values => ({
  sourceAccountNumber,
  destinationAccountNumber,
  amount,
  description: 'between my own',
});

describe('money that moves', () => {
  it.each<[string, Values, number[]]>([
    ['deposit', { amount: 5 * MILLION }, [-5, 0, 5]],
    ['withdraw', { amount: 7 * MILLION }, [7, 0, -7]],
    ['transfer', from(NORMAL, MARGIN, 3 * MILLION), [-3, 3, 0]],
    ['transfer', from(MARGIN, NORMAL, 3 * MILLION), [3, -3, 0]],
    ['transfer', from(NORMAL, DERIVATIVE, 4 * MILLION), [-4, 0, 4]],
    ['transfer', from(DERIVATIVE, MARGIN, 4 * MILLION), [0, 4, -4]],
  ])('by %s %j shows up everywhere', async (name, values, moved) => {
    const { alice } = await openMarket();
    const before = await cashOf(alice);
    expect(verdictOf(operationNamed(name), await alice.call(name, values))).toBe('accepted');
    const after = await cashOf(alice);
    const [normal = 0, margin = 0, derivative = 0] = balances(before);
    const [toNormal = 0, toMargin = 0, toDerivative = 0] = moved.map((millions) => millions * MILLION);
    expect(balances(after)).toEqual([normal + toNormal, margin + toMargin, derivative + toDerivative]);
    const cash = derivative + toDerivative;
    const usable = { avaiColla: cash * 0.8, cashavaiwithdraw: cash };
    expect(after.status).toMatchObject({ cash, collateral: cash, nav: cash, assets: cash, ...usable });
    expect(after.derivative).toMatchObject({ cashBalance: cash, balance: cash, avlWithdraw: cash });
    // What the day began with does not move.
    expect([after.normal, after.derivative].map((row) => row['bodBalance'])).toEqual([normal, derivative]);
  });

  it('buys more, or less, than before', async () => {
    const { alice, front } = await openMarket();
    const wish = { side: 'B', symbol: front, price: 1_300, volume: 40, orderType: '0' };
    expect((await alice.call('place', wish)).json['rc']).toBe('-6012');
    await alice.call('deposit', { amount: 500 * MILLION });
    expect((await alice.call('place', wish)).json['rc']).toBe('1');
  });

  it('has a transaction of its own each time', async () => {
    const { alice } = await openMarket();
    const ids = new Set<unknown>();
    for (let i = 0; i < 3; i += 1) {
      const answer = await alice.call('deposit', { amount: 1_000 });
      ids.add(firstRow(answer)['transactionId']);
      const { json } = await alice.call('withdraw', { amount: 1_000 });
      expect(json).toMatchObject({ rc: '1', data: [] });
      ids.add(json['oID']);
    }
    expect(ids.size).toBe(6);
  });

  it('becomes what the next day begins with', async () => {
    const { alice, time } = await openMarket();
    await alice.call('deposit', { amount: MILLION });
    time.jump(minutes(24 * 60));
    await alice.logIn();
    const { normal, derivative } = await cashOf(alice);
    expect([normal['bodBalance'], derivative['bodBalance']]).toEqual([899 * MILLION, 1_001 * MILLION]);
  });
});

describe('a move of money', () => {
  const AMOUNTS: readonly (readonly [unknown, string])[] = [
    [0, '-6019'],
    [-1, '-6019'],
    [1.5, '-6019'],
    [1e20, '-6019'],
    ['much', '-6000'],
    [2_000 * MILLION, '-6012'],
  ];
  it.each(
    AMOUNTS.flatMap(([amount, code]) =>
      (['deposit', 'withdraw', 'transfer'] as const).map((name) => [name, amount, code] as const),
    ),
  )('%s of %s is refused with %s, and nothing moves', async (name, amount, code) => {
    const { alice } = await openMarket();
    const before = await cashOf(alice);
    const values = name === 'transfer' ? from(NORMAL, DERIVATIVE, amount) : { amount };
    expect(verdictOf(operationNamed(name), await alice.call(name, values))).toBe(`refused ${code}`);
    expect(await cashOf(alice)).toEqual(before);
  });

  it.each<[string, Values]>([
    ['to itself', from(NORMAL, NORMAL, 1)],
    ['to somebody else', from(NORMAL, '105CBOBBY1A', 1)],
    ['from somebody else', from('105CBOBBY1A', NORMAL, 1)],
    ['to nobody', from(NORMAL, 'X', 1)],
  ])('%s is refused', async (_what, values) => {
    const { alice } = await openMarket();
    const before = await cashOf(alice);
    expect(verdictOf(operationNamed('transfer'), await alice.call('transfer', values))).toBe('refused -6001');
    expect(await cashOf(alice)).toEqual(before);
  });

  it('never takes what margin holds', async () => {
    const { alice, bob, front } = await openMarket();
    await placed(bob, 'S', front, 1_300, 10);
    await placed(alice, 'B', front, 1_300, 10);
    const may = Number((await cashOf(alice)).status['cashavaiwithdraw']);
    // Margin and costs of ten, over the ratio at which entries stop.
    const held = 10 * (1_300 * 100_000 * 0.17 + 5_250 + 11_050);
    expect(may).toBe(1_000 * MILLION - Math.ceil(held / 0.8));
    expect((await alice.call('withdraw', { amount: may + 1 })).json['rc']).toBe('-6012');
    expect((await alice.call('withdraw', { amount: may })).json['rc']).toBe('1');
    expect((await cashOf(alice)).status).toMatchObject({ cashavaiwithdraw: 0 });
  });

  it('never takes what waiting orders of stock hold', async () => {
    const { alice } = await openMarket();
    // S1 buys 100 shares for 60,000 each.
    expect((await cashOf(alice)).normal).toMatchObject({
      cashBalance: 900 * MILLION,
      blockAmount: 6 * MILLION,
      buyingAmount: 6 * MILLION,
      avlWithdraw: 894 * MILLION,
      pp0: 894 * MILLION,
    });
    expect((await alice.call('deposit', { amount: 894 * MILLION + 1 })).json['rc']).toBe('-6012');
    await alice.call('cancel-stock-orders', { accountNo: NORMAL, ordersList: [{ orderID: 'S1' }] });
    expect((await alice.call('deposit', { amount: 900 * MILLION })).json['rc']).toBe('1');
  });
});

const cancel = (client: BareClient, ordersList: unknown, accountNo = NORMAL) =>
  client.call('cancel-stock-orders', { accountNo, ordersList });

describe('the stock side', () => {
  it('shows shares in the form of the document and in the one that was seen live', async () => {
    const { alice } = await openMarket();
    const { json } = await alice.call('stock-assets', { accountNo: NORMAL });
    expect(json).toEqual({
      assets: [{ symbol: 'FPT', quantity: 1_000, avgPrice: 98_500, marketValue: 101_200_000 }],
      stock: [
        { symbol: 'FPT', availableTrading: 700, totalQtty: 1_000, costPrice: 98_500, currentPrice: 101_200 },
      ],
    });
    expect((await alice.call('stock-assets', { accountNo: MARGIN })).json).toEqual({ assets: [], stock: [] });
  });

  it('frees what a canceled order held, shares and cash', async () => {
    const { alice } = await openMarket();
    const { json } = await cancel(alice, [{ orderID: 'S1' }, { orderID: 'S2' }]);
    expect(json).toMatchObject({ error: '0', data: [{ details: [{ orderID: 'S1' }, { orderID: 'S2' }] }] });
    const taken = { deleted: '1', errorCode: '0', errorMesage: 'Success' };
    expect(json).toMatchObject({ totalCount: 2, pageIndex: 1, data: [{ details: [taken, taken] }] });
    const shares = await alice.call('stock-assets', { accountNo: NORMAL });
    expect(shares.json['stock']).toMatchObject([{ availableTrading: 1_000 }]);
    expect((await cashOf(alice)).normal).toMatchObject({ blockAmount: 0, avlWithdraw: 900 * MILLION });
  });

  it.each<[string, unknown, string?]>([
    ['an order that nobody placed', [{ orderID: 'S9' }]],
    ['one that waits and one that does not', [{ orderID: 'S1' }, { orderID: 'S9' }]],
    ['no order', []],
    ['an order of another account', [{ orderID: 'S1' }], MARGIN],
    ['something else than a list', { orderID: 'S1' }],
  ])('refuses to cancel %s, and cancels nothing', async (_what, list, accountNo) => {
    const { alice } = await openMarket();
    const answer = await cancel(alice, list, accountNo);
    expect(verdictOf(operationNamed('cancel-stock-orders'), answer)).toMatch(/^refused /);
    expect((await cashOf(alice)).normal).toMatchObject({ blockAmount: 6 * MILLION });
  });

  it('cancels an order once, and takes bare ids too', async () => {
    const { alice } = await openMarket();
    expect((await cancel(alice, ['S1'])).json['error']).toBe('0');
    expect((await cancel(alice, ['S1'])).json['error']).toMatch(/^-/);
  });

  it.each(['stock-assets', 'cash-balance', 'loan-packages'])('has no %s of somebody else', async (name) => {
    const { alice, bob } = await openMarket();
    const own = name === 'loan-packages' ? MARGIN : NORMAL;
    expect((await alice.call(name, { accountNo: own })).status).toBe(200);
    expect((await bob.call(name, { accountNo: own })).status).toBe(404);
    expect((await alice.call(name, { accountNo: 'X' })).status).toBe(404);
  });

  it('counts its rows of cash', async () => {
    const { alice } = await openMarket();
    const answer = await alice.call('cash-balance', { accountNo: MARGIN });
    expect(answer.json).toMatchObject({ totalCount: 1, pageSize: 1, pageIndex: 1 });
    expect(rowsOf(answer)).toMatchObject([
      { accountNo: MARGIN, custodyID: '105CALICE1', fullName: 'Alice', cashBalance: 50 * MILLION },
    ]);
  });

  it('lists loan packages of a margin account, and of no other', async () => {
    const { alice, bob } = await openMarket();
    const { json } = await alice.call('loan-packages', { accountNo: MARGIN });
    expect(json).toEqual({
      marginSureViews: [
        { id: 7, name: 'Margin Plus', code: 'MP7', subscriptionFee: 50_000, status: 'ACTIVE' },
      ],
      tplus: { data: [{ id: 3, name: 'T+3', firstRate: 0.1, status: 'ACTIVE' }] },
    });
    const empty = await bob.call('loan-packages', { accountNo: '0002BOBBY1' });
    expect(empty.json).toEqual({ marginSureViews: [], tplus: { data: [] } });
    expect((await alice.call('loan-packages', { accountNo: NORMAL })).status).toBe(404);
  });
});
