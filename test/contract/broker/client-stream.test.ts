/** Our stream client against the service over real sockets, with what it says held against the document (contract, 6). */
import { describe, expect, it } from 'vitest';
import { minutes, seconds, tsUs } from '../../../src/domain/units.ts';
import type { Json } from './document/answer-check.ts';
import { ALL_CODES, authFrame, HEARTBEAT, subscribeFrame, unsubscribeFrame } from './document/stream.ts';
import { DriftLog } from '../../../src/wire/drift.ts';
import { BareStream } from './support/bare-stream.ts';
import { ClientStreamMarket, until } from './support/client-stream-market.ts';
import { openMarket, placed, trade, withAuth, withStream } from './support/market.ts';

const startIn = async (options: Parameters<typeof openMarket>[0] = {}) =>
  ClientStreamMarket.start(await openMarket(options));

describe('what the client says', () => {
  it.each(['contract', 'live'] as const)(
    'is the token, then one subscription a contract, then a heartbeat every 2 s: control frames as in the %s order',
    async (controlOrder) => {
      const world = await startIn(withStream({ controlOrder }));
      const { alice, front, next, time } = world.market;
      await world.goLive();
      const beats: string[] = [];
      for (let beat = 0; beat < 10; beat += 1) {
        time.advance(seconds(2));
        beats.push(HEARTBEAT);
        await until(() => world.said().length >= 3 + beats.length);
      }
      expect(world.said()).toEqual([
        authFrame(alice.token),
        subscribeFrame(ALL_CODES, front),
        subscribeFrame(ALL_CODES, next),
        ...beats,
      ]);
      expect(world.relay.said).toHaveLength(1);
    },
  );

  it('is only the difference when it wants other contracts', async () => {
    const world = await startIn();
    await world.goLive();
    const [front, next, third] = world.market.simulator.contracts;
    world.client.subscribe(world.contracts.slice(1, 3));
    await until(() => world.said().length >= 5);
    expect(world.said().slice(1)).toEqual([
      subscribeFrame(ALL_CODES, front ?? ''),
      subscribeFrame(ALL_CODES, next ?? ''),
      unsubscribeFrame(ALL_CODES, front ?? ''),
      subscribeFrame(ALL_CODES, third ?? ''),
    ]);
  });
});

describe('what it hears', () => {
  it.each([
    ['whole books', {}],
    ['partial books', { bookFrames: 'changes' }],
    ['payloads over several lines', { payloads: 'live' }],
  ] as const)('is every data frame as it was sent, and is understood: %s', async (_what, stream) => {
    const world = await startIn(withStream(stream));
    const { market } = world;
    const { simulator, bob, front, next } = market;
    await world.goLive();
    const bare = await BareStream.authenticated(simulator.stream, bob.token);
    for (const symbol of [front, next]) bare.send(subscribeFrame(ALL_CODES, symbol));
    await bare.settle();
    await until(() => world.frames.length >= bare.dataFrames.length);
    const [greetings, bareGreetings] = [world.frames.length, bare.dataFrames.length];
    for (const price of [1_295, 1_296]) await placed(bob, 'B', front, price, 2);
    await trade(market, front, 1_300.5, 2);
    await trade(market, next, 1_310, 1);
    await bare.settle();
    const sent = bare.dataFrames.slice(bareGreetings);
    await until(() => world.frames.length >= greetings + sent.length);
    const heard = world.frames.slice(greetings);
    expect(heard).toEqual(sent);

    const drift = new DriftLog();
    const events = heard.map((text) => {
      const frame = world.understood(text, drift);
      return frame.kind === 'market' ? frame.event : frame;
    });
    const trades = sent
      .filter((text) => text.startsWith('s|21|'))
      .map((text) => JSON.parse(text.slice(5)) as Json);
    expect(events.filter(({ kind }) => kind === 'trade')).toMatchObject(
      trades.map((row) => ({
        instrument: row['symbol'] === front ? 0 : 1,
        price: Math.round(Number(row['matchPrice']) * 10),
        qty: row['matchQtty'],
        totalVolume: row['totalVolume'],
      })),
    );
    const summary = { open: 13_005, high: 13_005, low: 13_005, average: 130_050 };
    expect(events.find(({ kind }) => kind === 'summary')).toMatchObject({ instrument: 0, ...summary });
    const bids = events.find(({ kind }) => kind === 'book_update');
    expect(bids).toMatchObject({ side: 'bid', instrument: 0 });
    expect(bids).toHaveProperty('levels.0', { price: 12_950, qty: 2 });
    expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(['trade', 'book_update', 'summary']));
    expect(drift.all).toEqual([]);
  });

  it('may be half a level, and a channel that nobody asked for', async () => {
    const world = await startIn();
    const { simulator, front } = world.market;
    await world.goLive();
    const texts = [`s|23|{"symbol":"${front}","bidQtty02":7}`, `s|26|{"symbol":"${front}"}`, 's|2|{}'];
    const before = world.frames.length;
    for (const text of texts) simulator.faults.set({ name: 'inject_frame', text });
    await until(() => world.frames.slice(before).includes('s|2|{}'));
    const drift = new DriftLog();
    const events = texts.map((text) => world.understood(text, drift));
    expect(events[0]).toMatchObject({
      kind: 'market',
      event: { side: 'bid', levels: [undefined, undefined, undefined], halves: [{ level: 1, qty: 7 }] },
    });
    expect(events.slice(1)).toEqual([
      { kind: 'ignored', channel: '26' },
      { kind: 'ignored', channel: '2' },
    ]);
    expect(drift.all).toMatchObject([{ deviation: 'half a level' }]);
  });
});

