/** What our client makes of every way an answer can fail (contract, 7; rulings, 7), against the service itself. */
import { describe, expect, it } from 'vitest';
import { money, qty, seconds } from '../../../src/domain/units.ts';
import { brokerOrderKey, brokerOrderNo, orderCode } from '../../../src/domain/ids.ts';
import {
  type ClientMarket,
  MOVE,
  newCallId,
  openClientMarket,
  READ,
  SEND,
  ticksOf,
  wishOf,
} from './support/client-market.ts';
import { MARGIN, NORMAL } from './support/customers.ts';
import { rowsOf } from './support/bare-client.ts';
import { withAuth } from './support/market.ts';

type Call = (market: ClientMarket) => Promise<object>;

const place: Call = ({ client, front }) => client.place(wishOf('buy', front, 1_290, 1), SEND);
const ref = { orderNo: brokerOrderNo('99'), orderKey: brokerOrderKey('9999999') };
const at = ({ front }: ClientMarket) => ({ callId: newCallId(), orderCode: orderCode(front), qty: qty(1) });

/** Each call that moves something, in a way that the service refuses, with the code it says. */
const REFUSED: readonly (readonly [string, string, Call])[] = [
  ['place', '-6035', ({ client, front }) => client.place(wishOf('buy', front, 1_000, 1), SEND)],
  ['change', '-6003', (m) => m.client.change({ ...at(m), ...ref, limitPrice: ticksOf(1_290) }, SEND)],
  ['cancel', '-6003', ({ client }) => client.cancel({ ...ref, callId: newCallId() }, SEND)],
  [
    'condition-place',
    '-6035',
    (m) => {
      const trigger = { kind: 'stop', triggerPrice: ticksOf(1_000), triggerWhen: 'at_or_below' } as const;
      return m.client.conditions.place({ ...at(m), side: 'sell', limitPrice: ticksOf(1_290), trigger }, SEND);
    },
  ],
  [
    'condition-change',
    '-6003',
    (m) => m.client.conditions.change({ ...at(m), ...ref, triggerPrice: ticksOf(1_290) }, SEND),
  ],
  ['condition-cancel', '-6003', ({ client }) => client.conditions.cancel(ref, SEND)],
  ['deposit', '-6012', ({ client }) => client.money.deposit({ amount: money(9e12), note: '' }, MOVE)],
  ['withdraw', '-6012', ({ client }) => client.money.withdraw({ amount: money(9e12), note: '' }, MOVE)],
  [
    'transfer',
    '-6012',
    ({ client }) => client.money.transfer({ from: MARGIN, to: NORMAL, amount: money(9e12), note: '' }, MOVE),
  ],
  ['cancel-stock-orders', '-6014', ({ client }) => client.accounts.cancelStockOrders(NORMAL, ['S9'], MOVE)],
];

describe('a refusal', () => {
  it.each(REFUSED)('of %s is read as rejected, with code %s and a text', async (_name, code, call) => {
    const market = await openClientMarket();
    expect(await call(market)).toEqual({
      status: 'rejected',
      code,
      text: expect.stringMatching(/\w/) as string,
    });
    expect(market.relay.exchanges).toHaveLength(1);
    expect(market.drift.all).toEqual([]);
  });

  it.each<[string, Call, RegExp]>([
    ['stock-assets of nobody', ({ client }) => client.accounts.stockAssets('X', READ), /404/],
    ['cash-balance of nobody', ({ client }) => client.accounts.cashBalance('X', READ), /404/],
    ['loan-packages of no margin account', ({ client }) => client.accounts.loanPackages(NORMAL, READ), /404/],
  ])('of %s says so, and is not asked again', async (_what, read, reason) => {
    const market = await openClientMarket();
    const expected = { ok: false, kind: 'refused', reason: expect.stringMatching(reason) as string };
    expect(await read(market)).toMatchObject(expected);
    expect(market.relay.exchanges).toHaveLength(1);
  });
});

