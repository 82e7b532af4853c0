/** Deposits, withdrawals, transfers: what is sent, what is understood, and what became of it. */
import { describe, expect, it } from 'vitest';
import type { CallReceipt } from '../../../src/domain/broker-order.ts';
import { money } from '../../../src/domain/units.ts';
import { deposit, transfer, withdraw } from '../../../src/wire/rest/money-calls.ts';
import {
  classifyCashReply,
  classifyStockCancelReply,
  classifyTransferReply,
} from '../../../src/wire/rest/call-reply.ts';
import { ACCOUNT, SUB_ACCOUNT } from '../support/broker-facts.ts';
import { CountedDrift } from '../support/counted-drift.ts';
import { goldenAnswer } from '../support/golden.ts';

const ID = '0123456789abcdef0123456789abcdef';
const HTML = '<html><body>502 Bad Gateway</body></html>';
const body = (content: unknown) => ({ params: {}, query: {}, body: content });

describe.each([
  ['deposit', deposit, '/khronos/v1/cash/deposit/update'],
  ['withdraw', withdraw, '/khronos/v1/cash/withdraw/update'],
] as const)('a %s', (name, operation, path) => {
  const SENT = { accountId: ACCOUNT, subAccountId: SUB_ACCOUNT, amount: 5_000_000, paymentContent: 'margin' };
  const ASKED = { accountId: ACCOUNT, subAccountId: SUB_ACCOUNT, amount: 5_000_000, note: 'margin' };

  it('has the names and types of the contract, and is understood', () => {
    expect([operation.method, operation.path]).toEqual(['POST', path]);
    expect(operation.encodeRequest({ ...ASKED, amount: money(5_000_000) })).toStrictEqual({
      query: {},
      body: SENT,
    });
    expect(operation.decodeRequest(body(SENT))).toStrictEqual({ ok: true, value: ASKED });
    expect(operation.decodeRequest(body({ ...SENT, amount: '5E6', paymentContent: null }))).toStrictEqual({
      ok: true,
      value: { ...ASKED, note: '' },
    });
  });

  it.each([[{ amount: null }], [{ amount: 'much' }], [{ subAccountId: null }], [{ accountId: {} }]])(
    'is not understood with %o',
    (fields) => {
      const [key] = Object.keys(fields);
      expect(operation.decodeRequest(body({ ...SENT, ...fields }))).toMatchObject({
        ok: false,
        issues: [{ path: `body.${key ?? ''}` }],
      });
    },
  );

  it('is answered with its transaction, and that is read', () => {
    const drift = new CountedDrift();
    expect(operation.encodeResponse(ID)).toStrictEqual(goldenAnswer(name));
    const text = JSON.stringify(goldenAnswer(name));
    expect(classifyCashReply({ httpStatus: 200, text }, name, drift)).toStrictEqual({
      status: 'accepted',
      transactionId: ID,
    });
    expect(drift.seen).toEqual([]);
  });

  it('is refused in the envelope, and that is read', () => {
    const text = JSON.stringify(operation.encodeRefusal(-6012, 'Not enough money to withdraw'));
    expect(classifyCashReply({ httpStatus: 200, text }, name, new CountedDrift())).toStrictEqual({
      status: 'rejected',
      code: '-6012',
      text: 'Not enough money to withdraw',
    });
  });
});

const reply = (fields: object): string => JSON.stringify({ ...goldenAnswer('deposit'), ...fields });

describe('what became of a deposit', () => {
  it.each<[string, number, string, CallReceipt]>([
    ['no id at all', 200, reply({ oID: '', data: null }), { status: 'accepted', transactionId: null }],
    ['the id in oID', 200, reply({ data: [] }), { status: 'accepted', transactionId: ID }],
    [
      'an object for data',
      200,
      reply({ data: { transactionId: 7 } }),
      { status: 'accepted', transactionId: '7' },
    ],
    [
      'rc below 0 under HTTP 400',
      400,
      reply({ rc: '-1', rs: 'no' }),
      { status: 'rejected', code: '-1', text: 'no' },
    ],
    ['rc 1 under HTTP 400', 400, reply({}), { status: 'unknown', reason: 'HTTP 400 with rc 1' }],
    ['HTTP 500 with rc 1', 500, reply({}), { status: 'unknown', reason: 'HTTP 500' }],
    ['HTML', 200, HTML, { status: 'unknown', reason: 'HTTP 200, the answer is not JSON' }],
    ['HTTP 401', 401, reply({ rc: '-1' }), { status: 'unknown', reason: 'HTTP 401' }],
  ])('with %s', (_what, httpStatus, text, receipt) => {
    expect(classifyCashReply({ httpStatus, text }, 'deposit', new CountedDrift())).toStrictEqual(receipt);
  });

  it('without rc nobody knows', () => {
    const text = reply({ rc: 'ok' });
    expect(classifyCashReply({ httpStatus: 200, text }, 'deposit', new CountedDrift())).toMatchObject({
      status: 'unknown',
    });
  });
});

