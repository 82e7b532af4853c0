import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { AT_ONCE } from '../../../src/operator/cockpit/cockpit-model.ts';
import type { Cockpit } from '../../../src/operator/cockpit/cockpit-server.ts';
import { tsUs, US_PER_MINUTE } from '../../../src/domain/units.ts';
import { Browser, entryAt, FakeDaemon, SECRET_OF_DAEMON, send, startFake } from './fake-cockpit.ts';

let daemon: FakeDaemon;
let cockpit: Cockpit;

beforeEach(async () => {
  daemon = new FakeDaemon();
  cockpit = await startFake(daemon);
});

afterEach(() => cockpit.close());

const HALT = { reason: 'by hand' };

function pass(minutes: number): void {
  daemon.nowUs = tsUs(daemon.nowUs + minutes * US_PER_MINUTE);
}

describe('a session', () => {
  test('begins with a link that opens once, and its cookie is out of reach of scripts and other sites', async () => {
    const link = cockpit.link('steer');
    const browser = new Browser(cockpit.url);
    const answer = await browser.open(link);
    expect(answer.code).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ role: 'steer' });
    const cookie = String(answer.headers['set-cookie']);
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Strict/);
    expect(answer.text).not.toContain(link.split('#key=')[1]);
    expect((await new Browser(cockpit.url).open(link)).code).toBe(401);
    expect((await browser.get('/state')).code).toBe(200);
  });

  test('a link that was not used in ten minutes opens nothing', async () => {
    const link = cockpit.link('steer');
    pass(10);
    expect((await new Browser(cockpit.url).open(link)).code).toBe(401);
  });

  test('lasts a day, and ends when asked', async () => {
    const browser = await Browser.at(cockpit);
    pass(23 * 60);
    expect((await browser.get('/session')).code).toBe(200);
    pass(61);
    expect((await browser.get('/session')).code).toBe(401);
    const other = await Browser.at(cockpit);
    const ended = await send(`${cockpit.url}/session`, {
      method: 'DELETE',
      headers: { cookie: other.cookie, origin: cockpit.url, 'sec-fetch-site': 'same-origin' },
    });
    expect(ended.code).toBe(200);
    expect((await other.get('/state')).code).toBe(401);
  });

  test('cookies that are missing, wrong or of another daemon give no data', async () => {
    const paths = ['/state', '/events', '/journal', '/journal/days', '/orders/known/story', '/bars'];
    for (const cookie of ['', 'tickwright_1=x', `tickwright_${new URL(cockpit.url).port}=AAAA`]) {
      const browser = new Browser(cockpit.url);
      browser.cookie = cookie;
      for (const path of paths) expect((await browser.get(path)).code).toBe(401);
      expect((await browser.post('/commands/halt', HALT)).code).toBe(401);
    }
    expect(daemon.commands).toEqual([]);
  });
});

