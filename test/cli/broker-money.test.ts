/** Money by hand: only between named accounts, up to a limit, and never twice by itself. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BrokerShell, SUB_ACCOUNT } from './support/broker-shell.ts';

const MONEY = `mode: paper\nmoney: { accounts: [${SUB_ACCOUNT}, "0001", "0002"], amountMax: 5000000 }\n`;
const PLACE = 'place --symbol VN30F2511 --side buy --qty 2 --price 1198.7';

let shell: BrokerShell;

beforeEach(async () => {
  shell = await BrokerShell.open();
});

afterEach(() => shell.close());

describe('money', () => {
  it.each([
    [
      'deposit 5000000 --note margin',
      '/deposit/update',
      { amount: 5_000_000, paymentContent: 'margin' },
      'transaction 0123456789abcdef0123456789abcdef',
    ],
    [
      'withdraw 1',
      '/withdraw/update',
      { amount: 1, paymentContent: '' },
      'transaction 0123456789abcdef0123456789abcdef',
    ],
    ['transfer 7 --from 0001 --to 0002', '/transfer', { sourceAccountNumber: '0001', amount: 7 }, 'accepted'],
  ])('%s moves when the configuration names accounts and limit', async (line, path, body, said) => {
    const result = await shell.run(`${line} --yes`, { extra: MONEY });
    expect(result).toMatchObject({ code: 0 });
    expect(result.out).toContain(said);
    expect(shell.bodyOf(path)).toMatchObject(body);
    expect(shell.log()).toMatchObject([
      { call: { amount: body.amount } },
      { outcome: { status: 'accepted' } },
    ]);
  });

  it.each([
    ['deposit 1', 'mode: paper\n', 'money does not move: expected a section money'],
    ['deposit 5000001', MONEY, 'amount 5000001: expected at most money.amountMax, 5000000'],
    ['transfer 1 --from 0001 --to 0003', MONEY, 'account 0003: expected one that money.accounts names'],
    ['transfer 1 --from 0001 --to 0001', MONEY, 'expected two accounts'],
    [
      'withdraw 1',
      'mode: paper\nmoney: { accounts: ["0001"], amountMax: 5 }\n',
      `account ${SUB_ACCOUNT}: expected one`,
    ],
    ['deposit 1.5', MONEY, 'expected whole VND above 0'],
    ['deposit 1e6', MONEY, 'expected whole VND above 0'],
  ])('%s does not move otherwise', async (line, extra, problem) => {
    const { code, err } = await shell.run(`${line} --yes`, { extra });
    expect([code, err]).toEqual([2, expect.stringContaining(problem)]);
    expect(shell.server.exchanges).toEqual([]);
  });

  it('of unknown outcome is not moved again until a person has checked', async () => {
    shell.server.handle((exchange) => {
      if (exchange.url.pathname.includes('/oauth2/')) shell.answer(exchange);
      else exchange.socket.destroy();
    });
    const first = await shell.run('deposit 1000 --yes', { extra: MONEY });
    expect(first.code).toBe(1);
    expect(first.out).toContain('UNKNOWN: it may have arrived');
    expect(shell.sent()).toHaveLength(1);
    shell.server.handle((exchange) => shell.answer(exchange));
    const second = await shell.run('deposit 1000 --note x --yes', { extra: MONEY });
    expect([second.code, second.err]).toEqual([2, expect.stringContaining('an equal deposit was sent at')]);
    expect(shell.sent()).toHaveLength(1);
    expect(await shell.run('withdraw 1000 --yes', { extra: MONEY })).toMatchObject({ code: 0 });
    expect(await shell.run('deposit 1000 --yes --again', { extra: MONEY })).toMatchObject({ code: 0 });
    expect(await shell.run('deposit 1000 --yes', { extra: MONEY })).toMatchObject({ code: 0 });
  });

  it.each(['deposit 1000', PLACE])('two equal calls at once, %s, leave once', async (line) => {
    await shell.run('token');
    const answers = await Promise.all([1, 2].map(() => shell.run(`${line} --yes`, { extra: MONEY })));
    expect(answers.filter(({ code }) => code === 0)).toHaveLength(1);
    expect(answers.find(({ code }) => code === 1)?.out).toContain('an equal ');
    expect(shell.sent()).toHaveLength(1);
    expect(await shell.run(`${line} --yes`, { extra: MONEY })).toMatchObject({ code: 0 });
  });

  it.each(['deposit 1000', PLACE])('sent again from two terminals at once, %s, leaves once', async (line) => {
    await shell.run('token');
    shell.server.handle(({ socket }) => socket.destroy());
    expect(await shell.run(`${line} --yes`, { extra: MONEY })).toMatchObject({ code: 1 });
    shell.server.handle((exchange) => shell.answer(exchange));
    const again = () => shell.run(`${line} --yes --again`, { extra: MONEY });
    const answers = await Promise.all([again(), again(), again()]);
    expect(answers.filter(({ code }) => code === 0)).toHaveLength(1);
    expect(shell.sent()).toHaveLength(2);
  });

  it('that cannot be recorded does not leave, nor one that may be there already; a cancel does', async () => {
    await shell.run('token');
    mkdirSync(join(shell.dir, 'calls.jsonl'));
    const order = await shell.run(`${PLACE} --yes`);
    expect([order.code, order.err]).toEqual([2, expect.stringContaining('record of calls cannot be read')]);
    const change = await shell.run('change 17 --price 1199 --yes');
    expect([change.code, change.out]).toEqual([1, expect.stringContaining('the call could not be recorded')]);
    expect(shell.sent().filter((request) => request.startsWith('POST'))).toEqual([]);
    expect(await shell.run('cancel 17 --yes')).toMatchObject({ code: 0 });
  });
});
