/** Deposits, withdrawals, transfers: what is answered, and what became of it. */
import { describe, expect, it } from 'vitest';
import type { CallReceipt } from '../../../src/domain/broker-order.ts';
import { deposit, transfer, withdraw } from '../../../src/wire/rest/money-calls.ts';
import {
  classifyCashReply,
  classifyStockCancelReply,
  classifyTransferReply,
} from '../../../src/wire/rest/call-reply.ts';
import { CountedDrift } from '../support/counted-drift.ts';
import { goldenAnswer } from '../support/golden.ts';

const ID = '0123456789abcdef0123456789abcdef';
const HTML = '<html><body>502 Bad Gateway</body></html>';

describe.each([
  ['deposit', deposit],
  ['withdraw', withdraw],
] as const)('a %s', (name, operation) => {
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

describe('the outcome of a deposit', () => {
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

  it('is unknown without rc', () => {
    const text = reply({ rc: 'ok' });
    expect(classifyCashReply({ httpStatus: 200, text }, 'deposit', new CountedDrift())).toMatchObject({
      status: 'unknown',
    });
  });
});

describe('a transfer', () => {
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
