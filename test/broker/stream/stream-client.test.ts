import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FRESH_STATE, type ReconnectState } from '../../../src/broker/stream/reconnect-policy.ts';
import { createStreamClient, type StreamClient } from '../../../src/broker/stream/stream-client.ts';
import type { StreamSignal } from '../../../src/broker/stream/stream-signal.ts';
import { addUs, seconds } from '../../../src/domain/units.ts';
import { encodeAuth } from '../../../src/wire/stream/client-frame.ts';
import { createContract } from '../support/contracts.ts';
import { RecordingSink } from '../support/recording-sink.ts';
import { type Peer, ScriptedStream } from '../support/scripted-stream.ts';
import { FakeTokens } from '../support/tokens.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

const A = createContract(0, 'VN30F2601');
const B = createContract(1, 'VN30F2602');
const C = createContract(2, 'VN30F2603');
const HEARTBEAT = 'd|p|||';
const SUBSCRIBE_A = 'd|s|tk|bp+bi+tm+mp+op+fe|VN30F2601';
const SUBSCRIBE_B = 'd|s|tk|bp+bi+tm+mp+op+fe|VN30F2602';

let server: ScriptedStream;
let timers: VirtualTimers;
let tokens: FakeTokens;
let sink: RecordingSink;
let state: ReconnectState;
let frames: string[];
let signals: StreamSignal[];
let listeners: { readonly kind: StreamSignal['kind']; readonly resolve: (signal: StreamSignal) => void }[];
let client: StreamClient;

function createClient(url = server.url): StreamClient {
  return createStreamClient({
    url,
    tokens,
    clock: timers,
    timers,
    store: { load: () => state, save: (next) => (state = next) },
    sink,
    quietLimit: () => undefined,
    onFrame: (text) => frames.push(text),
    onSignal: (signal) => {
      signals.push(signal);
      listeners = listeners.filter(({ kind, resolve }) => {
        if (kind === signal.kind) resolve(signal);
        return kind !== signal.kind;
      });
    },
  });
}

/** Resolves when so many control frames that nobody knows have been read. */
async function heard(count: number): Promise<void> {
  while (client.status().unknownControlFrames < count) await new Promise((resolve) => setImmediate(resolve));
}

/** The next signal of this kind. */
const signaled = (kind: StreamSignal['kind']): Promise<StreamSignal> =>
  new Promise((resolve) => listeners.push({ kind, resolve }));

const kinds = (): string[] => signals.map(({ kind }) => kind);
const posted = (): string[] =>
  sink.events.map((event) => (event.kind === 'stream' ? `${event.state}: ${event.reason}` : event.kind));

/** Everything the client sent before has been read when this one has: frames keep their order. */
async function goLive(): Promise<Peer> {
  const live = signaled('live');
  client.subscribe([A, B]);
  client.start();
  const peer = await server.next();
  await peer.received(1);
  peer.accept();
  await live;
  await peer.received(3);
  return peer;
}

beforeEach(async () => {
  server = await ScriptedStream.start();
  timers = new VirtualTimers();
  tokens = new FakeTokens('token-1');
  sink = new RecordingSink();
  state = FRESH_STATE;
  frames = [];
  signals = [];
  listeners = [];
  client = createClient();
});

afterEach(async () => {
  const stopped = client.stop();
  timers.advance(seconds(10));
  await stopped;
  await server.close();
});

