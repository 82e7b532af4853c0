/** What keeps a connection, and how it ends: every row of the table (contract, 7), over a bare WebSocket. */
import { describe, expect, it } from 'vitest';
import { seconds } from '../../../src/domain/units.ts';
import { authFrame, HEARTBEAT, subscribeFrame } from './document/stream.ts';
import { BareStream } from './support/bare-stream.ts';
import { type Market, openMarket, openMarketAt, trade, withStream } from './support/market.ts';

/** Whatever was sent before has been read when this has been answered: REST and stream share one process. */
const drain = ({ alice }: Market): Promise<unknown> => alice.call('contracts');

describe('the heartbeat', () => {
  it('is answered in text, and keeps the connection', async () => {
    const { simulator, alice, time } = await openMarket();
    const stream = await BareStream.authenticated(simulator.stream, alice.token);
    for (let beat = 0; beat < 45; beat += 1) {
      time.advance(seconds(2));
      await stream.settle();
    }
    expect(stream.frames.filter((frame) => frame === HEARTBEAT)).toHaveLength(45);
    expect(stream.isOpen).toBe(true);
  });

  it('may be as far apart as was announced, and not further', async () => {
    for (const heartbeatTimeoutSeconds of [15, 7]) {
      const market = await openMarket(withStream({ heartbeatTimeoutSeconds }));
      const stream = await BareStream.authenticated(market.simulator.stream, market.alice.token);
      expect(await stream.next('d|33|')).toBe(`d|33|${heartbeatTimeoutSeconds}`);
      for (let beat = 0; beat < 3; beat += 1) {
        market.time.advance(seconds(heartbeatTimeoutSeconds - 1));
        await stream.settle();
      }
      market.time.advance(seconds(heartbeatTimeoutSeconds));
      expect(await stream.closed).toBe(1000);
    }
  });

  it.each([
    ['nothing', []],
    ['another text', ['ping|1']],
    ['a heartbeat with too few bars', ['d|p||']],
    ['a heartbeat of the stock stream', ['d|p']],
    ['a subscription', [subscribeFrame('tm', 'X')]],
  ])('is not replaced by %s: after 15 s the connection closes with 1000', async (_what, frames) => {
    const market = await openMarket();
    const stream = await BareStream.authenticated(market.simulator.stream, market.alice.token);
    market.time.advance(seconds(14));
    for (const frame of frames) stream.send(frame);
    await drain(market);
    market.time.advance(seconds(1));
    expect(await stream.closed).toBe(1000);
  });

  it('is due before authentication as well', async () => {
    const market = await openMarket();
    const stream = await BareStream.open(market.simulator.stream);
    await stream.settle();
    market.time.advance(seconds(14.9));
    stream.send(authFrame(market.alice.token));
    await stream.next('d|0|');
    expect(stream.isOpen).toBe(true);
    market.time.advance(seconds(0.1));
    expect(await stream.closed).toBe(1000);
  });
});

describe('a protocol ping', () => {
  it('closes the connection with 1002 after 15 to 20 s, however well the heartbeats go', async () => {
    const market = await openMarket();
    const stream = await BareStream.authenticated(market.simulator.stream, market.alice.token);
    stream.socket.ping();
    let at = 0;
    for (; stream.isOpen && at < 25; at += 1) {
      await stream.settle();
      market.time.advance(seconds(1));
      await drain(market);
    }
    expect(await stream.closed).toBe(1002);
    expect(at).toBeGreaterThanOrEqual(15);
    expect(at).toBeLessThanOrEqual(20);
  });
});

describe('frames that nobody can read', () => {
  it.each([
    [''],
    ['x'],
    ['d|'],
    ['d|s|tk'],
    ['d|s|tk|tm|NOBODY'],
    ['d|s|tk|zz|A'],
    ['d|u|tk|tm|A'],
    ['{}'],
    ['d|q|||'],
    ['s|21|{}'],
  ])('are survived: %j', async (frame) => {
    const { simulator, alice } = await openMarket();
    const stream = await BareStream.authenticated(simulator.stream, alice.token);
    stream.send(frame);
    stream.socket.send(Buffer.from([0, 255, 1]));
    await stream.settle();
    expect([stream.isOpen, stream.dataFrames]).toEqual([true, []]);
  });

  it('end the connection when they are larger than any frame can be', async () => {
    const { simulator, alice } = await openMarket();
    const stream = await BareStream.authenticated(simulator.stream, alice.token);
    stream.send('x'.repeat(1_000_000));
    expect(await stream.closed).toBe(1009);
  });
});

describe('the service', () => {
  it.each([1000, 1002, 1006] as const)(
    'may close with %i at any time; a new connection is welcome',
    async (code) => {
      const { simulator, alice } = await openMarket();
      const stream = await BareStream.authenticated(simulator.stream, alice.token);
      simulator.faults.set({ name: 'close_stream', code });
      expect(await stream.closed).toBe(code);
      const again = await BareStream.authenticated(simulator.stream, alice.token);
      expect(again.isOpen).toBe(true);
    },
  );

  it('refuses connections under maintenance', async () => {
    const { simulator, alice } = await openMarket();
    simulator.faults.set({ name: 'refuse_connections', scope: 'all' });
    await expect(BareStream.open(simulator.stream)).rejects.toThrow(/\w/);
    await expect(alice.call('contracts')).rejects.toThrow(/\w/);
    simulator.faults.clear();
    const stream = await BareStream.authenticated(simulator.stream, alice.token);
    expect(stream.isOpen).toBe(true);
  });
});

describe('outside trading hours', () => {
  it('connection and heartbeat go on, no data come, and they resume without a new connection', async () => {
    const market = await openMarketAt('2026-03-04 11:29:00');
    const { simulator, alice, front, time } = market;
    const stream = await BareStream.authenticated(simulator.stream, alice.token);
    stream.send(subscribeFrame('tm', front));
    await stream.settle();
    await trade(market, front, 1_300, 1);
    const beatFor = async (total: number): Promise<void> => {
      for (let passed = 0; passed < total; passed += 14) {
        time.advance(seconds(Math.min(14, total - passed)));
        await stream.settle();
      }
    };
    await beatFor(61);
    expect(stream.payloads('s|21|')).toHaveLength(1);
    const before = stream.dataFrames.length;
    await beatFor(5_398);
    expect(stream.dataFrames).toHaveLength(before);
    await beatFor(2);
    await trade(market, front, 1_301, 1);
    await stream.settle();
    expect(stream.payloads('s|21|')).toMatchObject([{ totalVolume: 1 }, { totalVolume: 2 }]);
  });
});
