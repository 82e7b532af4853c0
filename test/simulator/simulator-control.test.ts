import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { openMarket } from '../contract/broker/support/market.ts';

const wish = (symbol: string, refId: string) =>
  ({ side: 'B', symbol, price: 1299, volume: 1, refId }) as const;

describe('the control API', () => {
  it('sets, lists and clears faults, and shows exact figures', async () => {
    const { simulator, alice, front } = await openMarket();
    const { control } = simulator;
    const call = async (
      method: string,
      path: string,
      body?: unknown,
    ): Promise<[number, Record<string, unknown>]> => {
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer ${simulator.controlToken}`,
      };
      const response = await fetch(control + path, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return [response.status, (await response.json()) as Record<string, unknown>];
    };
    expect(await call('POST', '/faults', { name: 'http_500', operation: 'place', times: 1 })).toEqual([
      200,
      { set: { name: 'http_500', operation: 'place', times: 1 } },
    ]);
    expect((await call('GET', '/faults'))[1]).toMatchObject({
      armed: [{ fault: { name: 'http_500' }, left: 1 }],
    });
    expect((await alice.call('place', wish(front, 'H.1'))).status).toBe(500);
    expect((await call('GET', '/faults'))[1]).toMatchObject({ armed: [] });
    expect(await call('POST', '/faults', { name: 'nonsense' })).toMatchObject([
      400,
      { issues: [{ path: 'name' }] },
    ]);
    await call('POST', '/faults', { name: 'stop_pongs' });
    await call('POST', '/faults', { name: 'http_429' });
    expect((await call('DELETE', '/faults/http_429'))[1]).toMatchObject({
      armed: [{ fault: { name: 'stop_pongs' } }],
    });
    expect((await call('DELETE', '/faults'))[1]).toEqual({ armed: [] });
    expect((await call('GET', '/clock'))[1]).toMatchObject({ held: false, map: { speed: 1 } });
    expect((await call('GET', '/accounts/nobody'))[0]).toBe(404);
    expect((await call('GET', `/accounts/${alice.custodyCode}`))[1]).toMatchObject({
      account: { cash: 1_000_000_000 },
      positions: [],
    });
  });

  it('takes what curl sends, and says what is wrong with the rest', async () => {
    const { simulator } = await openMarket();
    const { control } = simulator;
    const authorization = `Bearer ${simulator.controlToken}`;
    const post = async (body: string, type: string): Promise<unknown[]> => {
      const headers = { 'content-type': type, authorization };
      const reply = await fetch(`${control}/faults`, { method: 'POST', body, headers });
      return [reply.status, await reply.json()];
    };
    const form = 'application/x-www-form-urlencoded';
    expect(await post('{"name":"http_429"}', form)).toEqual([200, { set: { name: 'http_429' } }]);
    expect(await post('{"name":', form)).toEqual([400, { issues: ['The body is not JSON'] }]);
    expect(await post('', form)).toMatchObject([400, { issues: [{ expected: 'an object with a name' }] }]);
    const nothing = await fetch(`${control}/nothing`, { headers: { authorization } });
    expect([nothing.status, await nothing.json()]).toEqual([
      404,
      { issues: ['no such call: src/simulator/README.md lists them'] },
    ]);
  });

  it.each<[string, (token: string) => Record<string, string>]>([
    ['without a token', () => ({})],
    ['with another token', (token) => ({ authorization: `Bearer ${token.slice(1)}a` })],
    ['of a page', (token) => ({ authorization: `Bearer ${token}`, origin: 'http://evil.example' })],
    ['under the name of a page', (token) => ({ authorization: `Bearer ${token}`, host: 'evil.example' })],
  ])('refuses a call %s, and sets nothing', async (_, headersOf) => {
    const { simulator } = await openMarket();
    const { statusCode } = await request(`${simulator.control}/faults`, {
      method: 'POST',
      headers: headersOf(simulator.controlToken),
      body: '{"name":"http_429"}',
    });
    expect(statusCode).toBe(403);
    expect(simulator.faults.list()).toEqual([]);
  });
});