describe('the page', () => {
  test('comes without a session, under a policy that begins with nothing', async () => {
    const answer = await send(`${cockpit.url}/`, { headers: { 'sec-fetch-site': 'none' } });
    expect(answer.code).toBe(200);
    const policy = String(answer.headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    for (const text of Object.keys(answer.headers)) expect(text).not.toMatch(/^access-control/);
  });

  test('no path leaves its folder', async () => {
    for (const path of ['/page/..%2f..%2fpackage.json', '/page/%2e%2e%2fmain.js', '/page/report.js'])
      expect((await send(cockpit.url + path)).code).toBe(404);
    expect((await send(`${cockpit.url}/etc/passwd`)).code).toBe(401);
  });
});

describe('commands', () => {
  test.each([...AT_ONCE])('%s needs no code', async (name) => {
    const browser = await Browser.at(cockpit);
    const body = { halt: HALT, otp: { otp: '123456' } }[name] ?? {};
    expect((await browser.post(`/commands/${name}`, body)).code).toBe(200);
    expect(daemon.commands).toMatchObject([[name, body, 'the cockpit at 127.0.0.1']]);
  });

  test.each([
    ['resume', { reason: 'x' }],
    ['flatten', { reason: 'x' }],
    ['cancel-all', { reason: 'x' }],
    ['stop', { reason: 'x' }],
    ['stop-strategy', { strategy: 'alpha', reason: 'x' }],
    ['start-strategy', { strategy: 'alpha', reason: 'x' }],
    ['resolve-order', { clientOrderId: 'x', as: 'absent', reason: 'x' }],
    ['reload', { reason: 'x' }],
    ['rollover', { reason: 'x' }],
  ])('%s needs the code of the present state', async (name, body) => {
    const browser = await Browser.at(cockpit);
    for (const confirm of [undefined, '', 'AAAAAAAA', null, 0])
      expect((await browser.post(`/commands/${name}`, { ...body, confirm })).code).toBe(409);
    expect(daemon.commands).toEqual([]);
    expect(
      (await browser.post(`/commands/${name}`, { ...body, confirm: await browser.confirm() })).code,
    ).toBe(200);
    expect(daemon.commands).toMatchObject([[name, body, 'the cockpit at 127.0.0.1']]);
  });

  test('a code of the minute before still counts, an older one does not', async () => {
    const browser = await Browser.at(cockpit);
    const confirm = await browser.confirm();
    pass(1);
    expect((await browser.post('/commands/resume', { ...HALT, confirm })).code).toBe(200);
    pass(1);
    expect((await browser.post('/commands/resume', { ...HALT, confirm })).code).toBe(409);
  });

  test('a session that may look commands nothing, not even a halt', async () => {
    const browser = await Browser.at(cockpit, 'look');
    expect((await browser.get('/state')).code).toBe(200);
    const confirm = await browser.confirm();
    for (const name of ['halt', 'resume', 'flatten', 'otp'])
      expect((await browser.post(`/commands/${name}`, { ...HALT, confirm })).code).toBe(403);
    expect(daemon.commands).toEqual([]);
  });

  test('a halt right behind an answer that refuses something reaches the daemon', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const browser = await Browser.at(cockpit);
    daemon.answer = () => ({ ok: false, message: 'there is no such order' });
    const headers = {
      cookie: browser.cookie,
      origin: browser.url,
      'content-type': 'application/json',
    };
    for (let tries = 1; tries <= 4; tries += 1) {
      const answer = await send(`${browser.url}/commands/halt`, {
        method: 'POST',
        headers,
        body: JSON.stringify(HALT),
        agent,
      });
      expect(answer.code).toBe(409);
      expect(daemon.commands).toHaveLength(tries);
    }
  });

  test('bodies that are none are refused and a wrong password is not quoted', async () => {
    const browser = await Browser.at(cockpit);
    for (const body of ['', '[]', '"halt"', 'null', '{', '{"reason":1}', '{"reason":"x","more":1}'])
      expect((await browser.post('/commands/halt', body)).code).toBe(400);
    expect((await browser.post('/commands/otp', { otp: '99\n9999' })).text).not.toContain('9999');
    expect((await browser.post('/commands/halt', `{"reason":"${'x'.repeat(5_000)}"}`)).code).toBe(413);
    expect((await browser.post('/commands/no-such', HALT)).code).toBe(404);
    expect(daemon.commands).toEqual([]);
  });

  test('secrets of the daemon leave no answer, and what is left is JSON', async () => {
    const browser = await Browser.at(cockpit);
    daemon.rows = [entryAt(1, `the broker said "otp=123456" and ${SECRET_OF_DAEMON}`)];
    const { text } = await browser.get('/journal');
    expect(text).not.toContain(SECRET_OF_DAEMON);
    expect(text).not.toContain('123456');
    expect(JSON.parse(text)).toMatchObject({ entries: [{ seq: 1 }] });
  });
});

