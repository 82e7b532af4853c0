/** The first frames of a connection (contract, 5; notes, 7), over a bare WebSocket. */
import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../../src/domain/units.ts';
import { ALL_CODES, authFrame, subscribeFrame } from './document/stream.ts';
import { BareClient } from './support/bare-client.ts';
import { BareStream } from './support/bare-stream.ts';
import { ALICE } from './support/customers.ts';
import { openMarket, trade, withAuth, withStream } from './support/market.ts';

const answerOf = (frame: string): unknown => JSON.parse(frame.slice('d|0|'.length));
const SUCCESS = { success: true, error: null };
const INVALID = { success: false, error: { code: '211110', message: 'Invalid JWT' } };

describe('authentication', () => {
  it('is the first thing said: nothing comes before it', async () => {
    const { simulator, alice } = await openMarket();
    const stream = await BareStream.open(simulator.stream);
    // The server has had time to say something when another connection has been answered.
    await BareStream.authenticated(simulator.stream, alice.token);
    expect(stream.frames).toEqual([]);
  });

  it('is answered with success, then with the heartbeat timeout, in text frames', async () => {
    const { simulator, alice } = await openMarket();
    const stream = await BareStream.authenticated(simulator.stream, alice.token);
    await stream.settle();
    expect(stream.frames.map((frame) => frame.split('|').slice(0, 2).join('|'))).toEqual([
      'd|0',
      'd|33',
      'd|p',
    ]);
    expect(answerOf(stream.frames[0] ?? '')).toEqual(SUCCESS);
    expect(stream.frames[1]).toBe('d|33|15');
    expect(stream.isTextOnly).toBe(true);
  });

  it('comes after the timeout where the service does so, which then beats every five seconds', async () => {
    const { simulator, alice, time } = await openMarket(withStream({ controlOrder: 'live' }));
    const stream = await BareStream.open(simulator.stream);
    await stream.next('d|33|15');
    stream.send(authFrame(alice.token));
    expect(answerOf(await stream.next('d|0|'))).toEqual(SUCCESS);
    time.advance(seconds(10));
    await stream.settle();
    expect(stream.frames.map((frame) => frame.split('|')[1])).toEqual(['33', '0', '34', '34', 'p']);
    expect(stream.frames.filter((frame) => frame === 'd|34|1')).toHaveLength(2);
  });

  it.each([
    ['with two bars', (token: string) => `d|a||${Buffer.from(token).toString('base64')}`],
    ['with the token as it is', (token: string) => `d|a|||${token}`],
    ['with the token alone', (token: string) => token],
    ['without a token', () => 'd|a|||'],
    ['with noise', () => 'd|a|||%%%'],
    ['with a token that nobody signed', () => authFrame('a.b.c')],
    ['with a token that was changed', (token: string) => authFrame(`${token.slice(0, -3)}AAA`)],
  ])('%s fails, in the words of the document, and may be tried again', async (_what, frame) => {
    const { simulator, alice } = await openMarket();
    const stream = await BareStream.open(simulator.stream);
    stream.send(frame(String(alice.token)));
    expect(answerOf(await stream.next('d|0|'))).toEqual(INVALID);
    expect(stream.frames).toHaveLength(1);
    stream.send(authFrame(alice.token));
    expect(answerOf(await stream.next('d|0|', 1))).toEqual(SUCCESS);
  });

  it('fails with a token that has expired', async () => {
    const { simulator, alice, time } = await openMarket(withAuth({ tokenLife: minutes(1) }));
    time.advance(minutes(1));
    const stream = await BareStream.open(simulator.stream);
    stream.send(authFrame(alice.token));
    expect(answerOf(await stream.next('d|0|'))).toEqual(INVALID);
  });

  it('fails with a token that a newer one has ended, where the service does so', async () => {
    const { simulator, alice } = await openMarket(withAuth({ newTokenEndsOlder: true }));
    await new BareClient(simulator.rest, ALICE).logIn();
    const stream = await BareStream.open(simulator.stream);
    stream.send(authFrame(alice.token));
    expect(answerOf(await stream.next('d|0|'))).toEqual(INVALID);
  });

  it('comes before any subscription: one that was sent earlier brings nothing', async () => {
    const market = await openMarket();
    const { simulator, alice, front } = market;
    const stream = await BareStream.open(simulator.stream);
    stream.send(subscribeFrame(ALL_CODES, front));
    stream.send(authFrame(alice.token));
    await stream.next('d|0|');
    await trade(market, front, 1_300, 1);
    await stream.settle();
    expect(stream.dataFrames).toEqual([]);
    stream.send(subscribeFrame(ALL_CODES, front));
    await stream.settle();
    expect(stream.dataFrames.length).toBeGreaterThan(0);
  });
});

