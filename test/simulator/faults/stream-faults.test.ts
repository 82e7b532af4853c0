import { describe, expect, it } from 'vitest';
import { seconds } from '../../../src/domain/units.ts';
import { BareStream } from '../../contract/broker/support/bare-stream.ts';
import { authFrame } from '../../contract/broker/document/stream.ts';
import { rowsOf } from '../../contract/broker/support/bare-client.ts';
import { openMarket, order } from '../../contract/broker/support/market.ts';

const wish = (symbol: string, refId: string) =>
  ({ side: 'B', symbol, price: 1299, volume: 1, refId }) as const;

async function listening() {
  const all = await openMarket();
  const tap = await BareStream.authenticated(all.simulator.stream, all.alice.token);
  tap.send(`d|s|tk|bi+tm|${all.front}`);
  await tap.settle();
  const trade = async (refId: string): Promise<void> => {
    await all.alice.call('place', { ...wish(all.front, refId) });
    await order(all.bob, 'S', all.front, 1299, 1);
    await tap.settle();
  };
  const volumes = (): unknown[] => tap.payloads('s|21|').map((payload) => payload['totalVolume']);
  return { ...all, tap, trade, volumes };
}

describe('a stream that goes wrong', () => {
  it('lose_frame breaks the chain of totalVolume', async () => {
    const { simulator, trade, volumes } = await listening();
    await trade('H.1');
    simulator.faults.set({ name: 'lose_frame', channel: 'trade', times: 1 });
    await trade('H.2');
    await trade('H.3');
    expect(volumes()).toEqual([1, 3]);
  });

  it('duplicate_frame says it twice', async () => {
    const { simulator, trade, volumes, front } = await listening();
    simulator.faults.set({ name: 'duplicate_frame', channel: 'trade', symbol: front, times: 1 });
    await trade('H.1');
    await trade('H.2');
    expect(volumes()).toEqual([1, 1, 2]);
  });

  it('reorder_frame says it after the next one', async () => {
    const { simulator, trade, volumes } = await listening();
    simulator.faults.set({ name: 'reorder_frame', channel: 'trade', times: 1 });
    await trade('H.1');
    await trade('H.2');
    await trade('H.3');
    // Overtaken by the level that the trade left behind, and by nothing else.
    expect(volumes()).toEqual([1, 2, 3]);
    simulator.faults.set({ name: 'reorder_frame', channel: 'trade', times: 1 });
    simulator.faults.set({ name: 'lose_frame', channel: 'bid' });
    await trade('H.4');
    await trade('H.5');
    expect(volumes()).toEqual([1, 2, 3, 5, 4]);
  });

  it('inject_frame says what it is given', async () => {
    const { simulator, tap } = await listening();
    simulator.faults.set({ name: 'inject_frame', text: 's|21|{"symbol":' });
    await tap.settle();
    expect(tap.frames).toContain('s|21|{"symbol":');
  });

  it('stop_pongs: heartbeats are received and not answered', async () => {
    const { simulator, tap, time, alice } = await listening();
    simulator.faults.set({ name: 'stop_pongs' });
    const pongs = tap.frames.filter((frame) => frame === 'd|p|||').length;
    for (let beat = 0; beat < 3; beat += 1) {
      tap.send('d|p|||');
      await alice.call('contracts');
      time.advance(seconds(10));
    }
    simulator.faults.clear('stop_pongs');
    await tap.settle();
    expect(tap.frames.filter((frame) => frame === 'd|p|||')).toHaveLength(pongs + 1);
  });

  it.each([[1000], [1001], [1006], [1011]])('close_stream %d', async (code) => {
    const { simulator, tap } = await listening();
    simulator.faults.set({ name: 'close_stream', code });
    expect(await tap.closed).toBe(code);
  });

  it('half_open: says and hears nothing, and its token is taken until the server gives it up', async () => {
    const { simulator, tap, time, alice, trade: _trade } = await listening();
    simulator.faults.set({ name: 'half_open' });
    const before = tap.frames.length;
    tap.send('d|p|||');
    const early = await BareStream.open(simulator.stream);
    early.send(authFrame(alice.token));
    expect(await early.next('d|0|')).toContain('"success":false');
    time.advance(seconds(15));
    expect(tap.socket.readyState).toBe(tap.socket.OPEN);
    expect(tap.frames).toHaveLength(before);
    await BareStream.authenticated(simulator.stream, alice.token);
  });

  it('refuse_connections turns upgrades away and leaves REST alone', async () => {
    const { simulator, alice } = await openMarket();
    simulator.faults.set({ name: 'refuse_connections', times: 2 });
    await expect(BareStream.open(simulator.stream)).rejects.toThrow('socket hang up');
    await expect(BareStream.open(simulator.stream)).rejects.toThrow('socket hang up');
    expect((await alice.call('contracts')).status).toBe(200);
    await BareStream.authenticated(simulator.stream, alice.token);
  });

  it('refuse_connections of all ends what is open, and lets nobody in', async () => {
    const { simulator, tap, alice } = await listening();
    simulator.faults.set({ name: 'refuse_connections', scope: 'all' });
    expect(await tap.closed).toBe(1006);
    await expect(alice.call('in-day')).rejects.toThrow('fetch failed');
    await expect(BareStream.open(simulator.stream)).rejects.toThrow(/hang up|ECONNRESET/);
    simulator.faults.clear();
    expect((await alice.call('in-day')).status).toBe(200);
  });

  it('expire_token: REST answers 401, the stream closes, and the token is not taken again', async () => {
    const { simulator, tap, alice } = await listening();
    simulator.faults.set({ name: 'expire_token' });
    expect(await tap.closed).toBe(1000);
    expect((await alice.call('in-day')).status).toBe(401);
    const again = await BareStream.open(simulator.stream);
    again.send(authFrame(alice.token));
    expect(await again.next('d|0|')).toContain('211110');
    await alice.logIn();
    expect((await alice.call('in-day')).status).toBe(200);
  });
});

