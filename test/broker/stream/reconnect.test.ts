import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FRESH_STATE } from '../../../src/broker/stream/reconnect-policy.ts';
import { seconds } from '../../../src/domain/units.ts';
import { StreamWorld } from '../support/stream-world.ts';

let world: StreamWorld;

beforeEach(async () => {
  world = await StreamWorld.start();
});

afterEach(() => world.close());

describe('after a connection has ended', () => {
  it('by 1002 it tries once and then stops: the fault is ours', async () => {
    const first = await world.goLive();
    const retrying = world.signaled('retrying');
    first.close(1002);
    await retrying;
    world.timers.advance(seconds(1));
    const second = await world.server.next();
    await second.received(1);
    second.accept();
    const paused = world.signaled('paused');
    second.close(1002);
    expect(await paused).toMatchObject({ reason: 'protocol_error' });
    expect(world.timers.pending).toBeLessThanOrEqual(1);
    expect(world.server.peers).toHaveLength(2);
  });

  it('starts to count again once it was authenticated for 30 s, and not before', async () => {
    const first = await world.goLive();
    const retrying = world.signaled('retrying');
    first.close(1000);
    await retrying;
    world.timers.advance(seconds(1));
    const second = await world.server.next();
    await second.received(1);
    const live = world.signaled('live');
    second.accept();
    await live;
    for (let i = 0; i < 29; i += 1) {
      world.timers.advance(seconds(1));
      second.send('d|34|1');
      await world.heard(i + 1);
    }
    expect(world.state.attempts).toBe(1);
    world.timers.advance(seconds(1));
    expect(world.state).toEqual(FRESH_STATE);
  });
});

describe('a service that cannot be reached', () => {
  it.each([
    [{ attempts: 7, protocolErrors: 0, paused: null }, 'connecting', 0],
    [{ attempts: 10, protocolErrors: 0, paused: 'attempts_used_up' }, 'paused', 10],
  ] as const)('after an orderly end leaves of %j a start that is %s', async (state, expected, attempts) => {
    world.state = state;
    world.client = world.create();
    world.client.start();
    await world.client.stop();
    world.client = world.create();
    world.client.start();
    expect(world.client.status()).toMatchObject({ state: expected, attempts });
  });

  it('stays in its pause over a restart', () => {
    world.state = { attempts: 10, protocolErrors: 0, paused: 'attempts_used_up' };
    world.client = world.create();
    world.client.start();
    expect(world.client.status().state).toBe('paused');
    expect(world.timers.pending).toBe(0);
    expect(world.server.peers).toEqual([]);
  });
});