describe('a transfer', () => {
  const SENT = {
    sourceAccountNumber: '0001234567',
    destinationAccountNumber: '0001234568',
    amount: 1_000_000,
    description: 'rent',
  };
  const ASKED = { from: '0001234567', to: '0001234568', amount: 1_000_000, note: 'rent' };

  it('has the names and types of the contract, and is understood', () => {
    expect([transfer.method, transfer.path]).toEqual(['POST', '/physis/v1/stock/transfer']);
    expect(transfer.encodeRequest({ ...ASKED, amount: money(1_000_000) })).toStrictEqual({
      query: {},
      body: SENT,
    });
    expect(transfer.decodeRequest(body(SENT))).toStrictEqual({ ok: true, value: ASKED });
    expect(transfer.decodeRequest(body({ ...SENT, description: null, amount: '1000000' }))).toStrictEqual({
      ok: true,
      value: { ...ASKED, note: '' },
    });
    expect(transfer.decodeRequest(body({ ...SENT, destinationAccountNumber: '' }))).toMatchObject({
      ok: false,
      issues: [{ path: 'body.destinationAccountNumber' }],
    });
  });

  it('is answered by code and message alone', () => {
    expect(transfer.encodeResponse()).toStrictEqual(goldenAnswer('transfer'));
    expect(transfer.encodeRefusal(-6012, 'Not enough money')).toStrictEqual({
      code: '-6012',
      message: 'Not enough money',
    });
  });
});

describe.each([
  ['transfer', 'code', '200', classifyTransferReply],
  ['cancel-stock-orders', 'error', '0', classifyStockCancelReply],
] as const)('what became of a %s', (name, key, success, classify) => {
  const answer = (httpStatus: number, json: unknown, drift = new CountedDrift()): CallReceipt =>
    classify({ httpStatus, text: JSON.stringify(json) }, name, drift);

  it(`is accepted by ${key} ${success} alone`, () => {
    const drift = new CountedDrift();
    const accepted = { status: 'accepted', transactionId: null };
    expect(answer(200, goldenAnswer(name), drift)).toStrictEqual(accepted);
    expect(drift.seen).toEqual([]);
    expect(answer(200, { [key]: Number(success) }, drift)).toStrictEqual(accepted);
    expect(drift.seen).toEqual([`${name}.${key}: not a text`]);
  });

  it.each([
    [200, { [key]: '-6012', message: 'no' }, { status: 'rejected', code: '-6012', text: 'no' }],
    [400, { [key]: '77' }, { status: 'rejected', code: '77', text: '' }],
    [400, { [key]: success }, { status: 'unknown', reason: `HTTP 400 with ${key} ${success}` }],
    [200, { message: 'ok' }, { status: 'unknown', reason: `HTTP 200 without ${key}` }],
    [200, { [key]: null }, { status: 'unknown', reason: `HTTP 200 without ${key}` }],
    [200, [], { status: 'unknown', reason: `HTTP 200 without ${key}` }],
    [403, { [key]: '-1' }, { status: 'unknown', reason: 'HTTP 403' }],
    [502, { [key]: success }, { status: 'unknown', reason: 'HTTP 502' }],
  ])('under HTTP %i with %o', (httpStatus, json, receipt) => {
    expect(answer(httpStatus, json)).toStrictEqual(receipt);
  });

  it('is unknown without JSON', () => {
    expect(classify({ httpStatus: 200, text: HTML }, name, new CountedDrift())).toMatchObject({
      status: 'unknown',
    });
  });
});
