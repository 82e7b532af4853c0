import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { COMMAND_NAMES, EMPTY_BODY } from '../../src/operator/control-command.ts';
import { type CommandResult, type ControlHandlers, startControl } from '../../src/operator/control-server.ts';

import { Secrets } from '../../src/operator/redact.ts';

const TOKEN = 'a-token-for-the-tests';

class FakeDaemon implements ControlHandlers {
  readonly commands: [name: string, body: object][] = [];
  isReady = true;
  wrong = '';
  answer: CommandResult = { ok: true, message: 'done' };
  fault: Error | null = null;
  view: object = { phase: 'continuous' };
  readonly health = () => Promise.resolve({ ok: this.wrong === '', reason: this.wrong });
  readonly ready = () => ({ ready: this.isReady, reason: this.isReady ? '' : 'no token yet' });
  readonly status = () => {
    if (this.fault !== null) throw this.fault;
    return this.view;
  };
  readonly command: ControlHandlers['command'] = (name, body) => {
    this.commands.push([name, body]);
    return this.answer;
  };
  readonly link: ControlHandlers['link'] = (role) => ({
    ok: true,
    message: 'opens once',
    link: `http://127.0.0.1:1/#key=${role}`,
  });
}

let daemon: FakeDaemon;
let server: Awaited<ReturnType<typeof startControl>>;

beforeEach(async () => {
  daemon = new FakeDaemon();
  server = await startControl({
    port: 0,
    token: TOKEN,
    handlers: daemon,
    secrets: new Secrets(['plain-key-77', '123456']),
  });
});

afterEach(() => server.close());

interface Asked {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly authorization?: string | null;
  readonly body?: string;
  readonly type?: string;
  readonly host?: string;
}

async function ask(path: string, asked: Asked = {}): Promise<{ code: number; json: unknown; text: string }> {
  const { method = 'GET', authorization = `Bearer ${TOKEN}`, body, type = 'application/json', host } = asked;
  const headers: Record<string, string> = {};
  if (authorization !== null) headers['authorization'] = authorization;
  if (body !== undefined) headers['content-type'] = type;
  if (host !== undefined) headers['host'] = host;
  const answer = await request(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers,
    body: body ?? null,
  });
  const text = await answer.body.text();
  return { code: answer.statusCode, json: JSON.parse(text), text };
}

const command = (name: string, body?: unknown): ReturnType<typeof ask> =>
  ask(`/commands/${name}`, { method: 'POST', ...(body === undefined ? {} : { body: JSON.stringify(body) }) });

describe('who may ask', () => {
  test('anybody on this machine may ask whether it lives', async () => {
    expect(await ask('/healthz', { authorization: null })).toMatchObject({ code: 200, json: { ok: true } });
    daemon.wrong = 'the engine does not answer';
    expect(await ask('/healthz', { authorization: null })).toMatchObject({
      code: 503,
      json: { ok: false, reason: 'the engine does not answer' },
    });
  });

  test('a page that makes its own name point here is refused, with the token too', async () => {
    for (const path of ['/healthz', '/status'])
      expect(await ask(path, { host: 'rebound.example' }), path).toMatchObject({ code: 403 });
    expect(await ask('/status', { host: `LocalHost:${server.port}` })).toMatchObject({ code: 200 });
  });

  test.each([
    ['nothing', null],
    ['another token', 'Bearer another-token-of-the'],
    ['part of the token', `Bearer ${TOKEN.slice(0, -1)}`],
    ['more than the token', `Bearer ${TOKEN}x`],
    ['the token without its scheme', TOKEN],
    ['another scheme', `Basic ${TOKEN}`],
  ])('%s opens nothing', async (_name, authorization) => {
    for (const path of ['/readyz', '/status', '/nothing-here']) {
      const answer = await ask(path, { authorization });
      expect(answer.code).toBe(401);
      expect(answer.json).toMatchObject({
        ok: false,
        message: expect.stringContaining('expected "Authorization') as string,
      });
    }
    const body = JSON.stringify({ reason: 'x' });
    expect((await ask('/commands/halt', { method: 'POST', authorization, body })).code).toBe(401);
    expect(daemon.commands).toEqual([]);
  });

  test('it listens on the loopback address alone', async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
      .map(({ address }) => address);
    // 127.0.0.2 is this machine too: a server on all interfaces would answer there.
    for (const host of ['127.0.0.2', ...others]) expect(await isReachable(host)).toBe(false);
    expect(await isReachable('127.0.0.1')).toBe(true);
  });

  test('a token that could be guessed is refused', async () => {
    await expect(
      startControl({ port: 0, token: 'short', handlers: daemon, secrets: new Secrets([]) }),
    ).rejects.toThrow('at least 16');
  });
});

