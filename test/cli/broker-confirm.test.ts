/** What is asked before anything leaves, and what leaves in no case. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/host/system-clock.ts';
import { takeAccountLock } from '../../src/host/state/running-daemons.ts';
import { takeInstanceLock } from '../../src/journal/instance-lock.ts';
import { smallDisk } from '../support/small-disk.ts';
import { tempDir } from '../support/temp-dir.ts';
import { goldenAnswer } from '../wire/support/golden.ts';
import { ACCOUNT, BrokerShell, SUB_ACCOUNT } from './support/broker-shell.ts';

const MONEY = `mode: paper\nmoney: { accounts: [${SUB_ACCOUNT}, "0001", "0002"], amountMax: 5000000 }\n`;
const PLACE = 'place --symbol VN30F2511 --side buy --qty 2 --price 1198.7';
const STOP = 'condition-place --symbol VN30F2511 --side sell --qty 2 --price 1195';

let shell: BrokerShell;

beforeEach(async () => {
  shell = await BrokerShell.open();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await shell.close();
});

const real = (mode: string): string => `mode: ${mode}
account: { custodyCode: ${ACCOUNT}, subAccountId: ${SUB_ACCOUNT} }
broker: { restUrl: "${shell.server.baseUrl}", streamUrl: "ws://127.0.0.1:1/" }
auth: { otp: { from: command, command: [echo, "123456"] } }
live: { arm: true, allowedSubAccounts: [${SUB_ACCOUNT}] }
`;

describe('the question', () => {
  it('is asked with what will be sent and where, and only a yes sends it', async () => {
    const asked: string[] = [];
    const answering = (answer: string) => (question: string) => {
      asked.push(question);
      return Promise.resolve(answer);
    };
    expect(await shell.run(PLACE, { ask: answering('') })).toMatchObject({ code: 1, err: 'not sent' });
    expect(await shell.run(PLACE, { ask: answering('no') })).toMatchObject({ code: 1 });
    expect(shell.sent()).toEqual([]);
    expect(await shell.run(PLACE, { ask: answering(' Yes ') })).toMatchObject({ code: 0 });
    expect(asked[0]).toBe(
      `paper, ${shell.server.baseUrl}\nplace: buy 2 VN30F2511 at 1198.7 on ${SUB_ACCOUNT}\nSend it? [y/N] `,
    );
  });

  it.each([
    [`${PLACE} --stop-loss 1190 --take-profit 1210`, ', stop-loss 1190.0, take-profit 1210.0'],
    [`${PLACE} --leg 41I1FC000`, ', once our order in 41I1FC000 fills'],
    ['change 17 --price 1199', 'change order 17 of VN30F2511 to 5 at 1199.0'],
    ['cancel 17', 'cancel order 17'],
    [`${STOP} --below 1196`, 'when the price falls to 1196.0, sell 2 VN30F2511 at 1195.0'],
    [`${STOP} --above 1196`, 'when the price rises to 1196.0, sell 2'],
    [`${STOP} --activation 1210 --trail 1.5`, 'followed from 1210.0 on, turns by 1.5'],
    [
      'condition-change 7625321 --trigger 1197',
      'move the trigger of condition 7625321 of VN30F2511 to 1197.0',
    ],
    ['condition-cancel 7625321', 'cancel condition 7625321'],
    ['deposit 1000000', `deposit 1,000,000 VND into ${SUB_ACCOUNT}`],
    ['withdraw 1000000', `withdraw 1,000,000 VND from ${SUB_ACCOUNT}`],
    ['transfer 1000000 --from 0001 --to 0002', 'transfer 1,000,000 VND from 0001 to 0002'],
    ['cancel-stock-orders 0001 8 9', 'cancel stock orders 8, 9 of 0001'],
  ])('of %s says %s; without a person at a terminal it is a no', async (line, words) => {
    const { code, err } = await shell.run(line, { extra: MONEY });
    expect(code).toBe(2);
    expect(err).toContain(words);
    expect(err).toContain('there is no terminal to confirm at; add --yes to send');
    expect(shell.sent().filter((request) => request.startsWith('P'))).toEqual([]);
  });

  it('says so when a daemon works on the account', async () => {
    await shell.run('token');
    const lock = takeInstanceLock(join(shell.dir, 'daemon.lock'), process.pid);
    const placing = await shell.run(PLACE);
    const changing = await shell.run('change 17 --price 1199');
    lock.release();
    expect(placing.err).toContain('it will adopt this as an order of another channel, and cancel an entry');
    expect(changing.err).toContain('an order of its own goes on with these terms');
  });
});

describe('in an auction', () => {
  afterEach(() => {
    vi.useRealTimers();
    systemClock.restart();
  });

  it.each([
    ['14:29', false],
    ['14:30', true],
    ['08:50', true],
  ])('at %s the question says that nothing can be taken back: %s', async (time, isSaid) => {
    vi.stubEnv('TICKWRIGHT_API_KEY', 'key');
    vi.stubEnv('TICKWRIGHT_ARM', 'yes');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(`2026-03-11T${time}:00+07:00`) });
    systemClock.restart();
    const text = 'auction: no order can be changed or canceled before it ends';
    for (const line of [PLACE.replace('--qty 2', '--qty 1'), 'cancel 17'])
      expect((await shell.run(line, { extra: real('live') })).err.includes(text), line).toBe(isSaid);
    expect((await shell.run('condition-cancel 7625321', { extra: real('live') })).err).not.toContain(text);
  });
});

describe('while a person reads the question', () => {
  it.each(['deposit 1000000', PLACE, `${STOP} --below 1196`])(
    '%s of another person is sent, with an unknown outcome: it is not sent again',
    async (line) => {
      const other = async (): Promise<string> => {
        shell.server.handle((exchange) => {
          if (exchange.url.pathname.includes('/oauth2/')) shell.answer(exchange);
          else exchange.socket.destroy();
        });
        expect((await shell.run(`${line} --yes`, { extra: MONEY })).out).toContain('UNKNOWN');
        return 'yes';
      };
      const { code, err } = await shell.run(line, { extra: MONEY, ask: other });
      expect([code, err]).toEqual([2, expect.stringMatching(/not sent: an equal \S+ was sent at/)]);
      expect(shell.sent()).toHaveLength(1);
    },
  );

  it.each([
    ['change 17 --price 1199', { volume: 3 }, 'the order has changed meanwhile'],
    ['change 17 --qty 4', { matchVolume: 1 }, 'order 17 is partly filled'],
  ])('%s is not sent where the order is another one by then', async (line, later, problem) => {
    const answerWith = (row: object): void =>
      shell.server.handle((exchange) => {
        if (!exchange.url.pathname.includes('/in-day')) return shell.answer(exchange);
        const book = goldenAnswer('in-day');
        const [first] = Array.isArray(book['data']) ? book['data'] : [];
        exchange.reply(200, { ...book, data: [{ ...first, status: 'P', matchVolume: 0, ...row }] });
      });
    answerWith({});
    const ask = (): Promise<string> => {
      answerWith(later);
      return Promise.resolve('yes');
    };
    const { code, err } = await shell.run(line, { ask });
    expect([code, err]).toEqual([1, expect.stringContaining(problem)]);
    expect(shell.sent().filter((request) => request.startsWith('POST'))).toEqual([]);
  });
});

describe('a token', () => {
  it('is not exchanged next to a daemon, which counts the exchanges', async () => {
    const lock = takeInstanceLock(join(shell.dir, 'daemon.lock'), process.pid);
    const { code, err } = await shell.run('positions');
    lock.release();
    expect([code, err]).toEqual([1, expect.stringContaining('tickwright token asks it for one')]);
    expect(shell.server.exchanges).toEqual([]);
  });

  it('is not exchanged next to a daemon that has another state directory, whose token it may end', async () => {
    vi.stubEnv('TICKWRIGHT_API_KEY', 'key');
    vi.stubEnv('TICKWRIGHT_ARM', 'yes');
    vi.stubEnv('XDG_STATE_HOME', shell.dir);
    const account = { restUrl: shell.server.baseUrl, custodyCode: ACCOUNT, subAccountId: SUB_ACCOUNT };
    const lock = takeAccountLock(account);
    const { code, err } = await shell.run('positions', { extra: real('live') });
    const asked = await shell.run(PLACE.replace('--qty 2', '--qty 1'), { extra: real('live') });
    lock.release();
    expect([code, err]).toEqual([1, expect.stringContaining('name that directory with --state')]);
    expect(asked.err).toContain('a daemon trades this account');
    expect(shell.server.exchanges).toEqual([]);
    expect(await shell.run('positions', { extra: real('live') })).toMatchObject({ code: 0 });
  });
});

describe('the mode', () => {
  it('dry-run reads and sends nothing', async () => {
    vi.stubEnv('TICKWRIGHT_API_KEY', 'key');
    expect(await shell.run('positions', { extra: real('dry-run') })).toMatchObject({ code: 0 });
    for (const line of [PLACE, 'cancel 17']) {
      const { err } = await shell.run(`${line} --yes`, { extra: real('dry-run') });
      expect(err).toContain('mode dry-run: nothing is sent');
    }
  });

  it('live sends when armed; a cancel leaves in any case; the first day is a small one', async () => {
    vi.stubEnv('TICKWRIGHT_API_KEY', 'key');
    const extra = real('live');
    expect((await shell.run(`${PLACE} --yes`, { extra })).err).toContain('expected TICKWRIGHT_ARM=yes');
    expect(await shell.run('cancel 17 --yes', { extra })).toMatchObject({ code: 0 });
    vi.stubEnv('TICKWRIGHT_ARM', 'yes');
    expect((await shell.run(`${PLACE} --yes`, { extra })).err).toContain(
      'expected at most risk.orderQtyMax, 1',
    );
    const small = PLACE.replace('--qty 2', '--qty 1');
    expect(await shell.run(`${small} --yes`, { extra })).toMatchObject({ code: 0 });
  });

  it('live sends a cancel from a read-only state directory, and no order', async (context) => {
    vi.stubEnv('TICKWRIGHT_API_KEY', 'key');
    vi.stubEnv('TICKWRIGHT_ARM', 'yes');
    const state = join(tempDir(), 'state');
    const disk = smallDisk(context, state, '64k');
    const run = (line: string) => shell.run(`${line} --state ${state}`, { extra: real('live') });
    expect(await run('token')).toMatchObject({ code: 0 });
    disk.allowReadsOnly();
    expect(await run('cancel 17 --yes')).toMatchObject({ code: 0, err: expect.stringContaining('EROFS') });
    const order = await run(`${PLACE.replace('--qty 2', '--qty 1')} --yes`);
    expect([order.code, order.out]).toEqual([1, expect.stringContaining('the call could not be recorded')]);
    expect(shell.sent()).toEqual([expect.stringContaining('/cancel')]);
  });

  it.for(['is empty', 'has the lock of a daemon that is gone'])(
    'live gets a token for a cancel where a read-only state directory %s',
    async (what, context) => {
      vi.stubEnv('TICKWRIGHT_API_KEY', 'key');
      const state = join(tempDir(), 'state');
      const disk = smallDisk(context, state, '64k');
      if (what !== 'is empty') takeInstanceLock(join(state, 'daemon.lock'), process.pid).release();
      disk.allowReadsOnly();
      const canceled = await shell.run(`cancel 17 --yes --state ${state}`, { extra: real('live') });
      expect(canceled).toMatchObject({
        code: 0,
        err: expect.stringContaining('the exchange is not counted'),
      });
      expect(shell.sent()).toEqual([expect.stringContaining('/cancel')]);
    },
  );
});
