/** What our client sends, operation by operation, held against the document: names, places, JSON types, constants, header. */
import { beforeAll, describe, expect, it } from 'vitest';
import { DOCUMENTED, operationNamed } from './document/operations.ts';
import { type Exchange, isOf, requestDeviations } from './document/request-check.ts';
import { clientDay } from './support/client-day.ts';
import type { ClientMarket } from './support/client-market.ts';
import { ALICE, MARGIN, NORMAL } from './support/customers.ts';

let day: ClientMarket;

beforeAll(async () => {
  day = await clientDay();
});

const exchangesOf = (name: string): Exchange[] =>
  day.relay.exchanges.filter((exchange) => isOf(operationNamed(name), exchange));

describe('the client', () => {
  it.each(DOCUMENTED)('sends $name as the document has it, and it is accepted', (operation) => {
    const exchanges = exchangesOf(operation.name);
    expect(exchanges.length).toBeGreaterThan(0);
    expect(exchanges.flatMap((exchange) => requestDeviations(operation, exchange))).toEqual([]);
    const { verdict } = operation;
    for (const { status, answer } of exchanges) {
      expect([status, verdict === null ? undefined : answer[verdict.key]]).toEqual([200, verdict?.success]);
    }
  });

  it('sends nothing that is not in the document', () => {
    const strange = day.relay.exchanges.filter(
      (exchange) => !DOCUMENTED.some((operation) => isOf(operation, exchange)),
    );
    expect(strange).toEqual([]);
  });

  it('has nothing to forgive in the answers: each is as the contract has it', () => {
    expect(day.drift.all).toEqual([]);
  });
});

const accountId = ALICE.custodyCode;
const subAccountId = `${accountId}A`;

/** The bodies of an operation, in order; ids that differ from run to run as their kind. */
const bodiesOf = (name: string) =>
  exchangesOf(name).map(({ body }) =>
    Object.fromEntries(
      Object.entries(body ?? {}).map(([key, value]) => [
        key,
        ['orderNo', 'pkOrderNo', 'refId', 'otpId'].includes(key) && typeof value === 'string'
          ? `a ${key}`
          : value,
      ]),
    ),
  );

describe('the values', () => {
  const order = { accountId, subAccountId, side: 'B', refId: 'a refId' };
  const wait = { accountId, subAccountId, side: 'S', price: 1_279, volume: 1, refId: 'a refId' };
  const unused = { callbackPoint: 0, activationPrice: 0 };

  it.each<[string, (market: ClientMarket) => object[]]>([
    ['request-otp', () => [{ apiKey: ALICE.apiKey }]],
    [
      'token',
      () => [
        { apiKey: ALICE.apiKey, otp: ALICE.otp, otpId: 'a otpId' },
        { apiKey: ALICE.apiKey, otp: ALICE.otp },
      ],
    ],
    [
      'place',
      ({ front, next }) => [
        { ...order, symbol: front, price: 1_290.5, volume: 2, orderType: '0' },
        { ...order, symbol: front, price: 1_289, volume: 1, orderType: 'SLP=9.0,21.5' },
        { ...order, side: 'S', symbol: front, price: 1_320, volume: 1, orderType: `ABI=${next}` },
      ],
    ],
    [
      'change',
      () => [{ accountId, subAccountId, orderNo: 'a orderNo', refId: 'a refId', nvol: 2, nprice: 1_290 }],
    ],
    [
      'cancel',
      () => [
        { accountId, orderNo: 'a orderNo', cmd: 'Web.cancelOrder', pin: 'F', refId: 'a refId' },
        { accountId, orderNo: 'a orderNo', cmd: 'Web.cancelOrder', pin: 'F' },
      ],
    ],
    [
      'condition-place',
      ({ front }) => [
        { ...wait, ...unused, symbol: front, orderType: 'SOL', soPrice: 1_280.1 },
        { ...wait, ...unused, symbol: front, orderType: 'SOU', soPrice: 1_280.1 },
        {
          ...wait,
          symbol: front,
          orderType: 'TSO',
          soPrice: 1_310,
          activationPrice: 1_310,
          callbackPoint: 2.5,
        },
      ],
    ],
    [
      'condition-change',
      () =>
        [0, 1, 2].map(() => ({
          accountId,
          pkOrderNo: 'a pkOrderNo',
          refId: 'a refId',
          soPrice: 1_300.2,
          type: '',
          cmd: 'Web.Order.ChangeCondition',
        })),
    ],
    ['condition-cancel', () => [0, 1, 2].map(() => ({ accountId, orderNo: 'a orderNo', subAccountId }))],
    ['deposit', () => [{ accountId, subAccountId, amount: 2_000, paymentContent: 'margin' }]],
    ['withdraw', () => [{ accountId, subAccountId, amount: 1_000, paymentContent: '' }]],
    [
      'transfer',
      () => [
        {
          sourceAccountNumber: NORMAL,
          destinationAccountNumber: MARGIN,
          amount: 500,
          description: 'between my own',
        },
      ],
    ],
    ['cancel-stock-orders', () => [{ ordersList: [{ orderID: 'S1' }, { orderID: 'S2' }] }]],
  ])('of %s', (name, expected) => {
    expect(bodiesOf(name)).toEqual(expected(day));
  });

  const page = { accountId, pageNo: '1', pageSize: '100' };
  it.each<[string, (market: ClientMarket) => object[]]>([
    ['in-day', () => [{ ...page, symbol: 'ALL,ALL', orderType: '', status: '0' }]],
    [
      'conditions',
      () => [
        {
          accountId,
          subAccountID: subAccountId,
          pageNo: '1',
          PageSize: '100',
          orderStatus: '0',
          orderType: '',
          Symbol: 'ALL,ALL',
        },
      ],
    ],
    ['positions', () => [{ accountId, subAccountId }]],
    ['account-status', () => [{ accountId, subAccountId, getType: '0' }]],
    [
      'closed-positions',
      ({ front }) => [
        { ...page, subAccountId, symbol: '' },
        { ...page, subAccountId, symbol: front },
      ],
    ],
    ['profile', () => [{ fields: 'basicInfo,bankSubAccounts' }]],
    ['derivatives', () => [{}]],
    ['contracts', () => [{}]],
    ['stock-assets', () => [{}]],
    ['cash-balance', () => [{}]],
    ['loan-packages', () => [{}]],
  ])('asked for with %s', (name, expected) => {
    expect(exchangesOf(name).map(({ query }) => query)).toEqual(expected(day));
  });

  it.each([
    ['profile', `/eros/v2/get-profile/by-username/${accountId}`],
    ['stock-assets', `/aion/v1/accounts/${NORMAL}/se`],
    ['cancel-stock-orders', `/akhlys/v1/accounts/${NORMAL}/cancel-orders`],
    ['cash-balance', `/aion/v1/accounts/${NORMAL}/cashInvestments`],
    ['loan-packages', `/campaign-management/v1/margin/subscription/${MARGIN}/addons/detail`],
  ])('in the path of %s', (name, path) => {
    expect(exchangesOf(name).map((exchange) => exchange.path)).toEqual([path]);
  });
});