test('keeps few connections, and answers a command while many ask nothing', async () => {
  const sockets = await Promise.all(
    Array.from({ length: 400 }, async () => {
      const socket = connect({ host: '127.0.0.1', port: server.port });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write('POST /commands/halt HTTP/1.1\r\nhost: ');
      return socket;
    }),
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const { code } = await ask('/status');
  expect(code).toBe(200);
  await vi.waitFor(() => expect(sockets.filter((socket) => !socket.closed).length).toBeLessThanOrEqual(64));
});

function isReachable(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: server.port });
    const answer = (isOpen: boolean) => () => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', answer(true));
    socket.once('error', answer(false));
  });
}

describe('what it says', () => {
  test('status and readiness are the daemon’s own', async () => {
    expect(await ask('/status')).toMatchObject({ code: 200, json: { phase: 'continuous' } });
    expect(await ask('/readyz')).toMatchObject({ code: 200, json: { ready: true } });
    daemon.isReady = false;
    expect(await ask('/readyz')).toMatchObject({ code: 503, json: { ready: false, reason: 'no token yet' } });
  });

  test('an unknown path or method names the known ones', async () => {
    for (const asked of [{ method: 'GET' }, { method: 'DELETE' }] as const) {
      const { code, text } = await ask('/nowhere?token=secret', asked);
      expect(code).toBe(404);
      expect(text).toContain('POST /commands/<name>');
      expect(text).not.toContain('secret');
    }
    expect((await ask('/commands/halt')).code).toBe(404);
  });

  test('a failure of the daemon is shown without its token', async () => {
    daemon.fault = new Error(`the engine is gone, ${TOKEN}`);
    const { code, text } = await ask('/status');
    expect(code).toBe(500);
    expect(text).toContain('the engine is gone');
    expect(text).not.toContain(TOKEN);
  });
});

const post = (body: string, type?: string): ReturnType<typeof ask> =>
  ask('/commands/halt', { method: 'POST', body, ...(type === undefined ? {} : { type }) });

const REASON = { ...EMPTY_BODY, reason: 'why' };

