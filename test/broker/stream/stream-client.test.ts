import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { milliseconds, seconds } from '../../../src/domain/units.ts';
import { encodeAuth } from '../../../src/wire/stream/control-frame.ts';
import { FRONT, HEARTBEAT, NEXT, StreamWorld } from '../support/stream-world.ts';

let world: StreamWorld;

beforeEach(async () => {
  world = await StreamWorld.start();
});

afterEach(() => world.close());

describe('the beginning of a connection', () => {
  it('is the token, and nothing else until the answer', async () => {
    world.client.subscribe([FRONT, NEXT]);
    world.client.start();
    const peer = await world.server.next();
    await peer.received(1);
    world.timers.advance(seconds(9));
    peer.send('d|33|15', 'd|34|1', 'd|0|nonsense');
    const closed = world.signaled('ended');
    peer.close(1000);
    await closed;
    expect(peer.frames).toEqual([encodeAuth('token-1')]);
  });

  it('is not live without anything to subscribe, and becomes so with the first contract', async () => {
    const live = world.signaled('live');
    world.client.start();
    const peer = await world.server.next();
    await peer.received(1);
    peer.accept();
    await live;
    expect(world.posted()).toEqual([]);
    world.client.subscribe([FRONT]);
    await peer.received(2);
    expect(world.posted()).toEqual(['live: authenticated and subscribed']);
  });

  it('ends when no answer comes within 10 s', async () => {
    world.client.start();
    const peer = await world.server.next();
    await peer.received(1);
    const ended = world.signaled('ended');
    world.timers.advance(seconds(10));
    expect(await ended).toMatchObject({ end: { kind: 'auth_timeout' } });
    await peer.gone();
  });
});

describe('a live connection', () => {
  it('beats every 2 s in text and sends no protocol ping, no compression', async () => {
    const peer = await world.goLive();
    for (let i = 0; i < 10; i += 1) {
      world.timers.advance(seconds(2));
      peer.send(HEARTBEAT);
      await peer.received(4 + i);
    }
    expect(peer.frames.slice(3)).toEqual(Array(10).fill(HEARTBEAT));
    expect([peer.pings, peer.extensions]).toEqual([0, '']);
  });

  it('is dead when no control frame comes within the announced time, whatever the data do', async () => {
    const peer = await world.goLive();
    peer.send('d|33|6', 's|21|{}');
    await world.handed(1);
    const ended = world.signaled('ended');
    world.timers.advance(seconds(6.1));
    expect(await ended).toMatchObject({ end: { kind: 'silent', deadlineSeconds: 6 } });
    expect(world.posted().at(-1)).toBe('down: no control frame for 6 s');
  });

  it('that is half-open is torn down when our close is not answered', async () => {
    const peer = await world.goLive();
    peer.freeze();
    world.timers.advance(seconds(15.1));
    expect(world.client.status().state).toBe('waiting');
    const stopped = world.client.stop();
    world.timers.advance(seconds(3));
    await stopped;
    expect(world.timers.pending).toBe(0);
  });
});

describe('the round trip of a heartbeat', () => {
  it('counts from the oldest beat without an answer, and an answer that nobody asked for is none', async () => {
    const peer = await world.goLive();
    peer.send(HEARTBEAT, 'd|34|1');
    await world.heard(1);
    world.timers.advance(seconds(2));
    world.timers.advance(seconds(2));
    world.timers.advance(milliseconds(300));
    peer.send(HEARTBEAT, HEARTBEAT, 'd|34|1');
    await world.heard(2);
    expect(world.pongs).toEqual([2_300_000]);
  });
});

describe('20: prices that stop while heartbeats go on', () => {
  it('reach the engine and the status, are asked for again, and are reported when they come', async () => {
    world.isContinuous = true;
    const peer = await world.goLive();
    const stale = world.signaled('feed_stale');
    for (let second = 0; second < 15; second += 1) {
      peer.send(HEARTBEAT);
      world.timers.advance(seconds(1));
    }
    await stale;
    expect(world.client.status()).toMatchObject({ state: 'live', isStale: true });
    expect(world.posted()).toEqual([
      'live: authenticated and subscribed',
      'stale: no prices for 10 s on a connection that is alive',
    ]);
    await peer.received(5);

    world.client.seen(FRONT.index, 'bids');
    expect(world.client.status().isStale).toBe(false);
    expect(world.posted().at(-1)).toBe('live: prices come again');
  });
});
