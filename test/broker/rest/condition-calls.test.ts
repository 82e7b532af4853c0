import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConditionToPlace } from '../../../src/broker/rest/rest-client.ts';
import type { SendOptions } from '../../../src/broker/rest/rest-caller.ts';
import { brokerOrderKey, brokerOrderNo, clientOrderId, orderCode } from '../../../src/domain/ids.ts';
import { priceTicks, qty, seconds } from '../../../src/domain/units.ts';
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

let world: RestWorld;

beforeEach(async () => {
  world = await RestWorld.start();
});

afterEach(() => world.close());

describe('a call about an order that waits', () => {
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

  it('does not leave when the last check refuses, nor without a specification', async () => {
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
  it('is no evidence with an unreadable row, and says which', async () => {
    world.server.handle((exchange) => exchange.reply(200, envelope([row(1), { ...row(2), volume: 'x' }])));
    expect(await world.rest.conditions.book(READ)).toMatchObject({
      complete: false,
      reason: '1 rows are unreadable',
      orders: [{ orderKey: '1' }],
    });
    expect(world.signals).toMatchObject([{ kind: 'read_failed', operation: 'conditions', willRetry: false }]);
  });
});
