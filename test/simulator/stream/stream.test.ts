import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../../src/domain/units.ts';
import { DEFAULT_OPTIONS, type StreamSettings } from '../../../src/simulator/simulator-options.ts';
import { ALICE, started, strangerOf } from '../support/started.ts';
import { authFrame, FrameTap } from '../support/stranger.ts';

const streamOf = (changes: Partial<StreamSettings>) => ({
  stream: { ...DEFAULT_OPTIONS.stream, ...changes },
});
const INVALID = 'd|0|{"success":false,"error":{"code":"211110","message":"Invalid JWT"}}';

describe('authentication', () => {
  it('is answered first, then the heartbeat timeout is told', async () => {
    const { simulator, alice } = await started();
    const tap = await FrameTap.authenticated(simulator.stream, alice.token);
    expect(tap.frames).toEqual(['d|0|{"success":true,"error":null}', 'd|33|15']);
  });

  it('comes after the timeout in the order that was seen live, with beats of the server', async () => {
    const { simulator, alice, time } = await started(streamOf({ controlOrder: 'live' }));
    const tap = await FrameTap.open(simulator.stream);
    await tap.next('d|33|15');
    tap.send(authFrame(alice.token));
    await tap.next('d|0|');
    await tap.settle();
    time.advance(seconds(10));
    await tap.settle();
    expect(tap.frames).toEqual([
      'd|33|15',
      'd|0|{"success":true,"error":null}',
      'd|p|||',
      'd|34|1',
      'd|34|1',
      'd|p|||',
    ]);
  });

  it.each([
    ['two bars', (token: string) => `d|a||${token}`],
    ['a raw token', (token: string) => `d|a|||${token}`],
    ['nothing', () => 'd|a|||'],
    ['noise', () => 'd|a|||%%%'],
    ['another token', () => authFrame('a.b.c')],
  ])('fails with %s', async (_what, frame) => {
    const { simulator, alice } = await started();
    const tap = await FrameTap.open(simulator.stream);
    tap.send(frame(String(alice.token)));
    expect(await tap.next('d|0|')).toBe(INVALID);
    // The connection is still there for a right one.
    tap.send(authFrame(alice.token));
    await tap.next('d|33|15');
  });

  it('fails with an expired token', async () => {
    const { simulator, alice, time } = await started({
      auth: { ...DEFAULT_OPTIONS.auth, tokenLife: minutes(1) },
    });
    time.advance(minutes(1));
    const tap = await FrameTap.open(simulator.stream);
    tap.send(authFrame(alice.token));
    expect(await tap.next('d|0|')).toBe(INVALID);
  });

  it('lets one token have one connection; the next may come when the first has gone', async () => {
    const { simulator, alice } = await started();
    const first = await FrameTap.authenticated(simulator.stream, alice.token);
    const second = await FrameTap.open(simulator.stream);
    second.send(authFrame(alice.token));
    expect(await second.next('d|0|')).toMatch(
      /^d\|0\|\{"success":false,"error":\{"code":"(?!211110)\d+","message":".+"\}\}$/,
    );
    const other = strangerOf(simulator, ALICE);
    await other.logIn();
    await FrameTap.authenticated(simulator.stream, other.token);
    first.socket.close();
    await first.closed;
    await FrameTap.authenticated(simulator.stream, alice.token);
  });

  it('lets the newer connection take the place of the older one when the switch says so', async () => {
    const { simulator, alice } = await started(streamOf({ secondConnection: 'replace' }));
    const first = await FrameTap.authenticated(simulator.stream, alice.token);
    const second = await FrameTap.authenticated(simulator.stream, alice.token);
    expect(await first.closed).toBe(1000);
    expect(second.socket.readyState).toBe(second.socket.OPEN);
  });

  it('lets one token have many connections when the switch says so', async () => {
    const { simulator, alice } = await started(streamOf({ secondConnection: 'allow' }));
    for (let i = 0; i < 3; i += 1) await FrameTap.authenticated(simulator.stream, alice.token);
    expect(simulator.connections).toBe(3);
  });

  it('closes the connection when the token expires', async () => {
    const { simulator, alice, time } = await started({
      auth: { ...DEFAULT_OPTIONS.auth, tokenLife: minutes(1) },
    });
    const tap = await FrameTap.authenticated(simulator.stream, alice.token);
    for (let beat = 0; beat < 5; beat += 1) {
      time.advance(seconds(10));
      await tap.settle();
    }
    time.advance(seconds(10));
    expect(await tap.closed).toBe(1000);
  });
});

describe('the heartbeat', () => {
  it('is answered, and keeps the connection for ever', async () => {
    const { simulator, alice, time } = await started();
    const tap = await FrameTap.authenticated(simulator.stream, alice.token);
    for (let beat = 0; beat < 20; beat += 1) {
      time.advance(seconds(14));
      await tap.settle();
    }
    expect(tap.frames.filter((frame) => frame === 'd|p|||')).toHaveLength(20);
    expect(tap.socket.readyState).toBe(tap.socket.OPEN);
  });

  it.each([
    ['nothing is sent', () => {}],
    ['the wrong text is sent', (tap: FrameTap) => tap.send('ping|1')],
  ])('missing for 15 s closes with 1000: %s', async (_what, send) => {
    const { simulator, alice, time } = await started();
    const tap = await FrameTap.authenticated(simulator.stream, alice.token);
    time.advance(seconds(14));
    send(tap);
    // Whatever was sent has been read when the answer to this has come.
    await alice.get('/api/v1/derivatives/contracts');
    expect(tap.socket.readyState).toBe(tap.socket.OPEN);
    time.advance(seconds(1));
    expect(await tap.closed).toBe(1000);
    expect(simulator.counters.get('heartbeat_timeout')).toBe(1);
  });

  it('is due before authentication, too', async () => {
    const { simulator, time } = await started();
    const tap = await FrameTap.open(simulator.stream);
    await tap.settle();
    time.advance(seconds(15));
    expect(await tap.closed).toBe(1000);
  });

  it('timeout is the one announced', async () => {
    const { simulator, alice, time } = await started(streamOf({ heartbeatTimeoutSeconds: 7 }));
    const tap = await FrameTap.authenticated(simulator.stream, alice.token);
    expect(tap.frames).toContain('d|33|7');
    time.advance(seconds(7));
    expect(await tap.closed).toBe(1000);
  });

  it('is not a protocol ping: 15 s after one the connection closes with 1002', async () => {
    const { simulator, alice, time } = await started();
    const tap = await FrameTap.authenticated(simulator.stream, alice.token);
    tap.socket.ping();
    await tap.settle();
    time.advance(seconds(14));
    tap.socket.ping();
    await tap.settle();
    time.advance(seconds(1));
    expect(await tap.closed).toBe(1002);
  });
});

it('serves the stream on its own path alone', async () => {
  const { simulator } = await started();
  const elsewhere = simulator.stream.replace('derivative', 'normal');
  await expect(FrameTap.open(elsewhere)).rejects.toThrow('404');
});