describe('the beginning of a connection', () => {
  it('is the token, and nothing else until the answer', async () => {
    client.subscribe([A, B]);
    client.start();
    const peer = await server.next();
    await peer.received(1);
    timers.advance(seconds(9));
    peer.send('d|33|15', 'd|34|1', 'd|0|nonsense');
    const closed = signaled('ended');
    peer.close(1000);
    await closed;
    expect(peer.frames).toEqual([encodeAuth('token-1')]);
  });

  it('goes on with one subscription for each contract, and says that it is live', async () => {
    const peer = await goLive();
    expect(peer.frames).toEqual([encodeAuth('token-1'), SUBSCRIBE_A, SUBSCRIBE_B]);
    expect(posted()).toEqual(['live: authenticated and subscribed']);
  });

  it('is the same when the deadline is announced before the answer', async () => {
    const live = signaled('live');
    client.start();
    const peer = await server.next();
    peer.send('d|33|15');
    await peer.received(1);
    peer.send('d|34|1', 'd|0|{"success":true,"error":null}');
    await live;
    expect(client.status()).toMatchObject({ state: 'live', unknownControlFrames: 1 });
  });

  it('is not live without anything to subscribe, and becomes so with the first contract', async () => {
    const live = signaled('live');
    client.start();
    const peer = await server.next();
    await peer.received(1);
    peer.accept();
    await live;
    expect(posted()).toEqual([]);
    client.subscribe([A]);
    await peer.received(2);
    expect(posted()).toEqual(['live: authenticated and subscribed']);
  });

  it('ends when no answer comes within 10 s', async () => {
    client.start();
    const peer = await server.next();
    await peer.received(1);
    const ended = signaled('ended');
    timers.advance(seconds(10));
    expect(await ended).toMatchObject({ end: { kind: 'auth_timeout' } });
    await peer.gone();
  });
});

describe('a live connection', () => {
  it('beats every 2 s in text and sends no protocol ping, no compression', async () => {
    const peer = await goLive();
    for (let i = 0; i < 10; i += 1) {
      timers.advance(seconds(2));
      peer.send(HEARTBEAT);
      await peer.received(4 + i);
    }
    expect(peer.frames.slice(3)).toEqual(Array(10).fill(HEARTBEAT));
    expect([peer.pings, peer.extensions]).toEqual([0, '']);
  });

  it('hands over data frames as they came, in order, also across a bar inside the payload', async () => {
    const peer = await goLive();
    const sent = ['s|21|{"symbol":"VN30F2601"}', 's|23|{"a":"x|y"}', 's|99|{}', '\n s|21|{\n}'];
    const last = signaled('ended');
    peer.send(...sent);
    peer.close(1000);
    await last;
    expect(frames).toEqual(sent);
  });

  it('sends only the difference when the subscription changes', async () => {
    const peer = await goLive();
    client.subscribe([B, C]);
    await peer.received(5);
    expect(peer.frames.slice(3)).toEqual([
      'd|u|tk|bp+bi+tm+mp+op+fe|VN30F2601',
      'd|s|tk|bp+bi+tm+mp+op+fe|VN30F2603',
    ]);
  });

  it('is dead when no control frame comes within the announced time, whatever the data do', async () => {
    const peer = await goLive();
    const announced = new Promise<void>((resolve) => {
      const before = frames.length;
      peer.send('d|33|6', 's|21|{}');
      const look = (): void => (frames.length > before ? resolve() : void setImmediate(look));
      look();
    });
    await announced;
    const ended = signaled('ended');
    timers.advance(seconds(6.1));
    expect(await ended).toMatchObject({ end: { kind: 'silent', deadlineSeconds: 6 } });
    expect(posted().at(-1)).toBe('down: no control frame for 6 s');
  });

  it('that is half-open is torn down when our close is not answered', async () => {
    const peer = await goLive();
    peer.freeze();
    timers.advance(seconds(15.1));
    expect(client.status().state).toBe('waiting');
    const stopped = client.stop();
    timers.advance(seconds(3));
    await stopped;
    expect(timers.pending).toBe(0);
  });
});

