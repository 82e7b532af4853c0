import { request } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { type MetricsServerOptions, startMetricsServer } from '../../src/operator/metrics.ts';

const TOKEN = 'a-token-for-scrapers';

let server: Awaited<ReturnType<typeof startMetricsServer>> | undefined;

afterEach(() => server?.close());

async function start(options: Partial<MetricsServerOptions> = {}): Promise<string> {
  server = await startMetricsServer({
    address: '127.0.0.1',
    port: 0,
    hosts: [],
    token: undefined,
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    text: () => Promise.resolve('tickwright_up 1\n'),
    health: () => Promise.resolve({ ok: false, reason: 'no engine' }),
    ...options,
  });
  return server.url;
}

async function ask(url: string, headers: Record<string, string> = {}) {
  const { statusCode, body, headers: got } = await request(url, { headers });
  return { code: statusCode, text: await body.text(), type: got['content-type'] };
}

test('on this machine it may be scraped without a token', async () => {
  const url = await start();
  const answer = await ask(`${url}/metrics`);
  expect(answer).toMatchObject({ code: 200, text: 'tickwright_up 1\n' });
  expect(answer.type).toContain('version=0.0.4');
  expect(await ask(`${url}/healthz`)).toMatchObject({ code: 503 });
  expect((await ask(`${url}/commands/halt`)).code).toBe(404);
});

describe('who may ask', () => {
  test('with a token, nobody without it', async () => {
    const url = await start({ token: TOKEN });
    for (const authorization of ['', 'Bearer wrong', `Basic ${TOKEN}`, TOKEN])
      expect((await ask(`${url}/metrics`, { authorization })).code, authorization).toBe(401);
    expect((await ask(`${url}/metrics?token=${TOKEN}`)).code).toBe(401);
    expect((await ask(`${url}/metrics`, { authorization: `Bearer ${TOKEN}` })).code).toBe(200);
  });

  test('only by a name that is its own', async () => {
    const url = await start({ hosts: ['bot.lan'] });
    expect((await ask(`${url}/metrics`, { host: 'rebound.example' })).code).toBe(403);
    expect((await ask(`${url}/healthz`, { host: 'rebound.example' })).code).toBe(403);
    expect((await ask(`${url}/metrics`, { host: 'bot.lan:9464' })).code).toBe(200);
  });

  test('where others could reach it a token is needed, and no short one', async () => {
    await expect(start({ address: '0.0.0.0' })).rejects.toThrow('need a token');
    await expect(start({ token: 'short' })).rejects.toThrow('at least 16');
  });
});
