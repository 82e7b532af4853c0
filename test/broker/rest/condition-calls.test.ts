import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConditionToPlace, PlaceRequest } from '../../../src/broker/rest/rest-client.ts';
import type { SendOptions } from '../../../src/broker/rest/rest-caller.ts';
import { brokerOrderKey, brokerOrderNo, clientOrderId, orderCode } from '../../../src/domain/ids.ts';
import { priceTicks, qty, seconds } from '../../../src/domain/units.ts';
import { createOrder } from '../support/broker-orders.ts';
import { envelope, HTML, RestWorld } from '../support/rest-world.ts';

const SEND: SendOptions = { priority: 'exit', refuse: () => null };
const READ = { priority: 'book' } as const;
const CALL = clientOrderId('H.00000100001000009');
const CODE = orderCode('VN30F2601');
const CONDITION = { orderNo: brokerOrderNo('3'), orderKey: brokerOrderKey('7625321') };
const STOP: ConditionToPlace = {
  callId: CALL,
  orderCode: CODE,
  side: 'sell',
  qty: qty(2),
  limitPrice: priceTicks(12_950),
  trigger: { kind: 'stop', triggerPrice: priceTicks(12_965), triggerWhen: 'at_or_below' },
};
const CHANGE = { ...CONDITION, callId: CALL, orderCode: CODE, triggerPrice: priceTicks(12_970) };
const ACCOUNT = { accountId: '105C000001', subAccountId: '105C000001A' };
const ACCEPTED = { status: 'accepted', orderNo: '3', orderKey: '7625321' };

let world: RestWorld;

beforeEach(async () => {
  world = await RestWorld.start();
});

afterEach(() => world.close());

describe('a call about an order that waits', () => {
  it.each([
    {
      name: 'place',
      run: () => world.rest.conditions.place(STOP, SEND),
      path: '/khronos/v1/order/condition/place',
      body: {
        ...ACCOUNT,
        side: 'S',
        symbol: 'VN30F2601',
        price: 1295,
        volume: 2,
        orderType: 'SOU',
        soPrice: 1296.5,
        callbackPoint: 0,
        activationPrice: 0,
        refId: CALL,
      },
      answer: [{ orderNo: 3, pk_orderNo: '7625321' }],
    },
    {
      name: 'change',
      run: () => world.rest.conditions.change(CHANGE, SEND),
      path: '/khronos/v2/order/condition/change',
      body: {
        accountId: '105C000001',
        pkOrderNo: '7625321',
        refId: CALL,
        soPrice: 1297,
        type: '',
        cmd: 'Web.Order.ChangeCondition',
      },
      answer: [{ pkOrderNo: '7625321' }],
    },
    {
      name: 'cancel',
      run: () => world.rest.conditions.cancel(CONDITION, SEND),
      path: '/khronos/v1/order/condition/cancel',
      body: { ...ACCOUNT, orderNo: '7625321' },
      answer: [],
    },
  ])('$name is posted as the contract has it and accepted', async ({ run, path, body, answer }) => {
    world.server.handle((exchange) => exchange.reply(200, envelope(answer)));
    expect(await run()).toEqual(ACCEPTED);
    const [got] = world.server.exchanges;
    expect([got?.method, got?.url.pathname]).toEqual(['POST', path]);
    expect(got?.headers['authorization']).toBe('Bearer token-1');
    expect(world.bodies()).toEqual([body]);
  });

  it.each([
    ['place', () => world.rest.conditions.place(STOP, SEND)],
    ['change', () => world.rest.conditions.change(CHANGE, SEND)],
    ['cancel', () => world.rest.conditions.cancel(CONDITION, SEND)],
  ])('%s is sent once, whatever becomes of it', async (_name, run) => {
    world.server.handle((exchange) => exchange.reply(502, HTML));
    expect(await run()).toEqual({ status: 'unknown', reason: 'HTTP 502' });
    world.server.handle((exchange) => exchange.reply(200, envelope([], '-6014', 'no')));
    expect(await run()).toEqual({ status: 'rejected', code: '-6014', text: 'no' });
    world.timers.advance(seconds(60));
    expect(world.server.exchanges).toHaveLength(2);
    expect(world.signals).toMatchObject([{ kind: 'outcome_unknown', reason: 'HTTP 502' }]);
  });

  it('does not leave when the last look refuses, nor without a specification', async () => {
    const refused = await world.rest.conditions.place(STOP, { ...SEND, refuse: () => 'halted' });
    expect(refused).toEqual({ status: 'not_sent', reason: 'halted' });
    const foreign = orderCode('ABC');
    for (const outcome of [
      await world.rest.conditions.place({ ...STOP, orderCode: foreign }, SEND),
      await world.rest.conditions.change({ ...CHANGE, orderCode: foreign }, SEND),
    ]) {
      expect(outcome).toEqual({ status: 'not_sent', reason: 'no contract specification for ABC' });
    }
    expect(world.server.exchanges).toEqual([]);
  });
});