describe('what may have been done', () => {
  it.each([
    ['a connection that is dropped after the order', 'accept_then_drop', {}, 1],
    ['HTTP 500 after the order', 'http_500', { done: true }, 1],
    ['HTTP 500 instead of the order', 'http_500', {}, 0],
    ['HTML of a proxy after the order', 'html_502', { done: true }, 1],
    ['HTML of a proxy instead of the order', 'html_502', {}, 0],
    ['HTTP 429', 'http_429', {}, 0],
  ] as const)('%s is unknown, and never sent again; the book decides', async (_what, name, more, orders) => {
    const market = await openClientMarket();
    const { simulator, alice, client, time } = market;
    simulator.faults.set({ name, operation: 'place', times: 1, ...more });
    expect(await place(market)).toMatchObject({ status: 'unknown' });
    time.advance(seconds(60));
    expect(rowsOf(await alice.call('in-day'))).toHaveLength(orders);
    expect((await client.inDayBook(READ)).orders).toHaveLength(orders);
  });

  it.each([401, 403] as const)('HTTP %i is unknown, and gives the token back', async (refusalStatus) => {
    const market = await openClientMarket(withAuth({ refusalStatus, tokenLife: seconds(60) }));
    market.time.advance(seconds(60));
    expect(await place(market)).toMatchObject({ status: 'unknown' });
    expect(market.tokens.doubted.map((each) => each.split(' ')[0])).toEqual([market.alice.token]);
  });
});

describe('reads without a valid token', () => {
  it.each<[string, (market: ClientMarket) => Promise<object>]>([
    ['positions', ({ client }) => client.positions(READ)],
    ['account-status', ({ client }) => client.account(READ)],
    ['closed-positions', ({ client }) => client.accounts.closedPositions(null, READ)],
    ['derivatives', ({ client }) => client.quotes(READ)],
    ['contracts', ({ client }) => client.contracts(READ)],
    ['profile', ({ client }) => client.subAccounts(READ)],
    ['stock-assets', ({ client }) => client.accounts.stockAssets(NORMAL, READ)],
    ['cash-balance', ({ client }) => client.accounts.cashBalance(NORMAL, READ)],
    ['loan-packages', ({ client }) => client.accounts.loanPackages(MARGIN, READ)],
  ])('%s bring nothing and cast doubt on the token; the next brings all', async (_name, read) => {
    const market = await openClientMarket(withAuth({ tokenLife: seconds(60) }));
    market.time.advance(seconds(60));
    expect(await read(market)).toMatchObject({ ok: false, kind: 'token_refused' });
    expect(market.tokens.doubted.map((each) => each.split(' ')[0])).toEqual([market.alice.token]);
    market.tokens.set(await market.alice.logIn());
    expect(await read(market)).toMatchObject({ ok: true });
  });

  it.each<[string, (market: ClientMarket) => Promise<object>]>([
    ['in-day', ({ client }) => client.inDayBook(READ)],
    ['conditions', ({ client }) => client.conditions.book(READ)],
  ])('%s are no evidence', async (_name, walk) => {
    const market = await openClientMarket(withAuth({ tokenLife: seconds(60) }));
    market.time.advance(seconds(60));
    expect(await walk(market)).toMatchObject({ complete: false, orders: [] });
  });
});

const ask = async (otp: string | undefined, otpId?: string, options = {}) => {
  const { auth, alice } = await openClientMarket(options);
  return auth.exchangeToken({ apiKey: alice.apiKey, otp: otp ?? alice.otp, otpId }, () => {});
};

describe('the token calls', () => {
  it('bring a token on the app route', async () => {
    expect(await ask(undefined)).toMatchObject({
      status: 'ok',
      value: expect.stringMatching(/\./) as string,
    });
  });

  it.each([
    ['a wrong code', () => ask('000000'), { code: '203033', isFinal: true, isOtp: true }],
    ['a wrong id', () => ask(undefined, 'wrong'), { code: '203033', isFinal: true, isOtp: true }],
    [
      'the limit of the day',
      () => ask(undefined, undefined, withAuth({ exchangesPerDayMax: 1 })),
      { isFinal: true, isOtp: false },
    ],
  ] as const)('are refused for %s', async (_what, call, expected) => {
    expect(await call()).toMatchObject({ status: 'refused', ...expected });
  });

  it('are refused for a wrong key in both steps', async () => {
    const { auth, alice } = await openClientMarket();
    const refused = { status: 'refused', code: '203074', message: 'The API Key is invalid', isFinal: true };
    expect(await auth.requestOtp('wrong')).toMatchObject(refused);
    const request = { apiKey: 'wrong', otp: alice.otp, otpId: undefined };
    expect(await auth.exchangeToken(request, () => {})).toMatchObject(refused);
  });

  it('may be tried later when the service fails with its own code', async () => {
    const { auth, alice, simulator } = await openClientMarket();
    simulator.faults.set({ name: 'http_500', operation: 'request-otp', times: 1 });
    const failed = { status: 'refused', code: '203147', isFinal: false };
    expect(await auth.requestOtp(alice.apiKey)).toMatchObject(failed);
    expect(await auth.requestOtp(alice.apiKey)).toMatchObject({ status: 'ok' });
  });
});
