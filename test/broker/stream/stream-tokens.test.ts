import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FRESH_STATE } from '../../../src/broker/stream/reconnect-policy.ts';
import { seconds } from '../../../src/domain/units.ts';
import { encodeAuth } from '../../../src/wire/stream/control-frame.ts';
import { StreamWorld } from '../support/stream-world.ts';

let world: StreamWorld;

beforeEach(async () => {
  world = await StreamWorld.start();
});

afterEach(() => world.close());

/** A connection with the new token next to the live one; neither has been answered since. */
async function renewed() {
  const old = await world.goLive();
  world.tokens.set('token-2');
  const fresh = await world.server.next();
  await fresh.received(1);
  return { old, fresh };
}

describe('tokens', () => {
  it('without one nothing is dialled, until one comes', async () => {
    world.tokens.set(undefined);
    world.client.start();
    expect(world.kinds()).toEqual(['awaiting_token']);
    world.tokens.set('token-2');
    const peer = await world.server.next();
    await peer.received(1);
    expect(peer.frames).toEqual([encodeAuth('token-2')]);
  });
});

describe('a token renewed in mid-session', () => {
  it('switches after 5 s in a market where no frame comes', async () => {
    const { old, fresh } = await renewed();
    fresh.accept();
    await fresh.received(3);
    world.timers.advance(seconds(5));
    expect(world.kinds()).toContain('handed_over');
    await old.gone();
  });

  it('is a planned reconnect where a second connection is refused', async () => {
    const { old, fresh: refused } = await renewed();
    refused.refuse('211105', 'already connected');
    await old.gone();
    const fresh = await world.server.next();
    await fresh.received(1);
    fresh.accept();
    await fresh.received(3);
    expect(world.state).toEqual(FRESH_STATE);
    expect(world.posted()).toEqual([
      'live: authenticated and subscribed',
      'down: planned reconnect with a renewed token',
      'live: authenticated and subscribed',
    ]);
  });

  it('is a planned reconnect where the new token ends the old one at once', async () => {
    const { old, fresh } = await renewed();
    const ended = world.signaled('ended');
    old.close(1000);
    await ended;
    const live = world.signaled('live');
    fresh.accept();
    await live;
    await fresh.received(3);
    expect(world.server.peers).toHaveLength(2);
    expect(world.state).toEqual(FRESH_STATE);
    expect(world.posted().at(-1)).toBe('live: authenticated and subscribed');
  });

  it('leaves the old connection alone when the new token is invalid', async () => {
    const { old, fresh } = await renewed();
    const failed = world.signaled('hand_over_failed');
    fresh.refuse('211110', 'Invalid JWT');
    expect(await failed).toMatchObject({ next: 'none' });
    expect(world.tokens.rejected).toEqual(['token-2']);
    expect(old.closeCode).toBeUndefined();
    expect(world.client.status().state).toBe('live');
  });

  it('is tried again next to the old connection when only the network failed', async () => {
    const old = await world.goLive();
    world.tokens.set('token-2');
    const failed = world.signaled('hand_over_failed');
    (await world.server.next()).drop();
    expect(await failed).toMatchObject({ next: 'retry' });
    expect(old.closeCode).toBeUndefined();
    for (let i = 0; i < 3; i += 1) {
      world.timers.advance(seconds(10));
      old.send('d|34|1');
      await world.heard(i + 1);
    }
    await (await world.server.next()).received(1);
    expect(world.client.status().state).toBe('live');
  });

  it('makes the end of the old connection a planned one, also when the new one has failed before', async () => {
    const old = await world.goLive();
    world.tokens.set('token-2');
    const failed = world.signaled('hand_over_failed');
    (await world.server.next()).drop();
    await failed;
    old.close(1000);
    const fresh = await world.server.next();
    await fresh.received(1);
    expect(fresh.frames).toEqual([encodeAuth('token-2')]);
    expect(world.state).toEqual(FRESH_STATE);
  });
});
