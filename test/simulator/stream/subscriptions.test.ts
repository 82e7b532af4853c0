import { describe, expect, it } from 'vitest';
import { DEFAULT_OPTIONS, type StreamSettings } from '../../../src/simulator/simulator-options.ts';
import { started } from '../support/started.ts';
import { authFrame, firstOf, FrameTap } from '../support/stranger.ts';

const streamOf = (changes: Partial<StreamSettings>) => ({
  stream: { ...DEFAULT_OPTIONS.stream, ...changes },
});
describe('subscriptions', () => {
  const ALL = 'bp+bi+tm+mp+op+fe';

  it('start with the levels that stand, and bring trades, levels and summary', async () => {
    const { simulator, alice, bob, front } = await started();
    await alice.place({ side: 'B', symbol: front, price: 1299.5, volume: 3, refId: 'H.1' });
    const tap = await FrameTap.authenticated(simulator.stream, alice.token);
    tap.send(`d|s|tk|${ALL}|${front}`);
    await tap.settle();
    expect(tap.payloads('s|23|')).toHaveLength(1);
    expect(tap.payloads('s|23|')[0]).toMatchObject({ symbol: front, bidPrice01: 1299.5, bidQtty01: 3 });
    expect(tap.payloads('s|24|')).toHaveLength(1);
    expect(tap.payloads('s|27|')).toEqual([]);

    await bob.place({ side: 'S', symbol: front, price: 1299.5, volume: 1, refId: 'H.1' });
    await bob.place({ side: 'S', symbol: front, price: 1299.5, volume: 2, refId: 'H.2' });
    await tap.settle();
    const reference = Number(firstOf(await alice.get('/tartarus/v1/derivatives'))['refPrice']);
    const trade = {
      symbol: front,
      matchPrice: 1299.5,
      change: Number((1299.5 - reference).toFixed(2)),
      changePercent: Number(((1299.5 / reference - 1) * 100).toFixed(2)),
    };
    expect(tap.payloads('s|21|')).toEqual([
      { ...trade, matchQtty: 1, totalVolume: 1 },
      { ...trade, matchQtty: 2, totalVolume: 3 },
    ]);
    expect(tap.payloads('s|23|').at(-1)).not.toHaveProperty('bidPrice01', 1299.5);
    expect(tap.payloads('s|27|').at(-1)).toEqual({
      symbol: front,
      high: 1299.5,
      low: 1299.5,
      avg: 1299.5,
      open: 1299.5,
    });
    expect(tap.frames.filter((frame) => frame.startsWith('s|25') || frame.startsWith('s|26'))).toEqual([]);
  });

  it('leave out the levels that stand when the switch says so; merging gives the whole', async () => {
    const { simulator, alice, bob, front } = await started(streamOf({ bookFrames: 'changes' }));
    await alice.place({ side: 'B', symbol: front, price: 1299, volume: 3, refId: 'H.1' });
    const tap = await FrameTap.authenticated(simulator.stream, alice.token);
    tap.send(`d|s|tk|bi+op|${front}`);
    await alice.place({ side: 'B', symbol: front, price: 1298, volume: 2, refId: 'H.2' });
    await bob.place({ side: 'S', symbol: front, price: 1299, volume: 1, refId: 'H.1' });
    await alice.place({ side: 'B', symbol: front, price: 1299.5, volume: 1, refId: 'H.3' });
    await tap.settle();
    const frames = tap.payloads('s|23|');
    expect(frames.slice(1, 3)).toEqual([
      { symbol: front, bidPrice02: 1298, bidQtty02: 2 },
      { symbol: front, bidPrice01: 1299, bidQtty01: 2 },
    ]);
    expect(Object.assign({}, ...frames)).toEqual({
      symbol: front,
      bidPrice01: 1299.5,
      bidQtty01: 1,
      bidPrice02: 1299,
      bidQtty02: 2,
      bidPrice03: 1298,
      bidQtty03: 2,
    });
    expect(tap.payloads('s|24|'), 'the first is whole, and nothing changed since').toHaveLength(1);
  });

  it('are printed over several lines, large numbers scientific, when the switch says so', async () => {
    const { simulator, alice, front } = await started(streamOf({ payloads: 'live' }));
    const tap = await FrameTap.authenticated(simulator.stream, alice.token);
    tap.send(`d|s|tk|bi|${front}`);
    const frame = await tap.next('s|23|');
    expect(frame).toMatch(/^s\|23\|\{\n {2}"symbol": "/);
    expect(JSON.parse(frame.slice(5))).toMatchObject({ symbol: front, bidPrice01: 0 });
  });

  it('before the answer to the auth frame are refused', async () => {
    const { simulator, alice, front } = await started();
    const tap = await FrameTap.open(simulator.stream);
    tap.send(`d|s|tk|${ALL}|${front}`);
    tap.send(authFrame(alice.token));
    await tap.next('d|33|15');
    await tap.settle();
    expect(tap.frames.filter((frame) => frame.startsWith('s|'))).toEqual([]);
    expect(simulator.counters.get('subscribed_too_early')).toBe(1);
  });

  it('take several symbols and stray blanks, and end for what is unsubscribed', async () => {
    const { simulator, alice, bob } = await started();
    const [front = '', next = '', third = ''] = simulator.contracts;
    const tap = await FrameTap.authenticated(simulator.stream, alice.token);
    tap.send(`d|s|tk|tm |${front},${next}`);
    await tap.settle();
    const trade = async (symbol: string): Promise<void> => {
      await alice.place({ side: 'B', symbol, price: 1300, volume: 1, refId: `H.${symbol}` });
      await bob.place({ side: 'S', symbol, price: 1300, volume: 1, refId: `H.${symbol}` });
      await tap.settle();
    };
    const symbols = (): unknown[] => tap.payloads('s|21|').map((payload) => payload['symbol']);
    for (const symbol of [front, next, third]) await trade(symbol);
    expect(symbols()).toEqual([front, next]);
    expect(tap.payloads('s|23|')).toEqual([]);
    tap.send(`d|u|tk|tm|${front}`);
    await tap.settle();
    for (const symbol of [front, next]) await trade(symbol);
    expect(symbols()).toEqual([front, next, next]);
  });

  it.each([
    ['x'],
    ['d|'],
    ['d|s|tk'],
    ['d|s|tk|tm|NOBODY'],
    ['d|s|tk|zz|A'],
    ['{}'],
    [''],
    ['s|21|{}'],
    ['d|q|||'],
  ])('survive %j', async (frame) => {
    const { simulator, alice } = await started();
    const tap = await FrameTap.authenticated(simulator.stream, alice.token);
    tap.send(frame);
    tap.socket.send(Buffer.from([0, 255, 1]));
    await tap.settle();
    expect(tap.socket.readyState).toBe(tap.socket.OPEN);
  });

  it('use codes of their own when the switch says so', async () => {
    const { simulator, alice, bob, front } = await started({ streamCodes: 'internal' });
    const listed = (await alice.get('/api/v1/derivatives/contracts')).json['data'] as { symbol: string }[];
    const code = String(listed[0]?.symbol);
    expect(code).not.toBe(front);
    const tap = await FrameTap.authenticated(simulator.stream, alice.token);
    tap.send(`d|s|tk|tm|${code}`);
    await tap.settle();
    await alice.place({ side: 'B', symbol: front, price: 1300, volume: 1, refId: 'H.1' });
    await bob.place({ side: 'S', symbol: front, price: 1300, volume: 1, refId: 'H.1' });
    await tap.settle();
    expect(tap.payloads('s|21|').map((payload) => payload['symbol'])).toEqual([code]);
  });
});
