import { describe, expect, it } from 'vitest';
import { seconds } from '../../../src/domain/units.ts';
import { parseScenario, type Scenario } from '../../../src/simulator/scenario/scenario.ts';
import { started } from '../support/started.ts';
import { authFrame, firstOf, FrameTap, rowsOf } from '../support/stranger.ts';

function scenario(...steps: object[]): Scenario {
  const read = parseScenario({ seed: 3, steps });
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.value;
}

const wish = (symbol: string, refId: string) =>
  ({ side: 'B', symbol, price: 1299, volume: 1, refId }) as const;

describe('a scenario', () => {
  it('strikes the very request it counted', async () => {
    const fault = { name: 'accept_then_drop', operation: 'place', times: 1 };
    const { alice, front } = await started({ scenario: scenario({ on: 'place', nth: 2, each: 2, fault }) });
    const answered: boolean[] = [];
    for (const refId of ['H.1', 'H.2', 'H.3', 'H.4']) {
      answered.push(
        await alice.place(wish(front, refId)).then(
          () => true,
          () => false,
        ),
      );
    }
    expect(answered).toEqual([true, false, true, false]);
    expect(rowsOf(await alice.inDay())).toHaveLength(4);
  });

  it('acts after real time, again and again, and ends what it began', async () => {
    const { simulator, alice, time } = await started({
      scenario: scenario(
        { afterSeconds: 10, fault: 'http_429' },
        { afterSeconds: 20, clear: 'http_429' },
        { everySeconds: 7, fault: { name: 'clock_skew', seconds: 1 } },
      ),
    });
    const status = async (): Promise<number> => (await alice.inDay()).status;
    expect(await status()).toBe(200);
    time.advance(seconds(10));
    expect(await status()).toBe(429);
    time.advance(seconds(10));
    expect(await status()).toBe(200);
    time.advance(seconds(50));
    expect(simulator.scenario.list().map(({ met, done }) => [met, done])).toEqual([
      [1, 1],
      [1, 1],
      [10, 10],
    ]);
  });

  it('acts at a time of day of the market, whatever its speed', async () => {
    const { simulator, alice, time, front } = await started({
      time: { speed: 60, originRealUs: null, originMarketUs: null, start: 'origin' },
      scenario: scenario({ at: '10:30', fault: 'roll_contract' }),
    });
    expect(rowsOf(await alice.contracts())[0]).toMatchObject({ symbol: front });
    time.advance(seconds(29));
    expect(simulator.frontMonth).toBe(front);
    time.advance(seconds(1));
    expect(simulator.frontMonth).not.toBe(front);
    const listed = rowsOf(await alice.contracts()).map((row) => row['symbol']);
    expect([listed.length, listed.includes(front)]).toEqual([4, false]);
  });

  it('acts on what happens in the market and on the stream', async () => {
    const { simulator, alice, bob, front } = await started({
      scenario: scenario(
        { on: 'fill', fault: { name: 'inject_position', symbol: 'front', net: 5 } },
        { on: 'authenticated', fault: { name: 'inject_frame', text: 's|99|{"hello":1}' } },
        {
          on: 'trade',
          nth: 2,
          fault: { name: 'inject_order', symbol: 'X', side: 'buy', points: 1, volume: 1 },
        },
      ),
    });
    const tap = await FrameTap.open(simulator.stream);
    tap.send(authFrame(alice.token));
    expect(await tap.next('s|99|')).toBe('s|99|{"hello":1}');
    for (const refId of ['H.1', 'H.2']) {
      await alice.place(wish(front, refId));
      await bob.place({ ...wish(front, refId), side: 'S' });
    }
    expect(firstOf(await alice.positions())).toMatchObject({ net: 7 });
    expect(simulator.scenario.list()[2]).toMatchObject({ met: 2, done: 1, refused: [{ path: 'symbol' }] });
  });

  it('draws the same from the same seed, whatever the other steps do', async () => {
    const step = { on: 'in-day', each: 1, chancePercent: 30, fault: { name: 'http_429', times: 1 } };
    const drawn = async (...more: object[]): Promise<number[]> => {
      const { alice } = await started({ scenario: scenario(step, ...more) });
      const statuses: number[] = [];
      for (let call = 0; call < 30; call += 1) statuses.push((await alice.inDay()).status);
      return statuses;
    };
    const once = await drawn();
    expect(once.filter((status) => status === 429).length).toBeGreaterThan(3);
    expect(once.filter((status) => status === 200).length).toBeGreaterThan(10);
    expect(await drawn({ on: 'in-day', each: 1, chancePercent: 50, fault: 'stop_pongs' })).toEqual(once);
  });

  it('is replaced, listed and ended by the control API', async () => {
    const { simulator, alice, time } = await started();
    const control = `http://127.0.0.1:${simulator.controlPort}`;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${simulator.controlToken}` };
    const post = (body: object): Promise<Response> =>
      fetch(`${control}/scenario`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect((await post({ steps: [{ on: 'x' }] })).status).toBe(400);
    expect((await post({ steps: [{ afterSeconds: 5, fault: 'http_429' }] })).status).toBe(200);
    expect((await post({ steps: [{ afterSeconds: 9, fault: 'http_429' }] })).status).toBe(200);
    time.advance(seconds(6));
    expect((await alice.inDay()).status).toBe(200);
    expect(await (await fetch(`${control}/scenario`, { headers })).json()).toMatchObject({
      steps: [{ met: 0 }],
    });
    expect(await (await fetch(`${control}/scenario`, { method: 'DELETE', headers })).json()).toEqual({
      steps: [],
    });
    time.advance(seconds(6));
    expect((await alice.inDay()).status).toBe(200);
  });
});