describe('a second connection on one token', () => {
  it('is refused, not as an invalid token; another token of the same customer is not', async () => {
    const { simulator, alice } = await openMarket();
    const first = await BareStream.authenticated(simulator.stream, alice.token);
    const second = await BareStream.open(simulator.stream);
    second.send(authFrame(alice.token));
    const answer = answerOf(await second.next('d|0|')) as {
      success: boolean;
      error: Record<string, unknown>;
    };
    expect(answer.success).toBe(false);
    expect(answer.error['code']).toMatch(/^(?!211110)\d+$/);
    expect(answer.error['message']).toMatch(/\w/);
    const other = new BareClient(simulator.rest, ALICE);
    second.send(authFrame(await other.logIn()));
    expect(answerOf(await second.next('d|0|', 1))).toEqual(SUCCESS);
    await first.settle();
    expect(first.isOpen).toBe(true);
  });

  it('is welcome when the first one has gone', async () => {
    const { simulator, alice } = await openMarket();
    const first = await BareStream.authenticated(simulator.stream, alice.token);
    first.socket.close();
    await first.closed;
    const second = await BareStream.authenticated(simulator.stream, alice.token);
    expect(answerOf(second.frames[0] ?? '')).toEqual(SUCCESS);
  });

  it('takes the place of the first, or is open next to it, where the service does so', async () => {
    const replacing = await openMarket(withStream({ secondConnection: 'replace' }));
    const first = await BareStream.authenticated(replacing.simulator.stream, replacing.alice.token);
    const second = await BareStream.authenticated(replacing.simulator.stream, replacing.alice.token);
    expect([await first.closed, second.isOpen]).toEqual([1000, true]);
    const allowing = await openMarket(withStream({ secondConnection: 'allow' }));
    const both = [0, 1].map(() => BareStream.authenticated(allowing.simulator.stream, allowing.alice.token));
    for (const stream of await Promise.all(both)) {
      await stream.settle();
      expect(answerOf(stream.frames[0] ?? '')).toEqual(SUCCESS);
    }
  });
});

describe('a token', () => {
  it('that expires while connected ends the connection, heartbeats or not', async () => {
    const { simulator, alice, time } = await openMarket(withAuth({ tokenLife: minutes(1) }));
    const stream = await BareStream.authenticated(simulator.stream, alice.token);
    for (let beat = 0; beat < 29; beat += 1) {
      time.advance(seconds(2));
      await stream.settle();
    }
    expect(stream.isOpen).toBe(true);
    time.advance(seconds(2));
    expect(await stream.closed).toBe(1000);
  });

  it('that a newer one ends takes the connection with it, where the service does so', async () => {
    const { simulator, alice } = await openMarket(withAuth({ newTokenEndsOlder: true }));
    const stream = await BareStream.authenticated(simulator.stream, alice.token);
    await new BareClient(simulator.rest, ALICE).logIn();
    expect(await stream.closed).toBe(1000);
  });
});

describe('the address', () => {
  it('is the documented one, with whatever follows it', async () => {
    const { simulator, alice } = await openMarket();
    expect(new URL(simulator.stream).pathname).toBe('/ws/thesis/v1/stream/derivative');
    await expect(BareStream.open(simulator.stream.replace('derivative', 'normal'))).rejects.toThrow('404');
    const stream = await BareStream.authenticated(`${simulator.stream}?v=1`, alice.token);
    expect(answerOf(stream.frames[0] ?? '')).toEqual(SUCCESS);
  });
});
