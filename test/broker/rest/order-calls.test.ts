import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SendOptions } from '../../../src/broker/rest/rest-caller.ts';
import { brokerOrderNo, orderCode } from '../../../src/domain/ids.ts';
import { seconds } from '../../../src/domain/units.ts';
import { createCancel, createOrder } from '../support/broker-orders.ts';
import { envelope, HTML, RestWorld } from '../support/rest-world.ts';
import { closedPort, type Exchange } from '../support/scripted-http.ts';

const SEND: SendOptions = { priority: 'entry', refuse: () => null };
const READ = { priority: 'book' } as const;

let world: RestWorld;

beforeEach(async () => {
  world = await RestWorld.start();
});

afterEach(() => world.close());

describe('a call that moves an order', () => {
  it.each<{ name: string; answer: (exchange: Exchange) => void; status: string }>([
    {
      name: 'a refusal in an envelope',
      answer: (exchange) => exchange.reply(200, envelope([], '-6012', 'not enough')),
      status: 'rejected',
    },
    {
      name: 'success without a number',
      answer: (exchange) => exchange.reply(200, envelope([])),
      status: 'unknown',
    },
    { name: 'a page of a proxy', answer: (exchange) => exchange.reply(502, HTML), status: 'unknown' },
    { name: '401', answer: (exchange) => exchange.reply(401, {}), status: 'unknown' },
    {
      name: 'a redirect',
      answer: (exchange) => exchange.reply(302, '', { location: '/' }),
      status: 'unknown',
    },
    { name: 'a dropped connection', answer: ({ socket }) => socket.destroy(), status: 'unknown' },
  ])('is $status after $name, and went out once', async ({ answer, status }) => {
    world.server.handle(answer);
    const outcome = await world.rest.place(createOrder(), SEND);
    expect(outcome.status).toBe(status);
    expect(world.signals.filter(({ kind }) => kind === 'outcome_unknown')).toHaveLength(
      status === 'unknown' ? 1 : 0,
    );
    world.timers.advance(seconds(120));
    expect(world.server.exchanges).toHaveLength(1);
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

  it('is not sent without a token, without a specification, or against the last check', async () => {
    expect(await world.rest.place(createOrder(), { ...SEND, refuse: () => 'halted' })).toEqual({
      status: 'not_sent',
      reason: 'halted',
    });
    const unknown = createOrder({ orderCode: orderCode('GB05F2603') });
    expect((await world.rest.place(unknown, SEND)).status).toBe('not_sent');
    world.tokens.set(undefined);
    expect(await world.rest.cancel(createCancel(), SEND)).toEqual({
      status: 'not_sent',
      reason: 'there is no token',
    });
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

  it('may go without an id of ours when nobody remembers the order', async () => {
    world.server.handle((exchange) => exchange.reply(200, envelope([{ orderNo: 9 }])));
    const outcome = await world.rest.cancel({ orderNo: brokerOrderNo('9'), callId: null }, SEND);
    expect(outcome).toEqual({ status: 'accepted', orderNo: '9', orderKey: null });
    expect(world.bodies()[0]).not.toHaveProperty('refId');
  });
});