describe('how a connection ends', () => {
  it.each([
    [1000, 'closed'],
    [1006, 'closed'],
  ] as const)('with %i: it comes back after a second, subscribed', async (code, kind) => {
    const world = await startIn();
    const { simulator, time, alice, front, next } = world.market;
    await world.goLive();
    simulator.faults.set({ name: 'close_stream', code });
    expect((await world.signaled('ended')).end).toMatchObject({ kind });
    expect(await world.signaled('retrying')).toMatchObject({ attempt: 1, after: seconds(1) });
    time.advance(seconds(1));
    await world.signaled('live', 2);
    await until(() => world.said().length >= 3);
    const frames = [authFrame(alice.token), ...[front, next].map((code) => subscribeFrame(ALL_CODES, code))];
    expect(world.said()).toEqual(frames);
  });

  it.each([15, 7])('without a pong for the %i s that were announced', async (heartbeatTimeoutSeconds) => {
    const world = await startIn(withStream({ heartbeatTimeoutSeconds }));
    const { simulator, time } = world.market;
    await world.goLive();
    simulator.faults.set({ name: 'stop_pongs' });
    time.advance(seconds(heartbeatTimeoutSeconds + 3));
    const { end } = await world.signaled('ended');
    expect(end).toEqual({ kind: 'silent', deadlineSeconds: heartbeatTimeoutSeconds });
  });

  it('by maintenance: ten attempts, 1, 2, 4, 8, 16, 30 ... s apart, then a pause', async () => {
    const world = await startIn();
    const { simulator, time } = world.market;
    await world.goLive();
    simulator.faults.set({ name: 'refuse_connections', scope: 'all' });
    for (const [at, delay] of [1, 2, 4, 8, 16, 30, 30, 30, 30, 30].entries()) {
      expect(await world.signaled('retrying', at + 1)).toMatchObject({
        attempt: at + 1,
        after: seconds(delay),
      });
      time.advance(seconds(delay));
    }
    expect(await world.signaled('paused')).toMatchObject({ reason: 'attempts_used_up' });
    simulator.faults.clear();
    world.client.resume();
    await world.signaled('live', 2);
  });
});

describe('tokens', () => {
  it('that are not valid are terminal: nothing is dialled until there is another', async () => {
    const world = await startIn();
    const { alice, time } = world.market;
    world.tokens.set('a.b.c');
    world.begin();
    expect(await world.signaled('awaiting_token')).toMatchObject({ why: 'rejected' });
    time.advance(minutes(60));
    expect([world.relay.said.length, world.tokens.rejected]).toEqual([1, ['a.b.c']]);
    expect(world.state.attempts).toBe(0);
    world.tokens.set(await alice.logIn());
    await world.signaled('live');
  });

  it('that expire while connected cost no attempt', async () => {
    const world = await startIn(withAuth({ tokenLife: minutes(1) }));
    const { alice, time } = world.market;
    world.tokens.set(alice.token, tsUs(time.nowUs() + minutes(1)));
    await world.goLive();
    for (let beat = 0; beat < 30; beat += 1) {
      const said = world.said().length;
      time.advance(seconds(2));
      if (beat < 29) await until(() => world.said().length > said);
    }
    expect(await world.signaled('awaiting_token')).toMatchObject({ why: 'expired' });
    world.tokens.set(await alice.logIn(), tsUs(time.nowUs() + minutes(1)));
    await world.signaled('live', 2);
    expect(world.state.attempts).toBe(0);
  });

  it('that are connected already cost an attempt, and are tried again', async () => {
    const world = await startIn();
    const { simulator, alice, time } = world.market;
    const other = await BareStream.authenticated(simulator.stream, alice.token);
    world.begin();
    expect((await world.signaled('ended')).end).toMatchObject({ kind: 'auth_refused' });
    expect(await world.signaled('retrying')).toMatchObject({ attempt: 1 });
    expect(world.tokens.rejected).toEqual([]);
    other.socket.close();
    await other.closed;
    time.advance(seconds(1));
    await world.signaled('live');
  });

  it('that are renewed take over without a gap: the new connection first, then the old one goes', async () => {
    const world = await startIn();
    const { alice, front } = world.market;
    await world.goLive();
    const before = world.frames.length;
    world.tokens.set(await alice.logIn());
    await world.signaled('handed_over');
    expect(world.signals.filter(({ kind }) => kind === 'ended')).toEqual([]);
    await trade(world.market, front, 1_300, 1);
    await until(() => world.frames.slice(before).some((text) => text.startsWith('s|21|')));
    expect(world.frames.filter((text) => text.startsWith('s|21|'))).toHaveLength(1);
  });
});