describe('a broker whose clock or contracts are not what they were', () => {
  it.each([[30], [-7_200]])(
    'clock_skew of %d s moves Date and the times of tokens, not the market',
    async (skew) => {
      const { simulator, alice, time } = await openMarket();
      const market = simulator.marketNowUs();
      simulator.faults.set({ name: 'clock_skew', seconds: skew });
      const date = Date.parse((await alice.call('contracts')).headers.get('date') ?? '');
      expect(date).toBe(time.nowUs() / 1_000 + skew * 1_000);
      await alice.logIn();
      const claims = JSON.parse(
        Buffer.from(String(alice.token?.split('.')[1]), 'base64url').toString(),
      ) as Record<string, unknown>;
      expect(claims['iat']).toBe(time.nowUs() / 1e6 + skew);
      expect(simulator.marketNowUs()).toBe(market);
      simulator.faults.clear('clock_skew');
      expect(Date.parse((await alice.call('contracts')).headers.get('date') ?? '')).toBe(
        time.nowUs() / 1_000,
      );
    },
  );

  it('roll_contract: settled in cash, orders ended, the old code silent, the list moved on', async () => {
    const { simulator, tap, trade, alice, bob, front } = await listening();
    await trade('H.1');
    await alice.call('place', { ...wish(front, 'H.2'), price: 1290 });
    expect(simulator.faults.set({ name: 'roll_contract' }).ok).toBe(true);
    const listed = rowsOf(await alice.call('contracts')).map((row) => row['symbol']);
    expect([listed.length, listed.includes(front)]).toEqual([4, false]);
    expect(rowsOf(await alice.call('positions'))).toEqual([]);
    expect(rowsOf(await alice.call('in-day')).map((row) => row['status'])).toEqual(['PM', 'PWX']);
    const frames = tap.frames.length;
    expect((await bob.call('place', wish(front, 'H.3'))).json['rc']).not.toBe('1');
    await tap.settle();
    expect(tap.frames.slice(frames).filter((frame) => frame.startsWith('s|'))).toEqual([]);
  });

  it('inject_order and expire_token mean the account they name', async () => {
    const { simulator, alice, bob, front } = await openMarket();
    const account = bob.custodyCode;
    const order = { name: 'inject_order', symbol: front, side: 'buy', points: 1290, volume: 1 } as const;
    expect(simulator.faults.set({ ...order, account }).ok).toBe(true);
    expect(simulator.faults.set({ ...order, account: 'nobody' }).ok).toBe(false);
    expect(rowsOf(await alice.call('in-day'))).toEqual([]);
    expect(rowsOf(await bob.call('in-day'))).toHaveLength(1);
    expect(simulator.faults.set({ name: 'expire_token', account }).ok).toBe(true);
    expect(simulator.faults.set({ name: 'expire_token', account: 'nobody' }).ok).toBe(false);
    expect([(await alice.call('in-day')).status, (await bob.call('in-day')).status]).toEqual([200, 401]);
  });
});
