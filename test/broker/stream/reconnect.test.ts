import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FRESH_STATE } from '../../../src/broker/stream/reconnect-policy.ts';
import { seconds } from '../../../src/domain/units.ts';
import { encodeAuth } from '../../../src/wire/stream/client-frame.ts';
import { ScriptedStream } from '../support/scripted-stream.ts';
import { SUBSCRIBE_FRONT, SUBSCRIBE_NEXT, StreamWorld } from '../support/stream-world.ts';

let world: StreamWorld;

beforeEach(async () => {
  world = await StreamWorld.start();
});

afterEach(() => world.close());

describe('after a connection has ended', () => {
  it.each([1000, 1001, 1011])('by close %i it comes back subscribed', async (code) => {
    const first = await world.goLive();
    const retrying = world.signaled('retrying');
    first.close(code);
    expect(await retrying).toMatchObject({ attempt: 1, after: seconds(1) });
    world.timers.advance(seconds(1));
    const second = await world.server.next();
    await second.received(1);
    second.accept();
    await second.received(3);
    expect(second.frames).toEqual([encodeAuth('token-1'), SUBSCRIBE_FRONT, SUBSCRIBE_NEXT]);
    expect(world.posted()).toEqual([
      'live: authenticated and subscribed',
      `down: closed with ${code}`,
      'live: authenticated and subscribed',
    ]);
  });

  it('by a dropped socket it comes back too', async () => {
    const first = await world.goLive();
    const retrying = world.signaled('retrying');
    first.drop();
    await retrying;
    world.timers.advance(seconds(1));
    await (await world.server.next()).received(1);
    expect(world.state.attempts).toBe(1);
  });

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

  it('starts to count anew once it was authenticated for 30 s, and not before', async () => {
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
  it('is tried 1, 2, 4, 8, 16, 30 ... s apart, ten times; then a pause that somebody must end', async () => {
    const { url, port } = world.server;
    await world.server.close();
    world.client = world.create(url);
    world.client.start();
    const delays: number[] = [];
    for (let i = 0; i < 10; i += 1) {
      const retrying = await world.signaled('retrying');
      if (retrying.kind === 'retrying') delays.push(retrying.after / 1e6);
      const next = i < 9 ? undefined : world.signaled('paused');
      if (retrying.kind === 'retrying') world.timers.advance(retrying.after);
      await next;
    }
    expect(delays).toEqual([1, 2, 4, 8, 16, 30, 30, 30, 30, 30]);
    expect(world.client.status()).toMatchObject({ state: 'paused', attempts: 10 });
    expect(world.timers.pending).toBe(0);

    world.server = await ScriptedStream.start(port);
    world.client.resume();
    await (await world.server.next()).received(1);
    expect(world.state).toEqual(FRESH_STATE);
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
