/** Orders by hand, from the command line. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/cli-io.ts';
import { ACCOUNT, BrokerShell } from './support/broker-shell.ts';

const PLACE = 'place --symbol VN30F2511 --side buy --qty 2 --price 1198.7';
const STOP = 'condition-place --symbol VN30F2511 --side sell --qty 2 --price 1195';

let shell: BrokerShell;

beforeEach(async () => {
  shell = await BrokerShell.open();
});

afterEach(() => shell.close());

describe('an order by hand', () => {
  it.each([
    [
      PLACE,
      '/order/place',
      { side: 'B', price: 1198.7, volume: 2, orderType: '0' },
      'accepted, order 17, key 7625320',
    ],
    [
      `${PLACE} --stop-loss 1190 --take-profit 1210.5`,
      '/order/place',
      { orderType: 'SLP=8.7,11.8' },
      'accepted',
    ],
    [`${PLACE} --leg 41I1FC000`, '/order/place', { orderType: 'ABI=41I1FC000' }, 'accepted'],
    ['change 17 --price 1199', '/order/change', { orderNo: '17', nvol: 5, nprice: 1199 }, 'accepted'],
    ['cancel 17', '/order/cancel', { orderNo: '17' }, 'accepted'],
    [
      `${STOP} --below 1196.5`,
      '/condition/place',
      { orderType: 'SOU', soPrice: 1196.5 },
      'accepted, order 3, key 7625321',
    ],
    [`${STOP} --above 1200`, '/condition/place', { orderType: 'SOL', soPrice: 1200 }, 'accepted'],
    [
      `${STOP} --activation 1210 --trail 1.5`,
      '/condition/place',
      { orderType: 'TSO', callbackPoint: 1.5, activationPrice: 1210 },
      'accepted',
    ],
    [
      'condition-change 7625321 --trigger 1197',
      '/condition/change',
      { pkOrderNo: '7625321', soPrice: 1197 },
      'accepted',
    ],
    ['condition-cancel 7625321', '/condition/cancel', { orderNo: '7625321' }, 'accepted'],
    [
      'cancel-stock-orders 0001 8000123 8000124',
      '/cancel-orders',
      { ordersList: [{ orderID: '8000123' }, { orderID: '8000124' }] },
      'accepted',
    ],
  ])('%s', async (line, path, body, said) => {
    const result = await shell.run(`${line} --yes`);
    expect(result).toMatchObject({ code: 0, err: '' });
    expect(result.out).toContain(said);
    expect(shell.bodyOf(path)).toMatchObject(body);
    expect(shell.log()).toMatchObject([
      { call: { kind: line.split(' ')[0] } },
      { outcome: { status: 'accepted' } },
    ]);
  });

  it.each([
    ['no list', '{'],
    [
      'an end before its begin',
      JSON.stringify({ source: '', validFrom: '2026-01-01', validTo: '2025-01-01', closures: [] }),
    ],
  ])('next to closures with %s only cancels leave', async (_, closures) => {
    shell.closures = closures;
    expect(await shell.run('cancel 17 --yes')).toMatchObject({ code: 0, err: '' });
    expect(await shell.run('condition-cancel 7625321 --yes')).toMatchObject({ code: 0, err: '' });
    const { code, err } = await shell.run(`${PLACE} --yes`);
    expect([code, err]).toEqual([EXIT.usage, expect.stringMatching(/closures.json:.*only cancels leave/s)]);
    expect(await shell.run('change 17 --price 1199 --yes')).toMatchObject({ code: EXIT.usage });
    expect(shell.bodyOf('/order/place') ?? shell.bodyOf('/order/change')).toBeUndefined();
  });

  it('carries an id of its own, never one of the daemon', async () => {
    await shell.run(`${PLACE} --yes`);
    expect(shell.bodyOf('/order/place')).toMatchObject({
      accountId: ACCOUNT,
      refId: expect.stringMatching(/^H\.123456m\d{13}[\da-f]{8}$/) as unknown,
    });
  });

  it.each([
    ['place --symbol ABC --side buy --qty 1 --price 1200', 'expected a contract of this market, was ABC'],
    [
      'place --symbol VN30F2511 --side buy --qty 1 --price 1200.05',
      'price: expected a price on the grid of 0.1 points',
    ],
    ['place --symbol VN30F2511 --side long --qty 1 --price 1200', 'Allowed choices are buy, sell'],
    [
      'place --symbol VN30F2511 --side buy --qty 0 --price 1200',
      'expected a whole number of contracts above 0',
    ],
    ['place --symbol VN30F2511 --side buy --qty 6 --price 1200', 'expected at most risk.orderQtyMax, 5'],
    [`${PLACE} --stop-loss 1190`, 'expected --stop-loss and --take-profit together'],
    [`${PLACE} --leg 41I1FC000 --stop-loss 1190`, 'or --leg alone'],
    ['change 17', 'expected --price or --qty, one of them'],
    ['change 17 --price 1 --qty 1', 'expected --price or --qty, one of them'],
    ['change 17 --qty 3', 'order 17 is partly filled: only its price may be changed'],
    ['change 99 --price 1200', "the broker's book does not show order 99"],
    ['condition-cancel 99', "the broker's book does not show condition 99"],
    [STOP, 'expected --above or --below, or --activation with --trail'],
    [`${STOP} --above 1200 --below 1190`, 'expected --above or --below'],
    [`${STOP} --trail 1`, 'expected --above or --below'],
  ])('%s is not sent', async (line, problem) => {
    const { code, err } = await shell.run(`${line} --yes`);
    expect(code).toBeGreaterThan(0);
    expect(err).toContain(problem);
    expect(shell.sent().filter((request) => request.startsWith('POST'))).toEqual([]);
  });
});

describe('a rejection', () => {
  it('is shown with code and text, also as JSON', async () => {
    shell.server.handle((exchange) => {
      if (exchange.url.pathname.includes('/oauth2/')) shell.answer(exchange);
      else exchange.reply(200, { cmd: '', rc: '-6012', rs: 'not enough', oID: '', data: [] });
    });
    expect(await shell.run(`${PLACE} --yes`)).toMatchObject({
      code: 1,
      out: 'rejected by the broker: -6012 not enough\n',
    });
    const json = await shell.run(`${PLACE} --yes --json`);
    expect(JSON.parse(json.out)).toEqual({ status: 'rejected', code: '-6012', text: 'not enough' });
  });
});
