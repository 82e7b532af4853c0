/** Calls that move an order or money: each is sent once, and has an outcome whatever the answer is. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConditionToPlace } from '../../../src/broker/rest/rest-client.ts';
import type { SendOptions } from '../../../src/broker/rest/rest-caller.ts';
import { brokerOrderKey, brokerOrderNo, clientOrderId, orderCode } from '../../../src/domain/ids.ts';
import { money, priceTicks, qty, seconds } from '../../../src/domain/units.ts';
import { createCancel, createModify, createOrder } from '../support/broker-orders.ts';
import { envelope, HTML, RestWorld } from '../support/rest-world.ts';
import { closedPort, type Exchange } from '../support/scripted-http.ts';

const SEND: SendOptions = { priority: 'entry', refuse: () => null };
const READ = { priority: 'book' } as const;

const CALL = clientOrderId('H.00000100001000009');
const CONDITION = { orderNo: brokerOrderNo('3'), orderKey: brokerOrderKey('7625321') };
const STOP: ConditionToPlace = {
  callId: CALL,
  orderCode: orderCode('VN30F2601'),
  side: 'sell',
  qty: qty(2),
  limitPrice: priceTicks(12_950),
  trigger: { kind: 'stop', triggerPrice: priceTicks(12_965), triggerWhen: 'at_or_below' },
};
const CHANGE = { ...CONDITION, callId: CALL, orderCode: STOP.orderCode, triggerPrice: priceTicks(12_970) };
const MOVE = { amount: money(5_000_000), note: 'margin' };
const TRANSFER = { ...MOVE, from: '0001', to: '0002' };

let world: RestWorld;

beforeEach(async () => {
  world = await RestWorld.start();
});

afterEach(() => world.close());

type Run = (options: SendOptions) => Promise<{ readonly status: string; readonly reason?: string }>;

const CALLS: readonly (readonly [name: string, run: Run])[] = [
  ['a place', (options) => world.rest.place(createOrder(), options)],
  ['a change', (options) => world.rest.change(createModify(), options)],
  ['a cancel', (options) => world.rest.cancel(createCancel(), options)],
  ['a place of a stop', (options) => world.rest.conditions.place(STOP, options)],
  ['a change of a stop', (options) => world.rest.conditions.change(CHANGE, options)],
  ['a cancel of a stop', (options) => world.rest.conditions.cancel(CONDITION, options)],
  ['a deposit', (options) => world.rest.money.deposit(MOVE, options)],
  ['a withdrawal', (options) => world.rest.money.withdraw(MOVE, options)],
  ['a transfer', (options) => world.rest.money.transfer(TRANSFER, options)],
  [
    'a cancel of stock orders',
    (options) => world.rest.accounts.cancelStockOrders('0001', ['8', '9'], options),
  ],
];

const UNDECIDED: readonly (readonly [name: string, answer: (exchange: Exchange) => void])[] = [
  ['a page of a proxy', (exchange) => exchange.reply(502, HTML)],
  ['401', (exchange) => exchange.reply(401, {})],
  ['429', (exchange) => exchange.reply(429, {})],
  ['a redirect', (exchange) => exchange.reply(302, '', { location: '/' })],
  ['an answer in nobody’s form', (exchange) => exchange.reply(200, {})],
  ['a dropped connection', ({ socket }) => socket.destroy()],
];

describe.each(CALLS)('%s', (_call, run) => {
  it.each(UNDECIDED)('is unknown after %s, and never sent again', async (_answer, answer) => {
    world.server.handle(answer);
    const { status, reason } = await run(SEND);
    expect(status).toBe('unknown');
    world.timers.advance(seconds(120));
    expect(world.server.exchanges).toHaveLength(1);
    const unknown = world.signals.filter(({ kind }) => kind === 'outcome_unknown');
    expect(unknown).toMatchObject([{ reason }]);
  });

  it('does not leave when the last check refuses, nor without a token', async () => {
    const refused = await run({ ...SEND, refuse: () => 'halted' });
    expect(refused).toEqual({ status: 'not_sent', reason: 'halted' });
    world.tokens.set(undefined);
    expect(await run(SEND)).toEqual({ status: 'not_sent', reason: 'there is no token' });
    expect(world.server.exchanges).toEqual([]);
  });
});

it.each(CALLS.slice(0, 6))('%s is rejected by a refusal in an envelope', async (_call, run) => {
  world.server.handle((exchange) => exchange.reply(200, envelope([], '-6014', 'no')));
  expect(await run(SEND)).toEqual({ status: 'rejected', code: '-6014', text: 'no' });
  expect(world.signals).toEqual([]);
});

describe('an order', () => {
  it('is unknown after success without a number', async () => {
    world.server.handle((exchange) => exchange.reply(200, envelope([])));
    expect((await world.rest.place(createOrder(), SEND)).status).toBe('unknown');
  });

  it('is unknown when no answer comes in time', async () => {
    const arrived = new Promise<void>((resolve) => {
      world.server.handle(() => resolve());
    });
    const outcome = world.rest.place(createOrder(), SEND);
    await arrived;
    world.timers.advance(seconds(15));
    expect(await outcome).toEqual({ status: 'unknown', reason: 'no answer in time' });
  });

  it('is not sent when nobody listens', async () => {
    const client = world.create(`http://127.0.0.1:${await closedPort()}`);
    expect((await client.place(createOrder(), SEND)).status).toBe('not_sent');
  });

  it('is not sent without a specification of its contract', async () => {
    const foreign = orderCode('GB05F2603');
    for (const outcome of [
      await world.rest.place(createOrder({ orderCode: foreign }), SEND),
      await world.rest.conditions.place({ ...STOP, orderCode: foreign }, SEND),
      await world.rest.conditions.change({ ...CHANGE, orderCode: foreign }, SEND),
    ])
      expect(outcome).toEqual({ status: 'not_sent', reason: 'no contract specification for GB05F2603' });
    expect(world.server.exchanges).toEqual([]);
  });

  it('is not sent when its turn did not come in time: an old entry is worse than none', async () => {
    const slow = world.create(world.server.baseUrl, 0.1);
    world.server.handle((exchange) => exchange.reply(200, envelope([])));
    await Promise.all(Array.from({ length: 100 }, () => slow.positions(READ)));
    const outcome = slow.place(createOrder(), SEND);
    world.timers.advance(seconds(3));
    expect(await outcome).toEqual({ status: 'not_sent', reason: 'waited too long for its turn' });
  });

  it('may be canceled without an id of ours when nobody remembers it', async () => {
    world.server.handle((exchange) => exchange.reply(200, envelope([{ orderNo: 9 }])));
    const outcome = await world.rest.cancel({ orderNo: brokerOrderNo('9'), callId: null }, SEND);
    expect(outcome).toEqual({ status: 'accepted', orderNo: '9', orderKey: null });
    expect(world.bodies()[0]).not.toHaveProperty('refId');
  });
});