describe('a page of another site', () => {
  test('is refused by its name: a rebound address is asked by the attacker’s', async () => {
    const browser = await Browser.at(cockpit);
    const port = new URL(cockpit.url).port;
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1.evil.example',
      '169.254.169.254',
    ]) {
      expect((await browser.get('/state', { host })).code).toBe(403);
      expect((await browser.get('/', { host })).code).toBe(403);
      expect((await browser.post('/commands/halt', HALT, { host, origin: `http://${host}` })).code).toBe(403);
    }
    expect(daemon.commands).toEqual([]);
    expect(daemon.refused).toContain('host');
    expect(daemon.alerts).toHaveLength(1);
  });

  test('is refused by its origin', async () => {
    const browser = await Browser.at(cockpit);
    const port = Number(new URL(cockpit.url).port);
    const foreign = [
      'null',
      'https://evil.example',
      `https://127.0.0.1:${port}`,
      `http://127.0.0.1:${port + 1}`,
    ];
    for (const origin of [...foreign, `http://localhost:${port}`, 'http://127.0.0.1']) {
      expect((await browser.post('/commands/halt', HALT, { origin })).code).toBe(403);
      expect((await browser.get('/state', { origin })).code).toBe(403);
      expect((await browser.post('/session', { secret: 'x' }, { origin })).code).toBe(403);
    }
    const without = await send(`${cockpit.url}/commands/halt`, {
      method: 'POST',
      headers: { cookie: browser.cookie, 'content-type': 'application/json' },
      body: JSON.stringify(HALT),
    });
    expect(without.code).toBe(403);
    expect(daemon.commands).toEqual([]);
    expect(daemon.refused).toContain('origin');
  });

  test('is refused by what the browser says of it, even on another port of this machine', async () => {
    const browser = await Browser.at(cockpit);
    for (const site of ['cross-site', 'same-site', 'none', 'nonsense']) {
      const headers = { 'sec-fetch-site': site };
      expect((await browser.get('/state', headers)).code).toBe(403);
      expect((await browser.get('/events', headers)).code).toBe(403);
      expect((await browser.post('/commands/halt', HALT, headers)).code).toBe(403);
    }
    expect(daemon.commands).toEqual([]);
  });

  test('sends no form: other bodies than JSON are not read', async () => {
    const browser = await Browser.at(cockpit);
    for (const type of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data; boundary=x',
    ]) {
      const answer = await browser.post('/commands/halt', '{"reason":"x"}', { 'content-type': type });
      expect(answer.code).toBe(415);
    }
    expect(daemon.commands).toEqual([]);
  });

  test('is refused and counted for an address that no route can read', async () => {
    const browser = await Browser.at(cockpit);
    for (const path of ['/%', '/orders/%/story', `/orders/${'a'.repeat(200)}/story`]) {
      const { code, text, headers } = await browser.get(path, { host: 'evil.example' });
      expect(code).toBe(400);
      expect(text).not.toContain(path);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    }
    expect(daemon.refused).toEqual(['malformed', 'malformed', 'malformed']);
  });

  test('gets no leave in advance: there is no CORS', async () => {
    const answer = await send(`${cockpit.url}/commands/halt`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(answer.code).toBeGreaterThanOrEqual(400);
    expect(Object.keys(answer.headers).join(' ')).not.toContain('access-control');
  });
});

describe('a secret in the address', () => {
  test('is refused, reported, and void', async () => {
    const link = cockpit.link('steer');
    const secret = link.split('#key=')[1] ?? '';
    for (const query of [`?key=${secret}`, '?secret=x', '?token=x', '?otp=123456'])
      expect((await send(`${cockpit.url}/${query}`)).code).toBe(400);
    expect((await new Browser(cockpit.url).open(link)).code).toBe(401);
    expect(daemon.refused.filter((reason) => reason === 'query_secret')).toHaveLength(4);
    expect(daemon.alerts).toHaveLength(1);
    expect(daemon.alerts.join()).not.toContain(secret);
  });

  test('under a name that a route knows it is void too', async () => {
    const link = cockpit.link('steer');
    const browser = await Browser.at(cockpit);
    expect((await browser.get(`/journal?search=${link.split('#key=')[1]}`)).code).toBe(400);
    expect((await new Browser(cockpit.url).open(link)).code).toBe(401);
    expect((await browser.get('/journal?search=row')).code).toBe(200);
  });
});

