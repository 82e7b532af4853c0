/** Reads of the broker from the command line. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BrokerShell } from './support/broker-shell.ts';

let shell: BrokerShell;

beforeEach(async () => {
  shell = await BrokerShell.open();
});

afterEach(() => shell.close());

describe('a read', () => {
  it.each([
    ['profile', 'GET /eros/v2/get-profile/by-username/105C123456', 'DERIVATIVE'],
    ['account-status', 'GET /khronos/v1/account/status', '230,745,319'],
    ['positions', 'GET /khronos/v1/account/portfolio/status', 'VN30F2511'],
    ['closed-positions', 'GET /khronos/v1/account/portfolio/position/close', '1,300.33'],
    ['in-day', 'GET /khronos/v1/order/in-day', '1,198.7'],
    ['conditions', 'GET /khronos/v1/order/condition/detail', '1,196.5'],
    ['derivatives', 'GET /tartarus/v1/derivatives', '1,391'],
    ['contracts', 'GET /api/v1/derivatives/contracts', 'VN30F2511'],
    ['stock-assets 0001234567', 'GET /aion/v1/accounts/0001234567/se', '30,600,000'],
    ['cash-balance 0001234567', 'GET /aion/v1/accounts/0001234567/cashInvestments', '210,000,000'],
    [
      'loan-packages 0001234567',
      'GET /campaign-management/v1/margin/subscription/0001234567/addons/detail',
      'MPLUS',
    ],
  ])('%s is a table, or JSON', async (line, request, cell) => {
    const table = await shell.run(line);
    expect(table).toMatchObject({ code: 0, err: '' });
    expect(table.out).toMatch(/^[\w ,-]+\n-+ /);
    expect(table.out).toContain(cell);
    expect(shell.sent()).toEqual([request]);
    const json = await shell.run(`${line} --json`);
    expect(JSON.parse(json.out)).toEqual(expect.arrayContaining([expect.any(Object)]));
  });

  it('shows the prices in points and the money in VND', async () => {
    const { out } = await shell.run('in-day --json');
    expect(JSON.parse(out)).toEqual([
      {
        order: '17',
        contract: 'VN30F2511',
        side: 'buy',
        qty: 5,
        price: 1198.7,
        filled: 2,
        'filled value': 239_730_000,
        status: 'matched',
        letters: 'PM',
        source: 'user',
        'our id': 'H.1234561731400000000',
        reason: '',
      },
    ]);
  });

  it('says none of an empty book', async () => {
    shell.server.handle((exchange) => {
      if (exchange.url.pathname.includes('/oauth2/')) shell.answer(exchange);
      else exchange.reply(200, { cmd: '', rc: '1', rs: '', oID: '', data: [] });
    });
    expect(await shell.run('positions')).toMatchObject({ code: 0, out: 'none\n' });
  });

  it('that fails says why and nothing else', async () => {
    shell.server.handle((exchange) => {
      if (exchange.url.pathname.includes('/oauth2/')) shell.answer(exchange);
      else exchange.reply(200, { cmd: '', rc: '-6001', rs: 'Account not found', oID: '', data: [] });
    });
    expect(await shell.run('in-day')).toMatchObject({ code: 1, out: '' });
    const { err } = await shell.run('account-status');
    expect(err).toContain('account-status could not be read');
    expect(err).toContain('-6001 Account not found');
  });

  it('keeps its token: the second command exchanges nothing', async () => {
    await shell.run('positions');
    await shell.run('positions');
    const exchanges = shell.server.exchanges.filter(({ url }) => url.pathname.includes('/oauth2/'));
    expect(exchanges.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { apiKey: 'demo-key', otp: '123456' },
    ]);
  });

  it('needs the embedded broker to run', async () => {
    shell.stopBroker();
    const said = await shell.run('positions');
    expect(said.code).toBe(4);
    expect(said.err).toContain('the embedded broker is not running');
  });
});

describe('the token calls', () => {
  it('give the id, and keep the token without showing it', async () => {
    expect(await shell.run('request-otp')).toMatchObject({ code: 0, out: 'otpId id-1\n' });
    const { out } = await shell.run('token');
    expect(out).toMatch(/^token kept, good until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d at the exchange/);
    expect(JSON.parse((await shell.run('token --json')).out)).toEqual({ expiresAt: expect.any(String) });
    expect(out).not.toContain('signature');
  });

  it('that are refused say why', async () => {
    shell.server.handle((exchange) =>
      exchange.reply(400, { code: '203074', message: 'The API Key is invalid' }),
    );
    for (const line of ['request-otp', 'token', 'positions']) {
      const { code, err } = await shell.run(line);
      expect([code, err]).toEqual([1, expect.stringContaining('203074 The API Key is invalid')]);
    }
  });
});