describe('after a connection has ended', () => {
  it.each([1000, 1001, 1011])('by close %i it comes back subscribed', async (code) => {
    const first = await goLive();
    const retrying = signaled('retrying');
    first.close(code);
    expect(await retrying).toMatchObject({ attempt: 1, after: seconds(1) });
    timers.advance(seconds(1));
    const second = await server.next();
    await second.received(1);
    second.accept();
    await second.received(3);
    expect(second.frames).toEqual([encodeAuth('token-1'), SUBSCRIBE_A, SUBSCRIBE_B]);
    expect(posted()).toEqual([
      'live: authenticated and subscribed',
      `down: closed with ${code}`,
      'live: authenticated and subscribed',
    ]);
  });

  it('by a dropped socket it comes back too', async () => {
    const first = await goLive();
    const retrying = signaled('retrying');
    first.drop();
    await retrying;
    timers.advance(seconds(1));
    await (await server.next()).received(1);
    expect(state.attempts).toBe(1);
  });

  it('by 1002 it tries once and then stops: the fault is ours', async () => {
    const first = await goLive();
    const retrying = signaled('retrying');
    first.close(1002);
    await retrying;
    timers.advance(seconds(1));
    const second = await server.next();
    await second.received(1);
    second.accept();
    const paused = signaled('paused');
    second.close(1002);
    expect(await paused).toMatchObject({ reason: 'protocol_error' });
    expect(timers.pending).toBeLessThanOrEqual(1);
    expect(server.peers).toHaveLength(2);
  });

  it('starts to count anew once it was authenticated for 30 s, and not before', async () => {
    const first = await goLive();
    const retrying = signaled('retrying');
    first.close(1000);
    await retrying;
    timers.advance(seconds(1));
    const second = await server.next();
    await second.received(1);
    const live = signaled('live');
    second.accept();
    await live;
    for (let i = 0; i < 29; i += 1) {
      timers.advance(seconds(1));
      second.send('d|34|1');
      await heard(i + 1);
    }
    expect(state.attempts).toBe(1);
    timers.advance(seconds(1));
    expect(state).toEqual(FRESH_STATE);
  });
});

describe('a service that cannot be reached', () => {
  it('is tried 1, 2, 4, 8, 16, 30 ... s apart, ten times; then a pause that somebody must end', async () => {
    const { url, port } = server;
    await server.close();
    client = createClient(url);
    client.start();
    const delays: number[] = [];
    for (let i = 0; i < 10; i += 1) {
      const retrying = await signaled('retrying');
      if (retrying.kind === 'retrying') delays.push(retrying.after / 1e6);
      const next = i < 9 ? undefined : signaled('paused');
      if (retrying.kind === 'retrying') timers.advance(retrying.after);
      await next;
    }
    expect(delays).toEqual([1, 2, 4, 8, 16, 30, 30, 30, 30, 30]);
    expect(client.status()).toMatchObject({ state: 'paused', attempts: 10 });
    expect(timers.pending).toBe(0);

    server = await ScriptedStream.start(port);
    client.resume();
    await (await server.next()).received(1);
    expect(state).toEqual(FRESH_STATE);
  });

  it('stays in its pause over a restart', () => {
    state = { attempts: 10, protocolErrors: 0, paused: 'attempts_used_up' };
    client = createClient();
    client.start();
    expect(client.status().state).toBe('paused');
    expect(timers.pending).toBe(0);
    expect(server.peers).toEqual([]);
  });
});