describe('guesses', () => {
  test('1,000 of them open nothing, are counted, and reported once; a link made later opens all the same', async () => {
    const early = cockpit.link('steer');
    pass(1);
    const browser = new Browser(cockpit.url);
    const inside = await Browser.at(cockpit);
    const codes = new Map<number, number>();
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, i) => browser.post('/session', { secret: `guess-${round}-${i}` })),
      );
      for (const { code } of answers) codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    expect(new Set(codes.keys())).toEqual(new Set([401, 429]));
    expect(codes.get(401)).toBeLessThan(10);
    expect(daemon.refused).toHaveLength(1_000);
    expect(daemon.alerts).toHaveLength(1);
    // Whoever is in stays in; a link of before the lock waits, the owner's next one does not.
    expect((await inside.get('/state')).code).toBe(200);
    expect((await new Browser(cockpit.url).open(early)).code).toBe(429);
    pass(0.01);
    expect((await new Browser(cockpit.url).open(cockpit.link('steer'))).code).toBe(200);
  }, 60_000);
});

describe('connections', () => {
  test('a request that never ends is cut off, and others are answered meanwhile', async () => {
    const browser = await Browser.at(cockpit);
    const { port } = new URL(cockpit.url);
    const sockets = Array.from({ length: 40 }, () => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write('POST /session HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ');
      return socket;
    });
    const gone = Promise.all(
      sockets.map((socket) => new Promise<void>((resolve) => socket.on('close', () => resolve()))),
    );
    expect((await browser.post('/commands/halt', HALT)).code).toBe(200);
    await gone;
    expect(daemon.refused.filter((reason) => reason === 'slow')).toHaveLength(40);
  }, 30_000);

  test('a socket that fails before its request is whole is no attack; a request that no browser sends is reported', async () => {
    const { port } = new URL(cockpit.url);
    const say = async (text: string) => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.end(text);
      await once(socket.resume(), 'close');
    };
    await say('');
    await say('GET /state HT');
    const head = `host: 127.0.0.1:${port}\r\norigin: ${cockpit.url}\r\ncontent-type: application/json`;
    await say(`POST /session HTTP/1.1\r\n${head}\r\ncontent-length: 90\r\n\r\n{`);
    expect([daemon.refused, daemon.alerts]).toEqual([[], []]);
    await say('nonsense\r\n\r\n');
    expect(daemon.refused).toEqual(['malformed']);
    expect(daemon.alerts.join()).toMatch(/1 request not a request of a browser/);
  });
});

describe('beyond this machine', () => {
  test('it does not listen without a proxy', async () => {
    await expect(startFake(new FakeDaemon(), { address: '0.0.0.0' })).rejects.toThrow(/needs a proxy/);
  });

  test('behind a proxy the page is asked by its name, with https and a host cookie', async () => {
    const own = new FakeDaemon();
    const proxied = await startFake(own, { hosts: ['desk.example'], isBehindProxy: true });
    try {
      const secret = proxied.link('steer').split('#key=')[1];
      const headers = {
        host: 'desk.example',
        origin: 'https://desk.example',
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
        'x-forwarded-for': '10.0.0.1, 203.0.113.9',
      };
      const body = JSON.stringify({ secret });
      const plain = { ...headers, origin: 'http://desk.example' };
      expect((await send(`${proxied.url}/session`, { method: 'POST', headers: plain, body })).code).toBe(403);
      const answer = await send(`${proxied.url}/session`, { method: 'POST', headers, body });
      expect(answer.code).toBe(200);
      expect(String(answer.headers['set-cookie'])).toMatch(/^__Host-tickwright_\d+=.*; Secure$/);
      const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? '';
      const halt = { method: 'POST', headers: { ...headers, cookie }, body: JSON.stringify(HALT) };
      expect((await send(`${proxied.url}/commands/halt`, halt)).code).toBe(200);
      expect(own.commands).toMatchObject([['halt', HALT, 'the cockpit at 203.0.113.9']]);
    } finally {
      await proxied.close();
    }
  });
});