describe('a normal order', () => {
  it.each<[string, PlaceRequest['terms'], string]>([
    [
      'with stop-loss and take-profit',
      { kind: 'bracket', stopLossPrice: priceTicks(12_950), takeProfitPrice: priceTicks(13_105) },
      'SLP=5.5,10.0',
    ],
    ['that waits for a leg', { kind: 'arbitrage', leg: orderCode('VN30F2602') }, 'ABI=VN30F2602'],
    ['without terms', undefined, '0'],
  ])('%s says so in its order type', async (_what, terms, orderType) => {
    world.server.handle((exchange) => exchange.reply(200, envelope([{ orderNo: '17' }])));
    const order: PlaceRequest = terms === undefined ? createOrder() : { ...createOrder(), terms };
    expect(await world.rest.place(order, SEND)).toMatchObject({ status: 'accepted' });
    expect(world.bodies()).toMatchObject([{ orderType }]);
  });
});

const row = (key: number): object => ({
  orderNo: '1',
  pk_orderNo: String(key),
  side: 'S',
  symbol: 'VN30F2601',
  showPrice: 1295,
  volume: 2,
  soPrice: 1296.5,
  orderType: 'SU',
  status: '0',
  notes: 'Stop order',
});

describe('the conditional book', () => {
  it('is scanned to its end, over all orders, told apart by their keys', async () => {
    const starts: string[] = [];
    world.server.handle((exchange) => {
      const page = Number(exchange.url.searchParams.get('pageNo'));
      const rows = Array.from({ length: page === 1 ? 100 : 3 }, (_, i) => row(page * 1000 + i));
      exchange.reply(200, envelope(rows));
    });
    const scan = await world.rest.conditions.book({ ...READ, onStart: () => starts.push('started') });
    expect(scan).toMatchObject({ complete: true, reason: '' });
    expect(scan.orders).toHaveLength(103);
    expect(scan.orders[0]).toMatchObject({
      orderKey: '1000',
      kind: 'stop',
      triggerPrice: 12_965,
      triggerWhen: 'at_or_below',
      status: 'pending',
    });
    expect(starts).toEqual(['started']);
    expect(Object.fromEntries(world.server.exchanges[0]?.url.searchParams ?? [])).toEqual({
      accountId: '105C000001',
      subAccountID: '105C000001A',
      pageNo: '1',
      PageSize: '100',
      orderStatus: '0',
      orderType: '',
      Symbol: 'ALL,ALL',
    });
  });

  it('is no evidence with an unreadable row, and says which', async () => {
    world.server.handle((exchange) => exchange.reply(200, envelope([row(1), { ...row(2), volume: 'x' }])));
    expect(await world.rest.conditions.book(READ)).toMatchObject({
      complete: false,
      reason: '1 rows are unreadable',
      orders: [{ orderKey: '1' }],
    });
    expect(world.signals).toMatchObject([{ kind: 'read_failed', operation: 'conditions', willRetry: false }]);
  });

  it('is no evidence after a refusal', async () => {
    world.server.handle((exchange) => exchange.reply(200, envelope([], '-6001', 'Account not found')));
    const scan = await world.rest.conditions.book(READ);
    expect(scan).toMatchObject({ complete: false, orders: [] });
    expect(scan.reason).toContain('-6001 Account not found');
  });
});