describe('tokens', () => {
  it('without one nothing is dialled, until one comes', async () => {
    tokens.set(undefined);
    client.start();
    expect(kinds()).toEqual(['awaiting_token']);
    tokens.set('token-2');
    const peer = await server.next();
    await peer.received(1);
    expect(peer.frames).toEqual([encodeAuth('token-2')]);
  });

  it('that are refused as invalid are terminal, cost no attempt and are given back', async () => {
    client.start();
    const peer = await server.next();
    await peer.received(1);
    const awaiting = signaled('awaiting_token');
    peer.refuse('211110', 'Invalid JWT');
    expect(await awaiting).toMatchObject({ why: 'rejected' });
    expect(tokens.rejected).toEqual(['token-1']);
    timers.advance(seconds(3600));
    expect(server.peers).toHaveLength(1);
    expect(state).toEqual(FRESH_STATE);
    tokens.set('token-2');
    await (await server.next()).received(1);
  });

  it('that are refused for another reason cost an attempt', async () => {
    client.start();
    const peer = await server.next();
    await peer.received(1);
    const retrying = signaled('retrying');
    peer.refuse('211105', 'already connected');
    expect(await retrying).toMatchObject({ attempt: 1 });
    expect(tokens.rejected).toEqual([]);
  });

  it('that have expired when the server closes cost no attempt', async () => {
    tokens.set('token-1', addUs(timers.nowUs(), seconds(60)));
    const peer = await goLive();
    for (let i = 0; i < 5; i += 1) {
      timers.advance(seconds(11.6));
      peer.send(HEARTBEAT, 's|21|{}');
      while (frames.length <= i) await new Promise((resolve) => setImmediate(resolve));
    }
    const awaiting = signaled('awaiting_token');
    peer.close(1000);
    expect(await awaiting).toMatchObject({ why: 'expired' });
    expect(state).toEqual(FRESH_STATE);
  });
});

describe('a token renewed in mid-session', () => {
  it('connects and subscribes first, switches with the first frame, then closes the old connection', async () => {
    const old = await goLive();
    tokens.set('token-2');
    const fresh = await server.next();
    await fresh.received(1);
    expect(fresh.frames).toEqual([encodeAuth('token-2')]);
    fresh.accept();
    await fresh.received(3);
    expect(old.closeCode).toBeUndefined();
    old.send('s|21|{"n":1}');
    while (frames.length < 1) await new Promise((resolve) => setImmediate(resolve));
    const switched = signaled('handed_over');
    fresh.send('s|21|{"n":2}');
    await switched;
    await old.gone();
    expect(frames).toEqual(['s|21|{"n":1}', 's|21|{"n":2}']);
    expect(posted()).toEqual(['live: authenticated and subscribed']);
    expect(client.status()).toMatchObject({ state: 'live', attempts: 0 });
  });

  it('switches after 5 s in a market where no frame comes', async () => {
    const old = await goLive();
    tokens.set('token-2');
    const fresh = await server.next();
    await fresh.received(1);
    fresh.accept();
    await fresh.received(3);
    timers.advance(seconds(5));
    expect(kinds()).toContain('handed_over');
    await old.gone();
  });

  it('is a planned reconnect where a second connection is refused', async () => {
    const old = await goLive();
    tokens.set('token-2');
    const refused = await server.next();
    await refused.received(1);
    refused.refuse('211105', 'already connected');
    await old.gone();
    const fresh = await server.next();
    await fresh.received(1);
    fresh.accept();
    await fresh.received(3);
    expect(state).toEqual(FRESH_STATE);
    expect(posted()).toEqual([
      'live: authenticated and subscribed',
      'down: planned reconnect with a renewed token',
      'live: authenticated and subscribed',
    ]);
  });

  it('is a planned reconnect where the new token ends the old one at once', async () => {
    const old = await goLive();
    tokens.set('token-2');
    const fresh = await server.next();
    await fresh.received(1);
    const ended = signaled('ended');
    old.close(1000);
    await ended;
    const live = signaled('live');
    fresh.accept();
    await live;
    await fresh.received(3);
    expect(server.peers).toHaveLength(2);
    expect(state).toEqual(FRESH_STATE);
    expect(posted().at(-1)).toBe('live: authenticated and subscribed');
  });

  it('leaves the old connection alone when the new token is invalid', async () => {
    const old = await goLive();
    tokens.set('token-2');
    const fresh = await server.next();
    await fresh.received(1);
    const failed = signaled('hand_over_failed');
    fresh.refuse('211110', 'Invalid JWT');
    expect(await failed).toMatchObject({ next: 'none' });
    expect(tokens.rejected).toEqual(['token-2']);
    expect(old.closeCode).toBeUndefined();
    expect(client.status().state).toBe('live');
  });
});