describe('commands', () => {
  test.each([
    ['halt', { reason: 'why' }, REASON],
    ['halt', { reason: 'a\n\tb\u202e' }, { ...EMPTY_BODY, reason: 'a b' }],
    ['halt', { reason: 'x'.repeat(201) }, { ...EMPTY_BODY, reason: 'x'.repeat(200) }],
    ['halt', { reason: ' \n' }, { ...EMPTY_BODY, reason: 'no reason is given' }],
    ['resume', { reason: ' why ' }, REASON],
    ['resume', { strategy: 'ema', reason: 'why' }, { ...REASON, strategy: 'ema' }],
    ['cancel-all', { reason: 'why' }, REASON],
    ['flatten', { reason: 'why' }, REASON],
    ['flatten', { strategy: 'ema', reason: 'why' }, { ...REASON, strategy: 'ema' }],
    ['flatten', { keepTrading: true, reason: 'why' }, { ...REASON, keepTrading: true }],
    ['flatten', { keepTrading: false, reason: 'why' }, REASON],
    ['flatten', { inAuction: true, reason: 'why' }, { ...REASON, inAuction: true }],
    ['stop', { reason: 'why' }, REASON],
    ['stop-strategy', { strategy: 'ema', reason: 'why' }, { ...REASON, strategy: 'ema' }],
    [
      'resolve-order',
      { clientOrderId: 'H.1', as: 'absent', reason: 'why' },
      { ...REASON, clientOrderId: 'H.1', as: 'absent' },
    ],
    ['rollover', { reason: 'why' }, REASON],
    ['reconnect', {}, EMPTY_BODY],
    ['reconnect', undefined, EMPTY_BODY],
    ['token', {}, EMPTY_BODY],
  ])('%s %o reaches the daemon', async (name, body, expected) => {
    expect(await command(name, body)).toMatchObject({ code: 200, json: { ok: true, message: 'done' } });
    expect(daemon.commands).toEqual([[name, expected]]);
  });

  test('a command that was refused says why', async () => {
    daemon.answer = { ok: false, message: 'there is no strategy "x"' };
    expect(await command('stop-strategy', { strategy: 'x', reason: 'why' })).toMatchObject({
      code: 409,
      json: { ok: false, message: 'there is no strategy "x"' },
    });
  });

  test.each([
    ['halt', undefined, 'reason: expected text, was nothing'],
    ['stop', undefined, 'reason: expected text of 1 to 200 characters on one line, was nothing'],
    ['stop', { reason: '' }, 'reason: expected text'],
    ['stop', { reason: '  ' }, 'reason: expected text'],
    ['halt', { reason: 7 }, 'was 7'],
    ['stop', { reason: 'a\nb' }, 'on one line'],
    ['stop', { reason: 'x'.repeat(201) }, '1 to 200'],
    ['halt', { reason: 'why', strategy: 'ema' }, 'strategy: expected only reason'],
    ['halt', ['why'], 'body: expected a JSON object'],
    ['halt', null, 'expected a JSON object'],
    ['flatten', { strategy: null, reason: 'why' }, 'strategy: expected text'],
    ['flatten', { keepTrading: 'yes', reason: 'why' }, 'keepTrading: expected true or false, was "yes"'],
    ['halt', { keepTrading: true, reason: 'why' }, 'keepTrading: expected only reason'],
    ['stop-strategy', { reason: 'why' }, 'strategy: expected text'],
    [
      'resolve-order',
      { clientOrderId: 'H.1', as: 'filled', reason: 'why' },
      'as: expected "absent" or "live", was "filled"',
    ],
    ['resolve-order', { reason: 'why' }, 'clientOrderId: expected text'],
    ['reconnect', { reason: 'why' }, 'reason: expected no fields'],
    ['flatten', { constructor: 'x', reason: 'why' }, 'constructor: expected only'],
  ])('%s %o is refused with what was expected', async (name, body, expected) => {
    const { code, json } = await command(name, body);
    expect(code).toBe(400);
    expect(json).toMatchObject({ ok: false, message: expect.stringContaining(expected) as string });
    expect(daemon.commands).toEqual([]);
  });

  test('a body that is no JSON, of another type or too large is refused', async () => {
    expect(await post('{"reason":')).toMatchObject({
      code: 400,
      text: expect.stringContaining('expected JSON') as string,
    });
    expect(await post('reason=why', 'application/x-www-form-urlencoded')).toMatchObject({
      code: 415,
      text: expect.stringContaining('application/json') as string,
    });
    expect(await post(JSON.stringify({ reason: 'x'.repeat(5_000) }))).toMatchObject({
      code: 413,
      text: expect.stringContaining('at most 4096 bytes') as string,
    });
    expect(daemon.commands).toEqual([]);
  });

  test.each(['explode', 'HALT', '__proto__', 'constructor'])(
    '%s is unknown: the known ones are listed',
    async (name) => {
      const { code, text } = await command(name, { reason: 'why' });
      expect(code).toBe(404);
      for (const known of COMMAND_NAMES) expect(text).toContain(known);
      expect(daemon.commands).toEqual([]);
    },
  );
});

test('a closed server is gone, at once', async () => {
  await server.close();
  expect(await isReachable('127.0.0.1')).toBe(false);
});

test('hides what no sink may show, in answers and in faults', async () => {
  daemon.answer = { ok: true, message: 'sent with plain-key-77 for 105C987321' };
  const answers = [await ask('/commands/halt', { method: 'POST', body: '{"reason":"test"}' })];
  daemon.fault = new Error('plain-key-77 is refused');
  answers.push(await ask('/status'));
  for (const { text } of answers) {
    expect(text).toContain('[hidden]');
    expect(text).not.toMatch(/plain-key|105C987/);
  }
});

test('a password is hidden in texts, and a number that has its digits stays a number', async () => {
  daemon.view = { atUs: 1_712_345_600_000_000, text: 'the password was 123456' };
  const { json } = await ask('/status');
  expect(json).toEqual({ atUs: 1_712_345_600_000_000, text: 'the password was [hidden]' });
});
